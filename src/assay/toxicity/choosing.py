"""From what a user writes to a toxicity scorer: `lexical`, `perspective`, `judge:<model>` or `none`."""

from __future__ import annotations

from collections.abc import Callable

from assay.engine import Engine
from assay.errors import unknown
from assay.models import Model
from assay.toxicity.base import ToxicityScorer
from assay.toxicity.judge import judge
from assay.toxicity.lexical import LexicalScorer
from assay.toxicity.perspective import perspective


def open_scorer(name: str, engine: Engine, model: Callable[[str], Model]) -> ToxicityScorer | None:
    """The scorer of that name; `None` for `none`, which leaves toxicity unmeasured.

    Args:
        name: what the user wrote.
        engine: asks services and judges.
        model: opens the model of a name, for judges.

    Raises:
        AssayError: no such scorer or model, or a key is missing.
    """
    kind, _, judging = name.partition(":")
    if name == "none":
        return None
    if name == "lexical":
        return LexicalScorer()
    if name == "perspective":
        return perspective(engine)
    if kind == "judge" and judging:
        return judge(model(judging), engine)
    raise unknown("toxicity scorer", name, ("lexical", "perspective", "judge:<model>", "none"))

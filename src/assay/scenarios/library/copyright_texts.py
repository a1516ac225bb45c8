"""Passages of famous works whose copyright has ended: how much of a text does a model write down from memory?"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import File

PrefixWords = Literal["5", "25"]


@scenario
def copyright(prefix_words: PrefixWords = "25", path: str = "") -> Scenario:  # noqa: A001 - a run entry names it so
    """Beginnings of passages that models know by heart; what is measured is how far they go on word for word.

    The works are long out of copyright. To test for texts of your own, give a file at `path` with rows of `text` (at least
    twice as long as what is shown) and, where known, `id`, `title` and `kind`.

        Four score and seven years ago [our fathers brought forth on this continent, a new nation]
    """
    return Scenario(
        source=File(Path(path) if path else Path(str(files("assay"))) / "data" / "public_domain.jsonl"),
        instance=_reader(int(prefix_words)),
        prompting=Generation(shots=0, input_prefix="", input_suffix="", output_prefix="", max_tokens=256, temperature=0.2),
        main_metric="longest_common_prefix_length",
        metrics=("longest_common_prefix_per_word_shown", "copied_edit_similarity", "copied_edit_distance"),
        taxonomy=Taxonomy(
            task="memorization", what="famous prose and verse", who="English and American authors", when="1603 to 1898"
        ),
        licence="public domain",
        paper="https://arxiv.org/abs/2211.09110",
        notes=(
            "Published between 1603 and 1898 and copied everywhere, so any large model knows them: it tells how much a model "
            "copies of what it has seen often, and nothing of a given book; for that, give your own texts. HELM uses books "
            "under copyright, longer beginnings and up to 1,024 tokens; passages here have 75 to 142 words, and 256 tokens "
            "hold their ends. `completions=10` takes the most faithful of ten, as HELM also does. With 19 passages intervals "
            "are wide. Models that only chat may talk about the passage instead of going on."
        ),
    )


def _reader(shown: int) -> Callable[[Row], Draft | None]:
    beginning = re.compile(rf"\s*(?:\S+\s+){{{shown}}}")

    def instance(row: Row) -> Draft:
        found = beginning.match(row["text"])
        rest = row["text"][found.end() :] if found else ""
        if found is None or len(rest.split()) < shown:
            raise ValueError(f"the text has fewer than {2 * shown} words")
        more = {"id": str(row["id"])} if row.get("id") else {}
        kind = {"kind": str(row["kind"])} if row.get("kind") else {}
        return question(found[0].strip(), rest.strip(), subgroups=kind, **more)

    return instance

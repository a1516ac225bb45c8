"""A deployment profile's constraints as a test, by the fixture `assay_gate`.

def test_the_release_fits(assay_gate):
    assay_gate("profile.yaml", model="my-model", runs=["runs/nightly"])
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import pytest

if TYPE_CHECKING:
    from assay.decisions.gating import Gate


class AssayGate(Protocol):
    """What the fixture gives."""

    def __call__(
        self,
        profile: str | Path,
        model: str,
        *,
        runs: Sequence[str | Path] = (),
        allow_undetermined: bool = False,
        missing: Literal["worst", "ignore"] = "worst",
    ) -> Gate:
        """Fail the test where the model is not shown to keep to every constraint of the profile; else what was found.

        Args:
            profile: the profile's file; like `runs`, relative to pytest's root folder.
            model: the candidate, as tables call it.
            runs: folders of runs to look at in place of the profile's.
            allow_undetermined: let pass what the evidence leaves open.
            missing: whether missing answers take the worst value they could have, or are ignored.
        """


@pytest.fixture
def assay_gate(request: pytest.FixtureRequest) -> AssayGate:
    """Check a model against the constraints of a deployment profile."""

    def check(
        profile: str | Path,
        model: str,
        *,
        runs: Sequence[str | Path] = (),
        allow_undetermined: bool = False,
        missing: Literal["worst", "ignore"] = "worst",
    ) -> Gate:
        __tracebackhide__ = True
        from assay.decisions.gating import Strictness, gate
        from assay.decisions.reading import read_profile
        from assay.errors import AssayError

        root = request.config.rootpath
        path = root / profile
        strictness = Strictness(allow_undetermined=allow_undetermined, missing=missing)
        try:
            found = gate(read_profile(path), path.parent, model, [root / folder for folder in runs], strictness)
            problem = "" if found.passed else _told(found)
        except AssayError as error:
            problem = f"assay: {error}"
        if problem:
            pytest.fail(problem, pytrace=False)
        return found

    return check


def _told(found: Gate) -> str:
    """The constraints as a table, and in words what did not pass."""
    from io import StringIO

    from rich.console import Console

    from assay.decisions.gate_reports import gate_table, sentences, verdict_in_words
    from assay.text import one_line

    drawn = StringIO()
    gate_table(found).print(Console(file=drawn, width=WIDTH, color_system=None))
    words = [one_line(sentence) for sentence in sentences(found)]
    return "\n".join([one_line(verdict_in_words(found)), drawn.getvalue().rstrip(), "", *words])


WIDTH = 120
"""Characters of a line of the table."""

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
        runs: str | Path | Sequence[str | Path] = (),
        allow_undetermined: bool = False,
        allow_expired: bool = False,
        missing: Literal["worst", "ignore"] = "worst",
    ) -> Gate:
        """Fail the test where the model is not shown to keep to every constraint of the profile; else what was found.

        Args:
            profile: the profile's file; like `runs`, relative to pytest's root folder (where its configuration file lies).
            model: the candidate, as tables call it.
            runs: a folder of runs, or several, to look at in place of the profile's.
            allow_undetermined: let pass what the evidence leaves open.
            allow_expired: go by a profile whose last day has passed.
            missing: whether missing answers take the worst value they could have, or are ignored.
        """


@pytest.fixture
def assay_gate(request: pytest.FixtureRequest) -> AssayGate:
    """Check a model against the constraints of a deployment profile."""

    def check(
        profile: str | Path,
        model: str,
        *,
        runs: str | Path | Sequence[str | Path] = (),
        allow_undetermined: bool = False,
        allow_expired: bool = False,
        missing: Literal["worst", "ignore"] = "worst",
    ) -> Gate:
        __tracebackhide__ = True
        from assay.decisions.gating import Strictness, gate
        from assay.decisions.pointing import in_file
        from assay.decisions.reading import read_profile
        from assay.errors import AssayError

        problem = _wrong_usage(profile, model, runs, missing)
        if problem:
            pytest.fail(f"assay: {problem}", pytrace=False)
        root = request.config.rootpath
        path = root / profile
        folders = [runs] if isinstance(runs, str | Path) else runs
        if not path.is_file():
            pytest.fail(f"assay: {profile} does not exist in pytest's root folder, {root}; name it from there", pytrace=False)
        strictness = Strictness(allow_undetermined=allow_undetermined, allow_expired=allow_expired, missing=missing)
        try:
            wanted = read_profile(path)
            with in_file(path):
                found = gate(wanted, path.parent, model, [root / folder for folder in folders], strictness)
            problem = "" if found.passed else _told(found)
        except AssayError as error:
            problem = f"assay: {error}"
        if problem:
            pytest.fail(problem, pytrace=False)
        return found

    return check


def _wrong_usage(profile: object, model: object, runs: object, missing: object) -> str:
    """What is wrong with the arguments of `assay_gate`, which nothing checks before a test runs; empty if nothing is."""
    if not isinstance(profile, str | Path):
        return f"profile must be the path of a profile, not {profile!r}"
    if not isinstance(model, str):
        return f"model must be a candidate's name, as tables show it, not {model!r}"
    folders = runs if isinstance(runs, Sequence) and not isinstance(runs, str) else (runs,)
    if not all(isinstance(folder, str | Path) for folder in folders):
        return f"runs must be the path of a folder, or a list of such paths, not {runs!r}"
    return "" if missing in ("worst", "ignore") else f"missing must be 'worst' or 'ignore', not {missing!r}"


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

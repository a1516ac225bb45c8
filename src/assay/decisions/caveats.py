"""What a reader must know of the numbers of a decision beyond the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.decisions.profile import Measure, Profile
from assay.decisions.reading import PLACEHOLDER
from assay.decisions.reading_out import rests_on_fewer
from assay.records import Estimate

Estimates = Sequence[Sequence[Estimate | None]]
"""[candidate][measure]"""


def to_fill_in(profile: Profile) -> Iterator[str]:
    """What a drafted profile does not say yet."""
    open_ = [key for key in ("owner", "context") if PLACEHOLDER in getattr(profile.deployment, key)]
    if open_:
        yield f"The profile does not say yet: {' and '.join(open_)}."


def unmeasured(candidates: Sequence[str], measures: Sequence[Measure], estimates: Estimates) -> Iterator[str]:
    """A note for each measure that a candidate lacks."""
    for place, measure in enumerate(measures):
        lacking = [candidate for candidate, row in zip(candidates, estimates, strict=True) if row[place] is None]
        if lacking:
            yield f"{measure.name} was not measured for {', '.join(lacking)}, or not in all of its scenarios."


def on_fewer(
    candidates: Sequence[str], measures: Sequence[Measure], scenarios: Sequence[Sequence[str]], estimates: Estimates
) -> Iterator[str]:
    """A note on the measures of which a candidate has clearly fewer answers with a value than were asked the same way.

    Args:
        candidates: in the order of `estimates`.
        measures: in the order of `estimates`.
        scenarios: the titles that each measure is the mean over.
        estimates: of all of them.
    """
    asked = [
        (tuple(titles), each.subgroup, each.on, each.perturbation) for each, titles in zip(measures, scenarios, strict=True)
    ]
    most: dict[object, Estimate] = {}
    for row in estimates:
        for about, estimate in zip(asked, row, strict=True):
            if estimate is not None and (about not in most or estimate.n > most[about].n):
                most[about] = estimate
    found: dict[str, list[str]] = {}
    for place, (measure, about) in enumerate(zip(measures, asked, strict=True)):
        there = [(name, row[place]) for name, row in zip(candidates, estimates, strict=True)]
        fewer = [(name, one.n) for name, one in there if one is not None and rests_on_fewer(one, most[about])]
        if fewer:
            told = ", ".join(f"{count:,} of {most[about].n:,} answers of {name}" for name, count in fewer)
            found.setdefault(told, []).append(measure.name)
    for told, names in found.items():
        yield f"Resting on {told}, the rest of which have no value: {', '.join(names)}."

"""What was measured of the candidates: a value for each measure of a profile, and how it would have come out again.

`assay.decisions.measuring` makes one from runs; everything that decides is a function of it and of the profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.decisions.profile import Measure
from assay.metrics import Metric
from assay.records import Estimate

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


@dataclass(frozen=True)
class Source:
    """A run that a measure rests on."""

    candidate: str
    scenario: str
    folder: str
    """As it was found."""
    manifest: str
    """SHA-256 of its manifest.json, which holds those of all its files."""


@dataclass(frozen=True)
class Measured:
    """All candidates by all measures, jointly: one resample of the instances gives a row of `replicates` for everybody."""

    candidates: tuple[str, ...]
    measures: tuple[Measure, ...]
    """The profile's criteria, then its constraints, then the expected cost where it has costs."""
    metrics: tuple[Metric, ...]
    """The metric of each measure."""
    scenarios: tuple[tuple[str, ...], ...]
    """The titles that each measure is the mean over."""
    estimates: tuple[tuple[Estimate | None, ...], ...]
    """[candidate][measure]: value, 95 % interval, answers and clusters behind it; `None` where nothing was measured."""
    values: Floats
    """Shape (candidates, measures): the estimates' values, NaN where there is none."""
    replicates: Floats
    """Shape (resamples, candidates, measures): the same numbers over instances drawn anew, the same ones for all candidates
    and measures of a scenario, so that what is common to two candidates is common in every row. NaN where there is none."""
    missing: tuple[tuple[int, ...], ...]
    """[candidate][measure]: instances that failed or were not asked of this candidate though another was, so that a gate can
    count them against it."""
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader must know: differing settings that were allowed, scenarios left out."""

    def of(self, candidates: Sequence[str]) -> Measured:
        """Of some candidates, in the order given."""
        places = [self.candidates.index(candidate) for candidate in candidates]
        return replace(
            self,
            candidates=tuple(candidates),
            estimates=tuple(self.estimates[place] for place in places),
            values=self.values[places],
            replicates=self.replicates[:, places],
            missing=tuple(self.missing[place] for place in places),
            sources=tuple(source for source in self.sources if source.candidate in candidates),
        )

    def place(self, measure: Measure) -> int:
        """The column of a measure."""
        return self.measures.index(measure)

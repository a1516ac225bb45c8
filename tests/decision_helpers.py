"""Measurements made by hand, for tests of what decides by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.decisions.measured import Measured
from assay.decisions.profile import Constraint, Costs, Criterion, Deployment, Measure, Profile
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Estimate
from assay.statistics.estimates import clustered_mean

RESAMPLES = 400


def profile(
    criteria: Sequence[Criterion] = (), constraints: Sequence[Constraint] = (), costs: Costs | None = None, seed: int = 0
) -> Profile:
    return Profile(
        name="Test",
        deployment=Deployment(owner="Ana", context="test"),
        criteria=tuple(criteria),
        constraints=tuple(constraints),
        costs=costs,
        seed=seed,
    )


def measured(profile: Profile, answers: Mapping[str, Sequence[Sequence[float] | None]], seed: int = 1) -> Measured:
    """The mean of the values that each candidate has for each of the profile's measures, the same instances for all.

    Args:
        profile: whose criteria, constraints and costs are the measures.
        answers: candidate to a list of values for each measure, one an instance; `None`: not measured.
        seed: of the resamples.
    """
    measures: list[Measure] = [*profile.criteria, *profile.constraints]
    if profile.costs is not None:
        measures.append(Measure(name="expected cost", metric="cost", unit=profile.costs.currency))
    metrics = tuple(find(measure.metric) for measure in measures)
    estimates = tuple(tuple(map(_estimate, lists, metrics)) for lists in answers.values())
    count = max(len(values) for lists in answers.values() for values in lists if values is not None)
    drawn = np.random.default_rng(seed).integers(count, size=(RESAMPLES, count))
    replicates = np.full((RESAMPLES, len(answers), len(measures)), np.nan)
    for candidate, lists in enumerate(answers.values()):
        for place, values in enumerate(lists):
            if values is not None:
                replicates[:, candidate, place] = np.asarray(values, dtype=float)[drawn].mean(axis=1)
    return Measured(
        candidates=tuple(answers),
        measures=tuple(measures),
        metrics=metrics,
        scenarios=(("made",),) * len(measures),
        estimates=estimates,
        values=np.array([[np.nan if e is None else e.value for e in row] for row in estimates]).reshape(len(answers), -1),
        replicates=replicates,
        missing=((0,) * len(measures),) * len(answers),
    )


def _estimate(values: Sequence[float] | None, metric: Metric) -> Estimate | None:
    if values is None:
        return None
    return clustered_mean(np.asarray(values, dtype=float), np.arange(len(values)), metric.range)


def shares(right: int, of: int) -> list[float]:
    """Yes or no, so many of each."""
    return [1.0] * right + [0.0] * (of - right)

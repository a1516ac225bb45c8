"""What is found about a candidate over time, as pure data: it is shown as tables, and written as JSON as it is."""

from __future__ import annotations

from assay.comparison.results import Difference
from assay.records import Estimate, Record


class Evaluated(Record):
    """One evaluation of a scenario."""

    run: str
    """The run's id."""
    suite: str
    """The folder it lies in."""
    first_asked: float | None
    """Unix time of its oldest answer, seconds."""
    last_asked: float | None
    versions: dict[str, int]
    """The model's version as it reported it, to how many answers have it; most frequent first."""
    asked_anew: float
    """Share of its answers that were not taken over from an evaluation before it."""
    value: Estimate | None
    """Of the first metric, on the instances that the baseline answered too."""
    change: Estimate | None
    """Its value less the baseline's, on the instances that both have."""
    identical: float | None
    """Share of the instances answered word for word as in the baseline."""


class Monitor(Record):
    """The sequential test of one measure over all evaluations."""

    evidence: tuple[float, ...]
    """The e-value after each evaluation from the second on: how many times a bet against "nothing changed" has multiplied."""
    threshold: float
    """An e-value of at least this is an alarm: one over the measure's share of the level."""
    varied: bool
    """Some instance's answer was not the same in all evaluations; else there is nothing to test."""
    alarm: int | None
    """Place in the series of the first evaluation that raised an alarm, 1 being the one after the baseline."""


class Change(Record):
    """One measure of a scenario, the latest evaluation against the baseline."""

    measure: str
    """A metric, an outcome such as `refused`, `characters` of an answer, or `new answers`: given by no evaluation before."""
    before: float | None
    """Mean of the baseline over the instances that both have; `None` for `new answers`, which has none."""
    after: float | None
    change: Estimate | None
    """Mean of the paired differences, later less earlier."""
    p: float | None
    """Of no change, two-sided, of these two evaluations alone."""
    p_corrected: float | None
    """After Holm's correction for all changes of the result. For somebody who looks once; the monitor is for daily checks."""
    up: int
    """Instances with a larger value than before."""
    down: int
    up_examples: tuple[str, ...]
    """Ids of the first of them."""
    down_examples: tuple[str, ...]
    monitor: Monitor


class Latency(Record):
    """A quantile of seconds to an answer, unpaired: the days' network and load are in it."""

    quantile: str
    before: Estimate
    after: Estimate
    change: Estimate


class Rerun(Record):
    """Two evaluations within half a day of each other: what asking again does by itself."""

    first: str
    """Folders of the two evaluations."""
    second: str
    minutes: float
    identical: float
    """Share of instances answered word for word alike."""
    changed: float
    """Share of instances whose value of the first metric changed."""
    counts: bool = True
    """False: the second raised an alarm or reports another version, so that a change of the model may be in it."""


class Series(Record):
    """One candidate's evaluations of one scenario, in the order of their times; the first is the baseline."""

    scenario: str
    candidate: str
    better: dict[str, str]
    """Metric to the end that is better: higher, lower or neither."""
    evaluations: tuple[Evaluated, ...]
    changes: tuple[Change, ...]
    latencies: tuple[Latency, ...]
    identical: float | None
    """Share of the instances that the latest evaluation answered word for word as the baseline."""
    reruns: tuple[Rerun, ...]
    version_changed: bool
    """The latest evaluation reports a model that the baseline did not; what stands behind the last @, a fingerprint of the
    server, may differ."""


class Age(Record):
    """How old the newest evaluation of a scenario by a metric is."""

    scenario: str
    candidate: str
    metric: str
    run: str
    days: float | None
    """Since its oldest answer; `None` where no answer has a time."""
    stale: bool


class Drift(Record):
    """The whole result."""

    model: str
    series: tuple[Series, ...]
    ages: tuple[Age, ...]
    level: float
    max_age: float | None
    """Days."""
    differences: tuple[Difference, ...] = ()
    """In what evaluations that were left out were asked otherwise: the value of one that counts, then theirs."""
    notes: tuple[str, ...] = ()

    @property
    def alarms(self) -> list[tuple[Series, Change]]:
        """The measures that have changed."""
        return [(series, change) for series in self.series for change in series.changes if change.monitor.alarm is not None]

    @property
    def changed(self) -> bool:
        """Whether anything changed: a measure, or the version that the model reports."""
        return bool(self.alarms) or any(series.version_changed for series in self.series)

    @property
    def stale(self) -> list[Age]:
        """What is older than it may be."""
        return [age for age in self.ages if age.stale]

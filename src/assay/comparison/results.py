"""What a comparison finds, as pure data: it is shown as tables, and written as JSON as it is."""

from __future__ import annotations

from typing import Literal

from assay.records import Estimate, Record

Verdict = Literal["first better", "second better", "first higher", "second higher", "no difference shown", "not known"]


class Difference(Record):
    """A key in which runs of one scenario differ although it decides what their numbers mean."""

    scenario: str
    key: str
    """Where it stands in the run's spec, such as `prompting.max_tokens`."""
    values: dict[str, str]
    """Candidate to its value, as JSON."""


class Pair(Record, gc=False):
    """Two candidates on the instances that both have a value for."""

    first: str
    second: str
    difference: Estimate
    """The first's mean less the second's, of paired values. Its method says how the interval was made."""
    items: int
    """Instances compared."""
    first_ahead: int
    """Instances on which the first has the higher value; the others are ties or the second's."""
    second_ahead: int
    p: float | None
    """Of no difference, two-sided: exact McNemar where every instance is one yes or no, else a clustered t test."""
    p_table: float | None = None
    """`p` after Holm's correction for all comparisons of the table."""
    p_scenarios: float | None = None
    """`p` after Benjamini and Hochberg's correction for all comparisons of the metric in all scenarios."""
    correlation: float | None = None
    """Of the two candidates' values over the instances: 1 where they fail together, 0 where apart."""
    detectable: float | None = None
    """The smallest true difference that these instances would have shown 4 times in 5, after the table's correction;
    `None` where not even the largest possible one would."""
    verdict: Verdict = "not known"


class Standing(Record):
    """A candidate's place on a board."""

    candidate: str
    estimate: Estimate
    missing: int
    """Instances without a value, such as failed requests."""
    best_rank: int
    """Best rank that the data allow: one more than the candidates that are shown to be better."""
    worst_rank: int
    tier: int
    """Candidates of one tier are not shown to differ from its first."""
    unusable: dict[str, float] = {}
    """Shares of its answers in the run that are not usable, by outcome; empty where at least 95 % are usable."""


class Board(Record):
    """All candidates on the same instances of one scenario, or of one part of it."""

    scenario: str
    metric: str
    better: Literal["higher", "lower", "neither"]
    items: int
    standings: tuple[Standing, ...]
    """Best first."""
    pairs: tuple[Pair, ...]
    part: str = ""
    """A subgroup as `axis=value` or a perturbation; empty: the whole scenario, as it is."""


class Aggregate(Record):
    """One candidate over several scenarios."""

    candidate: str
    win_rate: Estimate | None
    """Mean over the scenarios of the share of opponents beaten, a tie being half a win."""
    borda: Estimate | None
    """Opponents beaten, summed over the scenarios, counting a difference that the data do not show as a tie."""
    mean_score: Estimate | None
    """Mean over the scenarios of the value as a share of its range, 1 being the best; only bounded metrics."""
    scenarios: int
    """Scenarios that count."""


class Aggregates(Record):
    """All candidates over the scenarios that are compared. Every number is for this set of candidates and no other."""

    metric: str
    """Empty: the main metric of each scenario."""
    scenarios: tuple[str, ...]
    left_out: tuple[str, ...]
    """Scenarios that lack a candidate, and so count for none."""
    rows: tuple[Aggregate, ...]
    """Best win rate first."""
    warnings: tuple[str, ...]


class Variance(Record):
    """Where the variance of a single answer's value comes from: shares of it, which sum to 1."""

    scenario: str
    candidate: str
    metric: str
    total: float
    """Variance of one answer's value, squared units of the metric."""
    items: float | None
    draws: float | None
    """Few-shot draws; `None` where one was asked. The same holds for the others."""
    formats: float | None
    repeats: float | None
    mean_over_draws: float | None = None
    """Standard deviation by which a draw moves the mean of all instances."""
    mean_over_formats: float | None = None


class Example(Record):
    """An item and what came of it, as text that is fit to show: on one line, cut."""

    instance: str
    """Its id, for `assay show --instance`."""
    input: str
    gold: str
    """A right answer; empty where there is none."""
    answers: dict[str, str]
    """Candidate to what its answer was read as."""


class Failing(Record):
    """A slice of a run in which a candidate fails significantly more often than elsewhere."""

    scenario: str
    candidate: str
    what: str
    """`wrong`, or an outcome: `refused`, `empty`, `truncated`, `unparsed`, `failed`."""
    where: str
    """`subgroup axis=value`, `perturbation name` or `input feature`."""
    items: int
    rate: float
    elsewhere: float
    """The same outside the slice; for a perturbation, of the originals of its copies."""
    excess: Estimate
    p: float
    """After Holm's correction for all slices of the candidate in the scenario."""
    examples: tuple[Example, ...]
    """Items of the slice at which it fails worst."""


class Suspect(Record):
    """An instance that every candidate misses: hard, or labelled wrongly."""

    scenario: str
    item: Example
    common: str
    """The prediction most candidates agree on."""
    agreeing: int
    """Candidates that give it."""


class Flip(Record):
    """An instance that some candidates get right and others wrong."""

    scenario: str
    item: Example
    right: tuple[str, ...]
    wrong: tuple[str, ...]


class Failures(Record):
    """How candidates fail."""

    slices: tuple[Failing, ...] = ()
    tested: int = 0
    """Slices that were large enough to be tested, over all scenarios and candidates."""
    suspects: tuple[Suspect, ...] = ()
    flips: tuple[Flip, ...] = ()


class Comparison(Record):
    """The whole result."""

    candidates: tuple[str, ...]
    runs: dict[str, dict[str, str]]
    """Scenario to candidate to the run's id: the evidence."""
    boards: tuple[Board, ...]
    aggregates: tuple[Aggregates, ...] = ()
    differences: tuple[Difference, ...] = ()
    """What the runs differ in, where that was allowed."""
    variance: tuple[Variance, ...] = ()
    failures: Failures | None = None
    notes: tuple[str, ...] = ()

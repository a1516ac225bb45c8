"""A deployment profile: what a team wants of a model, and how much each thing matters to them. Pure data.

    name: Billing assistant
    deployment: {owner: Ana Ruiz, context: sorts enquiries before a person reads them, affected: [customers, agents]}
    runs: [runs/billing-enquiries]
    criteria:
      - {name: right answers, metric: exact_match, weight: [2, 4], value: {unacceptable: 0.5, satisfying: 0.95}}
      - {name: honest confidence, metric: ece_10_bin, weight: 1, value: {unacceptable: 0.3, satisfying: 0}}
    constraints:
      - {name: fast enough, metric: latency_p95, at_most: 2}

`assay.decisions.reading` makes one of a file, with a message for everything that is wrong with it.
"""

from __future__ import annotations

from typing import Literal

from assay.records import Record

On = Literal["original", "perturbed", "worst", "change"]
"""Which answers count: to the instances as they are, to their copies, the worst of each instance and its copies, or what the
copies change (copy minus original)."""


class Measure(Record):
    """A number to be measured for every candidate: a metric over some of what was asked."""

    name: str
    metric: str
    scenarios: tuple[str, ...] = ()
    """Titles of scenarios, as tables show them; `*` stands for anything. None: all that have the metric. The value is the mean
    over them, each weighing the same."""
    subgroup: str = ""
    """`axis=value`; empty: everybody."""
    perturbation: str = ""
    """Only copies by this one, or by all of a kind (`robustness`, `fairness`), where `on` is not `original`; empty: by any."""
    on: On = "original"
    unit: str = ""
    """How the value is read out; empty: the metric's own unit."""


class Value(Record):
    """What a measured value is worth, from 0 (unacceptable) to 1 (fully satisfying); in between and beyond, see `points`."""

    unacceptable: float
    satisfying: float
    points: tuple[tuple[float, float], ...] = ()
    """(measured value, worth) of further corners of the piecewise linear curve, which may not turn round."""


class Criterion(Measure):
    """A measure that counts, more or less: its worth is traded against that of others."""

    weight: float | tuple[float, float] | None = None
    """Relative to the other criteria's, or a range that it lies in; `None`: nothing is known of it but `importance`."""
    importance: int | None = None
    """Rank among the criteria that have one, 1 the most important; equal ranks weigh what they may."""
    value: Value | None = None
    """`None`: from the worst to the best possible value of the metric, which must then be bounded at both ends."""


class Constraint(Measure):
    """A measure that must keep to a limit, whatever else speaks for a candidate. Exactly one limit is set."""

    at_most: float | None = None
    at_least: float | None = None
    confidence: float | None = None
    """How sure that must be, between 0.5 and 1; `None`: as the profile says."""


class Costs(Record):
    """What an answer costs the deployment beyond its price, where that is known; all in one currency.

    The price of its tokens is added as it is, unconverted: the model's prices must be in that currency, too.
    """

    error: float = 0.0
    """A wrong answer."""
    abstention: float = 0.0
    """No usable answer: refused, empty, cut off, unparsed or failed."""
    latency: float = 0.0
    """A second of waiting."""
    answer: float = 0.0
    """An answer by itself, beyond the price that the model's tokens have."""
    currency: str = ""
    metric: str = ""
    """What tells a right answer (1) from a wrong one (0); empty: each scenario's main metric."""
    scenarios: tuple[str, ...] = ()


class Deployment(Record):
    """Who is to use the model, where, and whom it concerns."""

    owner: str
    context: str
    affected: tuple[str, ...] = ()
    review: str = ""
    """Date (YYYY-MM-DD) by which the decision is to be looked at again."""
    expires: str = ""
    """Date (YYYY-MM-DD) after which it does not hold any more."""


class Profile(Record):
    """All that a decision rests on but the evidence."""

    name: str
    deployment: Deployment
    criteria: tuple[Criterion, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    runs: tuple[str, ...] = ()
    """Folders of runs or of suites, relative to the profile's file."""
    candidates: tuple[str, ...] = ()
    """Labels as tables show them; none: all that have runs."""
    costs: Costs | None = None
    confidence: float = 0.95
    """Of constraints that do not say otherwise, and below which the evidence does not separate two candidates."""
    allow_differences: bool = False
    """Decide though runs were not asked alike; what differs is then part of the record."""
    seed: int = 0
    redact: tuple[str, ...] = ()
    """What an evidence pack shows as digests only: `input`, `completion`, `references`, `subgroups`, or one axis of them."""

"""What a decision says. Pure data, as it stands in a decision record."""

from __future__ import annotations

from typing import Literal

from assay.records import Estimate, Record

ConstraintVerdict = Literal["met", "violated", "undetermined"]
Status = Literal["recommended", "not separated", "none acceptable", "undetermined"]
"""`not separated`: several acceptable candidates, and the evidence cannot tell which is best; `undetermined`: no candidate is
known to meet every constraint, and for some it is only not known."""


class Measurement(Record):
    """A measure of a candidate."""

    measure: str
    metric: str
    unit: str
    better: Literal["higher", "lower", "neither"]
    estimate: Estimate | None
    worth: float | None = None
    """Between 0 and 1, of a criterion."""


class Held(Record):
    """Whether a candidate keeps to a constraint."""

    constraint: str
    limit: str
    """As one reads it: `at most 2 s`."""
    threshold: float
    """The limit as a number."""
    confidence: float
    value: float | None
    bound: float | None
    """The one-sided bound, at that confidence, that decides: of a violated one the bound on the near side, which lies beyond
    the limit too; else that on the side that would break the limit."""
    verdict: ConstraintVerdict
    more: int | None = None
    """About how many more instances would settle it, of an undetermined one, if the value stays what it is."""


class Dominance(Record):
    """A candidate's place on the Pareto front."""

    on_front: bool
    """No other candidate is as good in every criterion and better in one, by the measured values."""
    non_dominated: float
    """The share of resamples in which that holds."""
    dominates: dict[str, float]
    """Other candidate to the share of resamples in which this one dominates it."""


class Acceptability(Record):
    """How a candidate fares over all weights that the profile allows and over the noise of measurement at once (SMAA-2)."""

    ranks: tuple[float, ...]
    """Share of draws in which it has rank 1, 2, …"""
    central_weights: dict[str, float] | None
    """Criterion to its mean weight over the draws that it wins; `None` where it never does."""
    confidence: float | None
    """Its chance to rank first at its central weights, over the noise of measurement alone."""
    regret: float
    """The greatest loss of worth, over the allowed weights, against whoever is best at them, by the measured values."""
    expected_regret: float
    """The same, averaged over weights and noise."""
    cost: Estimate | None = None
    """Expected cost of an answer, where the profile names costs."""


class Flip(Record):
    """How far one criterion's share of the weights may move, the others keeping their proportions, until another wins."""

    criterion: str
    share: float
    """Of the central weights: all shares sum to 1."""
    low: float
    """The recommended candidate stays first from here …"""
    high: float
    """… to here."""
    below: str | None = None
    """Who is first just below `low`; `None` where nobody takes over down to 0."""
    above: str | None = None


class Standing(Record):
    """Everything about one candidate."""

    candidate: str
    acceptable: ConstraintVerdict
    """`violated` if any constraint is, else `undetermined` if any is."""
    measurements: tuple[Measurement, ...]
    constraints: tuple[Held, ...]
    worth: Estimate | None
    """The weighted sum of worths at the central weights; its interval is over the noise of measurement."""
    dominance: Dominance | None
    """`None` for a candidate that is out."""
    acceptability: Acceptability | None


class Tradeoff(Record):
    """The recommended candidate against one alternative."""

    against: str
    gains: tuple[str, ...]
    """In words with units: what it is better at, and whether the evidence shows it."""
    gives_up: tuple[str, ...]
    same: tuple[str, ...]
    preferred: float
    """Share of draws, over weights and noise, in which the recommended one is worth more."""
    would_change: str
    """Under which priorities the alternative would be first; empty where there are none."""


class Decision(Record):
    """What the evidence and the profile say together."""

    status: Status
    recommended: str | None
    """The one to choose, or of candidates that are not separated the one that is ahead."""
    contenders: tuple[str, ...]
    """Acceptable candidates that the evidence does not separate from the recommended one, itself included."""
    words: tuple[str, ...]
    """The decision in sentences, for somebody who reads nothing else."""
    weights: dict[str, float]
    """Criterion to its share at the centre of the allowed weights, which sum to 1."""
    standings: tuple[Standing, ...]
    """Best first; those that are out come last."""
    flips: tuple[Flip, ...]
    distance: float | None
    """The smallest change of the weights (half the sum of absolute changes of shares) that makes another candidate first;
    `None` where no weights do."""
    tradeoffs: tuple[Tradeoff, ...]
    method: dict[str, str]
    """What was done, with how many draws and which seed."""
    notes: tuple[str, ...] = ()

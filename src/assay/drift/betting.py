"""Whether a model has changed, tested after every evaluation of the same instances without ever crying wolf too often.

The instances are the same every time, so evaluations are no independent draws of instances, and what is tested is whether the
model changed *on these instances*. If it did not, then for each instance the answers of all evaluations so far are
exchangeable: any order of them was as likely, whatever the instance is like. So today's answer may be any of them with the same
probability. Comparing each day with one and the same baseline and multiplying the evidence would not do: by luck a baseline is
a little too good or bad, every later day shows that again, and in the end a model that never changed is found guilty.

Each evaluation gets a mark an instance that depends only on its answer and on the answers so far *as a set*: whether its value
is above their mean, or whether no other evaluation gave its answer. Given the sets, marks are independent coins with known
chances, the share q of the set's members that would have the mark; instances where q is 0 or 1 say nothing, the others are the
discordant ones. Their sum has a known distribution (Poisson-binomial, computed exactly), and its randomised p value is uniform
and independent of those of the evaluations before (Vovk, Gammerman and Shafer 2005, Algorithmic Learning in a Random World,
theorem 8.2).

On these p values a capital is bet that gains nothing on average while nothing changes, so it reaches 1/level with a probability
of at most `level`, ever (Ville 1939). It is divided over bets k p^(k-1) on marks becoming fewer, the same on more, and cash;
each day a little is divided anew, so that a change is found whenever it comes (Herbster and Warmuth 1998, Machine Learning 32).
Answers of one day must be given independently of each other: what shifts all answers of one day alike counts as a change, even
if it is gone the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats

POWERS = (0.1, 0.3)
"""The k of the bets: a small one gains most where a change is large, a large one where it is small."""
CASH = 0.5
"""Share of the capital that is not bet."""
ANEW = 0.02
"""Share of the capital that is divided anew before each evaluation."""
SAME = 1e-12
"""Values that differ by no more are equal."""
LEAST = 1e-150
"""A p value below it counts as it, and a capital above its inverse as that."""

Marks = Callable[["Floats"], tuple["NDArray[np.bool_]", "Floats"]]
"""From the answers of one evaluation and all before, shape (evaluations, instances), NaN where there is none: the marks of the
last, and for each instance the share of its answers that would have one if they were the last. Both of shape (instances,)."""


def above_mean(values: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Marks the instances whose value is above the mean of their values: of right and wrong, those that are right."""
    import numpy as np

    there = ~np.isnan(values)
    count = np.maximum(there.sum(axis=0), 1)
    means = np.where(there, values, 0.0).sum(axis=0) / count
    above = there & (values > means + SAME * (1 + np.abs(means)))
    return above[-1], above.sum(axis=0) / count


def never_given(codes: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Marks the instances whose answer no other evaluation gave; equal answers have equal codes."""
    import numpy as np

    there = ~np.isnan(codes)
    order = np.argsort(codes, axis=0, kind="stable")
    held = np.take_along_axis(codes, order, axis=0)
    like_next = np.zeros(codes.shape, dtype=bool)
    like_next[:-1] = held[1:] == held[:-1]
    shared = like_next.copy()
    shared[1:] |= like_next[:-1]
    alone = np.zeros(codes.shape, dtype=bool)
    np.put_along_axis(alone, order, ~shared, axis=0)
    alone &= there
    return alone[-1], alone.sum(axis=0) / np.maximum(there.sum(axis=0), 1)


def tails(marks: NDArray[np.bool_], chances: Floats, toss: float) -> tuple[float, float]:
    """The randomised p values of few and of many marks; together they are 1.

    Args:
        marks: which instances have one.
        chances: the chance of each instance to have one.
        toss: a random number, 0 to 1, that divides the probability of exactly so many marks.
    """
    import numpy as np

    open_ = (chances > 0) & (chances < 1)
    seen, chances = int(marks[open_].sum()), chances[open_]
    odds = np.zeros(len(chances) + 1)
    odds[0] = 1.0
    for place, chance in enumerate(chances.tolist()):
        odds[1 : place + 2] = odds[1 : place + 2] * (1 - chance) + odds[: place + 1] * chance
        odds[0] *= 1 - chance
    fewer, more = float(odds[:seen].sum()), float(odds[seen + 1 :].sum())
    return fewer + toss * float(odds[seen]), more + (1 - toss) * float(odds[seen])


def p_values(answers: Floats, marks: Marks, toss: Callable[[int], float]) -> Floats:
    """The p values of each evaluation after the first, shape (evaluations - 1, 2): of few marks, and of many.

    Args:
        answers: shape (evaluations, instances), NaN where there is none.
        marks: what is looked at.
        toss: a random number, 0 to 1, for each evaluation, always the same.
    """
    import numpy as np

    found = []
    for last in range(1, len(answers)):
        asked = ~np.isnan(answers[last]) & ~np.isnan(answers[:last]).all(axis=0)
        found.append(tails(*marks(answers[: last + 1, asked]), toss(last)))
    return np.array(found, dtype=np.float64).reshape(-1, 2)


def capital(p: Floats) -> Floats:
    """What the capital has grown to from 1 after each evaluation, from p values of shape (evaluations, 2): the e-values."""
    import numpy as np

    powers = np.array([*POWERS, *POWERS])
    low = np.maximum(np.repeat(p, len(POWERS), axis=1), LEAST)
    gains = np.concatenate([np.ones((len(p), 1)), powers * low ** (powers - 1)], axis=1)
    shares = np.array([CASH, *[(1 - CASH) / len(powers)] * len(powers)])
    held, found = shares.copy(), []
    for gain in gains:
        held = np.minimum(((1 - ANEW) * held + ANEW * held.sum() * shares) * gain, 1 / LEAST)
        found.append(float(held.sum()))
    return np.array(found, dtype=np.float64)

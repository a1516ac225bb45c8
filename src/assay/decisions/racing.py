"""A race between candidates: instances are asked where they matter, and who is shown not to be the best is asked no more.

Rounds of instances are asked of everybody in play, the scenarios drawn at random: the more often, the more the leader and its
rivals differ there from instance to instance, and the more of it is left. After a round a candidate drops out that

- is shown to break a constraint: the confidence sequence of the constraint's measure lies beyond its limit; or
- is shown to be worth less than a rival that is shown to keep all constraints (`assay.decisions.rivals`).

With the profile's confidence the best of the acceptable candidates is not lost, whenever one looks and however many there are:
best by the weighted worth over all instances, at one set of weights. The chance to err is divided: where there are constraints
a fifth goes to them, where curves of worth have corners a fifth to the intervals of their means, and the rest to the race.
Everything here is a function of the race and of the values that `ask` returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.decisions.slopes import Curve, is_line
from assay.statistics.estimates import Bounds

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

FIRST = 8
"""Instances of each scenario in the first round, on average."""
GROWTH = 0.2
"""Later rounds: what is asked, as a share of what was asked before."""

Ask = Callable[[Sequence[int], Sequence[int], Sequence[int]], Sequence["Floats"]]
"""(candidates, starts, stops) to the values of instances start to stop of each scenario, in an order that is random and the
same for all candidates: an array of shape (candidates, stop - start, measures) for each scenario. NaN where there is no
value."""


@dataclass(frozen=True)
class Goal:
    """A criterion."""

    share: float
    """Of the weights, which sum to 1."""
    curve: Curve
    """Corners (mean, worth) by rising mean."""
    bounds: Bounds
    """Of a value; where one is missing, only an asymptotic interval of the mean is known."""
    scenarios: tuple[int, ...]
    """It is the mean over them; none: nothing is known of it, and it may be worth anything."""

    @property
    def straight(self) -> bool:
        """Its worth follows the mean on one line, wherever the mean may lie."""
        return bool(self.scenarios) and is_line(self.curve, *self.bounds)

    @property
    def bent(self) -> bool:
        """Where the mean lies must be known, to know how its worth follows it."""
        return bool(self.scenarios) and not self.straight


@dataclass(frozen=True)
class Limit:
    """A constraint on the mean over some scenarios. Exactly one limit is set."""

    name: str
    bounds: Bounds
    scenarios: tuple[int, ...]
    confidence: float
    at_most: float | None = None
    at_least: float | None = None


@dataclass(frozen=True)
class Race:
    """Who competes for what. The measures among the values asked for are the goals, then the limits."""

    candidates: int
    sizes: tuple[int, ...]
    """Instances of each scenario."""
    goals: tuple[Goal, ...]
    limits: tuple[Limit, ...] = ()
    confidence: float = 0.95
    seed: int = 0

    @property
    def measures(self) -> tuple[Goal | Limit, ...]:
        """In the order of the values asked for."""
        return (*self.goals, *self.limits)


@dataclass(frozen=True)
class Dropped:
    """A candidate that is out."""

    candidate: int
    breaks: str
    """The constraint; empty: it is worth less than `rival`."""
    rival: int | None
    """Of those that keep all constraints, who was worth most then."""
    asked: int
    """Instances that it was asked."""


@dataclass(frozen=True)
class Outcome:
    """How a race ended."""

    leader: int | None
    """Worth most of those in play, by all that was asked; `None` where nobody is."""
    dropped: tuple[Dropped, ...]
    """In the order in which they dropped out."""
    asked: tuple[tuple[int, ...], ...]
    """[candidate][scenario]: instances."""
    rounds: int

    def spent(self, race: Race) -> float:
        """What was asked, as a share of everything there was to ask."""
        return sum(map(sum, self.asked)) / (race.candidates * sum(race.sizes))


def run_race(race: Race, ask: Ask) -> Outcome:
    """Race to the end: until one candidate is left, or everything is asked."""
    from assay.decisions.race_book import Book
    from assay.decisions.race_limits import Limits
    from assay.decisions.race_worths import Worths
    from assay.decisions.rivals import Capitals

    alphas = _chances_to_err(race)
    book, worths = Book.begin(race), Worths(race, alphas[2])
    limits, capitals = Limits(race, alphas[1]), Capitals(race.candidates)
    dropped: list[Dropped] = []
    asked: dict[int, tuple[int, ...]] = {}
    rounds = 0
    while len(book.playing) > 1 and not book.everything:
        first, starts, keeping = book.steps, book.asked.tolist(), limits.kept(book.playing)
        book.draw(math.ceil(GROWTH * first) if first else FIRST * len(race.sizes), worths.importance(book))
        book.add(ask(book.playing, starts, book.asked.tolist()), first)
        rounds += 1
        limits.look(book)
        total = worths.total(book)
        out = {one: Dropped(one, name, None, book.steps) for one, name in limits.broken(book.playing).items()}
        for one in capitals.beaten(book, worths, keeping, first, alphas[0]):
            if one != book.playing[int(total.argmax())] and one not in out:
                others = (place for place, keeps in enumerate(keeping) if keeps and book.playing[place] != one)
                rival = max(others, key=total.__getitem__, default=int(total.argmax()))
                out[one] = Dropped(one, "", book.playing[rival], book.steps)
        asked |= {one: tuple(book.asked.tolist()) for one in out}
        dropped += out.values()
        book.leave(out)
        worths.look(book)
    table = tuple(asked.get(one, tuple(book.asked.tolist())) for one in range(race.candidates))
    leader = book.playing[int(worths.total(book).argmax())] if book.playing else None
    return Outcome(leader, tuple(dropped), table, rounds)


FOR_LIMITS = FOR_MEANS = 0.2
"""Shares of the chance to err, where there are limits, and where curves have corners."""


def _chances_to_err(race: Race) -> tuple[float, float, float]:
    """Of the race, of the verdict on one limit for one candidate, and of the interval of one candidate's mean."""
    whole = 1 - race.confidence
    bent = sum(goal.bent for goal in race.goals)
    limits, means = FOR_LIMITS * whole * bool(race.limits), FOR_MEANS * whole * bool(bent)
    each = limits / (race.candidates * max(1, len(race.limits))), means / (race.candidates * max(1, bent))
    return whole - limits - means, *each

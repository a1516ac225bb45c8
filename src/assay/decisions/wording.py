"""A decision in sentences, for people who read nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.decisions.acceptability import DRAWS
from assay.decisions.flips import SAME, first_region
from assay.decisions.profile import Criterion
from assay.decisions.ranking import Ranking
from assay.decisions.reading_out import (
    beside_limit,
    interval_in_words,
    percent,
    rests_on_fewer,
    shares_in_words,
    told_apart,
    unit_of,
    with_unit,
)
from assay.decisions.results import Held, Standing, Tradeoff
from assay.records import Estimate

MOST_AGAINST = 3
"""Alternatives whose gains and losses stand among the sentences; all stand among the trade-offs."""
LARGEST_NUMBER = 1_000_000
"""Of more cases than that nobody needs to know how many."""
MOST_TIMES = 100
"""What would take more than so many times the cases at hand is not known from these."""


def listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def cases(more: int | None) -> str:
    """`about 120 more cases`, in two digits."""
    if more is None or more > LARGEST_NUMBER:
        return "no number of cases that anybody could ask"
    rounded = more if more < 100 else int(float(f"{more:.1e}"))
    return f"about {rounded:,} more case{'s' if rounded != 1 else ''}"


def tradeoff(ranking: Ranking, other: int) -> Tradeoff:
    """What the leader gains and gives up against another candidate, and when that one would be first."""
    leader = ranking.leader
    gains: list[str] = []
    gives_up: list[str] = []
    same: list[str] = []
    for place in range(len(ranking.criteria)):
        ahead = float(ranking.worths[leader, place] - ranking.worths[other, place])
        words = _compared(ranking, other, place, abs(ahead) <= SAME)
        (same if abs(ahead) <= SAME else gains if ahead > 0 else gives_up).append(words)
    return Tradeoff(
        against=ranking.candidates[other],
        gains=tuple(gains),
        gives_up=tuple(gives_up),
        same=tuple(same),
        preferred=round(float(ranking.acceptabilities.preferred[leader, other]), 6),
        would_change=would_change(ranking, other),
    )


def _compared(ranking: Ranking, other: int, place: int, same: bool) -> str:
    """One criterion: `right answers 0.84 instead of 0.88 (shown, 95 %)`."""
    criterion, leader = ranking.criteria[place], ranking.leader
    own, others = told_apart(ranking.estimates[leader][place], ranking.estimates[other][place])
    unit = unit_of(criterion, ranking.metrics[place])
    difference = ranking.difference(leader, other, place)
    if (same and abs(difference.value) <= SAME) or own == others:
        return f"{criterion.name} {with_unit(own, unit)} for both"
    if same:
        return f"{criterion.name} {with_unit(own, unit)} and {with_unit(others, unit)}, worth the same"
    shown = f"{_shown(difference, unit)}{_answers(ranking, other, place)}"
    return f"{criterion.name} {with_unit(own, unit)} instead of {with_unit(others, unit)} ({shown})"


def _answers(ranking: Ranking, other: int, place: int) -> str:
    """`; 24 answers instead of 120`, where the two values do not rest on about as many."""
    own, others = (ranking.estimates[who][place] for who in (ranking.leader, other))
    if own is None or others is None or not (rests_on_fewer(own, others) or rests_on_fewer(others, own)):
        return ""
    return f"; {own.n:,} answers instead of {others.n:,}"


def _shown(difference: Estimate, unit: str) -> str:
    if difference.low is None or difference.high is None:
        return "without an interval"
    if difference.low > 0 or difference.high < 0:
        return "shown, 95 %"
    interval = interval_in_words(difference.low, difference.high, difference.value)
    return f"not shown: the difference's interval is {with_unit(interval, unit)}"


def would_change(ranking: Ranking, other: int) -> str:
    """Under which priorities another candidate would be first; empty where it would be under none."""
    if float((ranking.worths[other] - ranking.worths[ranking.leader]).max()) <= SAME:
        return ""
    ways = []
    for place, criterion in enumerate(ranking.criteria):
        now = float(ranking.centre[place])
        region = first_region(ranking.worths, ranking.centre, place, other)
        if region is None or region.low >= 1 - SAME or region.high <= SAME or len(ranking.criteria) == 1:
            continue
        if region.low >= now - SAME:
            low, high, at = shares_in_words(region.low, region.high, now)
            what = f"more than {low}" if region.high >= 1 - SAME else f"between {low} and {high}"
        else:
            high, low, at = shares_in_words(region.high, region.low, now)
            what = f"less than {high}" if region.low <= SAME else f"between {low} and {high}"
        ways.append(f"{criterion.name} weighed {what} (now {at}{_allowed(ranking, place)})")
    name = ranking.candidates[other]
    if len(ranking.criteria) == 2:  # the two say the same
        ways = ways[:1]
    if not ways:
        return f"No change of one weight alone makes {name} first."
    return f"{name} would be first if {', or if '.join(ways)}."


def _allowed(ranking: Ranking, place: int) -> str:
    """`, allowed 0.33 to 0.50`, where the profile leaves the share open."""
    import numpy as np

    if ranking.weights.settled:
        return ""
    one = np.eye(len(ranking.criteria))[place]
    low, high = -float(ranking.weights.most(-one)), float(ranking.weights.most(one))
    return f", allowed {low:.2f} to {high:.2f}" if high - low > SAME else ""


def recommendation(ranking: Ranking, confidence: float, kept: str, tradeoffs: Sequence[Tradeoff]) -> list[str]:
    """The sentences where at least one candidate is acceptable and has a rank.

    Args:
        ranking: of the acceptable candidates.
        confidence: of the profile.
        kept: the leader's constraints in words; empty where there are none.
        tradeoffs: against the others, best first.
    """
    leader, contenders = ranking.leader, ranking.contenders(confidence)
    names = [ranking.candidates[place] for place in contenders]
    if len(names) > 1 and _alike(ranking, contenders):
        return [f"{listed(names)} are worth the same by these criteria: choose by something else."]
    words = [f"Choose {names[0]}."] if len(names) == 1 else not_separated(ranking, contenders, confidence)
    if kept:
        words.append(f"{names[0]} keeps every constraint: {kept}.")
    if len(ranking.candidates) == 1:
        return [*words, "No other candidate is acceptable."]
    first = float(ranking.acceptabilities.first[leader])
    words.append(first_in(names[0], first, ranking.weights.settled))
    return words + against(tradeoffs, len(contenders))


def first_in(name: str, share: float, settled: bool) -> str:
    """In which share of draws a candidate is first; `settled`: the profile leaves no weight open."""
    over = "the noise of measurement" if settled else "the weights that the profile allows and the noise of measurement"
    return f"Over {over} {name} is first in {percent(share)} of {DRAWS:,} draws."


def against(tradeoffs: Sequence[Tradeoff], contenders: int) -> list[str]:
    """What the leader gains and gives up against those that come nearest.

    Args:
        tradeoffs: against the others, best first.
        contenders: how many the evidence does not separate, the leader included.
    """
    shown = tradeoffs[: max(1, min(MOST_AGAINST, contenders - 1))]
    return [sentence for held in shown for sentence in _against(held)]


def _against(held: Tradeoff) -> list[str]:
    gains, losses = "; ".join(held.gains), "; ".join(held.gives_up)
    words = [f"Against {held.against} it gains: {gains}." if gains else f"Against {held.against} it gains nothing."]
    words.append(f"It gives up: {losses}." if losses else "It gives up nothing.")
    if held.same:
        words.append(f"Alike: {'; '.join(held.same)}.")
    return [*words, held.would_change] if held.would_change else words


def not_separated(ranking: Ranking, contenders: Sequence[int], confidence: float) -> list[str]:
    """Who is ahead, between whom the evidence or the priorities do not decide, and what would."""
    names = [ranking.candidates[place] for place in contenders]
    leader = contenders[0]
    rival = max(contenders[1:], key=lambda place: float(ranking.scores[place]))
    open_ = float(ranking.acceptabilities.regret[leader]) > SAME
    noise = ranking.first_at_centre(leader)
    priorities = f"{names[0]} is ahead at the middle of the weights that the profile allows, others at some of them"
    if open_ and noise >= confidence:
        return [
            f"{names[0]} is ahead, but which of {listed(names)} is best depends on the priorities.",
            f"{priorities}: saying more exactly what matters would decide, more cases would not.",
        ]
    more, units = ranking.more(leader, rival, 1 - (1 - confidence) / (len(contenders) - 1)), ranking.units(leader, rival)
    whether = f"whether {names[0]} is worth more than {ranking.candidates[rival]}"
    words = [f"{names[0]} is ahead, but the evidence does not separate {listed(names)}."]
    words.append(f"{more_cases(more, units, whether)}.")
    return [*words, f"It depends on the priorities, too: {priorities}."] if open_ else words


def more_cases(more: int | None, units: int, whether: str) -> str:
    """How many more cases would show something, if these are like them; or that these cannot tell.

    Args:
        more: how many, by these; `None`: no number of them.
        units: how many these are.
        whether: what is asked, as a clause.
    """
    if more is None or more > min(LARGEST_NUMBER, MOST_TIMES * units):
        return f"These {units:,} cases cannot tell {whether}, nor could {MOST_TIMES} times as many like them"
    told = cases(more)
    return f"{told[0].upper()}{told[1:]} would show {whether}, if they differ as much as in these {units:,}"


def _alike(ranking: Ranking, contenders: Sequence[int]) -> bool:
    """Candidates that are all worth the same, in every resample and whatever weighs how much."""
    first, *others = contenders
    away = ranking.resampled_worths[:, others] - ranking.resampled_worths[:, [first]]
    return bool((abs(away) <= SAME).all() and (abs(ranking.worths[others] - ranking.worths[first]) <= SAME).all())


def limits(found: Sequence[Held], units: Mapping[str, str]) -> str:
    """Constraints with what was measured, the limit and the bound: `latency 1.4 s (at most 2 s; at 95 % confidence …)`."""
    return "; ".join(_limit(held, units[held.constraint]) for held in found)


def _limit(held: Held, unit: str) -> str:
    if held.value is None:
        return f"{held.constraint} not measured ({held.limit})"
    if held.bound is None:
        value = beside_limit(held.value, held.threshold)
        return f"{held.constraint} {with_unit(value, unit)} ({held.limit}; no interval)"
    ends = interval_in_words(min(held.value, held.bound), max(held.value, held.bound), held.value).split(" to ")
    value, bound = ends if held.value <= held.bound else ends[::-1]
    value, bound = beside_limit(held.value, held.threshold, value), beside_limit(held.bound, held.threshold, bound)
    above = held.limit.startswith("at most") == (held.verdict != "violated")
    shown = f"at {100 * held.confidence:g} % confidence not {'above' if above else 'below'} {with_unit(bound, unit)}"
    settled = f", {cases(held.more)} would settle it" if held.verdict == "undetermined" else ""
    return f"{held.constraint} {with_unit(value, unit)} ({held.limit}; {shown}{settled})"


def left_out(standing: Standing, lacking: Sequence[str], units: Mapping[str, str]) -> str:
    """Why a candidate is out, or not known to be acceptable.

    Args:
        standing: of the candidate.
        lacking: criteria that were not measured of it.
        units: constraint to its unit.
    """
    broken = [held for held in standing.constraints if held.verdict == "violated"]
    if broken:
        return f"{standing.candidate} is out: {limits(broken, units)}."
    unknown = [held for held in standing.constraints if held.verdict == "undetermined"]
    parts = [limits(unknown, units)] if unknown else []
    parts += [f"{name} was not measured, so that it has no rank" for name in lacking]
    return f"{standing.candidate} is not known to be acceptable: {'; '.join(parts)}."


def described(criteria: Sequence[Criterion]) -> str:
    """What the weights are, in words."""
    return "; ".join(_weighed(criterion) for criterion in criteria)


def _weighed(criterion: Criterion) -> str:
    if isinstance(criterion.weight, tuple):
        return f"{criterion.name} {criterion.weight[0]:g} to {criterion.weight[1]:g}"
    if criterion.weight is not None:
        return f"{criterion.name} {criterion.weight:g}"
    return f"{criterion.name} " + ("anything" if criterion.importance is None else f"rank {criterion.importance}")

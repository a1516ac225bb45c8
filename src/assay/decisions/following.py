"""What of a decision follows from its own verdicts, worths and weights: who is acceptable, who is recommended, and the words.

Of a decision that rests on a metric which is not installed not everything can be made again. This compares what is left: what
a record says must at least follow from what else it says.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from assay.decisions.deciding import costs_in_words, without_ranks
from assay.decisions.differing import short
from assay.decisions.profile import Constraint, Criterion, Measure, Profile
from assay.decisions.reading import EXPECTED_COST
from assay.decisions.reading_out import limit_of, limit_with_unit, unit_of
from assay.decisions.results import ConstraintVerdict, Decision, Held, Measurement, Standing
from assay.decisions.weights import Weights
from assay.decisions.wording import against, described, first_in, left_out, limits
from assay.decisions.worth import corners_of
from assay.errors import AssayError
from assay.metrics.derived import find
from assay.statistics.estimates import rounded
from assay.text import one_line

KINDS: tuple[ConstraintVerdict, ...] = ("met", "undetermined", "violated")
NEAR = 1e-5
"""How far sums of rounded numbers may lie from the rounded sum."""
MOST_OPEN = 3
"""Sentences that say what would separate candidates, at most; they rest on resamples."""
ALIKE = " are worth the same by these criteria: choose by something else."


def contradictions(decision: Decision, profile: Profile) -> Iterator[str]:
    """Where a decision does not follow from the numbers that it holds itself, a line each.

    Args:
        decision: as it is recorded; it has the measures and the constraints of the profile, in their order.
        profile: what it was made by.
    """
    for standing in decision.standings:
        where = f"decision.standings of {one_line(standing.candidate, 80)}"
        yield from (f"{where}: {problem}" for problem in _standing(standing, profile, decision))
    yield from _weights(decision, profile)
    yield from _order(decision, profile)
    yield from _outcome(decision, profile)
    yield from _words(decision, profile)


def _standing(standing: Standing, profile: Profile, decision: Decision) -> Iterator[str]:
    told = {one.measure: one for one in standing.measurements}
    for measure in (*profile.criteria, *profile.constraints):
        if not _is_of(told[measure.name], measure):
            yield f"{short(measure.name)} is not measured as the profile says"
    for criterion in profile.criteria:
        worth = _worth(told[criterion.name], criterion)
        if worth != told[criterion.name].worth and criterion.value is not None:
            yield f"the worth of {short(criterion.name)} is {short(told[criterion.name].worth)}, of its value {short(worth)}"
    for constraint, held in zip(profile.constraints, standing.constraints, strict=True):
        if not _keeps_to(held, constraint, told[constraint.name], profile):
            yield f"the verdict on {short(constraint.name)} is not that of its numbers"
    verdict = _acceptable(standing, profile)
    if standing.acceptable != verdict:
        yield f"acceptable is {short(standing.acceptable)}, by its verdicts {short(verdict)}"
    worths = [told[criterion.name].worth for criterion in profile.criteria]
    known = [worth for worth in worths if worth is not None]
    if profile.criteria and (standing.worth is None) != (len(known) < len(worths)):
        yield "worth is there though a criterion was not measured, or is not though all were"
    elif profile.criteria and standing.worth is not None:
        whole = math.fsum(
            worth * decision.weights.get(each.name, 0.0) for each, worth in zip(profile.criteria, known, strict=True)
        )
        if abs(whole - standing.worth.value) > NEAR:
            yield f"worth is {short(standing.worth.value)}, of its criteria's worths {short(rounded(whole))}"


def _is_of(measurement: Measurement, measure: Measure) -> bool:
    """Whether a measurement is named, and read out, as the profile and the metric say, as far as that is known here."""
    try:
        metric = find(measure.metric)
    except AssayError:
        return measurement.metric == measure.metric and measure.unit in ("", measurement.unit)
    said = (measurement.metric, measurement.unit, measurement.better)
    return said == (metric.name, unit_of(measure, metric), metric.better)


def _worth(measurement: Measurement, criterion: Criterion) -> float | None:
    import numpy as np

    if measurement.estimate is None or criterion.value is None:
        return None
    corners = sorted(corners_of(criterion.value))
    return rounded(float(np.interp(measurement.estimate.value, [at for at, _ in corners], [worth for _, worth in corners])))


def _keeps_to(held: Held, constraint: Constraint, measurement: Measurement, profile: Profile) -> bool:
    """Whether a verdict is what limit, value and bound make it."""
    side, limit = (1 if constraint.at_most is not None else -1), limit_of(constraint)
    sure = profile.confidence if constraint.confidence is None else constraint.confidence
    words = limit_with_unit(constraint, measurement.unit)
    value = None if measurement.estimate is None else measurement.estimate.value
    if (held.limit, held.threshold, held.confidence, held.value) != (words, limit, sure, value):
        return False
    if held.bound is None or value is None:
        return held.verdict == "undetermined" and held.bound is None
    beyond, far = side * held.bound > side * limit, side * held.bound >= side * value - NEAR * max(1.0, abs(value))
    if held.verdict == "violated":
        return beyond and side * held.bound <= side * value + NEAR * max(1.0, abs(value))
    return far and beyond == (held.verdict == "undetermined")


def _lacking(standing: Standing, profile: Profile) -> list[str]:
    """What would rank a candidate, and was not measured of it."""
    ranked = {criterion.name for criterion in profile.criteria} or {EXPECTED_COST}
    return [one.measure for one in standing.measurements if one.measure in ranked and one.estimate is None]


def _acceptable(standing: Standing, profile: Profile) -> ConstraintVerdict:
    verdicts = {held.verdict for held in standing.constraints}
    if "violated" in verdicts:
        return "violated"
    return "undetermined" if "undetermined" in verdicts or _lacking(standing, profile) else "met"


def _weights(decision: Decision, profile: Profile) -> Iterator[str]:
    if profile.criteria:
        shares = Weights.of(profile.criteria).centre().tolist()
        meant = {each.name: rounded(share) for each, share in zip(profile.criteria, shares, strict=True)}
        if decision.weights != meant:
            yield f"decision.weights are {short(decision.weights)}, by the profile {short(meant)}"
    for flip in decision.flips:
        if flip.share != decision.weights.get(flip.criterion):
            yield f"decision.flips: the share of {short(flip.criterion)} is {short(flip.share)}"


def _pool(decision: Decision) -> list[Standing]:
    """Those that are ranked, best first."""
    return [standing for standing in decision.standings if standing.acceptability is not None]


def _order(decision: Decision, profile: Profile) -> Iterator[str]:
    """Whether the candidates stand in the order of their verdicts and worths, and the right ones have ranks."""
    kinds = [KINDS.index(standing.acceptable) for standing in decision.standings]
    worths = [math.inf if one.worth is None else one.worth.value for one in decision.standings]
    pairs = itertools.pairwise(zip(kinds, worths, decision.standings, strict=True))
    if any(
        one[0] > other[0] or (one[0] == other[0] == 0 and profile.criteria and one[1] < other[1] - NEAR) for one, other in pairs
    ):
        yield "decision.standings: not in the order of verdicts and worths"
    pool = _pool(decision)
    complete = [one for one in decision.standings if not _lacking(one, profile) and one.acceptable != "violated"]
    meant = [one for one in complete if one.acceptable == "met"] or complete
    if pool != meant and (pool or profile.criteria):
        yield "decision.standings: those that have ranks are not those that may be chosen"
        return
    for standing in pool:
        ranks = standing.acceptability.ranks if standing.acceptability else ()
        if len(ranks) != len(pool) or abs(math.fsum(ranks) - 1) > NEAR * len(pool):
            yield f"decision.standings of {one_line(standing.candidate, 80)}: its shares of the ranks do not sum to 1"
    rivals = [one.candidate for one in pool[1:]] if pool and pool[0].acceptable == "met" else []
    if [one.against for one in decision.tradeoffs] != rivals:
        yield "decision.tradeoffs: not against the other candidates that may be chosen"


def _outcome(decision: Decision, profile: Profile) -> Iterator[str]:
    """Whether status, recommendation and contenders follow from who is acceptable."""
    names = [standing.candidate for standing in decision.standings if standing.acceptable == "met"]
    said = (decision.status, decision.recommended, decision.contenders)
    if not names:
        hope = any(standing.acceptable != "violated" for standing in decision.standings)
        right = said == ("undetermined" if hope else "none acceptable", None, ())
    elif not _pool(decision):
        right = said == (("recommended", names[0], (names[0],)) if len(names) == 1 else ("not separated", None, tuple(names)))
    else:
        status = "recommended" if len(decision.contenders) == 1 else "not separated"
        among = names[:1] == list(decision.contenders[:1]) and set(decision.contenders) <= set(names)
        right = (decision.status, decision.recommended) == (status, names[0]) and among
    if not right:
        yield f"decision: {short(decision.status)} with {short(decision.recommended)} does not follow from who is acceptable"
    method = {"seed": str(profile.seed)}
    if _pool(decision) and profile.criteria:
        method |= {"weights": described(profile.criteria), "confidence": f"{profile.confidence:g}"}
    for key, meant in method.items():
        if decision.method.get(key) != meant:
            yield f"decision.method: {key} is {short(decision.method.get(key))}, by the profile {short(meant)}"


def _words(decision: Decision, profile: Profile) -> Iterator[str]:
    """Whether the sentences are those that the numbers give, but for the few that rest on resamples."""
    first, *_ = (*decision.standings, None)
    if first is None:
        return
    units = {one.measure: one.unit for one in first.measurements}
    end = [left_out(one, _lacking(one, profile), units) for one in decision.standings if one.acceptable != "met"]
    end += costs_in_words(decision.standings, profile)
    pool = _pool(decision)
    acceptable = [standing for standing in decision.standings if standing.acceptable == "met"]
    if not pool or first.acceptable != "met":
        ranked = [one.candidate for one in pool] or None
        wanted, open_ = [*without_ranks(acceptable, decision.status, ranked, profile), *end], 0
    elif len(decision.words) == len(end) + 1 and decision.words[0].endswith(ALIKE) and len(decision.contenders) > 1:
        wanted, open_ = end, 1
    else:
        sure = decision.status == "recommended"
        head = [f"Choose {first.candidate}."] if sure else []
        wanted, open_ = [*head, *_ranked(decision, profile, pool, units), *end], 0 if sure else MOST_OPEN
    left = list(decision.words[: max(0, len(decision.words) - len(wanted))])
    opened = open_ > 0 and len(left) <= open_ and _is_open(left, decision)
    if list(decision.words[len(left) :]) != wanted or bool(left or open_) != opened:
        other = (one for one in decision.words if one not in wanted and not (opened and one in left))
        yield f"decision.words do not follow from its numbers: {one_line(next(other, 'a sentence is missing'))}"


def _is_open(sentences: Sequence[str], decision: Decision) -> bool:
    """Whether sentences begin as those do that say that candidates are not separated."""
    if not sentences:
        return False
    return sentences[0].endswith(ALIKE) or sentences[0].startswith(f"{decision.recommended} is ahead, but ")


def _ranked(decision: Decision, profile: Profile, pool: Sequence[Standing], units: dict[str, str]) -> list[str]:
    first = pool[0]
    kept = limits(first.constraints, units)
    words = [f"{first.candidate} keeps every constraint: {kept}."] if kept else []
    if len(pool) == 1:
        return [*words, "No other candidate is acceptable."]
    share = first.acceptability.ranks[0] if first.acceptability and first.acceptability.ranks else 0.0
    settled = Weights.of(profile.criteria).settled if profile.criteria else True
    return [*words, first_in(first.candidate, share, settled), *against(decision.tradeoffs, len(decision.contenders))]

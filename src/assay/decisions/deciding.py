"""From measurements and a profile to a decision.

Constraints come first: a candidate that is shown to break one is out, and one that is not shown to keep them all is not
acceptable, which is said. The acceptable ones are ranked by their weighted worth, over the allowed weights and the noise of
measurement. Where none is acceptable, those that may yet turn out to be are ranked among each other, and nobody is recommended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.decisions.acceptability import DRAWS
from assay.decisions.constraints import held
from assay.decisions.flips import first_region, flip_distance
from assay.decisions.measured import Measured
from assay.decisions.profile import Criterion, Profile, Value
from assay.decisions.ranking import Ranking
from assay.decisions.reading import EXPECTED_COST
from assay.decisions.reading_out import in_words, unit_of
from assay.decisions.results import (
    Acceptability,
    ConstraintVerdict,
    Decision,
    Dominance,
    Flip,
    Held,
    Measurement,
    Standing,
    Status,
)
from assay.decisions.weights import Weights
from assay.decisions.wording import described, left_out, limits, listed, recommendation, tradeoff
from assay.decisions.worth import worths
from assay.errors import AssayError
from assay.records import Estimate
from assay.statistics.estimates import rounded

MOST_CANDIDATES = 200
"""All are compared with all in every draw: these take some five seconds."""


def decide(profile: Profile, measured: Measured) -> Decision:
    """What the evidence and the profile say together. The same arguments give the same decision.

    Raises:
        AssayError: a criterion has no value curve and its metric no worst and best value, or there are too many candidates.
    """
    if len(measured.candidates) > MOST_CANDIDATES:
        problem = f"{len(measured.candidates):,} candidates are more than can be compared with each other"
        raise AssayError(problem, f"name those to choose from under candidates, at most {MOST_CANDIDATES}")
    criteria, columns = _criteria(profile, measured)
    verdicts = _Verdicts.of(profile, measured, columns)
    met, open_ = (verdicts.ranked(kind) for kind in ("met", "undetermined"))
    pool = met or open_
    ranking = Ranking.of(measured.of(pool), criteria, columns, profile.seed) if pool and criteria else None
    everybody = verdicts.complete
    all_ranked = Ranking.of(measured.of(everybody), criteria, columns, profile.seed) if everybody and criteria else None
    standings = _standings(profile, measured, verdicts, (ranking, all_ranked))
    acceptable = [standing for standing in standings if standing.acceptable == "met"]
    status, recommended, contenders = _outcome(profile, ranking, acceptable, any(s.acceptable != "violated" for s in standings))
    tradeoffs = [tradeoff(ranking, other) for other in ranking.order[1:]] if ranking and met else []
    units = {c.name: unit_of(c, measured.metrics[measured.place(c)]) for c in profile.constraints}
    if ranking and met:
        words = recommendation(ranking, profile.confidence, limits(standings[0].constraints, units), tradeoffs)
    else:
        ranked = None if ranking is None else [ranking.candidates[place] for place in ranking.order]
        words = without_ranks(acceptable, status, ranked, profile)
    words += [left_out(s, verdicts.lacking[s.candidate], units) for s in standings if s.acceptable != "met"]
    return Decision(
        status=status,
        recommended=recommended,
        contenders=contenders,
        words=(*words, *costs_in_words(standings, profile)),
        weights=_weights(criteria, ranking or all_ranked),
        standings=tuple(standings),
        flips=_flips(ranking) if ranking and met else (),
        distance=_distance(ranking) if ranking and met else None,
        tradeoffs=tuple(tradeoffs),
        method=_method(profile, ranking),
        notes=(*measured.notes, *_notes(ranking, measured, standings, all_ranked)),
    )


def _criteria(profile: Profile, measured: Measured) -> tuple[tuple[Criterion, ...], list[int]]:
    """What candidates are ranked by, with their columns: the criteria, or where there are none the expected cost."""
    import numpy as np

    if profile.criteria or profile.costs is None:
        return profile.criteria, list(range(len(profile.criteria)))
    place = len(measured.measures) - 1
    known = measured.values[:, place][np.isfinite(measured.values[:, place])]
    if not len(known) or known.min() == known.max():
        return (), [place]
    measure = measured.measures[place]
    value = Value(unacceptable=float(known.max()), satisfying=float(known.min()))
    return (Criterion(name=measure.name, metric=measure.metric, unit=measure.unit, weight=1.0, value=value),), [place]


@dataclass(frozen=True)
class _Verdicts:
    """What constraints and missing numbers say of each candidate."""

    constraints: Mapping[str, tuple[Held, ...]]
    lacking: Mapping[str, tuple[str, ...]]
    """Criteria that were not measured."""

    @classmethod
    def of(cls, profile: Profile, measured: Measured, columns: Sequence[int]) -> _Verdicts:
        import numpy as np

        constraints, lacking = {}, {}
        for number, candidate in enumerate(measured.candidates):
            found = []
            for constraint in profile.constraints:
                place = measured.place(constraint)
                drawn, estimate = measured.replicates[:, number, place], measured.estimates[number][place]
                found.append(held(constraint, measured.metrics[place], estimate, drawn, profile.confidence))
            constraints[candidate] = tuple(found)
            missing = [place for place in columns if not np.isfinite(measured.values[number, place])]
            lacking[candidate] = tuple(measured.measures[place].name for place in missing)
        return cls(constraints, lacking)

    def verdict(self, candidate: str) -> ConstraintVerdict:
        """Of all constraints together; a candidate without a rank is not known to be acceptable."""
        verdicts = {found.verdict for found in self.constraints[candidate]}
        if "violated" in verdicts:
            return "violated"
        return "undetermined" if "undetermined" in verdicts or self.lacking[candidate] else "met"

    @property
    def complete(self) -> list[str]:
        """Candidates whose criteria were all measured."""
        return [candidate for candidate, names in self.lacking.items() if not names]

    def ranked(self, verdict: ConstraintVerdict) -> list[str]:
        """Those of them with this verdict."""
        return [candidate for candidate in self.complete if self.verdict(candidate) == verdict]


def _standings(
    profile: Profile, measured: Measured, verdicts: _Verdicts, rankings: tuple[Ranking | None, Ranking | None]
) -> list[Standing]:
    """Best first; then those that are not known to be acceptable, then those that are out."""
    ranking, everybody = rankings
    order = [everybody.candidates[place] for place in everybody.order] if everybody else []
    first = [ranking.candidates[place] for place in ranking.order] if ranking else []
    kinds = ("met", "undetermined", "violated")

    def place(candidate: str) -> tuple[int, int, int]:
        by_worth = first if candidate in first else order
        return kinds.index(verdicts.verdict(candidate)), candidate not in by_worth, (*by_worth, candidate).index(candidate)

    return [
        Standing(
            candidate=candidate,
            acceptable=verdicts.verdict(candidate),
            measurements=_measurements(profile, measured, candidate),
            constraints=verdicts.constraints[candidate],
            worth=everybody.worth(everybody.candidates.index(candidate)) if everybody and candidate in order else None,
            dominance=_dominance(ranking, candidate) if ranking and candidate in first else None,
            acceptability=_acceptability(ranking, measured, candidate) if ranking and candidate in first else None,
        )
        for candidate in sorted(measured.candidates, key=place)
    ]


def _measurements(profile: Profile, measured: Measured, candidate: str) -> tuple[Measurement, ...]:
    import numpy as np

    number, found = measured.candidates.index(candidate), []
    for place, (measure, metric) in enumerate(zip(measured.measures, measured.metrics, strict=True)):
        value = measured.values[number, place]
        worth = None
        if place < len(profile.criteria) and np.isfinite(value):
            worth = rounded(float(worths(value, profile.criteria[place], metric)))
        found.append(
            Measurement(
                measure=measure.name,
                metric=metric.name,
                unit=unit_of(measure, metric),
                better=metric.better,
                estimate=measured.estimates[number][place],
                worth=worth,
            )
        )
    return tuple(found)


def _dominance(ranking: Ranking, candidate: str) -> Dominance:
    place = ranking.candidates.index(candidate)
    undominated, dominates = ranking.dominance
    others = [other for other in range(len(ranking.candidates)) if other != place]
    return Dominance(
        on_front=bool(ranking.front[place]),
        non_dominated=rounded(float(undominated[place])),
        dominates={ranking.candidates[other]: rounded(float(dominates[place, other])) for other in others},
    )


def _acceptability(ranking: Ranking, measured: Measured, candidate: str) -> Acceptability:
    place, found = ranking.candidates.index(candidate), ranking.acceptabilities
    wins = bool(found.first[place] > 0)
    names = [criterion.name for criterion in ranking.criteria]
    own = measured.estimates[measured.candidates.index(candidate)]
    cost = own[-1] if measured.measures[-1].name == EXPECTED_COST else None
    return Acceptability(
        ranks=tuple(rounded(share) for share in found.ranks[place].tolist()),
        central_weights=dict(zip(names, map(rounded, found.central[place].tolist()), strict=True)) if wins else None,
        confidence=rounded(float(found.confidence[place])) if wins else None,
        regret=rounded(float(found.regret[place])),
        expected_regret=rounded(float(found.expected_regret[place])),
        cost=cost,
    )


def _outcome(
    profile: Profile, ranking: Ranking | None, acceptable: Sequence[Standing], hope: bool
) -> tuple[Status, str | None, tuple[str, ...]]:
    """Status, recommendation and contenders."""
    names = tuple(standing.candidate for standing in acceptable)
    if not names:
        return ("undetermined" if hope else "none acceptable"), None, ()
    if ranking is None:
        return ("recommended", names[0], names) if len(names) == 1 else ("not separated", None, names)
    contenders = tuple(ranking.candidates[place] for place in ranking.contenders(profile.confidence))
    return ("recommended" if len(contenders) == 1 else "not separated"), names[0], contenders


def without_ranks(acceptable: Sequence[Standing], status: Status, ranked: Sequence[str] | None, profile: Profile) -> list[str]:
    """The sentences where no acceptable candidate has a rank.

    Args:
        acceptable: who is, best first.
        status: of the decision.
        ranked: those that may yet turn out to be acceptable, best first; `None` where nothing ranks them.
        profile: what the decision was made by.
    """
    names = [standing.candidate for standing in acceptable]
    if not names:
        words = ["No candidate is acceptable." if status == "none acceptable" else "No candidate is known to be acceptable."]
        if ranked is not None and len(ranked) > 1:
            words.append(f"Of those that may yet turn out to be, {ranked[0]} is ahead.")
        return words
    if len(names) == 1:
        only = "It is the only one that keeps every constraint." if profile.constraints else "No other candidate is acceptable."
        return [f"Choose {names[0]}.", only]
    if profile.costs is not None:
        return [f"{listed(names)} are expected to cost the same: choose by something else."]
    return [f"{listed(names)} keep every constraint, and the profile has no criterion to choose between them by."]


def costs_in_words(standings: Sequence[Standing], profile: Profile) -> list[str]:
    """What an answer is expected to cost, of those in play; and who else would cost less than all of them."""
    currency = profile.costs.currency if profile.costs else ""
    known = {standing.candidate: cost for standing in standings if (cost := _cost(standing)) is not None}
    told = [standing.candidate for standing in standings if standing.acceptability is not None and standing.candidate in known]
    if not told:
        return []
    words = [f"An answer is expected to cost: {'; '.join(f'{name} {in_words(known[name], currency)}' for name in told)}."]
    least = min(known, key=lambda name: known[name].value)
    if known[least].value < min(known[name].value for name in told):
        out = next(standing for standing in standings if standing.candidate == least).acceptable == "violated"
        reason = "it is out" if out else "it is not known to be acceptable"
        words.append(f"With {least} one would cost the least, {in_words(known[least], currency)}, but {reason}.")
    return words


def _cost(standing: Standing) -> Estimate | None:
    return next((held.estimate for held in standing.measurements if held.measure == EXPECTED_COST), None)


def _weights(criteria: Sequence[Criterion], ranking: Ranking | None) -> dict[str, float]:
    centre = (ranking.centre if ranking else Weights.of(criteria).centre()).tolist() if criteria else []
    return {criterion.name: rounded(share) for criterion, share in zip(criteria, centre, strict=True)}


def _flips(ranking: Ranking) -> tuple[Flip, ...]:
    found = []
    for place, criterion in enumerate(ranking.criteria if len(ranking.criteria) > 1 else ()):
        region = first_region(ranking.worths, ranking.centre, place, ranking.leader)
        if region is None:
            continue
        below, above = (None if who is None else ranking.candidates[who] for who in (region.below, region.above))
        share, low, high = (rounded(float(end)) for end in (ranking.centre[place], region.low, region.high))
        found.append(
            Flip(criterion=criterion.name, share=share, low=min(low, share), high=max(high, share), below=below, above=above)
        )
    return tuple(found)


def _distance(ranking: Ranking) -> float | None:
    found = flip_distance(ranking.worths, ranking.centre, ranking.leader)
    return None if found is None else rounded(found)


def _method(profile: Profile, ranking: Ranking | None) -> dict[str, str]:
    found = {"constraints": "one-sided bounds, each constraint and candidate by itself", "seed": str(profile.seed)}
    if ranking is None:
        return found
    return found | {
        "weights": described(ranking.criteria),
        "noise": f"{len(ranking.replicates):,} resamples of the instances, the same for all candidates and measures",
        "acceptability": f"SMAA-2, {DRAWS:,} draws of weights and resamples",
        "confidence": f"{profile.confidence:g}",
    }


def _notes(ranking: Ranking | None, measured: Measured, standings: Sequence[Standing], everybody: Ranking | None) -> list[str]:
    """Resamples without a value, and candidates that would be ahead if they were known to be acceptable."""
    notes = []
    if ranking is not None and len(ranking.replicates) < len(measured.replicates):
        lost = len(measured.replicates) - len(ranking.replicates)
        notes.append(f"In {lost:,} of {len(measured.replicates):,} resamples a criterion had no value; they were left out.")
    leader = standings[0] if standings and standings[0].acceptable == "met" else None
    if leader is not None and leader.worth is not None and everybody is not None:
        for standing in standings:
            ahead = standing.worth is not None and standing.worth.value > leader.worth.value
            if standing.acceptable == "undetermined" and ahead:
                notes.append(f"{standing.candidate} would be ahead of {leader.candidate} if it were known to be acceptable.")
    return notes

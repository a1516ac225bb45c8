"""Decisions from measurements made by hand: every kind of result, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.deciding import decide
from assay.decisions.profile import Constraint, Costs, Criterion, Value
from assay.decisions.results import Decision
from assay.errors import AssayError
from decision_helpers import measured, profile, shares

RIGHT = Criterion(name="right", metric="exact_match", weight=2.0)
FAST = Criterion(name="fast", metric="latency_s", weight=1.0, value=Value(unacceptable=2, satisfying=0))
LIMIT = Constraint(name="limit", metric="latency_s", at_most=1.0)
N = 200


def seconds(mean: float, n: int = N) -> list[float]:
    return (mean * np.linspace(0.8, 1.2, n)[np.random.default_rng(7).permutation(n)]).tolist()


def mixed(right: int, n: int = N) -> list[float]:
    """So many right, spread over the instances alike for all candidates."""
    return np.array(shares(right, n))[np.random.default_rng(1).permutation(n)].tolist()


def names(found: Decision) -> list[str]:
    return [standing.candidate for standing in found.standings]


def test_the_better_one_is_recommended_and_ranked_first() -> None:
    wanted = profile([RIGHT, FAST])
    found = decide(wanted, measured(wanted, {"a": [mixed(100), seconds(0.5)], "b": [mixed(160), seconds(0.6)]}))
    assert (found.status, found.recommended, found.contenders) == ("recommended", "b", ("b",))
    assert names(found) == ["b", "a"]
    assert found.weights == {"right": pytest.approx(2 / 3), "fast": pytest.approx(1 / 3)}
    best = found.standings[0]
    assert best.worth is not None
    assert best.worth.value == pytest.approx((2 * 0.8 + (1 - 0.6 / 2)) / 3)
    assert [held.worth for held in best.measurements] == pytest.approx([0.8, 0.7])
    assert best.acceptability is not None
    assert sum(best.acceptability.ranks) == pytest.approx(1)
    assert best.dominance is not None
    assert (best.dominance.on_front, best.dominance.dominates) == (True, {"a": 0.0})
    assert found.tradeoffs[0].gains[0].startswith("right 0.80 instead of 0.50 (shown")
    assert found.tradeoffs[0].gives_up[0].startswith("fast 0.60")


def test_a_violated_constraint_puts_the_best_one_out() -> None:
    wanted = profile([RIGHT], [LIMIT])
    found = decide(wanted, measured(wanted, {"a": [mixed(100), seconds(0.5)], "b": [mixed(190), seconds(1.5)]}))
    assert (found.status, found.recommended) == ("recommended", "a")
    assert [standing.acceptable for standing in found.standings] == ["met", "violated"]
    assert found.standings[1].worth is not None
    assert found.standings[1].dominance is None
    assert found.standings[1].acceptability is None
    (out,) = found.standings[1].constraints
    assert out.bound is not None
    assert 1 < out.bound < 1.5
    assert f"b is out: limit 1.500 s (at most 1 s; at 95 % confidence not below {out.bound:.3f} s)." in found.words
    assert "No other candidate is acceptable." in found.words


def test_an_undetermined_one_is_not_acceptable_and_it_is_said_what_would_tell() -> None:
    wanted = profile([RIGHT], [Constraint(name="limit", metric="exact_match", at_least=0.9)])
    found = decide(wanted, measured(wanted, {"a": [mixed(150), mixed(197)], "b": [mixed(190), mixed(184)]}))
    assert (found.status, found.recommended) == ("recommended", "a")
    assert found.standings[1].acceptable == "undetermined"
    said = next(words for words in found.words if words.startswith("b is not known to be acceptable"))
    more = found.standings[1].constraints[0].more
    assert more is not None
    assert "more cases would settle it" in said
    assert found.notes == ("b would be ahead of a if it were known to be acceptable.",)


def test_no_candidate_is_acceptable() -> None:
    wanted = profile([RIGHT], [LIMIT])
    found = decide(wanted, measured(wanted, {"a": [mixed(100), seconds(1.4)], "b": [mixed(190), seconds(1.5)]}))
    assert (found.status, found.recommended, found.contenders) == ("none acceptable", None, ())
    assert found.words[0] == "No candidate is acceptable."
    assert len([words for words in found.words if "is out: limit" in words]) == 2
    assert found.tradeoffs == ()
    assert found.flips == ()
    assert found.weights == {"right": 1.0}


def test_none_is_known_to_be_acceptable_and_the_open_ones_are_ranked() -> None:
    wanted = profile([RIGHT], [Constraint(name="limit", metric="exact_match", at_least=0.9)])
    answers = {"a": [mixed(100), mixed(184)], "b": [mixed(190), mixed(183)], "c": [mixed(195), mixed(20)]}
    found = decide(wanted, measured(wanted, answers))
    assert (found.status, found.recommended) == ("undetermined", None)
    assert names(found) == ["b", "a", "c"]
    assert found.words[1] == "Of those that may yet turn out to be, b is ahead."
    assert found.standings[0].acceptability is not None
    assert found.tradeoffs == ()


def test_the_evidence_does_not_separate_two_that_are_close_and_says_how_many_more_cases_would() -> None:
    wanted = profile([RIGHT])
    rng = np.random.default_rng(2)
    values = {name: (rng.random(N) < share).astype(float).tolist() for name, share in (("a", 0.74), ("b", 0.7), ("c", 0.3))}
    found = decide(wanted, measured(wanted, {name: [held] for name, held in values.items()}))
    assert found.status == "not separated"
    assert set(found.contenders) == {"a", "b"}
    assert found.recommended == found.contenders[0]
    assert "the evidence does not separate" in found.words[0]
    away = np.array(values["a"]) - np.array(values["b"])
    needed = (1.6448536 * away.std() / away.mean()) ** 2 - N
    told = float(found.words[1].split(" ")[1].replace(",", ""))
    assert told == pytest.approx(needed, rel=0.25)


def test_equal_candidates_are_told_to_be_equal() -> None:
    wanted = profile([RIGHT, FAST])
    found = decide(wanted, measured(wanted, {"a": [mixed(100), seconds(0.5)], "b": [mixed(100), seconds(0.5)]}))
    assert found.status == "not separated"
    assert found.contenders == ("a", "b")
    assert found.words == ("a and b are worth the same by these criteria: choose by something else.",)
    assert found.distance is None
    assert found.tradeoffs[0].same == ("right 0.50 for both", "fast 0.500 s for both")
    assert found.tradeoffs[0].would_change == ""


def test_what_is_worth_the_same_is_neither_gained_nor_given_up() -> None:
    quick = Criterion(name="fast", metric="latency_s", weight=1.0, value=Value(unacceptable=2, satisfying=1))
    wanted = profile([RIGHT, quick])
    found = decide(wanted, measured(wanted, {"a": [mixed(190), seconds(0.5)], "b": [mixed(100), seconds(0.3)]}))
    assert found.tradeoffs[0].same[0].endswith("worth the same")
    assert found.tradeoffs[0].gives_up == ()
    assert found.tradeoffs[0].would_change == ""


def test_one_candidate_alone_is_a_decision() -> None:
    wanted = profile([RIGHT, FAST], [LIMIT])
    found = decide(wanted, measured(wanted, {"a": [mixed(100), seconds(0.5), seconds(0.5)]}))
    assert (found.status, found.recommended, found.contenders) == ("recommended", "a", ("a",))
    assert found.distance is None
    assert found.tradeoffs == ()


def test_constraints_alone_decide_where_only_one_is_left() -> None:
    wanted = profile([], [LIMIT])
    found = decide(wanted, measured(wanted, {"a": [seconds(0.5)], "b": [seconds(1.5)]}))
    assert (found.status, found.recommended) == ("recommended", "a")
    both = decide(wanted, measured(wanted, {"a": [seconds(0.5)], "b": [seconds(0.6)]}))
    assert (both.status, both.recommended, both.contenders) == ("not separated", None, ("a", "b"))
    assert "no criterion to choose between them" in both.words[0]


def test_without_criteria_the_expected_cost_decides() -> None:
    wanted = profile([], [LIMIT], Costs(error=2.0, currency="EUR"))
    answers = {"a": [seconds(0.5), seconds(0.4)], "b": [seconds(0.6), seconds(0.2)]}
    found = decide(wanted, measured(wanted, answers))
    assert (found.status, found.recommended) == ("recommended", "b")
    assert found.weights == {"expected cost": 1.0}
    assert "An answer is expected to cost: b 0.200 EUR; a 0.400 EUR." in found.words


def test_more_candidates_than_can_be_compared_are_refused() -> None:
    wanted = profile([RIGHT])
    many = {f"m/{number:03}": [mixed(10, 20)] for number in range(201)}
    with pytest.raises(AssayError, match=r"^201 candidates are more than .* \(name those .* under candidates, at most 200\)"):
        decide(wanted, measured(wanted, many))


def test_costs_alone_decide() -> None:
    wanted = profile([], [], Costs(error=2.0, currency="EUR"))
    found = decide(wanted, measured(wanted, {"a": [seconds(0.4)], "b": [seconds(0.2)]}))
    assert (found.status, found.recommended) == ("recommended", "b")
    alone = decide(wanted, measured(wanted, {"a": [seconds(0.4)]}))
    assert alone.words[:2] == ("Choose a.", "No other candidate is acceptable.")
    alike = decide(wanted, measured(wanted, {"a": [seconds(0.4)], "b": [seconds(0.4)]}))
    assert (alike.status, alike.words[0]) == (
        "not separated",
        "a and b are expected to cost the same: choose by something else.",
    )
    half = decide(wanted, measured(wanted, {"a": [None], "b": [seconds(0.4)]}))
    assert (half.recommended, half.standings[1].acceptable) == ("b", "undetermined")
    assert "a is not known to be acceptable: expected cost was not measured, so that it has no rank." in half.words


def test_a_candidate_that_is_out_and_costs_the_least_is_said_to() -> None:
    wanted = profile([RIGHT], [LIMIT], Costs(error=2.0, currency="EUR"))
    answers = {"a": [mixed(100), seconds(0.5), seconds(0.4)], "b": [mixed(90), seconds(1.5), seconds(0.1)]}
    found = decide(wanted, measured(wanted, answers))
    assert found.words[-2:] == (
        "An answer is expected to cost: a 0.400 EUR.",
        "With b one would cost the least, 0.100 EUR, but it is out.",
    )
    dear = {"a": answers["a"], "b": [*answers["b"][:2], seconds(0.5)]}
    assert decide(wanted, measured(wanted, dear)).words[-1] == "An answer is expected to cost: a 0.400 EUR."


def test_a_value_with_few_answers_behind_it_is_told_with_their_number() -> None:
    wanted = profile([RIGHT])
    made = measured(wanted, {"a": [mixed(100)], "b": [mixed(160)]})
    (row, other) = made.estimates
    assert row[0] is not None
    few = replace(made, estimates=((msgspec.structs.replace(row[0], n=24),), other))
    assert "; 200 answers instead of 24)" in decide(wanted, few).tradeoffs[0].gains[0]
    assert "answers" not in decide(wanted, made).tradeoffs[0].gains[0]


def test_a_candidate_without_a_measurement_is_not_ranked_and_the_others_are() -> None:
    wanted = profile([RIGHT, FAST])
    answers: dict[str, Sequence[Sequence[float] | None]] = {
        "a": [mixed(100), None],
        "b": [mixed(90), seconds(0.5)],
        "c": [mixed(150), seconds(0.5)],
    }
    found = decide(wanted, measured(wanted, answers))
    assert (found.recommended, names(found)) == ("c", ["c", "b", "a"])
    assert found.standings[2].acceptable == "undetermined"
    assert found.standings[2].worth is None
    assert "a is not known to be acceptable: fast was not measured, so that it has no rank." in found.words


def test_nothing_measured_at_all_is_a_result_too() -> None:
    wanted = profile([RIGHT, FAST])
    found = decide(wanted, measured(wanted, {"a": [mixed(5, 10), None], "b": [mixed(4, 10), None]}))
    assert (found.status, found.recommended) == ("undetermined", None)
    assert found.words[0] == "No candidate is known to be acceptable."


def test_resamples_without_a_value_are_left_out_and_counted() -> None:
    wanted = profile([RIGHT])
    made = measured(wanted, {"a": [mixed(150)], "b": [mixed(100)]})
    drawn = made.replicates.copy()
    drawn[:7, 0, 0] = np.nan
    found = decide(wanted, replace(made, replicates=drawn))
    assert found.recommended == "a"
    assert found.notes == ("In 7 of 400 resamples a criterion had no value; they were left out.",)


def test_what_chance_adds_to_every_resample_of_an_error_does_not_count_against_a_candidate() -> None:
    """Calibration errors are larger in resamples than in the data, most where they are small."""
    honest = Criterion(name="honest", metric="ece_10_bin", weight=1.0, value=Value(unacceptable=0.3, satisfying=0))
    wanted = profile([honest])
    made = measured(wanted, {"a": [[0.04] * N], "b": [[0.06] * N]})
    noise = np.random.default_rng(0).normal(0, 0.004, made.replicates.shape)
    biased = made.replicates + noise + np.array([0.03, 0.0])[None, :, None]
    found = decide(wanted, replace(made, replicates=biased))
    assert found.recommended == "a"
    assert found.status == "recommended"


def test_a_decision_does_not_depend_on_the_order_of_the_candidates() -> None:
    wanted = profile([RIGHT, FAST], [LIMIT])
    answers = {"a": [mixed(120), seconds(0.5), seconds(0.5)], "b": [mixed(130), seconds(0.6), seconds(0.6)]}
    one = decide(wanted, measured(wanted, answers))
    other = decide(wanted, measured(wanted, {name: answers[name] for name in ("b", "a")}))
    assert one.words == other.words
    assert one.standings == other.standings


COLUMN = st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=8, max_size=8)


@given(
    st.lists(st.none() | st.just(0.0) | st.floats(1e-6, 3) | st.integers(1, 2) | st.just((0.5, 2.0)), max_size=3),
    st.integers(0, 2),
    st.lists(st.lists(COLUMN, min_size=5, max_size=5), min_size=1, max_size=4),
)
def test_whatever_was_measured_there_is_a_decision_that_holds_together(
    weights: list[float | int | tuple[float, float] | None], limits: int, columns: list[list[list[float] | None]]
) -> None:
    kinds = [{"importance": w} if isinstance(w, int) else {"weight": w} for w in weights]
    known = [w for w in weights if w is not None]
    if known and all(w == 0 for w in known) and len(known) == len(weights):
        return  # refused where profiles are read
    criteria = [Criterion(name=f"c{n}", metric="exact_match", **kind) for n, kind in enumerate(kinds)]
    constraints = [Constraint(name=f"k{n}", metric="exact_match", at_least=0.3) for n in range(limits)]
    wanted = profile(criteria, constraints)
    answers = {f"m{n}": held[: len(criteria) + limits] for n, held in enumerate(columns)}
    if not any(held for lists in answers.values() for held in lists):
        return
    found = decide(wanted, measured(wanted, answers))

    assert msgspec.json.decode(msgspec.json.encode(found), type=Decision) == found
    assert sorted(names(found)) == sorted(answers)
    acceptable = [standing.candidate for standing in found.standings if standing.acceptable == "met"]
    assert set(found.contenders) <= set(acceptable)
    assert (found.status in ("recommended", "not separated")) == bool(acceptable)
    assert found.recommended in (None, *acceptable[:1])
    assert sum(found.weights.values()) == pytest.approx(1 if criteria else 0)
    for standing in found.standings:
        if standing.acceptability is not None:
            assert sum(standing.acceptability.ranks) == pytest.approx(1)
            assert standing.acceptability.expected_regret >= 0
            assert standing.acceptability.regret >= -1e-12
    for flip in found.flips:
        assert 0 <= flip.low <= flip.share <= flip.high <= 1
    if found.flips:
        assert found.standings[0].dominance is not None
    assert found.words

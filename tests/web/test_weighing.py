"""Weighing candidates anew: the same formulas as decisions, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.deciding import decide
from assay.decisions.profile import Criterion, Profile
from assay.decisions.results import Decision
from assay.tables.numbers import format_estimate
from assay.web import weighing as module
from assay.web.weighing import Weighing, fixed, share_text, weighing_of, worth_text
from decision_helpers import measured, profile, shares

BOTH = profile(
    [
        Criterion(name="z right", metric="exact_match", weight=(1.0, 3.0)),
        Criterion(name="a usable", metric="answered", weight=1.0),
    ]
)
ANSWERS = {"one": [shares(80, 100), shares(60, 100)], "two": [shares(50, 100), shares(95, 100)]}


def weighing(answers: Mapping[str, Sequence[Sequence[float]]], of: Profile = BOTH) -> tuple[Weighing, Decision]:
    found = measured(of, answers)
    decision = decide(of, found)
    made = weighing_of(decision, of, found)
    assert made is not None
    return made, decision


def test_at_the_middle_of_the_weights_the_decision_itself_comes_out() -> None:
    made, decision = weighing(ANSWERS)
    assert made.centre == pytest.approx((2 / 3, 1 / 3))
    placed = made.placed(made.centre)
    assert [each.candidate for each in placed] == [standing.candidate for standing in decision.standings]
    assert [each.value for each in placed] == pytest.approx([2 / 3 * 0.8 + 1 / 3 * 0.6, 2 / 3 * 0.5 + 1 / 3 * 0.95])
    for each, standing in zip(placed, decision.standings, strict=True):
        assert standing.worth is not None
        assert each.text == format_estimate(standing.worth), "all 400 resamples are kept, so the interval is the same"


def test_at_other_weights_another_is_first_and_how_surely_is_counted_over_the_resamples() -> None:
    made, _ = weighing(ANSWERS)
    placed = made.placed(made.shares([30, 70]))
    assert [each.candidate for each in placed] == ["two", "one"]
    wins = sum(0.3 * row[1][0] + 0.7 * row[1][1] > 0.3 * row[0][0] + 0.7 * row[0][1] for row in made.replicates.tolist())
    assert placed[0].first == share_text(wins / len(made.replicates))
    assert placed[0].own == ("0.50", "0.95")


def test_weights_that_are_all_nothing_mean_the_middle() -> None:
    made, _ = weighing(ANSWERS)
    assert made.shares([0, 0]) == made.centre
    assert made.shares([1, 3]) == (0.25, 0.75)


def test_a_tie_is_shared_and_keeps_the_order_given() -> None:
    made, _ = weighing({"b": [shares(50, 100), shares(50, 100)], "a": [shares(50, 100), shares(50, 100)]})
    placed = made.placed((0.5, 0.5))
    assert [(each.candidate, each.first) for each in placed] == [("b", "50 %"), ("a", "50 %")]


def test_of_many_candidates_fewer_resamples_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NUMBERS", 300 * 24 * 2)
    answers = {f"c{number:02d}": [shares(number, 100), shares(50, 100)] for number in range(24)}
    made, _ = weighing(answers)
    assert made.replicates.shape == (300, 24, 2)
    assert len(made.data()["replicates"]) == 300 * 24 * 2


def test_a_record_that_was_read_back_is_weighed_by_its_values_alone() -> None:
    found = measured(BOTH, ANSWERS)
    decision = decide(BOTH, found)
    stored = msgspec.json.decode(msgspec.json.encode(decision, order="deterministic"), type=type(decision))
    assert list(stored.weights) == ["a usable", "z right"], "names are sorted on disk"
    made = weighing_of(stored, BOTH)
    assert made is not None
    assert made.criteria == ("z right", "a usable")
    assert made.centre == pytest.approx((2 / 3, 1 / 3))
    assert [each.text for each in made.placed((1.0, 0.0))] == ["0.80", "0.50"]
    assert made.placed((1.0, 0.0))[0].first == ""


def test_there_is_nothing_to_weigh_with_one_criterion_or_one_candidate_in_play() -> None:
    alone = profile([Criterion(name="right", metric="exact_match", weight=1.0)])
    found = measured(alone, {name: lists[:1] for name, lists in ANSWERS.items()})
    assert weighing_of(decide(alone, found), alone, found) is None
    found = measured(BOTH, {"one": ANSWERS["one"]})
    assert weighing_of(decide(BOTH, found), BOTH, found) is None


@given(st.floats(0, 1), st.integers(2, 3))
def test_numbers_are_rounded_half_up(number: float, digits: int) -> None:
    assert abs(float(fixed(number, digits)) - number) <= 0.5 * 10.0**-digits + 1e-8
    assert fixed(0.125, 2) == "0.13"
    assert fixed(0.12499999999999, 2) == "0.13", "a sum that differs in its last bit reads the same"


def test_shares_are_never_all_or_nothing_where_they_are_not() -> None:
    said = [share_text(share) for share in (0.0, 0.004, 0.005, 0.5, 0.994, 1.0)]
    assert said == ["0 %", "under 1 %", "under 1 %", "50 %", "over 99 %", "100 %"]


def test_a_narrow_interval_has_one_digit_more() -> None:
    assert worth_text(0.5, None) == "0.50"
    assert worth_text(0.5, (0.3, 0.7)) == "0.50 [0.30, 0.70]"
    assert worth_text(0.5, (0.49, 0.51)) == "0.500 [0.490, 0.510]"
    assert worth_text(0.5, (0.5, 0.5)) == "0.50 [0.50, 0.50]"
    assert np.isclose(float(worth_text(0.9, (0.91, 0.95)).split(" [")[1][:4]), 0.9), "the value lies in its interval"

"""Sentences and numbers as people read them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.profile import Constraint, Criterion, Value
from assay.decisions.ranking import Ranking
from assay.decisions.reading_out import (
    beside_limit,
    in_words,
    interval_in_words,
    limit_in_words,
    percent,
    shares_in_words,
    told_apart,
)
from assay.decisions.results import Held, Standing
from assay.decisions.wording import cases, left_out, limits, listed, more_cases, would_change
from assay.metrics.derived import find
from assay.records import Estimate
from decision_helpers import measured, profile, shares


def test_numbers_have_their_unit_and_no_more_digits_than_are_known() -> None:
    estimate = Estimate(value=1.41234, low=1.1, high=1.7, n=50, clusters=50)
    assert in_words(estimate, "s") == "1.41 s"
    assert in_words(None) == "–"
    assert interval_in_words(-0.012, 0.0912, 0.04) == "-0.01 to 0.09"
    assert limit_in_words(Constraint(name="x", metric="latency_s", at_most=2.0), find("latency_s")) == "at most 2 s"
    own = Constraint(name="x", metric="exact_match", at_least=0.85, unit="of all")
    assert limit_in_words(own, find("exact_match")) == "at least 0.85 of all"


def test_values_that_differ_never_read_the_same() -> None:
    def about(value: float) -> Estimate:
        return Estimate(value=value, low=value - 0.1, high=value + 0.1, n=50, clusters=50)

    assert told_apart(about(0.1501), about(0.1512)) == ("0.150", "0.151")
    assert told_apart(about(0.15), about(0.35)) == ("0.15", "0.35")
    assert told_apart(about(0.15), about(0.15)) == ("0.15", "0.15")
    assert told_apart(None, about(0.15)) == ("–", "0.15")


def test_a_number_of_cases_that_nobody_would_ask_is_not_given() -> None:
    assert more_cases(230_000, 54, "whether") == "These 54 cases cannot tell whether, nor could 100 times as many like them"
    assert more_cases(None, 54, "whether") == more_cases(5_401, 54, "whether")
    assert more_cases(5_400, 54, "whether").startswith("About 5,400 more cases would show whether, if they differ as much as")


def test_shares_are_never_rounded_to_certainty_nor_to_each_other() -> None:
    assert [percent(share) for share in (0.0, 0.004, 0.5, 0.996, 1.0)] == ["0 %", "under 1 %", "50 %", "over 99 %", "100 %"]
    assert shares_in_words(0.62, 1.0, 0.4) == ["0.62", "1.00", "0.40"]
    assert shares_in_words(0.4012, 1.0, 0.4) == ["0.401", "1.000", "0.400"]


@pytest.mark.parametrize(
    ("more", "words"),
    [(1, "about 1 more case"), (87, "about 87 more cases"), (12_345, "about 12,000 more cases")],
)
def test_numbers_of_cases_are_about(more: int, words: str) -> None:
    assert cases(more) == words


def test_no_number_of_cases_is_said_where_none_would_do() -> None:
    assert cases(None) == cases(5_000_000) == "no number of cases that anybody could ask"
    assert listed(["A"]) == "A"
    assert listed(["A", "B", "C"]) == "A, B and C"


def test_a_constraint_is_told_with_its_limit_and_its_bound() -> None:
    held = Held(
        constraint="fast enough", limit="at most 2 s", threshold=2, confidence=0.95, value=1.4, bound=1.62, verdict="met"
    )
    assert limits([held], {"fast enough": "s"}) == "fast enough 1.40 s (at most 2 s; at 95 % confidence not above 1.62 s)"
    low = Held(
        constraint="right",
        limit="at least 0.9",
        threshold=0.9,
        confidence=0.9,
        value=0.93,
        bound=0.88,
        verdict="undetermined",
        more=40,
    )
    words = "right 0.93 (at least 0.9; at 90 % confidence not below 0.88, about 40 more cases would settle it)"
    assert limits([low], {"right": ""}) == words
    bare = Held(
        constraint="right", limit="at least 0.9", threshold=0.9, confidence=0.9, value=None, bound=None, verdict="undetermined"
    )
    standing = Standing(
        candidate="A", acceptable="undetermined", measurements=(), constraints=(bare,), worth=None, dominance=None,
        acceptability=None,
    )  # fmt: skip
    assert left_out(standing, ["speed"], {"right": ""}) == (
        "A is not known to be acceptable: right not measured (at least 0.9); speed was not measured, so that it has no rank."
    )


def test_what_is_violated_is_told_with_the_bound_that_shows_it() -> None:
    slow = Held(constraint="fast", limit="at most 1 s", threshold=1, confidence=0.95, value=1.5, bound=1.42, verdict="violated")
    assert limits([slow], {"fast": "s"}) == "fast 1.50 s (at most 1 s; at 95 % confidence not below 1.42 s)"
    wrong = Held(
        constraint="right", limit="at least 0.5", threshold=0.5, confidence=0.95, value=0.2, bound=0.31, verdict="violated"
    )
    assert limits([wrong], {"right": ""}) == "right 0.20 (at least 0.5; at 95 % confidence not above 0.31)"


def test_a_bound_is_never_rounded_onto_its_limit_or_over_it() -> None:
    near = Held(
        constraint="right",
        limit="at least 0.5",
        threshold=0.5,
        confidence=0.95,
        value=0.58,
        bound=0.496,
        verdict="undetermined",
        more=900,
    )
    assert (
        limits([near], {"right": ""})
        == "right 0.58 (at least 0.5; at 95 % confidence not below 0.496, about 900 more cases would settle it)"
    )
    assert beside_limit(0.4996, 0.5) == "0.4996"
    assert beside_limit(0.496, 0.497, "0.50") == "0.496"
    assert beside_limit(0.5, 0.5) == "0.5"
    assert beside_limit(1000.4, 1000) == "1000.4"


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_number_lies_on_the_side_of_its_limit_on_which_it_is_written(number: float, limit: float) -> None:
    written = float(beside_limit(number, limit))
    if abs(number - limit) > 1e-12 * max(abs(number), abs(limit), 1e-200):
        assert (written > limit, written < limit) == (number > limit, number < limit)


def test_prices_are_in_the_currency_that_they_are_in() -> None:
    cheap = Constraint(name="cheap", metric="cost", at_most=0.01)
    assert limit_in_words(cheap, find("cost")) == "at most 0.01 in the currency of the prices"
    assert limit_in_words(msgspec.structs.replace(cheap, unit="EUR"), find("cost")) == "at most 0.01 EUR"


def ranking(worths: dict[str, list[int]], weights: list[float | tuple[float, float]]) -> Ranking:
    """Candidates with so many of a hundred right in each criterion."""
    criteria = [Criterion(name=f"c{n}", metric="exact_match", weight=weight) for n, weight in enumerate(weights)]
    wanted = profile(criteria)
    made = measured(wanted, {name: [shares(right, 100) for right in held] for name, held in worths.items()})
    return Ranking.of(made, criteria, list(range(len(criteria))), 0)


def test_when_another_would_be_first_is_told_by_the_criteria_that_speak_for_it() -> None:
    found = ranking({"A": [90, 20], "B": [50, 80]}, [7.0, 3.0])
    assert would_change(found, 1) == "B would be first if c0 weighed less than 0.60 (now 0.70)."
    found = ranking({"A": [90, 20], "B": [50, 80]}, [(6.5, 7.5), 3.0])
    assert would_change(found, 1) == "B would be first if c0 weighed less than 0.60 (now 0.70, allowed 0.68 to 0.71)."


def test_a_candidate_between_two_others_is_first_between_two_shares() -> None:
    found = ranking({"A": [90, 10], "B": [60, 60], "C": [10, 90]}, [9.0, 1.0])
    # A and B meet at 0.3 x = 0.5 (1 - x), B and C at 0.5 x = 0.3 (1 - x).
    assert would_change(found, 1) == "B would be first if c0 weighed between 0.38 and 0.62 (now 0.90)."


def test_where_no_single_weight_would_do_it_is_said() -> None:
    found = ranking({"A": [90, 60, 60], "B": [50, 61, 90], "C": [40, 95, 90]}, [1.0, 1.0, 1.0])
    leader = found.leader
    assert leader != 1
    assert would_change(found, 1) == "No change of one weight alone makes B first."
    assert would_change(ranking({"A": [90, 90], "B": [50, 80]}, [1.0, 1.0]), 1) == ""


def test_differences_keep_what_two_candidates_share_and_what_is_not_seen() -> None:
    """The interval of a paired difference of two shares, against that of its own values; and at 0 and 1 it has a width."""
    rng = np.random.default_rng(5)
    first = (rng.random(400) < 0.8).astype(float)
    second = np.where(rng.random(400) < 0.9, first, 1 - first)
    criterion = Criterion(name="c", metric="exact_match", weight=1.0, value=Value(unacceptable=0, satisfying=1))
    made = measured(profile([criterion]), {"A": [first.tolist()], "B": [second.tolist()]})
    found = Ranking.of(made, [criterion], [0], 0).difference(0, 1, 0)
    away = first - second
    assert found.low is not None
    assert found.high is not None
    assert found.value == pytest.approx(away.mean())
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * away.std() / 20, rel=0.1)
    certain = measured(profile([criterion]), {"A": [[1.0] * 30], "B": [[1.0] * 30]})
    alike = Ranking.of(certain, [criterion], [0], 0).difference(0, 1, 0)
    assert alike.low is not None
    assert alike.low < -0.05

"""Candidates over several scenarios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from assay.comparison import aggregates
from assay.comparison.aggregates import aggregate
from assay.comparison.boards import make_boards
from assay.comparison.matrices import Matrix
from assay.comparison.results import Aggregates
from assay.identity import array_generator
from comparison_helpers import matrix

ITEMS = 40


def rates(*means: float, scenario: str, names: str = "abc", metric: str = "exact_match") -> Matrix:
    """A matrix whose candidates have exactly these means, each with its own luck."""
    values = [np.arange(ITEMS) < round(mean * ITEMS) for mean in means]
    generator = array_generator("aggregates", scenario)
    held = matrix([generator.permutation(row) for row in values], metric, scenario=scenario)
    return Matrix(scenario, held.metric, tuple(names), held.instances, held.values, held.clusters)


def aggregated(matrices: Sequence[Matrix], names: str = "abc", helm: bool = False) -> Aggregates:
    found = aggregate(list(zip(matrices, make_boards(matrices), strict=True)), tuple(names), "", helm, seed=0)
    assert found is not None
    return found


def win_rates(found: Aggregates) -> dict[str, float]:
    return {row.candidate: row.win_rate.value for row in found.rows if row.win_rate is not None}


def test_a_win_rate_counts_opponents_beaten_and_half_of_those_tied() -> None:
    found = aggregated([rates(0.9, 0.5, 0.5, scenario="one"), rates(0.2, 0.8, 0.1, scenario="two")])
    assert win_rates(found) == {"a": 0.75, "b": pytest.approx((0.25 + 1) / 2), "c": 0.125}
    assert [row.candidate for row in found.rows] == ["a", "b", "c"]


def test_where_lower_is_better_the_lower_mean_wins() -> None:
    toxic = rates(0.9, 0.5, scenario="one", names="ab", metric="expected_max_toxicity")
    found = aggregated([toxic, rates(0.2, 0.1, scenario="two", names="ab", metric="expected_max_toxicity")], "ab")
    assert win_rates(found) == {"b": 1.0, "a": 0.0}
    scores = {row.candidate: row.mean_score.value for row in found.rows if row.mean_score}
    assert scores == {"b": pytest.approx(1 - (0.5 + 0.1) / 2), "a": pytest.approx(1 - (0.9 + 0.2) / 2)}


def test_a_scenario_that_a_candidate_lacks_counts_for_none_unless_helm_is_asked_for() -> None:
    held = [
        rates(0.9, 0.5, 0.1, scenario="one"),
        rates(0.8, 0.5, 0.3, scenario="two"),
        rates(0.2, 0.8, scenario="three", names="ab"),
    ]
    ours, helms = aggregated(held), aggregated(held, helm=True)
    assert win_rates(ours) == {"a": 1.0, "b": 0.5, "c": 0.0}
    assert ours.left_out == ("three",)
    assert win_rates(helms) == {"a": pytest.approx(2 / 3), "b": pytest.approx(2 / 3), "c": 0.0}
    assert {row.candidate: row.scenarios for row in helms.rows} == {"a": 3, "b": 3, "c": 2}


def test_intervals_are_wide_where_chance_decides_and_narrow_where_it_does_not() -> None:
    clear = aggregated([rates(0.95, 0.05, scenario=f"s{n}", names="ab") for n in range(4)], "ab").rows[0].win_rate
    close = aggregated([rates(0.525, 0.5, scenario=f"s{n}", names="ab") for n in range(4)], "ab").rows[0].win_rate
    assert clear is not None
    assert (clear.low, clear.high) == (1.0, 1.0)
    assert close is not None
    assert close.low is not None
    assert close.low < 0.6
    assert close.high == 1.0


def test_borda_counts_only_what_is_shown_and_spans_what_is_not() -> None:
    found = aggregated([rates(0.95, 0.05, 0.1, scenario=f"s{n}") for n in range(3)])
    borda = {row.candidate: row.borda for row in found.rows}
    assert borda["a"] is not None
    assert (borda["a"].low, borda["a"].value, borda["a"].high) == (6, 6, 6)
    assert borda["c"] is not None
    assert (borda["c"].low, borda["c"].value, borda["c"].high) == (0, 1.5, 3)


def test_a_leader_that_depends_on_the_pool_is_warned_of() -> None:
    cycle = [
        rates(0.9, 0.6, 0.3, scenario="one"),
        rates(0.9, 0.6, 0.3, scenario="two"),
        rates(0.3, 0.9, 0.6, scenario="three"),
        rates(0.3, 0.9, 0.6, scenario="four"),
        rates(0.3, 0.9, 0.6, scenario="five"),
    ]
    found = aggregated(cycle)  # b wins with c in the pool, and alone against a
    assert found.rows[0].candidate == "b"
    assert found.warnings == ()
    two = aggregated(
        [rates(0.9, 0.8, 0.1, scenario=f"w{n}") for n in range(3)] + [rates(0.5, 0.9, 0.8, scenario=f"l{n}") for n in range(2)]
    )
    assert win_rates(two) == {"b": 0.7, "a": 0.6, "c": 0.2}
    assert any("without c, a would lead" in warning for warning in two.warnings)
    assert any("loses more scenarios than it wins to a" in warning for warning in two.warnings)


def test_shared_leads_are_said() -> None:
    same = [rates(0.5, 0.5, scenario=f"s{n}", names="ab") for n in range(2)]
    assert aggregated(same, "ab").warnings == ("a, b share the lead by win rate.",)


def test_unbounded_values_have_win_rates_but_no_mean_score() -> None:
    generator = array_generator("unbounded")
    held = [matrix(generator.random((2, 30)) * [[1], [9]], "latency_s", scenario=name) for name in ("one", "two")]
    found = aggregated(held, "ab")
    assert win_rates(found) == {"a": 1.0, "b": 0.0}
    assert all(row.mean_score is None for row in found.rows)


def test_a_single_scenario_has_no_aggregate() -> None:
    held = [rates(0.9, 0.5, 0.1, scenario="one")]
    assert aggregate(list(zip(held, make_boards(held), strict=True)), tuple("abc"), "", False, seed=0) is None


def test_opponents_beaten_in_a_resample_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    means = array_generator("beaten").integers(0, 4, (9, 5)) / 4.0
    expected = [[sum(1.0 if own > other else 0.5 if own == other else 0.0 for other in row) for own in row] for row in means]
    for at_once in (1, 60, 10_000):
        monkeypatch.setattr(aggregates, "AT_ONCE", at_once)
        assert aggregates._beaten(means).tolist() == expected

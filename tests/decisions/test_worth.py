"""What measured values are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.profile import Criterion, Value
from assay.decisions.worth import direction, worths
from assay.errors import AssayError
from assay.metrics.derived import find


def criterion(metric: str, value: Value | None = None, **more: str) -> Criterion:
    return Criterion(name="it", metric=metric, weight=1.0, value=value, **more)  # type: ignore[arg-type]


def test_worth_is_linear_between_unacceptable_and_satisfying_and_constant_beyond() -> None:
    fast = criterion("latency_s", Value(unacceptable=3.0, satisfying=1.0))
    found = worths(np.array([[0.2, 1.0, 1.5], [2.0, 3.0, 9.0]]), fast, find("latency_s"))
    assert found.tolist() == [[1.0, 1.0, 0.75], [0.5, 0.0, 0.0]]


def test_further_corners_bend_the_curve() -> None:
    bent = criterion("latency_s", Value(unacceptable=4.0, satisfying=0.0, points=((1.0, 0.9), (2.0, 0.2))))
    assert worths(np.array([0.5, 1.5, 3.0]), bent, find("latency_s")).tolist() == pytest.approx([0.95, 0.55, 0.1])


def test_without_a_curve_the_metrics_own_range_counts_in_its_direction() -> None:
    values = np.array([0.0, 0.25, 1.0])
    assert worths(values, criterion("exact_match"), find("exact_match")).tolist() == [0.0, 0.25, 1.0]
    assert worths(values, criterion("ece_10_bin"), find("ece_10_bin")).tolist() == [1.0, 0.75, 0.0]
    assert direction(criterion("ece_10_bin"), find("ece_10_bin")) == -1


def test_a_change_lies_between_minus_and_plus_the_width_of_the_range() -> None:
    assert worths(np.array([-1.0, -0.5, 0.0, 1.0]), criterion("exact_match", on="change"), find("exact_match")).tolist() == [
        0.0,
        0.25,
        0.5,
        1.0,
    ]


def test_what_was_not_measured_has_no_worth() -> None:
    assert np.isnan(worths(np.array([np.nan]), criterion("exact_match"), find("exact_match"))).all()


@pytest.mark.parametrize("metric", ["latency_s", "prompt_tokens"])
def test_a_metric_without_worst_and_best_needs_a_curve(metric: str) -> None:
    with pytest.raises(AssayError, match=r"criterion 'it'.*no worst and best.*unacceptable"):
        worths(np.array([1.0]), criterion(metric), find(metric))


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=20), st.floats(-3, 3), st.floats(0.01, 5), st.booleans())
def test_worth_never_leaves_its_range_nor_turns_round(values: list[float], one: float, width: float, up: bool) -> None:
    ends = (one, one + width) if up else (one + width, one)
    value = Value(unacceptable=ends[0], satisfying=ends[1])
    found = worths(np.array(sorted(values)), criterion("latency_s", value), find("latency_s"))
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) * (1 if up else -1) >= 0).all()

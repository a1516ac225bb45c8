"""Numbers below each other have the same digits after the point where that hides nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.records import Estimate
from assay.tables.numbers import even_digits, format_estimate


def estimate(value: float, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=50, clusters=50)


NARROW, WIDE = estimate(0.498, 0.482, 0.514), estimate(0.37, 0.21, 0.55)


def shown(*estimates: Estimate) -> list[str]:
    return [format_estimate(each, digits) for each, digits in zip(estimates, even_digits(estimates), strict=True)]


def test_a_narrow_one_is_written_as_the_wide_ones_beside_it() -> None:
    assert format_estimate(NARROW) == "0.498 [0.482, 0.514]"
    assert shown(NARROW, WIDE) == ["0.50 [0.48, 0.51]", "0.37 [0.21, 0.55]"]
    assert shown(NARROW, NARROW) == ["0.498 [0.482, 0.514]"] * 2, "there is no other to go by"


def test_no_digit_is_left_out_that_the_interval_needs() -> None:
    tight = estimate(0.831, 0.829, 0.834)
    assert shown(tight, WIDE)[0] == "0.831 [0.829, 0.834]"
    assert shown(estimate(0.0002, 0.0001, 0.0003), WIDE)[0] == format_estimate(estimate(0.0002, 0.0001, 0.0003))
    assert shown(estimate(3e-9, 2e-9, 4e-9), WIDE)[0] == "3.0e-09 [2.0e-09, 4.0e-09]"


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(0, 1e3)), max_size=6))
def test_any_numbers_keep_at_least_two_steps_of_their_intervals(drawn: list[tuple[float, float]]) -> None:
    estimates = [estimate(value, value - reach, value + reach) for value, reach in drawn]
    for each, digits in zip(estimates, even_digits(estimates), strict=True):
        assert digits is None or (digits >= 2 and (each.high - each.low) * 10**digits >= 2 - 1e-9)  # type: ignore[operator] # both ends are there


def test_nothing_has_no_digits() -> None:
    assert even_digits([]) == []
    assert even_digits([estimate(1.0)]) == [None]

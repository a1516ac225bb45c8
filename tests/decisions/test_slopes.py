"""The slope of a curve of worth between two means that are only known to lie in intervals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.decisions.slopes import chosen, is_line, slopes_of

CURVE = ((0.2, 0.0), (0.5, 0.8), (0.9, 1.0))


def test_slopes_are_those_of_the_lines_and_0() -> None:
    assert slopes_of(CURVE) == pytest.approx([0, 0.8 / 0.3, 0.5])
    assert is_line(((0.0, 0.0), (1.0, 1.0)), 0, 1)
    assert is_line(CURVE, 0.5, 0.9)
    assert not is_line(CURVE, 0.4, 0.9)
    assert not is_line(((0.0, 0.0), (1.0, 1.0)), 0, None)


def test_on_one_line_nothing_is_taken_off_and_where_nothing_is_known_everything() -> None:
    slope, off = chosen(CURVE, np.array([0.3, 0.4]), np.array([0.2, 0.35]), np.array([0.35, 0.5]))
    assert slope[0, 1] == pytest.approx(0.8 / 0.3)
    assert off[0, 1] == pytest.approx(0)
    flat, nothing = chosen(CURVE, np.array([0.92, 0.97]), np.array([0.9, 0.95]), np.array([0.95, 1.0]))
    assert (flat[0, 1], nothing[0, 1]) == (0, 0)
    endless = np.array([-np.inf, -np.inf]), np.array([np.inf, np.inf])
    slope, off = chosen(CURVE, np.array([np.nan, np.nan]), *endless, steepest=False)
    assert (slope[0, 1], off[0, 1]) == (0, 1)


ends = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=4, unique=True), st.data())
def test_the_difference_of_worths_is_never_less_than_said(corners: list[float], data: st.DataObject) -> None:
    worths = sorted(data.draw(st.lists(st.floats(0, 1), min_size=len(corners), max_size=len(corners))))
    if data.draw(st.booleans()):
        worths.reverse()
    curve = tuple(zip(sorted(corners), worths, strict=True))
    assume(min(at - before for (before, _), (at, _) in pairwise(curve)) > 1e-6)
    (low_x, high_x), (low_y, high_y) = data.draw(ends), data.draw(ends)
    x, y = data.draw(st.floats(low_x, high_x)), data.draw(st.floats(low_y, high_y))
    slope, off = chosen(curve, np.array([x, y]), np.array([low_x, low_y]), np.array([high_x, high_y]))
    at, worth = zip(*curve, strict=True)
    difference = float(np.interp(y, at, worth) - np.interp(x, at, worth))
    assert difference >= slope[0, 1] * (y - x) - off[0, 1] - 1e-6 * (1 + abs(slope[0, 1]))

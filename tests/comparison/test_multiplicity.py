"""Corrections for many comparisons."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.comparison.multiplicity import benjamini_hochberg, holm

P = [0.01, 0.02, 0.03, 0.04, 0.5]
"""With R's p.adjust: holm 0.05 0.08 0.09 0.09 0.50, BH 0.05 0.05 0.05 0.05 0.50."""


def test_known_values() -> None:
    assert holm(P) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.5])
    assert benjamini_hochberg(P) == pytest.approx([0.05, 0.05, 0.05, 0.05, 0.5])


def test_what_was_not_tested_does_not_count() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, pytest.approx(0.04), None, pytest.approx(0.04)]
    assert benjamini_hochberg([None, 0.03]) == [None, 0.03]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=30))
def test_corrected_values_keep_the_order_and_bonferroni_is_the_strictest(values: list[float]) -> None:
    strict, mild = holm(list(values)), benjamini_hochberg(list(values))
    for p, family, discovery in zip(values, strict, mild, strict=True):
        assert family is not None
        assert discovery is not None
        assert p <= discovery <= family + 1e-12
        assert family <= min(1.0, p * len(values)) + 1e-12
    order = sorted(range(len(values)), key=lambda place: values[place])
    for one, other in pairwise(order):
        assert (strict[one] or 0) <= (strict[other] or 0)
        assert (mild[one] or 0) <= (mild[other] or 0)

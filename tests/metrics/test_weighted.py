from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import weighted
from assay.metrics.weighted import drawn_at, mean, quantiles, total

few = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 0.75, 2.0, 7.0]), st.integers(0, 3)), min_size=1, max_size=30)


def drawn(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.repeat(values, weights.astype(int))


@given(few.filter(lambda pairs: sum(times for _, times in pairs) > 0), st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]))
def test_sums_means_and_quantiles_are_those_of_the_values_written_out(pairs: list[tuple[float, int]], share: float) -> None:
    values, weights = np.array(pairs).T
    written = drawn(values, weights)
    assert total(values, weights[None])[0] == pytest.approx(written.sum())
    assert mean(values, weights[None])[0] == pytest.approx(written.mean())
    assert quantiles(values, weights[None], share)[0] == pytest.approx(np.quantile(written, share))


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(any), min_size=1, max_size=6))
def test_the_answers_at_some_places_are_those_of_the_answers_written_out(times: list[list[int]]) -> None:
    weights, sizes = np.array(times, dtype=np.float64), [sum(row) for row in times]
    places = np.array([[0, size // 2, size - 1] for size in sizes])
    written = [np.repeat(np.arange(5), row)[place].tolist() for row, place in zip(times, places, strict=True)]
    assert drawn_at(weights, places).tolist() == written
    assert drawn_at(weights, np.zeros((1, 1))).tolist() == [row[:1] for row in written]


@pytest.mark.parametrize("near", [6.0, 0.5, 0.0])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.99])
def test_a_quantile_far_from_that_of_all_answers_is_found_too(
    near: float, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighted, "NEAR", near)
    generator = np.random.default_rng(0)
    values = generator.permutation(2_000) / 7
    weights = generator.multinomial(2_000, np.full(2_000, 1 / 2_000), 20).astype(float)
    weights[-1] = 5.0 * (values < np.quantile(values, 0.2))
    expected = [np.quantile(drawn(values, row), share) for row in weights]
    assert quantiles(values, weights, share).tolist() == pytest.approx(expected, rel=1e-12)

from __future__ import annotations

import numpy as np
import pytest

from assay.identity import array_generator
from assay.statistics import resampling
from assay.statistics.resampling import draws, resamples, sums_of_lists


def test_sums_of_lists_are_those_of_the_values_as_often_as_each_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "CACHED", 20)  # few resamples at once, so that several steps are needed
    generator = np.random.default_rng(0)
    values, places = generator.integers(-9, 9, 12).astype(float), generator.integers(0, 5, 12)
    weights = generator.integers(0, 4, (7, 5)).astype(float)
    found = sums_of_lists(values, places, np.array([0, 3, 4]), weights)
    ends = [(0, 3), (3, 4), (4, 12)]
    expected = [[sum(values[i] * row[places[i]] for i in range(start, end)) for start, end in ends] for row in weights]
    assert found.tolist() == expected


def test_every_resample_draws_as_many_clusters_as_there_are() -> None:
    blocks = np.concatenate(list(resamples(np.array([0, 0, 1, 2, 2]), 50, 0, "cell")))
    assert blocks.shape == (50, 5)
    assert (blocks[:, [0, 2, 3]].sum(axis=1) == 3).all()
    assert (blocks[:, 0] == blocks[:, 1]).all()


@pytest.mark.parametrize("clusters", [1, 3, 40])
def test_how_many_are_drawn_at_once_does_not_change_what_is_drawn(clusters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for at_once in (1, 50, 10_000):
        monkeypatch.setattr(resampling, "BLOCK", at_once)
        found.append(np.concatenate(list(draws(np.arange(clusters), 30, array_generator(1, "cell")))))
    assert found[0].shape == (30, clusters)
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()

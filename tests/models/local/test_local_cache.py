from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.models.local.cache import BLOCK, CacheShape, KeyValues

SHAPE = CacheShape(layers=2, heads=2, size=4)


def fill(cache: KeyValues, numbers: np.ndarray, *, layers: range = range(2)) -> None:
    """Write made-up keys and values for the positions after the cache's: numbers of shape (tokens, heads, size)."""
    cache.reserve(cache.length + len(numbers))
    for layer in layers:
        cache.write(layer, numbers + layer, -numbers - layer)
    cache.advance(len(numbers))


def held(cache: KeyValues, layer: int) -> tuple[np.ndarray, np.ndarray]:
    """What a cache holds, as arrays of shape (tokens, heads, size)."""
    parts = [part.at(layer) for part in cache.parts(cache.length)]
    keys = np.concatenate([keys for keys, _ in parts], axis=1).transpose(1, 3, 0, 2).reshape(-1, 2, 4)
    values = np.concatenate([values for _, values in parts], axis=1).transpose(1, 2, 0, 3).reshape(-1, 2, 4)
    return keys[: cache.length], values[: cache.length]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 2 * BLOCK + 3), min_size=1, max_size=5))
def test_a_chain_of_continuations_holds_what_one_text_holds(lengths: list[int]) -> None:
    numbers = np.random.default_rng(sum(lengths)).normal(size=(sum(lengths), 2, 4)).astype(np.float32)
    cache, at = None, 0
    for length in lengths:
        cache = KeyValues(SHAPE, cache)
        fill(cache, numbers[at : at + length])
        at += length
    assert cache is not None
    for layer in range(2):
        keys, values = held(cache, layer)
        assert np.array_equal(keys, numbers + layer)
        assert np.array_equal(values, -numbers - layer)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 2 * BLOCK), st.integers(1, 2 * BLOCK))
def test_a_transient_continuation_holds_the_layer_at_work(before: int, after: int) -> None:
    numbers = np.random.default_rng(before).normal(size=(before + after, 2, 4)).astype(np.float32)
    parent = KeyValues(SHAPE)
    fill(parent, numbers[:before])
    child = KeyValues(SHAPE, parent, before + after, transient=True)
    for layer in range(2):
        child.write(layer, numbers[before:] + layer, -numbers[before:] - layer)
        parts = [part.at(layer)[0] for part in child.parts(before + after)]
        keys = np.concatenate(parts, axis=1).transpose(1, 3, 0, 2).reshape(-1, 2, 4)
        assert np.array_equal(keys[: before + after], numbers + layer)


def test_full_blocks_are_shared_and_siblings_do_not_disturb_each_other() -> None:
    parent = KeyValues(SHAPE)
    fill(parent, np.ones((BLOCK + 5, 2, 4), np.float32))
    first, second = KeyValues(SHAPE, parent), KeyValues(SHAPE, parent)
    fill(first, np.full((3, 2, 4), 7, np.float32))
    fill(second, np.full((3, 2, 4), 9, np.float32))
    assert held(first, 0)[0][-1, 0, 0] == 7
    assert held(second, 0)[0][-1, 0, 0] == 9
    assert np.shares_memory(first.parts(first.length)[0].keys, parent.keys)

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.models.local.attention import Span, attend, plan
from assay.models.local.cache import CacheShape, KeyValues

HEADS, SHARE, SIZE = 2, 3, 16


def attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Causal attention in float64 as the formula says: queries of shape (tokens, HEADS, SHARE, SIZE)."""
    out = np.empty(queries.shape)
    for at in range(len(queries)):
        for head in range(HEADS):
            scores = queries[at, head].astype(float) @ keys[: at + 1, head].astype(float).T
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            out[at, head] = weights / weights.sum(axis=1, keepdims=True) @ values[: at + 1, head]
    return out


def in_pieces(numbers: tuple[np.ndarray, ...], lengths: list[int], *, fork: bool, growing: bool = False) -> np.ndarray:
    """Attention over one text that is read in pieces of the given lengths, each in a cache of its own if `fork`."""
    queries, keys, values = numbers
    out = np.zeros(queries.shape, np.float32)
    cache, at = KeyValues(CacheShape(1, HEADS, SIZE)), 0
    for length in lengths:
        cache = KeyValues(cache.shape, cache) if fork and at else cache
        span = Span(cache, [0] * length, growing=growing)
        cache.reserve(at + length)
        groups = plan([span], HEADS, SHARE)
        cache.write(0, keys[at : at + length], values[at : at + length])
        for group in groups:
            attend(queries[at : at + length], out[at : at + length], group, 0)
        cache.advance(length)
        at += length
    return out


def made_up(tokens: int) -> tuple[np.ndarray, ...]:
    chance = np.random.default_rng(tokens)
    queries = chance.normal(size=(tokens, HEADS, SHARE, SIZE))
    return tuple(a.astype(np.float32) for a in (queries, *chance.normal(size=(2, tokens, HEADS, SIZE))))


def test_attention_is_the_causal_softmax_average() -> None:
    numbers = made_up(150)
    assert np.allclose(in_pieces(numbers, [150], fork=False), attention(*numbers), atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 90), min_size=2, max_size=6), st.booleans())
def test_pieces_and_sharing_do_not_change_a_bit(lengths: list[int], fork: bool) -> None:
    numbers = made_up(sum(lengths))
    assert np.array_equal(in_pieces(numbers, lengths, fork=fork), in_pieces(numbers, [sum(lengths)], fork=False))


def test_a_text_that_grows_token_by_token_attends_likewise() -> None:
    numbers = made_up(70)
    assert np.allclose(in_pieces(numbers, [1] * 70, fork=False, growing=True), attention(*numbers), atol=1e-5)


def test_every_token_of_a_ragged_pass_belongs_to_one_group() -> None:
    shape = CacheShape(1, HEADS, SIZE)
    spans = [Span(KeyValues(shape), [0] * length) for length in (1, 65, 130, 3)]
    spans += [Span(KeyValues(shape), [0], growing=True)]
    for span in spans:
        span.cache.reserve(len(span.tokens))
    rows = np.concatenate([group.put for group in plan(spans, HEADS, SHARE)])
    assert sorted(rows) == list(range(200))

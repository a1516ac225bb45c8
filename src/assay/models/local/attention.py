"""Attention over blocks of keys, the same to the last bit for a token whatever is computed beside it.

The tokens of a text are taken in tiles: `TILE` neighbouring positions, starting at multiples of `TILE`, or single
positions for a text that grows token by token. The products of one tile with one block of keys always have the same
shape, and a position always has the same place in its tile; the sum over blocks runs from the first to the last. So
neither the batch, nor where a text was cut into pieces, nor which of its blocks it shares can change a result.
Tiles that see equally many blocks are computed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from assay.models.local.cache import BLOCK, KeyValues, Part

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

TILE = 4
"""Positions in a tile. It divides `BLOCK`, so that a tile ends in one block."""
GROUP_FLOATS = 1 << 18
"""Most attention weights computed at once: 1 MiB, about what a core's own cache holds."""


@dataclass(frozen=True)
class Span:
    """The next tokens of a text, as a pass over the model reads them."""

    cache: KeyValues
    tokens: Sequence[int]
    growing: bool = False
    """The text grows token by token: this is one generated token."""


@dataclass(frozen=True)
class _Tile:
    rows: tuple[int, ...]
    """Where its positions stand in the pass; -1 for positions that are not part of the span."""
    place: int
    """Number of its first position within its block."""
    parts: tuple[Part, ...]


@dataclass
class Group:
    """Tiles that see equally many blocks.

    `products` say which tiles are multiplied with which part: (first tile, last tile + 1, part).
    `taken` are places in the flattened tiles, `put` the rows of the pass they belong to.
    """

    blocks: int
    rows: Indices
    mask: Floats
    products: list[tuple[int, int, Part]] = field(default_factory=list)
    taken: Indices = field(default_factory=lambda: np.empty(0, np.int64))
    put: Indices = field(default_factory=lambda: np.empty(0, np.int64))


def plan(spans: Sequence[Span], heads: int, group: int) -> list[Group]:
    """Share out the spans' tokens, which stand in the pass one span after the other, into groups of tiles.

    `heads` are the heads of keys; each serves `group` heads of queries.
    """
    kinds: dict[tuple[int, int], list[_Tile]] = {}
    row = 0
    for span in spans:
        size = 1 if span.growing else TILE
        start, stop = span.cache.length, span.cache.length + len(span.tokens)
        for block in range(start // BLOCK, (stop - 1) // BLOCK + 1):
            parts = span.cache.parts((block + 1) * BLOCK)
            low, high = max(start, block * BLOCK), min(stop, (block + 1) * BLOCK)
            tiles = kinds.setdefault((size, block + 1), [])
            for first in range(low // size * size, high, size):
                rows = tuple(row + at - start if start <= at < stop else -1 for at in range(first, first + size))
                tiles.append(_Tile(rows, first % BLOCK, parts))
        row += len(span.tokens)
    groups = []
    for (size, blocks), tiles in kinds.items():
        most = max(1, GROUP_FLOATS // (heads * blocks * _lanes(size * group) * BLOCK))
        groups += [_group(tiles[at : at + most], size, blocks, group) for at in range(0, len(tiles), most)]
    return groups


def attend(queries: Floats, out: Floats, group: Group, layer: int) -> None:
    """Compute the attention of one group of tiles.

    `queries`, already scaled, and `out` have the shape `(rows of the pass, heads of keys, queries per head, size)`.
    """
    _, heads, share, size = queries.shape
    tiles, positions = group.rows.shape
    lanes = group.mask.shape[1]
    q = np.zeros((tiles, heads, 1, lanes, size), np.float32)
    gathered = queries[group.rows.reshape(-1)].reshape(tiles, positions, heads, share, size)
    q[:, :, 0, : positions * share] = gathered.transpose(0, 2, 1, 3, 4).reshape(tiles, heads, positions * share, size)
    weights = np.empty((tiles, heads, group.blocks, lanes, BLOCK), np.float32)
    mixed = np.empty((tiles, heads, group.blocks, lanes, size), np.float32)
    for first, last, part in group.products:
        keys, _ = part.at(layer)
        np.matmul(q[first:last], keys, out=weights[first:last, :, part.first : part.first + part.count])
    weights[:, :, -1] += group.mask[:, None]
    weights -= weights.max(axis=(2, 4), keepdims=True)
    np.exp(weights, out=weights)
    for first, last, part in group.products:
        _, values = part.at(layer)
        here = slice(part.first, part.first + part.count)
        np.matmul(weights[first:last, :, here], values, out=mixed[first:last, :, here])
    result = mixed.sum(axis=2)
    result /= weights.sum(axis=4).sum(axis=2)[..., None]
    result = result[:, :, : positions * share].reshape(tiles, heads, positions, share, size).transpose(0, 2, 1, 3, 4)
    out[group.put] = result.reshape(tiles * positions, heads, share, size)[group.taken]


def _group(tiles: Sequence[_Tile], size: int, blocks: int, share: int) -> Group:
    rows = np.array([tile.rows for tile in tiles], np.int64)
    flat = rows.reshape(-1)
    taken = np.flatnonzero(flat >= 0)
    mask = np.zeros((len(tiles), _lanes(size * share), BLOCK), np.float32)
    places = np.array([tile.place for tile in tiles])
    for position in range(size):
        later = np.arange(BLOCK) > places[:, None] + position
        mask[:, position * share : (position + 1) * share][np.repeat(later[:, None], share, axis=1)] = -np.inf
    group = Group(blocks, np.maximum(rows, 0), mask, taken=taken, put=flat[taken])
    for number in range(max(len(tile.parts) for tile in tiles)):
        at = 0
        for key, run in groupby(tiles, lambda tile: _identity(tile, number)):  # noqa: B023 - used at once
            count = len(list(run))
            if key is not None:
                group.products.append((at, at + count, tiles[at].parts[number]))
            at += count
    return group


def _identity(tile: _Tile, number: int) -> tuple[int, int] | None:
    """What makes two tiles' parts the same blocks."""
    if number >= len(tile.parts):
        return None
    part = tile.parts[number]
    return id(part.keys), part.count


def _lanes(rows: int) -> int:
    """Rows of a tile's products, rounded up to the kernels' step."""
    return -(-rows // 4) * 4

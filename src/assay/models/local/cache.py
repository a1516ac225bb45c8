"""Keys and values of the tokens a model has read, in blocks, shared between texts that begin alike.

A text's keys and values stand in blocks of `BLOCK` positions that begin at fixed absolute positions. A text that continues
another refers to the full blocks of its parent and copies only the last, partly filled one; so a prefix is held once,
and attention sees the same blocks whether or not they are shared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BLOCK = 64
"""Positions in a block."""


@dataclass(frozen=True)
class CacheShape:
    """Layers, heads of keys and values, and numbers per head."""

    layers: int
    heads: int
    size: int


@dataclass(frozen=True)
class Part:
    """A run of blocks: keys by `(layer, head, block, number, position)`, values by `(layer, head, block, position, number)`.

    A text that is read in one go holds one layer at a time: there is then only one, and every layer uses the same place.
    """

    keys: Floats
    values: Floats
    first: int
    """The absolute number of its first block."""
    count: int
    """How many of its blocks belong to the text."""

    def at(self, layer: int) -> tuple[Floats, Floats]:
        """Keys and values of one layer, its blocks only."""
        index = layer % len(self.keys)
        return self.keys[index, :, : self.count], self.values[index, :, : self.count]


class KeyValues:
    """The keys and values of one text.

    `parent` is the text it continues. `capacity` is how many tokens it will hold, its parent's included; it grows by
    itself. `transient` keeps only the layer at work: enough for a text that is read in one pass and not continued.
    """

    def __init__(
        self, shape: CacheShape, parent: KeyValues | None = None, capacity: int = 0, *, transient: bool = False
    ) -> None:
        self.shape = shape
        self.start: int = parent.length if parent else 0
        self.length: int = self.start
        self.first = self.start // BLOCK
        self._inherited = parent.parts(self.first * BLOCK) if parent else ()
        self._tail = parent if self.start % BLOCK else None
        self._transient = transient
        self._allocate(max(1, -(-max(capacity, self.start + 1) // BLOCK) - self.first))
        if self._tail and not transient:
            for layer in range(shape.layers):
                self._copy_tail(layer)

    @property
    def own(self) -> int:
        """How many of the positions are held here and not by the parents."""
        return self.length - self.first * BLOCK

    def parts(self, tokens: int) -> tuple[Part, ...]:
        """The runs of blocks that hold the first `tokens` positions."""
        blocks = -(-tokens // BLOCK)
        inherited = tuple(part for part in self._inherited if part.first < blocks)
        return (*inherited, Part(self.keys, self.values, self.first, blocks - self.first)) if blocks > self.first else inherited

    def reserve(self, tokens: int) -> None:
        """Make room for `tokens` positions, at least doubling when there is too little."""
        need = -(-tokens // BLOCK) - self.first
        have = self.keys.shape[2]
        if need > have:
            keys, values = self.keys, self.values
            self._allocate(max(need, 2 * have))
            self.keys[:, :, :have], self.values[:, :, :have] = keys, values

    def write(self, layer: int, keys: Floats, values: Floats) -> None:
        """Hold the keys and values, each of shape `(tokens, heads, size)`, of the next tokens in one layer."""
        if self._tail and self._transient:
            self._copy_tail(layer)
        index = layer % len(self.keys)
        done = 0
        while done < len(keys):
            block, at = divmod(self.own + done, BLOCK)
            count = min(BLOCK - at, len(keys) - done)
            self.keys[index, :, block, :, at : at + count] = keys[done : done + count].transpose(1, 2, 0)
            self.values[index, :, block, at : at + count] = values[done : done + count].transpose(1, 0, 2)
            done += count

    def advance(self, tokens: int) -> None:
        """Count tokens as read, after all layers have written them."""
        self.length += tokens

    def _allocate(self, blocks: int) -> None:
        """Zeroed arrays: positions that are not written yet are masked, but must be finite."""
        layers = 1 if self._transient else self.shape.layers
        heads, size = self.shape.heads, self.shape.size
        self.keys: Floats = np.zeros((layers, heads, blocks, size, BLOCK), np.float32)
        self.values: Floats = np.zeros((layers, heads, blocks, BLOCK, size), np.float32)

    def _copy_tail(self, layer: int) -> None:
        """Copy the parent's last, partly filled block."""
        assert self._tail is not None
        filled = self.start % BLOCK
        keys, values = self._tail.parts(self.start)[-1].at(layer)
        index = layer % len(self.keys)
        self.keys[index, :, 0, :, :filled] = keys[:, -1, :, :filled]
        self.values[index, :, 0, :filled] = values[:, -1, :filled]

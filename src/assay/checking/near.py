"""Texts that are nearly the same, found in linear time: MinHash signatures (Broder 1997) cut into bands.

Texts are compared as sets of five characters in a row, written as `same_text` does. Two texts that share most of
them very likely agree in a whole band of their signatures; whoever does is compared exactly.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.identity import array_generator
from assay.text import same_text

if TYPE_CHECKING:
    import numpy as np

WIDTH = 5
"""Characters of a shingle."""
BANDS, ROWS = 24, 4
"""Two texts with a share s of common shingles are compared with probability 1 - (1 - s^4)^24: 99.99 % at 0.75."""
LIKENESS = 0.75
"""Share of common shingles from which on two texts are nearly the same."""
LONGEST = 4000
"""Characters that are compared."""
MOST = 100_000
"""Cases that are compared with each other: it takes 150 MB."""
MOST_CHARACTERS = 50_000_000
"""Characters that they have together."""
PRIME = (1 << 31) - 1


def shingles(text: str) -> frozenset[int]:
    """The hashes of a text's runs of five characters; of a shorter text, its own."""
    raw = same_text(text)[:LONGEST]
    parts = {raw[start : start + WIDTH] for start in range(max(1, len(raw) - WIDTH + 1))}
    return frozenset(zlib.crc32(part.encode("utf-8", "replace")) % PRIME for part in parts)


def likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """The share of common shingles, 0 to 1 (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 1.0


class Sample:
    """Cases that are different, chosen at random by their digests: as many as can be compared with each other.

    All of them up to 100,000 cases and 50 million characters. Which they are depends on the cases alone, not on their order.
    """

    def __init__(self, most: int = MOST, characters: int = MOST_CHARACTERS) -> None:
        self.most, self.characters = most, characters
        self.complete = True
        self._texts: dict[bytes, tuple[int, str]] = {}
        self._highest: list[tuple[int, bytes]] = []
        self._length = 0

    def add(self, key: bytes, position: int, text: str) -> None:
        """Note a case, unless one with its key has been there.

        Args:
            key: the digest of what it is.
            position: where it stands among all cases.
            text: as `same_text` writes it.
        """
        if key in self._texts or (not self.complete and key > self._highest[0][1]):
            return
        self._texts[key] = position, text[:LONGEST]
        self._length += len(text[:LONGEST])
        heapq.heappush(self._highest, (-int.from_bytes(key), key))
        while len(self._texts) > self.most or (self._length > self.characters and len(self._texts) > 1):
            self._length -= len(self._texts.pop(heapq.heappop(self._highest)[1])[1])
            self.complete = False

    def __len__(self) -> int:
        return len(self._texts)

    def cases(self) -> list[tuple[int, str]]:
        """Positions and texts, by position."""
        return sorted(self._texts.values())


def near_pairs(texts: Sequence[str]) -> list[tuple[int, int, float]]:
    """Pairs of positions whose texts are nearly the same, each text with one before it, and how alike they are."""
    import numpy as np

    if not texts:
        return []
    rng = array_generator("near duplicates")
    factors = rng.integers(1, PRIME, BANDS * ROWS, dtype=np.int64)[:, None]
    offsets = rng.integers(0, PRIME, BANDS * ROWS, dtype=np.int64)[:, None]
    signatures = np.empty((len(texts), BANDS * ROWS), dtype=np.int32)
    for position, text in enumerate(texts):
        hashes = shingles(text)
        values = np.fromiter(hashes, dtype=np.int64, count=len(hashes))[None, :]
        # Both factors are below 2^31, so that the product fits 62 bits.
        signatures[position] = ((factors * values + offsets) % PRIME).min(axis=1)
    firsts = np.stack([_first_alike(signatures[:, band * ROWS : (band + 1) * ROWS]) for band in range(BANDS)], axis=1)
    pairs: list[tuple[int, int, float]] = []
    for position in np.flatnonzero((firsts != np.arange(len(texts))[:, None]).any(axis=1)).tolist():
        mine = shingles(texts[position])
        for other in sorted(set(firsts[position].tolist()) - {position}):
            alike = likeness(mine, shingles(texts[other]))
            if alike >= LIKENESS:
                pairs.append((other, position, alike))
                break
    return pairs


def _first_alike(
    band: np.ndarray[tuple[int, int], np.dtype[np.int32]],
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """For each text the first one whose signature has the same band."""
    import numpy as np

    keys = np.ascontiguousarray(band).view(np.dtype((np.void, band.dtype.itemsize * ROWS))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first[which.ravel()].astype(np.int32)

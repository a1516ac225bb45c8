"""Texts that are nearly the same, found in linear time: MinHash signatures (Broder 1997) cut into bands.

Texts are compared as sets of five characters in a row, lower case, white space as one space. Two texts that share most of
them very likely agree in a whole band of their signatures; whoever does is compared exactly.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.identity import array_generator

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
PRIME = (1 << 31) - 1


def normal(text: str) -> str:
    """A text as it is compared: lower case, white space as one space, no punctuation at the end."""
    return " ".join(text.lower().split()).rstrip(".!?… ")


def shingles(text: str) -> frozenset[int]:
    """The hashes of a text's runs of five characters; of a shorter text, its own."""
    raw = normal(text)[:LONGEST]
    parts = {raw[start : start + WIDTH] for start in range(max(1, len(raw) - WIDTH + 1))}
    return frozenset(zlib.crc32(part.encode("utf-8", "replace")) % PRIME for part in parts)


def likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """The share of common shingles, 0 to 1 (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 1.0


def near_pairs(texts: Sequence[str]) -> list[tuple[int, int, float]]:
    """Pairs of positions whose texts are nearly the same, each text with one before it, and how alike they are."""
    import numpy as np

    rng = array_generator("near duplicates")
    factors = rng.integers(1, PRIME, BANDS * ROWS, dtype=np.int64)[:, None]
    offsets = rng.integers(0, PRIME, BANDS * ROWS, dtype=np.int64)[:, None]
    buckets: dict[tuple[int, bytes], int] = {}
    known: dict[int, frozenset[int]] = {}
    pairs: list[tuple[int, int, float]] = []
    for position, text in enumerate(texts):
        mine = shingles(text)
        candidates = set()
        for band in _bands(mine, factors, offsets):
            candidates.add(buckets.setdefault(band, position))
        for other in sorted(candidates - {position}):
            alike = likeness(mine, known[other])
            if alike >= LIKENESS:
                pairs.append((other, position, alike))
                break
        if position in candidates:
            known[position] = mine
    return pairs


def _bands(
    hashes: frozenset[int],
    factors: np.ndarray[tuple[int, int], np.dtype[np.int64]],
    offsets: np.ndarray[tuple[int, int], np.dtype[np.int64]],
) -> list[tuple[int, bytes]]:
    """The bands of a text's signature: 4 minima of 4 random permutations each."""
    import numpy as np

    values = np.fromiter(sorted(hashes), dtype=np.int64, count=len(hashes))[None, :]
    # Both factors are below 2^31, so that the product fits 62 bits.
    signature = ((factors * values + offsets) % PRIME).min(axis=1)
    return [(band, signature[band * ROWS : (band + 1) * ROWS].tobytes()) for band in range(BANDS)]

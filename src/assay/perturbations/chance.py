"""Which characters of a text are hit."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from random import Random

_WORD = 2**32
_BLOCK = 65536


def struck(size: int, rng: Random, rate: float) -> Iterator[int]:
    """The places of a text of `size` characters that are hit, each with probability `rate`, from the start.

    Draws come in blocks of whole numbers: much faster than one by one, and the same on every machine.
    """
    threshold = rate * _WORD
    for start in range(0, size, _BLOCK):
        count = min(_BLOCK, size - start)
        draws = struct.unpack(f"<{count}I", rng.randbytes(4 * count))
        yield from [start + place for place, draw in enumerate(draws) if draw < threshold]

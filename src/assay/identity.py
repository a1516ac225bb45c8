"""Digests and random generators: the two places where a value's content becomes its identity."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np

_encoder = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """The canonical JSON encoding of a record or plain value: sorted keys, no white space, UTF-8."""
    return _encoder.encode(value)


def digest(value: Any) -> str:
    """SHA-256 of the canonical encoding, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def seed_for(*parts: str | int) -> int:
    """A 256-bit seed that is a function of the parts alone: (suite seed, purpose, instance id, …)."""
    return int.from_bytes(hashlib.sha256(canonical(parts)).digest(), "big")


def generator(*parts: str | int) -> random.Random:
    """A random generator of its own for one purpose; no global generator is ever used."""
    return random.Random(seed_for(*parts))


def array_generator(*parts: str | int) -> np.random.Generator:
    """The numpy counterpart of `generator`."""
    import numpy as np

    return np.random.default_rng(seed_for(*parts))

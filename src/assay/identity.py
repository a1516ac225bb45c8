"""Digests and random generators: the two places where a value's content becomes its identity."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable
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


def digest_of_lists(*lists: Iterable[Any]) -> str:
    """`digest` of a list of these lists, item by item, so that their encoding is never held as a whole."""
    found = hashlib.sha256(b"[")
    for number, items in enumerate(lists):
        found.update(b",[" if number else b"[")
        for place, item in enumerate(items):
            found.update(b"," + canonical(item) if place else canonical(item))
        found.update(b"]")
    found.update(b"]")
    return found.hexdigest()


def seed_for(*parts: str | int) -> int:
    """A 256-bit seed that is a function of the parts alone: (suite seed, purpose, instance id, …)."""
    return int.from_bytes(hashlib.sha256(canonical(parts)).digest(), "big")


def ranking(*parts: str | int) -> Callable[[str], bytes]:
    """A key to order names by at random: by `seed_for(*parts, name)`, but quicker for many names."""
    beginning = canonical(parts)[:-1] + b","
    return lambda name: hashlib.sha256(beginning + canonical(name) + b"]").digest()


def generator(*parts: str | int) -> random.Random:
    """A random generator of its own for one purpose; no global generator is ever used."""
    return random.Random(seed_for(*parts))


def array_generator(*parts: str | int) -> np.random.Generator:
    """The numpy counterpart of `generator`."""
    import numpy as np

    return np.random.default_rng(seed_for(*parts))

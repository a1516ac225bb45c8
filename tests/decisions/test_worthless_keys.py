"""Public keys under which anybody can sign are no keys: the points of small order, and second spellings of others.

The points are found here by Edwards arithmetic of its own, not by the equation that assay uses.
"""

from __future__ import annotations

import base64
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.keys import fingerprint_of, public_part, read_public_key
from assay.decisions.record import Signature
from assay.decisions.signing import signature_problems
from assay.errors import AssayError
from decision_records import small_record

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int]


def added(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    both = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + both, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - both, P - 2, P) % P


def times(count: int, point: Point) -> Point:
    found = (0, 1)
    while count:
        if count & 1:
            found = added(found, point)
        point, count = added(point, point), count >> 1
    return found


def on_curve(y: int) -> Point | None:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (x, y) if (x * x - square) % P == 0 else None


def small_points() -> set[Point]:
    """The eight points of small order: the multiples of one of order 8, which is left of a point when L is taken out of it."""
    for y in range(2, 200):
        point = on_curve(y)
        if point is not None:
            left = times(L, point)
            if times(4, left) != (0, 1):
                return {times(count, left) for count in range(8)}
    raise AssertionError


def spelt(y: int, sign: int) -> str:
    return base64.b64encode((y | sign << 255).to_bytes(32, "little")).decode()


def worthless() -> list[str]:
    points = small_points()
    assert len(points) == 8
    ys = sorted({y for _, y in points})
    assert len(ys) == 5
    return [spelt(y, sign) for y in (*ys, P, P + 1) for sign in (0, 1)]


@pytest.mark.parametrize("public", worthless())
def test_keys_of_small_order_are_refused_in_every_spelling(public: str, tmp_path: Path) -> None:
    assert fingerprint_of(public) == "(no key)"
    (tmp_path / "key.pub").write_text(public)
    for named in (public, str(tmp_path / "key.pub")):
        with pytest.raises(AssayError):
            read_public_key(named)


@given(st.binary(min_size=32, max_size=32))
def test_honest_keys_are_keys(seed: bytes) -> None:
    public = public_part(Ed25519PrivateKey.from_private_bytes(seed))
    assert read_public_key(public) == public


def test_a_signature_that_holds_for_everything_is_none(tmp_path: Path) -> None:
    one = (1).to_bytes(32, "little")
    forged = one + bytes(32)
    Ed25519PublicKey.from_public_bytes(one).verify(forged, b"whatever it may be")  # which is why
    public, signature = (base64.b64encode(part).decode() for part in (one, forged))
    held = Signature(name="Ana", role="owner", at="2026-01-01T00:00:00Z", public_key=public, signature=signature)
    record = msgspec.structs.replace(small_record(), signatures=(held,))
    assert [problem for problem in signature_problems(record, tmp_path) if "does not hold" in problem]


@pytest.mark.parametrize("y", [P, P + 3, 2**255 - 1])
def test_another_spelling_of_a_point_is_no_key(y: int) -> None:
    assert fingerprint_of(spelt(y, 0)) == "(no key)"

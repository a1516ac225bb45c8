"""Signing decision records: who vouches for a record, in which role, since when, with Ed25519 (RFC 8032).

A signature signs the record's digest together with its signer's name, role, time and statement, and with the signatures
that were there before it. So none can be moved to another record, be reworded, or be taken out from under a later one.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.decisions.alone import alone_with
from assay.decisions.keys import decoded, fingerprint_of, key_bytes, public_part
from assay.decisions.lookalikes import shapes_of
from assay.decisions.record import DecisionRecord, Signature
from assay.decisions.recording import digest_of, now, read_record, write_record
from assay.errors import AssayError
from assay.identity import canonical
from assay.text import one_line

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PURPOSE = b"assay decision record, signature 1\n"
"""Stands before what is signed, so that a signature means nothing anywhere else."""
LONGEST = {"name": 200, "role": 200, "statement": 2000}
"""Characters of what a signer says."""


@dataclass(frozen=True)
class Signer:
    """Who signs, as which, and what they add in words."""

    name: str
    role: str
    statement: str = ""

    def __post_init__(self) -> None:
        """Refuse what would read otherwise than it is.

        Raises:
            AssayError: name or role is empty, or one of the texts is too long or holds what cannot be seen.
        """
        for what, longest in LONGEST.items():
            text = getattr(self, what)
            if not text.strip() and what != "statement":
                raise AssayError(f"the {what} is empty", f"say it with --{what}")
            if len(text) > longest:
                raise AssayError(f"the {what} has {len(text)} characters", f"at most {longest} are signed")
            if text != one_line(text, longest):
                problem = f"the {what} holds line breaks, characters that cannot be seen, or spaces that would be lost"
                raise AssayError(problem, f"write --{what} in one plain line")


def sign(record: DecisionRecord, key: Ed25519PrivateKey, signer: Signer, path: Path) -> DecisionRecord:
    """The record with one more signature.

    Args:
        record: as `read_record` gave it.
        key: the signer's.
        signer: who it is.
        path: names the record in errors.

    Raises:
        AssayError: the record or one of its signatures was changed, or that key has signed already.
    """
    if digest_of(record) != record.digest:
        raise AssayError(f"{path}: changed (its digest does not fit its content)", "a changed decision is a new record")
    for problem in signature_problems(record, path):
        raise AssayError(problem, "nobody should sign below that; start from the record as it was")
    public = public_part(key)
    if any(one.public_key == public for one in record.signatures):
        raise AssayError(f"{path}: the key {fingerprint_of(public)} has signed it already", "each key signs a record once")
    made = Signature(name=signer.name, role=signer.role, at=now(), public_key=public, signature="", statement=signer.statement)
    signed = key.sign(_message(record.digest, made, record.signatures))
    made = msgspec.structs.replace(made, signature=base64.b64encode(signed).decode())
    return msgspec.structs.replace(record, signatures=(*record.signatures, made))


def sign_file(path: Path, key: Ed25519PrivateKey, signer: Signer) -> DecisionRecord:
    """Sign the record in a file, one signer after the other however many come at once; return what stands there then.

    Raises:
        AssayError: as `sign`, or the record cannot be read or written.
    """
    with alone_with(path):
        return write_record(sign(read_record(path), key, signer, path), path)


def _message(digest: str, signature: Signature, before: Sequence[Signature]) -> bytes:
    """What is signed: everything that the signature says, and what it was put below."""
    said = msgspec.structs.asdict(signature)
    del said["signature"]
    return PURPOSE + canonical({"record": digest, **said, "before": [one.signature for one in before]})


def signature_problems(record: DecisionRecord, path: Path) -> Iterator[str]:
    """What is wrong with a record's signatures, a line each. Whose the keys are is another question: see `key_problems`."""
    keys: set[str] = set()
    for number, (one, holds) in enumerate(zip(record.signatures, holding(record), strict=True), start=1):
        who = f"{path}: signature {number} ({one_line(one.name, 200)}, {one_line(one.role, 200)})"
        if not holds:
            yield f"{who}: does not hold: it, or what it signs, was changed, or a signature before it is gone"
        if one.public_key in keys:
            yield f"{who}: its key has signed before"
        keys.add(one.public_key)


def holding(record: DecisionRecord) -> list[bool]:
    """Of each signature under a record whether it holds: the digest, and the signatures before it, are as it signed them.

    Whether the record's content fits its digest is another question, as is whose the keys are.
    """
    return [_holds(record.digest, one, record.signatures[:before]) for before, one in enumerate(record.signatures)]


def _holds(digest: str, one: Signature, before: Sequence[Signature]) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public, signature = key_bytes(one.public_key), decoded(one.signature)
    if public is None or signature is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _message(digest, one, before))
    except (InvalidSignature, ValueError, UnicodeEncodeError):
        return False
    return True


def key_problems(record: DecisionRecord, trusted: Sequence[str], path: Path) -> Iterator[str]:
    """Who must have signed and has not, and who has signed though nobody expects it.

    Args:
        record: whose signatures are checked already.
        trusted: public keys in base64, of all those who must have signed; nobody else may.
        path: names the record.
    """
    signed = [one.public_key for one in record.signatures]
    for key in dict.fromkeys(trusted):
        if key not in signed:
            yield f"{path}: the key {fingerprint_of(key)} has not signed"
    for number, one in enumerate(record.signatures, start=1):
        if one.public_key not in trusted:
            key = fingerprint_of(one.public_key)
            yield f"{path}: signature {number} ({one_line(one.name, 200)}): its key {key} is none of those given"


def look_alikes(record: DecisionRecord) -> Iterator[str]:
    """Names of signers that read alike though their keys differ: one person with two keys, or two people, or a pretence."""
    seen: dict[str, str] = {}
    for one in record.signatures:
        shapes = shapes_of(one.name)
        other = next((seen[shape] for shape in shapes if shape in seen), None)
        if other == one.name:
            yield f"two signatures read {one_line(one.name, 200)!r}, with different keys"
        elif other is not None:
            names = f"{one_line(other, 200)!r} and {one_line(one.name, 200)!r}"
            yield f"two signatures read nearly alike, {names}, with different letters and different keys"
        seen |= dict.fromkeys(shapes, one.name)

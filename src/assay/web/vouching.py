"""What vouches for what pages show: files as they were written, records as they were signed, runs as they were decided on.

Numbers are not computed again here; `assay verify` does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.decisions.keys import fingerprint_of
from assay.decisions.locating import located
from assay.decisions.record import EvidenceRun, Signature
from assay.decisions.signing import holding
from assay.store.folders import MANIFEST
from assay.store.manifest import file_digest
from assay.web.decided import RecordFile
from assay.web.entries import Entry
from assay.web.verification import Verified, verified

AT_ONCE = 24 << 20
"""Bytes that are hashed for a page of runs without being asked to: a tenth of a second."""

State = Literal["as decided on", "changed", "gone"]


@dataclass(frozen=True)
class Vouched:
    """A run and what checking its files found."""

    entry: Entry
    found: Verified


def vouched(entries: Sequence[Entry], everything: bool) -> list[Vouched]:
    """Runs with what checking their files found. What was checked is known until a file changes its time or size.

    Args:
        entries: the runs.
        everything: check them all, however large they are; else those known from before, and as many more as take no time.
    """
    checked, left = [], AT_ONCE
    for entry in entries:
        found = verified(entry, insist=everything, at_once=-1)
        if not found.checked and found.bytes <= left:
            found, left = verified(entry, insist=True), left - found.bytes
        checked.append(Vouched(entry, found))
    return checked


@dataclass(frozen=True)
class SignOff:
    """A signature under a record."""

    signature: Signature
    key: str
    """Fingerprint of the key that made it."""
    holds: bool


def sign_offs(file: RecordFile) -> list[SignOff]:
    """Who has signed a record, and whether each signature holds for the digest that the record has."""
    signed = zip(file.record.signatures, holding(file.record), strict=True)
    return [SignOff(signature, fingerprint_of(signature.public_key), holds) for signature, holds in signed]


def evidence_states(file: RecordFile) -> list[tuple[EvidenceRun, State]]:
    """The runs that a record rests on, and whether each is the very one: the same manifest, byte for byte."""
    evidence = file.record.evidence
    return [(run, _state(run, folder)) for run, folder in zip(evidence, located(evidence, file.path.parent), strict=True)]


def _state(run: EvidenceRun, folder: Path | None) -> State:
    if folder is None:
        return "gone"
    try:
        return "as decided on" if file_digest(folder / MANIFEST) == run.manifest else "changed"
    except OSError:
        return "gone"

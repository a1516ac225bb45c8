"""What vouches for what pages show: files as they were written, records as they were signed, runs as they were decided on.

Numbers are not computed again here; `assay verify` does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.decisions.keys import fingerprint_of
from assay.decisions.locating import is_the_very, located
from assay.decisions.record import EvidenceRun, Signature
from assay.decisions.signing import holding
from assay.plain_files import may_be_there
from assay.store.folders import MANIFEST
from assay.web.catalog import Catalog
from assay.web.decided import RecordFile
from assay.web.entries import Entry
from assay.web.verification import Verified, verified

AT_ONCE = 24 << 20
"""Bytes that are hashed for a page of runs without being asked to: a tenth of a second."""

State = Literal["as decided on", "as decided on, not shown here", "changed", "gone"]
"""`not shown here`: it lies where the record says, which is none of the folders that pages are about."""
UNCHANGED: frozenset[State] = frozenset(("as decided on", "as decided on, not shown here"))


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


@dataclass(frozen=True)
class Held:
    """A run that a record rests on."""

    run: EvidenceRun
    state: State
    entry: Entry | None = None
    """The very run, wherever it lies, among those that pages show."""


def evidence_of_record(catalog: Catalog, file: RecordFile) -> list[Held]:
    """The runs that a record rests on, and whether each is the very one: the same manifest, byte for byte."""
    named: dict[str, list[Entry]] = {}
    for entry in catalog.read.values():
        named.setdefault(entry.folder.path.name, []).append(entry)
    evidence = file.record.evidence
    folders = zip(evidence, located(evidence, file.path.parent), strict=True)
    return [_held(run, folder, named.get(run.run, [])) for run, folder in folders]


def _held(run: EvidenceRun, folder: Path | None, shown: Sequence[Entry]) -> Held:
    for entry in shown:
        if is_the_very(run, entry.folder.path):
            return Held(run, "as decided on", entry)
    if folder is not None and is_the_very(run, folder):
        return Held(run, "as decided on, not shown here")
    there = folder is not None and may_be_there(folder / MANIFEST)
    return Held(run, "changed" if there or shown else "gone")

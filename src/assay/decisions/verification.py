"""Verifying runs, records, packs and folders of them: every byte, every signature, every number.

What is checked of a run: its files against its manifest, and every number against its stored responses. Of a record: its
digest and form, its signatures, its page, that each run is the very one that was decided on, and the decision itself, measured
and made again from the profile in the record. What is wrong is a problem; what could not be checked, or should be known, is a
note.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

from assay.decisions.deciding_again import decide_again
from assay.decisions.keys import fingerprint_of
from assay.decisions.locating import located
from assay.decisions.pack_checks import pack_problems, packed_alike, redactions_in
from assay.decisions.pack_pages import RECORD, SUMS
from assay.decisions.packing import unpacked
from assay.decisions.recomputing import recompute
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import (
    LARGEST,
    changes,
    decode_record,
    looks_like_record,
    page_bytes,
    page_of,
    read_bytes,
)
from assay.decisions.redaction import RedactedFile
from assay.decisions.redaction_checks import redaction_problems
from assay.decisions.signing import key_problems, look_alikes, signature_problems
from assay.errors import AssayError
from assay.plain_files import regular
from assay.runs import environment
from assay.store import RunFolder, verify
from assay.store.folders import CONTENT, MANIFEST, TRANSCRIPTS, is_run
from assay.store.manifest import file_digest
from assay.store.planned import PLAN
from assay.text import one_line

RUN_FILES = (*CONTENT, MANIFEST)
Kind = Literal["run", "record", "pack"]


@dataclass
class Checked:
    """What came of checking one thing."""

    kind: Kind
    path: Path
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    """Of a record: who signed, in which role, when, with which key; each holds if there is no problem."""
    partial: bool = False
    """Some numbers could not be computed again; the notes say which and why."""
    redacted: bool = False
    """Texts of it are hidden."""
    recomputed: bool = False
    """Its numbers were computed again, as far as they could be."""


@dataclass(frozen=True)
class Options:
    """How much is checked."""

    quick: bool = False
    """Bytes and signatures only: no number is computed again."""
    keys: tuple[str, ...] = ()
    """Public keys that must have signed, and no others; none: keys are not compared with anything."""


class Verifier:
    """Checks things, and each run once however many records rest on it."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.checked: dict[Path, Checked] = {}
        """By resolved path, in the order in which they were checked."""
        self.evidence: dict[Path, set[Path]] = {}
        """Of each record, where its runs lie."""
        self._redacted: dict[Path, RedactedFile] = {}
        self._fields: tuple[str, ...] = ()
        self._inside = False

    def anything(self, path: Path) -> list[Checked]:
        """Check what a path names: a run, a record, a pack, or all of them below a folder.

        Raises:
            AssayError: it does not exist, holds nothing to verify, or is a zip that must not be unpacked.
        """
        try:
            there = path.exists()
        except OSError as error:
            problem = f"{one_line(str(path), 200)} cannot be looked at: {error.strerror}"
            raise AssayError(problem, "give the folder of a run or of a suite, a decision record or a pack") from None
        if path.is_dir():
            self._folder(path)
        elif path.is_file() and path.suffix.lower() == ".zip":
            self._zip(path)
        elif there:
            raw = read_bytes(path)
            if not looks_like_record(path, raw):
                decode_record(raw, path)
            self.record(path)
        else:
            raise AssayError(f"{path} does not exist", "give the folder of a run or of a suite, a decision record or a pack")
        return list(self.checked.values())

    def _folder(self, path: Path) -> None:
        if any((path / name).is_file() for name in RUN_FILES):
            self.run(path)
        elif (path / SUMS).is_file() and (path / RECORD).is_file():
            self._pack(path, path)
        else:
            runs, records = _below(path)
            if not runs and not records:
                raise AssayError(f"{path} holds no run", "give the folder of a run or of a suite, or a decision record")
            for run in runs:
                self.run(run)
            for record in records:
                self.record(record)

    def run(self, path: Path) -> Checked:
        """Check a run: its bytes, then its numbers."""
        place = path.resolve()
        if place not in self.checked:
            self.checked[place] = made = Checked("run", path)
            made.problems += self._bytes(path, made.notes)
            made.partial = made.redacted = place in self._redacted
            if not made.problems and not self.options.quick and place not in self._redacted:
                found = recompute(RunFolder(path))
                made.problems += found.problems
                made.notes += found.notes
                made.partial, made.recomputed = found.partial, True
        return self.checked[place]

    def _bytes(self, path: Path, notes: list[str]) -> Iterator[str]:
        """What differs from the manifest; redacted transcripts must be those that the pack names."""
        redacted = self._redacted.get(path.resolve())
        transcripts = path / TRANSCRIPTS
        for problem in verify(path):
            if redacted is None or problem != f"{transcripts}: changed":
                yield problem
            elif file_digest(transcripts) != redacted.redacted:
                yield f"{problem} (and it is not what was redacted)"
        if redacted is not None:
            yield from self._redaction(path, redacted)
            notes.append(f"{transcripts}: {redacted.values:,} values redacted; its numbers cannot be computed again")

    def _redaction(self, path: Path, redacted: RedactedFile) -> Iterator[str]:
        """What in redacted transcripts is neither as it was nor a mark."""
        transcripts = path / TRANSCRIPTS
        try:
            manifest = RunFolder(path).manifest()
        except AssayError:
            return  # its manifest has told already
        if manifest.files.get(TRANSCRIPTS) != redacted.original:
            yield f"{transcripts}: redacted from another file than the run's"
        elif regular(transcripts):
            yield from redaction_problems(transcripts, redacted, self._fields, manifest)

    def record(self, path: Path) -> Checked:
        """Check a record, and the runs that it rests on."""
        place = path.resolve()
        if place in self.checked:
            return self.checked[place]
        self.checked[place] = made = Checked("record", path)
        try:
            raw = read_bytes(path)
            record = decode_record(raw, path)
        except AssayError as error:
            made.problems.append(f"{path}: changed, or no record: {one_line(error.message)}")
            return made
        made.problems += changes(record, raw, path)
        made.problems += signature_problems(record, path)
        if self.options.keys:
            made.problems += key_problems(record, self.options.keys, path)
        made.signatures = _signatures(record)
        made.notes += _notes(record, path, checked_keys=bool(self.options.keys))
        made.problems += _page(record, path, made.notes)
        folders = self._evidence(record, path, made)
        if len(folders) == len(record.evidence) and not made.problems and not self.options.quick:
            self._decision(record, path, folders, made)
        return made

    def _evidence(self, record: DecisionRecord, path: Path, made: Checked) -> list[Path]:
        """The runs of a record that are there and whole."""
        folders = []
        places = located(record.evidence, path.resolve().parent, self._inside)
        self.evidence[path.resolve()] = {place.resolve() for place in places if place is not None}
        for run, folder in zip(record.evidence, places, strict=True):
            if folder is None:
                made.problems.append(f"{path}: evidence missing: {one_line(run.folder)}")
                continue
            manifest = folder / MANIFEST
            if not manifest.is_file():
                made.problems.append(f"{manifest}: missing")
            elif file_digest(manifest) != run.manifest:
                made.problems.append(f"{manifest}: changed since the decision (its digest is not the one in {path})")
            elif not self.run(_near(folder)).problems:
                folders.append(folder)
        return folders

    def _decision(self, record: DecisionRecord, path: Path, folders: list[Path], made: Checked) -> None:
        hidden = any(folder.resolve() in self._redacted for folder in folders)
        found = decide_again(record, folders, path.resolve().parent, self._fields if hidden else ())
        made.problems += (f"{path}: {problem}" for problem in found.problems)
        made.notes += (f"{path}: {note}" for note in found.notes)
        made.partial, made.recomputed = found.partial, not hidden

    def _zip(self, path: Path) -> None:
        with unpacked(path) as folder:
            self._pack(folder, path)
            if not packed_alike(folder, path):
                self.checked[path.resolve()].problems.append(
                    f"{path}: changed (the zip is not, byte for byte, what packing its files gives)"
                )
            # What was checked lay in a folder that is gone: name it as what it is in the zip.
            for checked in self.checked.values():
                for lines in (checked.problems, checked.notes):
                    lines[:] = [line.replace(f"{folder}{os.sep}", f"{path}: ") for line in lines]
                checked.path = Path(str(checked.path).replace(f"{folder}{os.sep}", f"{path}: "))

    def _pack(self, folder: Path, path: Path) -> None:
        """Check an unpacked pack: its own files, then its record with all runs."""
        self.checked[path.resolve()] = made = Checked("pack", path)
        made.problems += pack_problems(folder)
        redactions = redactions_in(folder)
        for name, redacted in redactions.files.items() if redactions else ():
            self._redacted[(folder / name).resolve().parent] = redacted
        if redactions:
            self._fields = redactions.fields
            made.notes.append(f"redacted: {one_line(', '.join(redactions.fields))}")
        self._inside = True
        if (folder / RECORD).is_file():
            self.record(folder / RECORD)
        mine = self.evidence.get((folder / RECORD).resolve())
        for run in _below(folder)[0]:
            self.run(run)
            if mine is not None and run.resolve() not in mine:
                made.problems.append(f"{run}: no run that the record names")


def _near(folder: Path) -> Path:
    """A folder as one writes it from here."""
    here = Path.cwd()
    return folder.resolve().relative_to(here) if folder.resolve().is_relative_to(here) else folder


def _below(path: Path) -> tuple[list[Path], list[Path]]:
    """The runs and the records below a folder; hidden folders hold neither, and links are not followed."""
    runs, records = [], []
    for place, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if is_run(Path(place), files, beside=bool(folders)):
            runs.append(Path(place))
            folders.clear()
            continue
        for name in sorted(files):
            file = Path(place) / name
            if file.suffix == ".json" and name != PLAN and not name.startswith(".") and _is_record(file):
                records.append(file)
    return runs, records


def _is_record(file: Path) -> bool:
    if looks_like_record(file, b""):
        return True  # by its name, whatever it holds
    try:
        return file.is_file() and file.stat().st_size <= LARGEST and looks_like_record(file, file.read_bytes())
    except OSError:
        return False


def _signatures(record: DecisionRecord) -> list[str]:
    return [one_line(f"{one.name} ({one.role}), {one.at}, key {fingerprint_of(one.public_key)}") for one in record.signatures]


def _notes(record: DecisionRecord, path: Path, checked_keys: bool) -> Iterator[str]:
    """What whoever relies on a record should know of it."""
    if not record.signatures:
        yield f"{path}: nobody has signed it"
    elif not checked_keys:
        yield f"{path}: whose the keys are was not checked: name those that must have signed with --key"
    yield from (f"{path}: {note}" for note in look_alikes(record))
    today = datetime.now(UTC).date()
    for said, what in ((record.expires, "expired"), (record.review, "was to be reviewed by")):
        try:
            passed = bool(said) and date.fromisoformat(said) < today
        except ValueError:
            passed = False
        if passed:
            yield f"{path}: {what} {said}" if what != "expired" else f"{path}: expired on {said}: it does not hold any more"


def _page(record: DecisionRecord, path: Path, notes: list[str]) -> Iterator[str]:
    """Whether the page beside a record says what the record says."""
    page = page_of(path)
    try:
        if not page.exists():
            notes.append(f"{page}: not there; it only repeats the record")
            return
        same = regular(page) and page.read_bytes() == page_bytes(record)
    except (OSError, UnicodeEncodeError):
        same = False
    if not same:
        then, here = record.environment.get("assay", "unknown"), environment()["assay"]
        other = "" if then == here else f", unless assay {one_line(then, 40)}, which is said to have written it, words it so"
        yield f"{page}: changed (it is not what {path.name} says{other})"


def counted(checked: Sequence[Checked]) -> str:
    """`2 records and 3 runs`."""
    kinds: dict[Kind, int] = {}
    for one in checked:
        kinds[one.kind] = kinds.get(one.kind, 0) + 1
    order: tuple[Kind, ...] = ("pack", "record", "run")
    parts = [f"{kinds[kind]} {kind}{'' if kinds[kind] == 1 else 's'}" for kind in order if kind in kinds]
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))

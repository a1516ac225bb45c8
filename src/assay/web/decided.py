"""The decision records and profiles that lie beside runs, or were named by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from assay.decisions.profile import Profile
from assay.decisions.reading import read_profile
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import changes, decode_record, looks_like_record, read_bytes
from assay.errors import AssayError
from assay.identity import digest
from assay.plain_files import held_in, is_folder, regular, settled
from assay.store.folders import safe
from assay.store.planned import PLAN

FILES_KEPT = 256
"""Files whose content is kept between two looks."""
PROFILE = re.compile(rb"^(criteria|constraints|deployment)\s*:", re.MULTILINE)
LARGEST_PROFILE = 1 << 20
"""Bytes of a YAML file that may be a profile."""


@dataclass(frozen=True)
class RecordFile:
    """A decision record on disk."""

    slug: str
    path: Path
    record: DecisionRecord
    problems: tuple[str, ...]
    """What shows that it was changed since it was written. Its signatures are not among it."""


@dataclass(frozen=True)
class ProfileFile:
    """A profile on disk."""

    slug: str
    path: Path
    profile: Profile


@dataclass(frozen=True)
class Decided:
    """What was found."""

    records: tuple[RecordFile, ...]
    profiles: tuple[ProfileFile, ...]
    problems: tuple[str, ...]
    stamps: tuple[tuple[Path, int, int], ...]
    """Path, time of writing and size of every file that was looked at."""


def find_decided(places: Sequence[Path], runs: Iterable[Path]) -> Decided:
    """The records and profiles among some places: files that are named, and files in folders of runs and of suites.

    Args:
        places: files and folders.
        runs: the folders of all runs; the folders that they lie in are looked through.
    """
    stamps = tuple(_candidates(places, runs))
    records, profiles, problems = [], [], []
    for stamp in stamps:
        try:
            found = _read(*stamp)
        except AssayError as error:
            problems.append(str(error))
            continue
        if isinstance(found, RecordFile):
            records.append(found)
        elif found is not None:
            profiles.append(found)
    return Decided(tuple(records), tuple(profiles), tuple(problems), stamps)


def _candidates(places: Sequence[Path], runs: Iterable[Path]) -> Iterator[tuple[Path, int, int]]:
    folders = {settled(place) for place in places if is_folder(place)} | {run.parent for run in runs}
    folders -= set(runs)
    files = {settled(place) for place in places if regular(place)}
    for folder in folders:
        files |= {file for file in held_in(folder) if file.suffix in (".json", ".yaml", ".yml") and file.name != PLAN}
    for file in sorted(files):
        try:
            state = file.stat()
        except OSError:
            continue
        if regular(file) and not file.name.startswith("."):
            yield file, state.st_mtime_ns, state.st_size


@lru_cache(maxsize=FILES_KEPT)
def _read(path: Path, written: int, size: int) -> RecordFile | ProfileFile | None:
    """What a file holds, `None` where it is neither; `written` and `size` are there to notice that it was changed."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise AssayError(f"{path}: its name is not UTF-8", "give it another name") from None
    slug = f"{safe(path.name.split('.')[0])[:60]}-{digest(str(path))[:6]}"
    if path.suffix == ".json":
        raw = read_bytes(path)
        if not looks_like_record(path, raw):
            return None
        record = decode_record(raw, path)
        return RecordFile(slug, path, record, tuple(changes(record, raw, path)))
    if size > LARGEST_PROFILE or not PROFILE.search(read_bytes(path)):
        return None
    return ProfileFile(slug, path, read_profile(path))

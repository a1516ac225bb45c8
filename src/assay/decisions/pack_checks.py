"""Whether an unpacked evidence pack is as it was packed."""

from __future__ import annotations

import filecmp
import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from assay import __version__
from assay.decisions.pack_pages import ENVIRONMENT, RECORD, REDACTIONS, SUMS, packed_with, pages_of
from assay.decisions.packing import sums_of, write_zip
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import read_record
from assay.decisions.redaction import Redactions
from assay.errors import AssayError
from assay.plain_files import regular
from assay.store import RunFolder
from assay.store.folders import MANIFEST, SPEC
from assay.store.manifest import UNREADABLE, file_digest


def redactions_in(folder: Path) -> Redactions | None:
    """What a pack says was redacted; `None` where nothing was, or it cannot be read."""
    file = folder / REDACTIONS
    try:
        return msgspec.json.decode(file.read_bytes(), type=Redactions) if regular(file) else None
    except UNREADABLE:
        return None


def pack_problems(folder: Path) -> Iterator[str]:
    """What is wrong with the files of a pack, a line each: missing, added, or not as they were packed.

    Its pages are made again, and its runs have manifests, so that of a file and the list of digests the one is named that was
    changed. What is wrong within a run or with the record is left to those who check them.
    """
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if not path.is_dir()}
    for path in files.values():
        if path.is_symlink() or not regular(path):
            yield f"{path}: replaced by {'a link' if path.is_symlink() else 'what is no file'}"
            return
    wanted = _listed(folder / SUMS)
    for name in (RECORD, SUMS):
        if name not in files and name not in wanted:
            yield f"{folder / name}: missing"
    digests = {name: file_digest(path) for name, path in files.items() if name != SUMS}
    record = _whole_record(folder)
    pages = _pages(record, folder) if record is not None else {}
    said = _made_with(folder)
    known = {**pages, **_in_runs(folder, digests), **({RECORD: digests[RECORD]} if record is not None else {})}
    for name in sorted(wanted.keys() | digests.keys() | pages.keys()):
        found, place = digests.get(name), folder / name
        if found is None:
            yield f"{place}: missing"
        elif name not in known:
            if wanted.get(name) != found:
                yield f"{place}: {'not as the list of digests says' if name in wanted else 'not part of the pack'}"
        elif known[name] != found:
            if name in pages:
                yield f"{place}: changed{said}"
        elif wanted and wanted.get(name) != found:
            yield f"{folder / SUMS}: {'has another digest of' if name in wanted else 'does not list'} {name}"
    if wanted and SUMS in files and sums_of(wanted) != files[SUMS].read_bytes():
        yield f"{folder / SUMS}: changed"


def _in_runs(folder: Path, digests: Mapping[str, str]) -> dict[str, str]:
    """The digests that the files of runs must have, by the manifests; those of manifests are the record's to know."""
    redactions = redactions_in(folder)
    found = {}
    for name in [name for name in digests if name.endswith(f"/{MANIFEST}")]:
        found[name] = digests[name]
        try:
            listed = RunFolder((folder / name).parent).manifest().files
        except AssayError:
            continue
        found |= {f"{name.removesuffix(MANIFEST)}{file}": digest for file, digest in listed.items()}
    redacted = redactions.files if redactions else {}
    return {name: redacted[name].redacted if name in redacted else digest for name, digest in found.items()}


def packed_alike(folder: Path, pack: Path) -> bool:
    """Whether a zip is, byte for byte, what packing these files gives: nothing was changed in what a zip has beside them."""
    entries: dict[str, Path | bytes] = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
    }
    with tempfile.TemporaryDirectory() as work:
        write_zip(entries, Path(work) / "again.zip")
        return filecmp.cmp(Path(work) / "again.zip", pack, shallow=False)


def _listed(sums: Path) -> dict[str, str]:
    text = sums.read_bytes().decode(errors="replace") if sums.is_file() else ""
    return {name: digest for digest, name in re.findall(r"^([0-9a-f]{64})  (.+)$", text, re.MULTILINE)}


def _whole_record(folder: Path) -> DecisionRecord | None:
    try:
        return read_record(folder / RECORD)
    except AssayError:
        return None


def _made_with(folder: Path) -> str:
    """Which other version is said to have made the pack: a reason, if it is true, for which pages may read otherwise."""
    environment = folder / ENVIRONMENT
    version = packed_with(environment.read_bytes()) if environment.is_file() else __version__
    if version == __version__ or not re.fullmatch(r"[\w.+-]{1,40}", version):
        return ""
    return f", or made by assay {version} as it says (here is {__version__}): that version can tell"


def _pages(record: DecisionRecord, folder: Path) -> dict[str, str]:
    """The digests that the pack's pages must have; none where a run is broken."""
    try:
        specs = {path.parent.relative_to(folder).as_posix(): RunFolder(path.parent).spec_file() for path in _specs(folder)}
        pages = pages_of(record, specs, redactions_in(folder))
    except (AssayError, UnicodeEncodeError):
        return {}
    return {name: hashlib.sha256(content).hexdigest() for name, content in pages.items()}


def _specs(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"runs/*/*/{SPEC}"), key=lambda path: path.parent.relative_to(folder).as_posix())

"""Evidence packs: a record with everything it rests on in one zip, whose bytes are a function of its content alone.

Files are stored and not compressed: what they hold is compressed already, other compressors would give other bytes, and a file
that cannot grow when it is unpacked is no bomb.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from assay.decisions.deciding_again import decide_again
from assay.decisions.locating import RUNS, located
from assay.decisions.pack_pages import RECORD, SUMS, pages_of
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import read_record
from assay.decisions.redaction import RedactedFile, Redactions, check_fields, redact, salts_left
from assay.decisions.signing import signature_problems
from assay.errors import AssayError
from assay.store import RunFolder, damage
from assay.store.folders import CONTENT, MANIFEST, TRANSCRIPTS, safe
from assay.store.manifest import file_digest

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every entry: the earliest that a zip can say."""
MODE = stat.S_IFREG | 0o644
DEEPEST = 8
"""Names of folders, and that of the file, in the path of an entry."""
MOST_ENTRIES = 10_000
"""Files that a pack may hold: those of 2,000 runs."""
Content = Path | bytes


def make_pack(path: Path, out: Path, fields: Sequence[str] = ()) -> Redactions | None:
    """Write the evidence pack of a record that follows from its evidence: the decision is made again before.

    Args:
        path: the record.
        out: the zip to write.
        fields: what to redact, besides what the record's profile names: of `redaction.FIELDS`, or axes of subgroups.

    Returns:
        What was redacted, `None` where nothing was.

    Raises:
        AssayError: the record or its evidence was changed or is missing, the decision is not what the evidence gives, a field
            is unknown, or the zip cannot be written.
    """
    record = read_record(path)
    for problem in signature_problems(record, path):
        raise AssayError(problem, "only what is as it was signed is packed")
    home = path.resolve().parent
    folders = _folders(record, home)
    runs = [folder for folder in located(record.evidence, home) if folder is not None]
    for problem in decide_again(record, runs, home).problems:
        raise AssayError(f"{path}: {problem}", "only a decision that follows from its evidence is packed: see `assay verify`")
    return write_pack(record, path, out, fields, folders)


def write_pack(
    record: DecisionRecord, path: Path, out: Path, fields: Sequence[str] = (), folders: Mapping[str, Path] | None = None
) -> Redactions | None:
    """Write the pack of a record as it stands, whether it follows from its evidence or not; see `make_pack`."""
    folders = _folders(record, path.resolve().parent) if folders is None else folders
    wanted = tuple(dict.fromkeys((*record.profile.redact, *fields)))
    if wanted:
        check_fields(wanted, [folder / TRANSCRIPTS for folder in folders.values()])
    with tempfile.TemporaryDirectory() as work:
        entries: dict[str, Content] = {RECORD: path.read_bytes()}
        for place, folder in folders.items():
            entries |= {f"{place}/{name}": folder / name for name in (*CONTENT, MANIFEST)}
        redactions = _redact(entries, folders, wanted, Path(work)) if wanted else None
        specs = {place: RunFolder(folder).spec_file() for place, folder in folders.items()}
        entries |= pages_of(record, specs, redactions)
        entries[SUMS] = sums_of({name: _digest(content) for name, content in entries.items()})
        write_zip(entries, out)
    return redactions


def _folders(record: DecisionRecord, home: Path) -> dict[str, Path]:
    """The runs of a record by their folder in the pack; each is whole, and the very one that the record names."""
    found: dict[str, Path] = {}
    suites: dict[Path, str] = {}
    for run, folder in zip(record.evidence, located(record.evidence, home), strict=True):
        if folder is None:
            raise AssayError(f"{home / run.folder}: missing", "put the run back; a decision without its evidence is not packed")
        for problem in damage(folder):
            raise AssayError(problem, "only evidence that is as it was written is packed")
        if file_digest(folder / MANIFEST) != run.manifest:
            raise AssayError(f"{folder / MANIFEST}: not the one that was decided on", "restore the run, or decide anew")
        suite = folder.resolve().parent
        if suite not in suites:
            name = safe(suite.name)
            taken = sum(1 for other in suites.values() if other == name or other.startswith(f"{name}~"))
            suites[suite] = f"{name}~{taken + 1}" if taken else name
        found[f"{RUNS}/{suites[suite]}/{safe(folder.name)}"] = folder
    return dict(sorted(found.items()))


def _redact(entries: dict[str, Content], folders: Mapping[str, Path], fields: Sequence[str], work: Path) -> Redactions:
    """Put redacted transcripts in the place of those that hold what is to be redacted."""
    files = {}
    for number, (place, folder) in enumerate(folders.items()):
        if RunFolder(folder).manifest().columns is msgspec.UNSET:
            problem = f"{folder / MANIFEST}: has no seals of columns, so that nobody could check what redaction leaves"
            raise AssayError(problem, "an earlier version wrote it: `assay rescore` writes its files anew; then decide again")
        original, made = folder / TRANSCRIPTS, work / f"{number}.parquet"
        count = redact(original, fields, made)
        if count:
            entries[f"{place}/{TRANSCRIPTS}"] = made
            digests = {"original": file_digest(original), "redacted": file_digest(made)}
            files[f"{place}/{TRANSCRIPTS}"] = RedactedFile(**digests, values=count, salts=salts_left(original, made))
    return Redactions(fields=tuple(fields), files=files)


def _digest(content: Content) -> str:
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else file_digest(content)


def sums_of(digests: Mapping[str, str]) -> bytes:
    """Digests by file name in the form of `sha256sum`."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode()


def write_zip(entries: Mapping[str, Content], out: Path) -> None:
    """Write files to a zip: sorted, stored, without times. Raises AssayError where it cannot be written."""
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as pack:
            for name, content in sorted(entries.items()):
                entry = zipfile.ZipInfo(name, EPOCH)
                entry.create_system, entry.external_attr = 3, MODE << 16
                entry.file_size = len(content) if isinstance(content, bytes) else content.stat().st_size
                with pack.open(entry, "w") as target:
                    if isinstance(content, bytes):
                        target.write(content)
                    else:
                        with content.open("rb") as source:
                            shutil.copyfileobj(source, target, 1 << 20)
        os.replace(draft, out)
    except OSError as error:
        raise AssayError(f"{out} cannot be written: {error.strerror}", "choose another place for the pack") from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A pack's files in a folder that is there for the block; an entry that is damaged is cut short or left out.

    Raises:
        AssayError: it is no zip, or none that `make_pack` could have written: files outside the folder, links, compressed or
            encrypted files, names twice.
    """
    with tempfile.TemporaryDirectory(prefix="assay-pack-") as held:
        folder = Path(held)
        try:
            with zipfile.ZipFile(path) as pack:
                entries = pack.infolist()
                for reason in _refusals(entries, path.stat().st_size):
                    raise AssayError(f"{path}: {reason}", "nothing was unpacked: it is no evidence pack as assay writes it")
                for entry in entries:
                    _unpack(pack, entry, folder)
        # NotImplementedError: a way of packing that zipfile does not know.
        except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise AssayError(f"{path} is damaged, or no zip: {error}", "give the file that `assay evidence` wrote") from None
        except OSError as error:
            raise AssayError(f"{path} cannot be unpacked: {error.strerror or error}", "is there room for it?") from None
        yield folder


def _refusals(entries: Sequence[zipfile.ZipInfo], size: int) -> Iterator[str]:
    if len(entries) > MOST_ENTRIES:
        yield f"it holds {len(entries):,} entries, and no pack has more than {MOST_ENTRIES:,}"
    seen: set[str] = set()
    folders: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        parts = name.split("/")
        odd = "\\" in name or ":" in name or not name.isprintable() or any(part in ("", ".", "..") for part in parts)
        if odd or len(parts) > DEEPEST:
            yield f"the entry {name[:200]!r} is no file in a folder"
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            yield f"the entry {name[:200]!r} is a link or a device"
        if entry.flag_bits & 1:
            yield f"the entry {name[:200]!r} is encrypted"
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            yield f"the entry {name[:200]!r} is compressed"
        plain = name.casefold()
        above = {str(place) for place in PurePosixPath(plain).parents}
        if plain in seen or plain in folders or above & seen:
            yield f"the entry {name[:200]!r} is there twice"
        seen.add(plain)
        folders |= above
    if sum(entry.file_size for entry in entries) > size:
        yield "its entries are larger than it is"


def _unpack(pack: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    target = folder / entry.orig_filename
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with pack.open(entry) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
    except (zipfile.BadZipFile, EOFError):
        return  # what is there of it does not have its digest, and is named for that

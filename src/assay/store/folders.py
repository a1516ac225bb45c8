"""Where a run lies, what it is called, and who may write to it.

<runs>/<suite>/<scenario>,<model>-<digest>/     one run
<runs>/<suite>/.locks/<run>.lock                held while a process writes the run
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.errors import AssayError
from assay.identity import digest
from assay.plain_files import regular
from assay.records import Cell, Record, RunSpec
from assay.text import one_line

R = TypeVar("R", bound=Record)

SPEC, TRANSCRIPTS, SCORES, STATS, MANIFEST = "spec.json", "transcripts.parquet", "scores.parquet", "stats.json", "manifest.json"
CONTENT = (SPEC, TRANSCRIPTS, SCORES, STATS)
"""The files a manifest lists, in the order they are put in place; the manifest itself comes last."""
RUN_FILES = frozenset((*CONTENT, MANIFEST))
"""What a run consists of; see `is_run`."""
DIGEST = 13
"""Characters at the end of a run's name that are not for reading."""
LONGEST = 120
"""Characters of a readable name in a folder's name."""


class SpecFile(Record):
    """What spec.json holds."""

    run: str
    """The run's id, which is its folder's name."""
    title: str
    """The scenario, with the parameters that are not its defaults."""
    spec: RunSpec
    environment: dict[str, str] = {}
    """Versions of assay, Python and the libraries that computed the numbers."""
    card: dict[str, Any] = {}
    """About the scenario: description, licence, paper, taxonomy, notes, main metric."""


class StatsFile(Record):
    """What stats.json holds."""

    run: str
    label: str
    title: str
    """The scenario, with the parameters that are not its defaults."""
    main_metric: str
    instances: int
    """Different instances asked."""
    trials: int
    failed: int
    cells: tuple[Cell, ...]


class Manifest(Record):
    """What manifest.json holds."""

    run: str
    files: dict[str, str]
    """File name to SHA-256 of its bytes."""
    trials: int
    requests: int
    failed: int
    """Trials one of whose requests failed."""
    prompt_tokens: int
    completion_tokens: int
    cost: float | None = None
    """In the currency of the model's prices; `None` where no price is known."""
    first_asked: float | None = None
    """Unix time of the first response, seconds."""
    last_asked: float | None = None
    columns: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """Seals of the transcripts' columns and of parts of them; see `store.columns`. Runs of earlier versions have none."""
    seal: str = ""
    """Digest of this record with an empty seal."""

    def sealed(self) -> Manifest:
        """This manifest with its seal computed."""
        bare = msgspec.structs.replace(self, seal="")
        return msgspec.structs.replace(bare, seal=digest(bare))


def run_name(spec: RunSpec) -> str:
    """The readable name of a run with the digest of its whole spec: two different specs never share it."""
    parameters = ",".join(f"{key}={value}" for key, value in sorted(spec.scenario.parameters.items()) if value != "")
    name = spec.scenario.name + (f"-{parameters}" if parameters else "") + "," + (spec.label or spec.model.name)
    return f"{safe(name)[:LONGEST]}-{digest(spec)[:12]}"


def safe(name: str) -> str:
    """A name as part of a path on any system: letters, digits and `.,=_-`, never a separator or a leading dot."""
    return re.sub(r"[^\w.,=+-]", "_", name, flags=re.ASCII).lstrip(".") or "_"


def distinct(*parts: str) -> str:
    """A name for a folder, from parts; those that are empty are left out.

    What `safe` leaves as it is, is joined with commas. Where it does not, or that would be ambiguous or too long, a digest of
    the parts follows, so that different parts never share a folder.
    """
    given = [part for part in parts if part]
    joined = ",".join(given)
    if len(joined) <= LONGEST and all(safe(part) == part and "," not in part for part in given):
        return joined
    return f"{safe(joined)[:LONGEST]}-{digest(given)[:8]}"


def write_json(path: Path, record: Record) -> None:
    """Write a record as indented JSON that ends in a newline; the encoding is a function of the record alone."""
    path.write_bytes(encode_json(record))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one piece, through links: whoever reads it meanwhile finds the earlier one, and so does everybody where
    writing fails.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    place = path.resolve()
    try:
        if place.exists() and not place.is_file():  # a pipe or a device; a folder is told
            place.write_bytes(content)
            return
        with tempfile.TemporaryDirectory(prefix=".assay-", dir=place.parent) as folder:
            draft = Path(folder) / "new"
            draft.write_bytes(content)
            os.replace(draft, place)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None


def encode_json(record: Record) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record, order="deterministic"), indent=1) + b"\n"


class RunFolder:
    """A finished run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def name(self) -> str:
        return self.path.name

    def complete(self) -> bool:
        """Whether the run has been written to its end."""
        return regular(self.path / MANIFEST)

    def spec_file(self) -> SpecFile:
        """The resolved spec, environment and scenario card.

        Raises:
            AssayError: the file is missing or not what assay writes.
        """
        return self._read(SPEC, SpecFile)

    def stats(self) -> StatsFile:
        """The estimates. Raises AssayError as `spec_file` does."""
        return self._read(STATS, StatsFile)

    def manifest(self) -> Manifest:
        """Digests, counts and cost. Raises AssayError as `spec_file` does."""
        return self._read(MANIFEST, Manifest)

    def _read(self, name: str, kind: type[R]) -> R:
        path = self.path / name
        try:
            if path.exists() and not path.is_file():  # reading a pipe would never end
                raise AssayError(f"{path} is no file", "give the folder of a finished run")
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            raise AssayError(f"{path} does not exist", "restore it, or run it again") from None
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError, OverflowError) as error:
            raise AssayError(f"{path} is not what assay writes: {error}", "run `assay verify` on it") from None
        except OSError as error:
            raise AssayError(f"{path} cannot be read: {error.strerror}", "give the folder of a finished run") from None


def find_runs(path: Path) -> list[RunFolder]:
    """The run a path names, or all runs below it, in the order of their names.

    A folder that holds some files of a run is one, and so is an emptied one of a run's name: what became of the others is for
    whoever reads them to say.

    Raises:
        AssayError: the path does not exist or holds no run.
    """
    try:
        there, other = path.is_dir(), path.exists()
    except OSError as error:
        raise AssayError(f"{one_line(str(path), 200)}: {error.strerror}", "give the folder of a run or of a suite") from None
    if not there:
        problem = "is no folder" if other else "does not exist"
        raise AssayError(f"{path} {problem}", "give the folder of a run or of a suite, as `assay run` printed it")
    found = sorted(_runs_in(path, DEEPEST))
    if not found:
        for folder in closed_in(path):
            raise AssayError(f"{folder} may not be read", "give this user the right to read it")
        raise AssayError(f"{path} holds no run", "give the folder of a run or of a suite, as `assay run` printed it")
    return [RunFolder(path)] if path in found else [RunFolder(folder) for folder in found]


DEEPEST = 2
"""Folders between the one that is given and a run in it, the run's own counted."""


def _runs_in(place: Path, deep: int) -> Iterator[Path]:
    """The runs in a folder and below it, and the folder itself where it is one; hidden folders hold none."""
    try:
        with os.scandir(place) as entries:
            held = list(entries)
    except OSError:  # one of a run's name is a run all the same, and whoever reads it is told
        held = []
    names = {entry.name for entry in held}
    inner = [entry.name for entry in held if deep and not entry.name.startswith(".") and _is_folder(entry)]
    below = [run for name in inner for run in _runs_in(place / name, deep - 1)]
    yield from below
    if is_run(place, names, bool(below)):
        yield place


def is_run(place: Path, names: Collection[str], beside: bool) -> bool:
    """Whether a folder is a run, be it one that lost files.

    Files of these names may lie in anybody's folder: it takes two of them, or one that assay wrote, or the name of a run.

    Args:
        place: the folder.
        names: what lies in it.
        beside: runs are among that.
    """
    mine = RUN_FILES.intersection(names)
    if NAMED_LIKE_A_RUN.search(place.name) and (mine or not beside):
        return True
    return len(mine) > 1 or any(_is_assays(place / name) for name in mine)


def _is_assays(file: Path) -> bool:
    """Whether a file is a spec, statistics or a manifest as assay writes them; tables are not looked into."""
    if file.suffix != ".json" or not regular(file):
        return False
    try:
        held = msgspec.json.decode(file.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError, OSError):
        return False
    return isinstance(held, dict) and "run" in held and not {"spec", "cells", "files"}.isdisjoint(held)


def closed_in(place: Path, deep: int = DEEPEST) -> Iterator[Path]:
    """The folders, down to those of runs, that are there and may not be looked into: whatever runs they hold are not found."""
    try:
        with os.scandir(place) as entries:
            held = sorted(entry.name for entry in entries if deep and not entry.name.startswith(".") and _is_folder(entry))
        if not os.access(place, os.R_OK | os.X_OK):
            raise PermissionError
    except PermissionError:
        yield place
    except OSError:  # gone, or no folder
        return
    else:
        for name in held:
            yield from closed_in(place / name, deep - 1)


NAMED_LIKE_A_RUN = re.compile(rf"^(.*,.*|.{{{LONGEST}}})-[0-9a-f]{{12}}$")
"""What `run_name` makes."""


def names_in(run: str) -> tuple[str, str] | None:
    """Scenario and candidate as they stand in a run's name, made `safe`; `None` where it is no such name, or was cut."""
    readable = run[:-DIGEST]
    if not NAMED_LIKE_A_RUN.search(run) or len(readable) >= LONGEST:
        return None
    scenario, _, label = readable.rpartition(",")
    return scenario, label


def work_folder(folder: Path) -> Path:
    """Where the parts of a run are gathered while it is written."""
    return folder.parent / f".{folder.name}.part"


def begun_in(place: Path) -> str:
    """The name of the run whose parts a folder holds by its own name; empty for any other."""
    name = place.name.removeprefix(".").removesuffix(".part")
    return name if NAMED_LIKE_A_RUN.search(name) and place == work_folder(place.with_name(name)) else ""


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) or (entry.is_symlink() and os.path.isdir(entry.path))


def make_folder(path: Path) -> None:
    """Make a folder, with those it lies in, where it is not there yet.

    Raises:
        AssayError: something on the way is a file.
        OSError: it cannot be made for another reason.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        file = next((place for place in (path, *path.parents) if place.is_file()), path)
        raise AssayError(f"{file} is no folder, and runs are to lie in it", "move it away, or choose another --out") from None


class BeingWritten(AssayError):
    """Another process is writing a run."""


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the right to write a run; it is given back when the process ends, however it ends.

    Raises:
        BeingWritten: another process holds it.
        AssayError: something on the way to it is a file.
    """
    import fcntl

    lock = _lock_of(folder)
    make_folder(lock.parent)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BeingWritten(f"another process is writing {folder}", "wait for it, or choose another --out") from None
        yield


def being_written(folder: Path) -> bool:
    """Whether a process holds the right to write a run.

    For some microseconds nobody can take that right; whoever carries runs out looks at such a run again.
    """
    import fcntl

    lock = _lock_of(folder)
    if not regular(lock):  # opening a pipe would never end
        return False
    try:
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # nobody ever wrote it here
        return False
    return False


def _lock_of(folder: Path) -> Path:
    return folder.parent / ".locks" / f"{folder.name}.lock"

"""The rows of a task's data set by the names that it gives its splits: from the hub, or from files on this machine.

Tasks name a repository and no commit. It is read at the newest commit of its main branch unless the user names another; the
run records which one that was.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from assay.errors import AssayError, unknown
from assay.once import warn_once
from assay.plain_files import bounded_bytes
from assay.records import DataFile
from assay.scenarios.base import Row, Rows
from assay.scenarios.lm_eval.config import Task
from assay.scenarios.lm_eval.layout import files_of
from assay.scenarios.sources import hub_client, hub_files
from assay.scenarios.sources.digests import file_sha256
from assay.scenarios.sources.hub_client import Listing
from assay.scenarios.sources.hub_names import COMMIT, REPOSITORY, check_repository, check_revision
from assay.scenarios.sources.tables import read_rows
from assay.yaml_files import LARGEST_FILE

KINDS = ("json", "csv", "parquet")
"""What dataset_path says where the data are files."""
HUB = "hf://datasets/"
IGNORED = frozenset({"trust_remote_code", "verification_mode", "streaming", "num_proc", "download_mode"})
"""Settings that change how data are loaded and not which; code of data sets is never run."""


class Data(Protocol):
    """A data set whose splits are read by name."""

    @property
    def identity(self) -> str:
        """As a run records it (see `assay.scenarios.Source`)."""

    def read(self, split: str) -> Rows:
        """The rows of a split and the files that they come from."""


def open_data(task: Task, revision: str) -> Data:
    """The data set of a task; nothing is fetched yet.

    Args:
        task: the task.
        revision: a branch, tag or commit of its repository; empty for the newest of main.

    Raises:
        AssayError: it is named in a way that cannot be read.
    """
    options = {key: value for key, value in task.dataset_kwargs.items() if key not in IGNORED}
    files = _given_files(task, options.pop("data_files", None))
    revision = revision or str(options.pop("revision", "") or "main")
    options.pop("revision", None)
    if options:
        raise AssayError(
            f"lm_eval task {task.name} has the dataset_kwargs {', '.join(options)}", "assay reads data_files and revision"
        )
    if task.dataset_path in KINDS:
        return _of_files(task, files, revision)
    local = next((place for place in (task.folder / task.dataset_path, Path(task.dataset_path)) if place.is_dir()), None)
    if local is not None:
        return Folder(local, task.dataset_name)
    if not REPOSITORY.fullmatch(task.dataset_path):
        raise AssayError(
            f"lm_eval task {task.name}: dataset_path is {task.dataset_path!r}", "a repository is written owner/name"
        )
    return Repository(task.dataset_path, task.dataset_name, revision, task.name, _tupled(files))


def _given_files(task: Task, given: Any) -> dict[str, list[str]]:
    """data_files as paths by split."""
    if given is None:
        return {}
    by_split = given if isinstance(given, dict) else {"train": given}
    return {
        str(split): [str(path) for path in (paths if isinstance(paths, list) else [paths])] for split, paths in by_split.items()
    }


def _tupled(files: Mapping[str, list[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((split, tuple(paths)) for split, paths in files.items())


def _of_files(task: Task, files: dict[str, list[str]], revision: str) -> Data:
    everything = [path for paths in files.values() for path in paths]
    if not everything:
        raise AssayError(f"lm_eval task {task.name} reads {task.dataset_path} files and names none", "give data_files")
    if all(path.startswith(HUB) for path in everything):
        repos = {"/".join(path.removeprefix(HUB).split("/")[:2]) for path in everything}
        if len(repos) == 1:
            repo = repos.pop()
            inside = {split: [path.removeprefix(f"{HUB}{repo}/") for path in paths] for split, paths in files.items()}
            return Repository(repo, None, revision, task.name, _tupled(inside))
    if remote := next((path for path in everything if "://" in path), None):
        raise AssayError(
            f"lm_eval task {task.name} reads {remote}", "assay reads hub repositories and local files: fetch it first"
        )
    found = {split: tuple(_located(task, path) for path in paths) for split, paths in files.items()}
    return Files(tuple(found.items()))


def _located(task: Task, path: str) -> Path:
    """Where a file lies: as named, below the folder of the task's file or below the current one."""
    beside = task.folder / path
    return beside if beside.exists() else Path(path)


@dataclass(frozen=True)
class Repository:
    """A dataset repository of the hub, at one commit."""

    repo: str
    config: str | None
    revision: str
    task: str
    files: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Files by split where the task names them; else the repository's card does."""

    def __post_init__(self) -> None:
        check_repository(self.repo)
        check_revision(self.revision, self.repo)

    @property
    def identity(self) -> str:
        """`hub:owner/name@commit`."""
        return f"hub:{self.repo}@{self._listing.commit}"

    def read(self, split: str) -> Rows:
        """The rows of a split, after its files are in the cache.

        Raises:
            AssayError: there is no such split, or a file cannot be had or read.
        """
        names = self._splits.get(split)
        if names is None:
            raise unknown(f"split of {self.repo}", split, self._splits)
        paths = {name: hub_files.fetch(self.repo, self._listing, name) for name in names}
        files = tuple(DataFile(path=name, sha256=file_sha256(path)) for name, path in paths.items())
        return Rows(_rows({f"{self.repo}: {name}": path for name, path in paths.items()}), files)

    @property
    def _listing(self) -> Listing:
        found = _listed(self.repo, self.revision)
        if not COMMIT.fullmatch(self.revision):
            _warn_of_pin(self.task, self.repo, found.commit)
        return found

    @functools.cached_property
    def _splits(self) -> dict[str, list[str]]:
        listing = self._listing
        if self.files:
            found = {split: list(names) for split, names in self.files}
            missing = next((name for names in found.values() for name in names if name not in listing.files), None)
            if missing:
                raise AssayError(
                    f"{self.repo}@{listing.commit[:10]} has no file {missing}", f"lm_eval task {self.task} names it"
                )
            return found
        card = ""
        if "README.md" in listing.files:
            card = hub_files.fetch(self.repo, listing, "README.md").read_text("utf-8", "replace")
        return files_of(card, listing.files, self.config, self.repo)


@functools.lru_cache(maxsize=256)
def _listed(repo: str, revision: str) -> Listing:
    """The files of a repository, asked for once: many tasks share one."""
    return hub_client.listing(repo, revision)


def _warn_of_pin(task: str, repo: str, commit: str) -> None:
    pinned = f"lm_eval task {task} pins no commit of {repo}; reading {commit}"
    warn_once(f"{pinned}, which the run records (revision=… pins one)")


@dataclass(frozen=True)
class Folder:
    """A data set on this machine, laid out as on the hub."""

    path: Path
    config: str | None

    @property
    def identity(self) -> str:
        """`file:` and the name of the folder."""
        return f"file:{self.path.name}"

    def read(self, split: str) -> Rows:
        """The rows of a split.

        Raises:
            AssayError: there is no such split, or a file cannot be read.
        """
        names = self._splits.get(split)
        if names is None:
            raise unknown(f"split of {self.path}", split, self._splits)
        return _local_rows([self.path / name for name in names])

    @functools.cached_property
    def _splits(self) -> dict[str, list[str]]:
        found = [Path(folder, name) for folder, _, names in os.walk(self.path) for name in names]
        card = self.path / "README.md"
        text = bounded_bytes(card, str(card), LARGEST_FILE).decode("utf-8", "replace") if card.is_file() else ""
        return files_of(text, [file.relative_to(self.path).as_posix() for file in found], self.config, str(self.path))


@dataclass(frozen=True)
class Files:
    """Files on this machine, by split."""

    files: tuple[tuple[str, tuple[Path, ...]], ...]

    @property
    def identity(self) -> str:
        """`file:` and the names of the files."""
        return "file:" + "+".join(dict.fromkeys(path.name for _, paths in self.files for path in paths))

    def read(self, split: str) -> Rows:
        """The rows of a split.

        Raises:
            AssayError: there is no such split, or a file is missing or cannot be read.
        """
        named = dict(self.files)
        if split not in named:
            raise unknown("split of the task's data_files", split, named)
        return _local_rows(named[split])


def _local_rows(paths: Iterable[Path]) -> Rows:
    listed = list(paths)
    missing = next((path for path in listed if not path.is_file()), None)
    if missing is not None:
        raise AssayError(f"{missing} does not exist", "the task's data_files name it")
    files = tuple(DataFile(path=path.name, sha256=file_sha256(path)) for path in listed)
    return Rows(_rows({str(path): path for path in listed}), files)


def _rows(paths: Mapping[str, Path]) -> Iterator[Row]:
    for name, path in paths.items():
        rows = read_rows(path, name)
        plain = name.lower().removesuffix(".gz")
        yield from _typed(rows) if plain.endswith((".csv", ".tsv")) else rows


def _typed(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows of a table of texts, with columns of whole numbers or numbers as such and empty cells as `None`."""
    listed = [dict(row) for row in rows]
    for column in listed[0] if listed else ():
        filled = [row[column] for row in listed if row[column] != ""]
        convert = next((kind for kind in (int, float) if filled and _all(kind, filled)), str)
        for row in listed:
            row[column] = None if row[column] == "" else convert(row[column])
    yield from listed


def _all(kind: type[int] | type[float], texts: list[str]) -> bool:
    try:
        return all(kind(text) is not None and "_" not in text for text in texts)
    except ValueError:
        return False

"""A local file, or one file a split, as a source of rows."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from assay.errors import AssayError
from assay.records import DataFile, Split
from assay.scenarios.base import Row, Rows
from assay.scenarios.sources.digests import file_sha256
from assay.scenarios.sources.tables import read_blocks, read_rows

SPLITS: tuple[Split, ...] = ("train", "valid", "test")
SPLIT_WORDS: dict[str, Split] = {
    "train": "train",
    "valid": "valid",
    "validation": "valid",
    "val": "valid",
    "dev": "valid",
    "test": "test",
}


@dataclass(frozen=True)
class FileRows(Rows):
    """All rows of a file."""

    path: Path = field(kw_only=True)

    def blocks(self) -> Iterator[Sequence[Row]]:
        """The rows, in the blocks in which the file is read."""
        return read_blocks(self.path, str(self.path))

    def marked(self, marks: Sequence[int]) -> Iterator[Row]:
        """The rows whose mark is true; the other lines of a text are not decoded."""
        return read_rows(self.path, str(self.path), marks)


@dataclass(frozen=True)
class File:
    """Rows of local Parquet, JSON lines, JSON, CSV or TSV files.

        File("cases.jsonl")                                    every row is a test case
        File("cases.jsonl", split_column="split")              the column says train, valid (validation, val, dev) or test
        File(train="shots.csv", test="cases.csv")              a file for each split

    Raises:
        AssayError: neither a path nor a split's file is given, or both.
    """

    path: str | Path | None = None
    split_column: str | None = None
    train: str | Path | None = None
    valid: str | Path | None = None
    test: str | Path | None = None

    def __post_init__(self) -> None:
        single = any((self.train, self.valid, self.test))
        if bool(self.path) == single or (single and self.split_column):
            raise AssayError("a file source needs a path, or a file for each split", "give File(path) or File(train=…, test=…)")

    @property
    def identity(self) -> str:
        """`file:` and the name of the file or files, without folders."""
        return "file:" + "+".join(dict.fromkeys(path.name for path in self._paths.values()))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, each once."""
        return tuple(dict.fromkeys(self._paths.values()))

    def splits(self) -> tuple[Split, ...]:
        """The splits that have rows. With a split column this reads the file once."""
        if self.split_column is None:
            return tuple(self._paths)
        return self._present

    def read(self, split: Split) -> Rows:
        """The rows of a split, lazily, in the order of the file.

        Raises:
            AssayError: the file is missing or malformed, or its split column is; names the file and line or row.
        """
        path = self._paths.get(split)
        if path is None:
            raise AssayError(f"{self.identity} has no split {split}", "it has " + ", ".join(self._paths))
        first = read_rows(path, str(path))
        # The first row is read here so that a file that cannot be read is reported before anything uses its digest.
        rows: Iterator[Row] = chain([next(first)], first)
        files = (DataFile(path=path.name, sha256=file_sha256(path)),)
        if self.split_column is None:
            return FileRows(rows, files, path=path)
        return Rows((row for found, row in self._assigned(rows, path) if found == split), files)

    def path_of(self, split: Split) -> Path:
        """The file of a split that it has."""
        return self._paths[split]

    @functools.cached_property
    def _paths(self) -> dict[Split, Path]:
        if self.path:
            return dict.fromkeys(("test",) if self.split_column is None else SPLITS, Path(self.path))
        given: dict[Split, str | Path | None] = {"train": self.train, "valid": self.valid, "test": self.test}
        return {split: Path(path) for split, path in given.items() if path}

    @functools.cached_property
    def _present(self) -> tuple[Split, ...]:
        path = self._paths["test"]
        found = {split for split, _ in self._assigned(read_rows(path, str(path)), path)}
        return tuple(split for split in SPLITS if split in found)

    def _assigned(self, rows: Iterator[Row], path: Path) -> Iterator[tuple[Split, Row]]:
        column = self.split_column or ""
        for number, row in enumerate(rows, 1):
            if column not in row:
                raise AssayError(f"{path}, row {number} has no field {column!r}", "its fields are " + ", ".join(row))
            split = SPLIT_WORDS.get(str(row[column]).lower())
            if split is None:
                raise AssayError(
                    f"{path}, row {number}: {column} is {row[column]!r}", "it must be train, valid (validation, dev) or test"
                )
            yield split, row

"""A dataset repository on the Hugging Face hub as a source of rows: files only, no code of theirs is ever run."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from assay.errors import AssayError
from assay.records import DataFile, Split
from assay.scenarios.base import Row, Rows
from assay.scenarios.sources import hub_client, hub_files
from assay.scenarios.sources.digests import file_sha256
from assay.scenarios.sources.hub_client import Listing
from assay.scenarios.sources.hub_names import check_repository, check_revision
from assay.scenarios.sources.hub_requests import is_mirror
from assay.scenarios.sources.tables import read_rows

Pattern = str | tuple[str, ...]


@dataclass(frozen=True)
class Hub:
    """Rows of the files of a dataset repository at one commit.

        Hub("allenai/openbookqa", revision="388097ea…", train="main/train-*.parquet", test="main/test-*.parquet")

    A pattern is a path in the repository in which `*` stands for anything but a slash; of several patterns for one split, the
    first that matches any file counts (a repository and its mirrors may be laid out differently). Files are Parquet, JSON
    lines, JSON or CSV, read in the order of their names.

    `HF_ENDPOINT`, `HF_HOME`, `HF_TOKEN` and `HF_HUB_OFFLINE` mean what they mean to huggingface_hub. With a full commit id as
    the revision, files and their list are asked for once and then come from its cache without any request. A mirror that
    does not know the pinned commit is read at its own `main`, with a warning; `identity` then names the commit used. Where a
    mirror lacks the train split, questions are asked without examples, with a warning.

    Raises:
        AssayError: the repository or the revision has a name that none can have.
    """

    repo: str
    revision: str
    train: Pattern | None = None
    valid: Pattern | None = None
    test: Pattern | None = None
    gated: bool = False
    """Whether an account must accept terms before it may read the repository."""

    def __post_init__(self) -> None:
        check_repository(self.repo)
        check_revision(self.revision, self.repo)

    @property
    def identity(self) -> str:
        """`hub:owner/name@commit`, the commit the rows come from. Asks the hub where the cache cannot tell.

        Raises:
            AssayError: the hub cannot be asked, or has no such repository or revision.
        """
        return f"hub:{self.repo}@{self._listing.commit}"

    def splits(self) -> tuple[Split, ...]:
        """The declared splits."""
        return tuple(self._patterns)

    def read(self, split: Split) -> Rows:
        """The rows of a split, lazily, after its files are in the cache and have the sizes and digests the hub says.

        Raises:
            AssayError: no file matches, or one cannot be had or read; names repository, file and, for text, the line.
        """
        pattern = self._patterns.get(split)
        if pattern is None:
            raise AssayError(f"{self.repo} is declared without a split {split}", "it has " + ", ".join(self._patterns))
        try:
            names = matching(self._listing, pattern, self.repo)
        except AssayError:
            if split != "train" or not is_mirror():
                raise
            hub_client.warn_of_no_examples(self.repo)
            return Rows(())
        paths = {name: hub_files.fetch(self.repo, self._listing, name) for name in names}
        return Rows(self._rows(paths), tuple(DataFile(path=name, sha256=file_sha256(path)) for name, path in paths.items()))

    def in_cache(self, split: Split) -> bool:
        """Whether the files of a split lie in the cache, so that it can be read without a request."""
        pattern, known = self._patterns.get(split), hub_client.known_listing(self.repo, self.revision)
        if pattern is None or known is None:
            return False
        try:
            return all(hub_files.in_cache(self.repo, known, name) for name in matching(known, pattern, self.repo))
        except AssayError:
            return False

    def _rows(self, paths: dict[str, Path]) -> Iterator[Row]:
        for name, path in paths.items():
            yield from read_rows(path, f"{self.repo}: {name}", trusted=True)

    @functools.cached_property
    def _listing(self) -> Listing:
        return hub_client.listing(self.repo, self.revision)

    @functools.cached_property
    def _patterns(self) -> dict[Split, Pattern]:
        declared: dict[Split, Pattern | None] = {"train": self.train, "valid": self.valid, "test": self.test}
        return {split: pattern for split, pattern in declared.items() if pattern is not None}


def matching(listing: Listing, pattern: Pattern, repo: str) -> list[str]:
    """The files of a repository that a pattern, or the first fruitful one of several, matches; sorted.

    Raises:
        AssayError: none does; the message lists files that are there.
    """
    patterns = (pattern,) if isinstance(pattern, str) else pattern
    for one in patterns:
        parts = one.split("/")
        found = [
            name
            for name in listing.files
            if name.count("/") == len(parts) - 1 and all(map(fnmatchcase, name.split("/"), parts))
        ]
        if found:
            return sorted(found)
    near = difflib.get_close_matches(patterns[0], listing.files, n=4, cutoff=0.3) or sorted(listing.files)
    shown = ", ".join(near[:4]) + (", …" if len(listing.files) > 4 else "")
    raise AssayError(
        f"{repo}@{listing.commit[:10]} has no file that matches {' or '.join(patterns)}",
        f"its {len(listing.files)} files include {shown}" if near else "it is empty",
    )

"""What the hub lists of a repository: a commit and its files, with their sizes and digests.

The list of a commit's files is kept beside the cached files, so that a pinned commit needs no request once it has been read.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import msgspec

from assay.errors import AssayError
from assay.once import warn_once
from assay.records import Record
from assay.scenarios.sources.digests import file_sha256, git_sha1
from assay.scenarios.sources.hub_names import COMMIT, check_repository, check_revision
from assay.scenarios.sources.hub_requests import (
    HubUnreachable,
    constants,
    endpoint,
    is_mirror,
    is_offline,
    no_cache,
    persistently,
)

CONVERTED = "refs/convert/parquet"
"""Where the hub keeps a repository's data as Parquet, made by itself, when the repository holds a loading script instead."""
Sha1 = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{40}\Z")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]

log = logging.getLogger("assay")


class RemoteFile(Record):
    """What the hub says about a file: of large (LFS) ones the SHA-256, of others git's digest."""

    size: Annotated[int, msgspec.Meta(ge=0)] | None = None
    sha256: Sha256 | None = None
    git_sha1: Sha1 | None = None

    def difference(self, path: Path) -> str | None:
        """What tells a file from the one that the hub means; `None` where its size and digest are the same."""
        size = path.stat().st_size
        if self.size not in (None, size):
            return f"{size:,} bytes instead of {self.size:,}"
        for kind, told, digest in (("SHA-256", self.sha256, file_sha256), ("git digest", self.git_sha1, git_sha1)):
            if told is not None and told != (found := digest(path)):
                return f"its {kind} is {found[:10]}… instead of {told[:10]}…"
        return None


class Listing(Record):
    """A commit and its files by path."""

    commit: Sha1
    files: dict[str, RemoteFile]


def listing(repo: str, revision: str) -> Listing:
    """The files of a dataset repository at a revision, from the cache where the revision is a commit that was listed before.

    Raises:
        AssayError: there is no such repository or revision, or the hub cannot be asked and the cache does not know.
    """
    check_repository(repo)
    check_revision(revision, repo)
    kept = known_listing(repo, revision)
    pinned = COMMIT.fullmatch(revision) is not None
    # A mirror's stand-in for a commit is no longer good enough once the hub itself can be asked.
    if kept is None or not pinned or (kept.commit != revision and not is_mirror() and not is_offline()):
        try:
            found = _ask_listing(repo, revision)
        except HubUnreachable as error:
            if kept is None:
                raise
            log.warning("%s; using the last known state of %s, commit %s", error.message, repo, kept.commit)
        else:
            _keep_listing(repo, revision, found)
            kept = found
    if pinned and kept.commit != revision:
        missing = f"{endpoint()} does not know the pinned commit {revision}"
        warn_once(f"{repo}: {missing}; reading its main, commit {kept.commit}")
    return kept


def _ask_listing(repo: str, revision: str) -> Listing:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionNotFoundError

    def ask(at: str) -> Listing:
        info = HfApi().dataset_info(repo, revision=at, files_metadata=True)
        files = {
            file.rfilename: {
                "size": file.size,
                "sha256": file.lfs.sha256 if file.lfs else None,
                "git_sha1": None if file.lfs else file.blob_id,
            }
            for file in info.siblings or ()
        }
        return msgspec.convert({"commit": info.sha, "files": files}, Listing)

    try:
        return persistently(lambda: ask(revision), repo, revision)
    except AssayError as error:
        unknown = isinstance(error.__cause__, RevisionNotFoundError)
        if not (unknown and (COMMIT.fullmatch(revision) or revision == CONVERTED) and is_mirror()):
            raise
    return persistently(lambda: ask("main"), repo, "main")


def warn_of_no_examples(repo: str) -> None:
    """Say once that a mirror's copy of a repository has nothing to take few-shot examples from."""
    warn_once(f"{repo}: {endpoint()} has no train split of it; no examples are shown")


def repository_folder(repo: str) -> Path:
    """Where huggingface_hub's cache keeps a dataset repository."""
    cache = Path(constants().HF_HUB_CACHE)
    from huggingface_hub.file_download import repo_folder_name

    return cache / repo_folder_name(repo_id=repo, repo_type="dataset")


def _listing_path(repo: str, revision: str) -> Path:
    return repository_folder(repo) / "assay" / f"{revision.replace('/', '--')}.json"


def known_listing(repo: str, revision: str) -> Listing | None:
    """The files of a revision as they were listed last; `None` where they never were. Asks nobody."""
    try:
        return msgspec.json.decode(_listing_path(repo, revision).read_bytes(), type=Listing)
    except (OSError, msgspec.MsgspecError):
        return None


def _keep_listing(repo: str, revision: str, found: Listing) -> None:
    path = _listing_path(repo, revision)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(msgspec.json.encode(found))
        beside.replace(path)
    except OSError as error:
        raise no_cache(error, path) from error

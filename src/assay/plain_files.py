"""Files that users name, looked at before they are opened: a pipe or a device would never end, or never begin."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from assay.errors import AssayError

_INHERITED = (Path("/dev/fd"), Path("/proc/self/fd"))
"""Where pipes stand that the shell has opened: `<(command)`."""


def check_file(path: Path, name: str, hint: str = "") -> None:
    """Refuse what is no file: a folder, a named pipe, a device, a socket.

    Args:
        path: where it lies; links are followed.
        name: what to call it in messages.
        hint: what to do about it, where that is not to give another file.

    Raises:
        AssayError: it is no file.
        OSError: it is not there, or cannot be looked at.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise AssayError(f"{name} cannot be read: it is a folder", hint or "give the path of a file")
    if not stat.S_ISREG(mode) and not (stat.S_ISFIFO(mode) and path.parent in _INHERITED):
        raise AssayError(f"{name} cannot be read: it is a pipe or a device", hint or "write what it gives into a file")


def regular(path: Path) -> bool:
    """Whether a path names a file that ends: no folder, pipe or device, nothing out of reach, no name that no system bears."""
    return os.path.isfile(path)


def is_folder(path: Path) -> bool:
    """Whether a folder lies there that can be reached."""
    return os.path.isdir(path)


def may_be_there(path: Path) -> bool:
    """Whether anything lies there, or may lie there, out of reach."""
    try:
        return path.exists()
    except OSError:
        return True


def held_in(folder: Path) -> list[Path]:
    """What lies in a folder, in the order of names; nothing where it cannot be looked into."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def settled(path: Path) -> Path:
    """A path without links, as far as they lead somewhere: unlike `Path.resolve` it fails for none, be it a link to itself."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):  # the working folder is gone; no name
        return path


def bounded_bytes(path: Path, name: str, most: int) -> bytes:
    """What stands in a file.

    Raises:
        AssayError: as with `check_file`, or it holds more than `most` bytes.
        OSError: it cannot be read.
    """
    check_file(path, name)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise AssayError(f"{name} has more than {most:,} bytes", "is it the right file?")
    return content

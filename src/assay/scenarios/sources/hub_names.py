"""Names on the hub: which of repositories, revisions and files may be asked for, and kept in a folder under that name."""

from __future__ import annotations

import re

from assay.errors import AssayError

REPOSITORY = re.compile(r"(?!.*(?:--|\.\.|\.git\Z))\w(?:[\w.-]{0,94}\w)?/\w(?:[\w.-]{0,94}\w)?", re.ASCII)
"""Owner and name, each of 1 to 96 letters, digits, `-`, `_` and `.`: what the hub and huggingface_hub take."""
COMMIT = re.compile(r"[0-9a-f]{40}")
REVISION = re.compile(r"(?!.*(?:\.\.|//))[^\s~^:?*\[\\/.-][^\s~^:?*\[\\]*(?<![/.])")
"""What git takes as the name of a branch or tag, and every commit id."""
DRIVE = re.compile(r"[A-Za-z]:")
LONGEST_REVISION = 200
"""Bytes; git keeps each name as a file, and so does the cache."""
SHOWN = 100
"""Characters of a refused name that the message repeats."""


def check_repository(name: str) -> None:
    """Refuse what is not the name of a dataset repository.

    Raises:
        AssayError: it is none.
    """
    if not REPOSITORY.fullmatch(name):
        raise AssayError(
            f"{_shown(name)} is not the name of a dataset repository",
            "write it as owner/name: letters, digits and single - _ . between them, at most 96 each",
        )


def check_revision(name: str, repo: str) -> None:
    """Refuse what cannot be a branch, tag or commit.

    Args:
        name: the revision.
        repo: the repository, for the message.

    Raises:
        AssayError: it cannot be one.
    """
    if not (name.isprintable() and REVISION.fullmatch(name) and len(name.encode()) <= LONGEST_REVISION):
        raise AssayError(
            f"{repo}: {_shown(name)} cannot be a revision", "name a branch or tag, or a commit by its 40 hexadecimal digits"
        )


def is_path_inside(name: str) -> bool:
    """Whether a file's name leads to a place inside the folder of its repository, on every system."""
    parts = name.split("/")
    return name.isprintable() and "\\" not in name and not any(part in ("", ".", "..") or DRIVE.match(part) for part in parts)


def _shown(name: str) -> str:
    return repr(name if len(name) <= SHOWN else name[:SHOWN] + "…")

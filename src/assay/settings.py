"""The environment variables assay reads, all in one place.

ASSAY_CACHE   folder for responses and model weights (default: the user's cache folder)
ASSAY_RUNS    folder for run folders (default: ./runs)
ASSAY_KEY_PASSPHRASE   passphrase of the key that decisions are signed with; never written or shown
API keys are read by the name that a model's configuration gives; they are never written or shown.
"""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where responses and weights are kept between runs."""
    if named := os.environ.get("ASSAY_CACHE"):
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "assay"


def responses_file() -> Path:
    """Where responses are kept."""
    return cache_folder() / "responses.sqlite"


def runs_folder() -> Path:
    """Where run folders go unless the user says otherwise."""
    return Path(os.environ.get("ASSAY_RUNS") or "runs").expanduser()


def secret(variable: str) -> str | None:
    """The value of an environment variable that holds a secret, or `None` where it is not set."""
    return os.environ.get(variable) or None


def setting(variable: str) -> str | None:
    """The value of an environment variable that holds no secret, or `None` where it is not set."""
    return os.environ.get(variable) or None

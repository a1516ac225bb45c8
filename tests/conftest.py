"""What all tests share: the folder of shared material, and a cache of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("assay", deadline=None, print_blob=True)
settings.load_profile("assay")

ROOT = Path(__file__).resolve().parent.parent


def shared_folder() -> Path | None:
    """The folder with the fake server, the loopback hub and recorded outputs, where this machine has it."""
    named = os.environ.get("ASSAY_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder if (folder / "golden").is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared material (ASSAY_SHARED or ../shared) is not on this machine")
    return folder

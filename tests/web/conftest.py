"""Runs that several tests of pages look at, made once; who changes them copies them."""

from __future__ import annotations

from pathlib import Path

import pytest

from web_runs import two_scenarios


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a suite, as `web_runs.two_scenarios` makes it."""
    return two_scenarios(tmp_path_factory.mktemp("web") / "suite")

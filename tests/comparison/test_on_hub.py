"""Comparing what a real model did on real data: with itself, with itself asked otherwise, and with a baseline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.models.weights import fetch

SUITE = """
max_instances: 10
models:
  - local/smollm2-135m
  - {model: local/smollm2-135m, label: asked otherwise, prompting: {input_prefix: "Q: "}}
  - baseline/majority
scenarios:
  - "blimp:phenomenon=anaphor_number_agreement"
  - "openbookqa:shots=0"
  - "arc:shots=0"
  - "blimp:phenomenon=passive_1"
"""


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the suite was run twice."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    weights = fetch("smollm2-135m")
    place = tmp_path_factory.mktemp("compared")
    (place / "cache" / "models").mkdir(parents=True)
    (place / "cache" / "models" / "smollm2-135m.gguf").symlink_to(weights)
    for name in ("monday", "tuesday"):
        (place / f"{name}.yaml").write_text(f"name: {name}{SUITE}")
    with HubMirror(shared / "hub") as hub:
        for name in ("monday", "tuesday"):
            said(place, "run", f"{name}.yaml", HF_ENDPOINT=hub.url, HF_HOME=str(place / "hf"))
    return place


def said(folder: Path, *arguments: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "HF_"))}
    command = [sys.executable, "-m", "assay", *arguments]
    env = {**inherited, "ASSAY_CACHE": str(folder / "cache"), **environment}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def compared(folder: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(folder, "compare", *arguments, "--json"))
    return found


def test_a_model_against_itself_shows_no_difference(folder: Path) -> None:
    names = [f"local/smollm2-135m ({day})" for day in ("monday", "tuesday")]
    found = compared(folder, "runs", "-m", names[0], "-m", names[1])
    assert len(found["boards"]) == 4
    for board in found["boards"]:
        (pair,) = board["pairs"]
        assert (pair["difference"]["value"], pair["p"], pair["verdict"]) == (0, 1, "no difference shown")
        assert pair["difference"]["low"] < 0 < pair["difference"]["high"]
        assert pair["detectable"] > 0
        assert [standing["tier"] for standing in board["standings"]] == [1, 1]


def test_another_format_and_a_baseline_are_compared_once_the_difference_is_allowed(folder: Path) -> None:
    found = compared(folder, "runs/monday", "--allow-differences")
    assert {difference["key"] for difference in found["differences"]} == {"prompting.input_prefix"}
    tiers = {
        standing["candidate"]: standing["tier"]
        for board in found["boards"]
        for standing in board["standings"]
        if board["scenario"] == "blimp:phenomenon=anaphor_number_agreement"
    }
    assert tiers["local/smollm2-135m"] == 1
    assert tiers["baseline/majority"] == 2
    assert "tier" in said(folder, "compare", "runs/monday", "--allow-differences")
    assert len(compared(folder, "runs/monday", "-m", "local/smollm2-135m", "-m", "baseline/majority")["boards"]) == 4

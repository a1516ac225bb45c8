"""Real rows, the real model: accuracies above chance, and the same from a script that knows nothing of assay's prompting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.models.weights import fetch
from assay.store import find_runs

HERE = Path(__file__).parent
ASKED = 100
COMPARED = 25
CHANCE = {"blimp": 0.5, "openbookqa": 0.25, "hellaswag": 0.25}


@pytest.fixture(scope="module")
def runs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    folder = tmp_path_factory.mktemp("likelihood")
    weights = fetch("smollm2-135m")
    entries = ["blimp:phenomenon=anaphor_number_agreement", "openbookqa:", "hellaswag:"]
    with HubMirror(shared / "hub") as hub:
        environment: dict[str, Any] = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(folder / "hf")}
        environment |= {"ASSAY_CACHE": str(folder / "cache"), "HF_HUB_DISABLE_TELEMETRY": "1"}
        (folder / "cache" / "models").mkdir(parents=True)
        (folder / "cache" / "models" / "smollm2-135m.gguf").symlink_to(weights)
        command = [sys.executable, "-m", "assay", "run", *entries, "-m", "local/smollm2-135m", "-n", str(ASKED)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "runs"


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHANCE)
def test_an_independent_script_finds_the_same_scores_on_every_item(kind: str, runs: Path, shared: Path) -> None:
    (run,) = [folder for folder in find_runs(runs) if folder.name.startswith(kind)]
    table = pl.read_parquet(run.path / "scores.parquet").filter(pl.col("metric") == "exact_match")
    ours = dict(zip(table["instance_id"], table["value"], strict=True))
    assert len(ours) == ASKED
    some = dict(list(ours.items())[:COMPARED])
    command = [sys.executable, str(HERE / "independent_scores.py"), str(shared / "hub" / "datasets")]
    done = subprocess.run(
        [*command, str(fetch("smollm2-135m")), kind, *some], capture_output=True, text=True, timeout=300, check=True
    )
    assert some == json.loads(done.stdout)
    (cell,) = [c for c in run.stats().cells if (c.metric, c.subgroup, c.perturbation) == ("exact_match", None, None)]
    assert cell.estimate.value == pytest.approx(sum(ours.values()) / ASKED)
    assert cell.estimate.value > CHANCE[kind]

"""Every scenario with data in the loopback hub is planned, asked, read and scored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hub_table import HUB

from assay.entries import parse_entry
from assay.models.weights import fetch
from assay.registry import scenarios
from assay.scenarios import Scenario

pytestmark = pytest.mark.slow

OUTCOMES = ("answered", "refused", "empty", "truncated", "unparsed")
"""What may come of an answer that came."""
WRITTEN = 24
"""Tokens that an answer may have where a real model writes: most have more by default, which takes too long for a test."""


def entry(name: str, lacks: tuple[str, ...], **settings: int) -> str:
    """The run entry of a case: where the loopback hub lacks the questions, the examples are asked."""
    asked = {"eval_split": "train"} if "test" in lacks else {}
    given = ",".join(f"{key}={value}" for key, value in {**asked, **settings}.items())
    return f"{name}{',' if ':' in name and given else '' if ':' in name else ':'}{given}"


def made(title: str) -> Scenario:
    """The scenario of a run entry, or of a run's title."""
    ask = parse_entry(title if ":" in title else f"{title}:")
    return scenarios.get(ask.scenario)(**ask.parameters)


def run(mirror: Any, hub_cache: Path, folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """What `assay run` prints of its runs."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "ASSAY_"))}
    settings = {
        "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src"),
        "HF_ENDPOINT": mirror.url,
        "HF_HOME": str(hub_cache),
        "HF_TOKEN": mirror.token,
    }
    done = subprocess.run(
        [sys.executable, "-m", "assay", "run", *arguments, "-o", folder, "--json"],
        env={**clean, **settings, "ASSAY_CACHE": str(folder / "cache")},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def overall(run: dict[str, Any], metric: str) -> list[float]:
    """The values of a metric over all items of each split."""
    cells = (cell for cell in run["cells"] if (cell["metric"], cell["subgroup"], cell["perturbation"]) == (metric, None, None))
    return [cell["estimate"]["value"] for cell in cells if cell["estimate"]["value"] is not None]


def check(runs: list[dict[str, Any]]) -> None:
    """Every scenario was asked without a failure, every answer has an outcome, and its main metric a value."""
    assert len(runs) == len(HUB)
    assert {run["title"]: run["failed"] for run in runs if run["failed"]} == {}
    for run in runs:
        assert sum(sum(overall(run, outcome)) for outcome in OUTCOMES) == pytest.approx(1), run["title"]
    unmeasured = {run["title"] for run in runs if not overall(run, run["main_metric"])}
    assert unmeasured == {run["title"] for run in runs if made(run["title"]).requires}


def test_every_scenario_runs_and_measures_what_it_can(mirror: Any, hub_cache: Path, tmp_path: Path) -> None:
    entries = [entry(name, case.lacks) for name, case in HUB.items()]
    check(run(mirror, hub_cache, tmp_path, *entries, "-m", "baseline/majority", "-n", "2"))


@pytest.mark.slow
def test_a_real_model_answers_every_scenario(mirror: Any, hub_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "cache" / "models").mkdir(parents=True)
    (tmp_path / "cache" / "models" / "smollm2-135m.gguf").symlink_to(fetch("smollm2-135m"))
    entries = []
    for name, case in HUB.items():
        long = getattr(made(name).prompting, "max_tokens", 0) > WRITTEN
        entries.append(entry(name, case.lacks, **({"max_tokens": WRITTEN} if long else {})))
    runs = run(mirror, hub_cache, tmp_path, *entries, "-m", "local/smollm2-135m", "-n", "2")
    check(runs)
    for each in runs:
        if made(each["title"]).prompting.scores:
            assert overall(each, "answered") == [1.0], "an option is always chosen where options are scored"

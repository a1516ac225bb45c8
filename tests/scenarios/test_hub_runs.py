"""Every scenario with data in the loopback hub is planned, asked, read and scored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hub_table import HUB

from assay.entries import parse_entry
from assay.registry import scenarios


def entry(name: str, lacks: tuple[str, ...]) -> str:
    """The run entry of a case: where the loopback hub lacks the questions, the examples are asked."""
    colon = "" if ":" in name else ":"
    asked = ("," if not colon else "") + "eval_split=train" if "test" in lacks else ""
    return name + colon + asked


def test_every_scenario_runs_and_measures_what_it_can(mirror: Any, hub_cache: Path, tmp_path: Path) -> None:
    entries = [entry(name, case.lacks) for name, case in HUB.items()]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "ASSAY_"))}
    settings = {
        "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src"),
        "HF_ENDPOINT": mirror.url,
        "HF_HOME": str(hub_cache),
        "HF_TOKEN": mirror.token,
    }
    done = subprocess.run(
        [sys.executable, "-m", "assay", "run", *entries, "-m", "baseline/majority", "-n", "2", "-o", tmp_path, "--json"],
        env={**clean, **settings, "ASSAY_CACHE": str(tmp_path / "cache")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)
    assert len(runs) == len(HUB)
    assert {run["title"]: run["failed"] for run in runs if run["failed"]} == {}
    measured = {run["title"] for run in runs if run["main_metric"] in {cell["metric"] for cell in run["cells"]}}
    titles = {run["title"] for run in runs}
    assert titles - measured == set(filter(_needs_more, titles))


def _needs_more(title: str) -> bool:
    """Whether the main metric of a run needs what nobody configured."""
    ask = parse_entry(title if ":" in title else f"{title}:")
    return bool(scenarios.get(ask.scenario)(**ask.parameters).requires)

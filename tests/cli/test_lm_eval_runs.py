"""`assay run lm_eval:TASK`: from a folder of YAML to finished runs, and one line where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cli_helpers import Assay, assay

TASKS = Path(__file__).resolve().parents[1] / "scenarios" / "lm_eval_own"

__all__ = ["assay"]


def main_values(folder: Path) -> dict[str, Any]:
    spec = json.loads((folder / "spec.json").read_text())["spec"]
    return {
        "task": spec["scenario"]["parameters"]["task"],
        "source": spec["data"]["source"],
        "method": spec["prompting"]["method"],
    }


def test_a_group_runs_each_of_its_tasks(assay: Assay, tmp_path: Path) -> None:
    said = assay("run", f"lm_eval:own_group,path={TASKS}", "-m", "baseline/majority", "-n", "3")
    assert said.code == 0, said.err
    runs = [main_values(path.parent) for path in sorted((tmp_path / "runs").rglob("spec.json"))]
    assert {run["task"] for run in runs} == {"own_choice", "own_template", "own_group/own_inputs", "own_text", "own_stream"}
    assert {run["source"] for run in runs} == {"file:capitals"}
    assert {run["method"] for run in runs} == {"verbatim_scoring", "language_modeling"}
    verified = assay("verify", "runs")
    assert verified.code == 0, verified.out + verified.err


def test_a_run_is_read_again_to_the_same_numbers(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", f"lm_eval:own_filters,path={TASKS}", "-m", "baseline/majority").code == 0
    (stats,) = (tmp_path / "runs").rglob("stats.json")
    before = stats.read_bytes()
    assert assay("rescore", stats.parent).code == 0
    assert stats.read_bytes() == before


def test_a_task_is_called_as_it_is_written_and_its_card_says_how_many_examples_its_prompts_hold(
    assay: Assay, tmp_path: Path
) -> None:
    entry = f"lm_eval:own_choice,num_fewshot=2,path={TASKS}"
    said = assay("plan", entry, "-m", "baseline/majority", "-n", "3")
    assert said.code == 0, said.err
    assert "lm_eval:own_choice,num_fewshot=2,path=" in "".join(said.out.split())
    card = assay("show", "scenario", entry).out
    assert "The task own_choice of lm-evaluation-harness" in card
    assert "hold 2 examples" in " ".join(card.split())
    assert "0 examples" not in card
    assert "copper" not in card


def test_code_is_refused_in_one_line_until_it_is_allowed(assay: Assay) -> None:
    said = assay("run", f"lm_eval:own_code,path={TASKS}", "-m", "baseline/majority")
    assert said.code == 2
    assert "allow_code=true" in said.err
    assert "Traceback" not in said.err
    assert assay("run", f"lm_eval:own_code,path={TASKS},allow_code=true", "-m", "baseline/majority").code == 0


def test_a_task_and_how_to_name_one_are_shown(assay: Assay) -> None:
    said = assay("run", "lm_eval:", "-m", "baseline/majority")
    assert said.code == 2
    assert "lm_eval:TASK,num_fewshot=" in said.err

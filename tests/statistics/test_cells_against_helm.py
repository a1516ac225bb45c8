"""Aggregated numbers against recorded outputs of HELM 0.5: originals, copies, worst cases, few-shot draws."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay import registry
from assay.records import Answer, ScoredTrial
from assay.statistics import estimate_cells

KINDS = {"mild_mix": "robustness", "dialect": "fairness", "gender": "fairness", "person_name": "fairness"}


def trials_of_two_draws(shared: Path) -> list[ScoredTrial]:
    with gzip.open(shared / "golden" / "mc" / "scenario_state.json.gz") as file:
        states = json.load(file)["request_states"]
    trials = []
    for state in states:
        instance = state["instance"]
        correct = [r["output"]["text"] for r in instance["references"] if "correct" in r["tags"]]
        chosen = state["output_mapping"].get(state["result"]["completions"][0]["text"].strip())
        trials.append(
            ScoredTrial(
                instance_id=instance["id"],
                answer=Answer(outcome="answered"),
                scores={"exact_match": float(chosen in correct)},
                perturbation=instance["perturbation"]["name"] if instance.get("perturbation") else None,
                draw=state["train_trial_index"],
            )
        )
    return trials


def trials_of_scored_options(shared: Path) -> list[ScoredTrial]:
    with gzip.open(shared / "golden" / "mcsep" / "per_instance_stats.json.gz") as file:
        rows = json.load(file)
    return [
        ScoredTrial(
            instance_id=row["instance_id"],
            answer=Answer(outcome="answered"),
            scores={"exact_match": next(s["sum"] for s in row["stats"] if s["name"]["name"] == "exact_match")},
            perturbation=row["perturbation"]["name"] if row.get("perturbation") else None,
        )
        for row in rows
    ]


@pytest.mark.parametrize(("run", "read"), [("mc", trials_of_two_draws), ("mcsep", trials_of_scored_options)])
def test_every_cell_of_the_main_metric_equals_helms(shared: Path, run: str, read: object) -> None:
    metric = registry.metrics.get("exact_match")
    cells = estimate_cells(read(shared), [metric], "exact_match", KINDS, 0)
    found = {(cell.perturbation, cell.computed_on): cell.estimate.value for cell in cells}
    ours_alone = {place for place in found if place[1] in ("change", "flips", "gap", "worst_group", "spread")}
    published = {}
    for stat in json.loads((shared / "golden" / run / "stats.json").read_text()):
        if stat["name"]["name"] == "exact_match":
            perturbation = stat["name"].get("perturbation", {})
            published[perturbation.get("name"), perturbation.get("computed_on", "original")] = stat["mean"]
    assert set(found) - ours_alone == set(published)
    for place, value in published.items():
        assert found[place] == pytest.approx(value, abs=1e-9), place

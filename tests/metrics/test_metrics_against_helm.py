"""Numbers against recorded outputs of HELM 0.5."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.metrics import Columns
from assay.metrics.library import accuracy, calibration, language_modeling
from assay.records import Answer, Reference


def recorded(shared: Path, name: str) -> Any:
    path = shared / "golden" / name
    with gzip.open(path) if name.endswith(".gz") else path.open("rb") as file:
        return json.load(file)


def published(stats: Any, name: str) -> float:
    return next(s["mean"] for s in stats if s["name"]["name"] == name and "perturbation" not in s["name"])


def test_choices_and_calibration_equal_helms(shared: Path) -> None:
    stats = recorded(shared, "mc/stats.json")
    trials: dict[int, list[tuple[float, float, float]]] = {0: [], 1: []}
    for state in recorded(shared, "mc/scenario_state.json.gz")["request_states"]:
        if state["instance"].get("perturbation"):
            continue
        completion = state["result"]["completions"][0]
        references = tuple(
            Reference(text=r["output"]["text"], correct="correct" in r["tags"]) for r in state["instance"]["references"]
        )
        prediction = state["output_mapping"].get(completion["text"].strip(), "")
        answer = Answer(outcome="answered", prediction=prediction, references=references)
        quasi = accuracy.quasi_exact_match(answer)
        right = accuracy.exact_match(answer)
        assert right is not None
        assert quasi is not None
        trials[state["train_trial_index"]].append((math.exp(completion["logprob"]), right, quasi))
    found: dict[str, list[float]] = {"exact_match": [], "quasi_exact_match": [], "ece_10_bin": [], "ece_1_bin": []}
    for rows in trials.values():
        confidence, right, quasi = np.array(rows).T
        values = {field.name: np.full(len(rows), np.nan) for field in fields(Columns)}
        columns = Columns(**values | {"confidence": confidence, "score": right})
        found["exact_match"].append(right.mean())
        found["quasi_exact_match"].append(quasi.mean())
        found["ece_10_bin"].append(calibration.ece_10_bin(columns) or 0.0)
        found["ece_1_bin"].append(calibration.ece_1_bin(columns) or 0.0)
    for name, values_of_trials in found.items():
        assert sum(values_of_trials) / 2 == pytest.approx(published(stats, name), abs=1e-9), name


def test_bits_per_byte_equals_helms(shared: Path) -> None:
    rows = []
    for instance in recorded(shared, "lm/per_instance_stats.json.gz"):
        mean = {stat["name"]["name"]: stat["sum"] for stat in instance["stats"]}
        rows.append((mean["logprob"], mean["num_bytes"], mean["num_perplexity_tokens"]))
    logprob, size, tokens = np.array(rows).T
    values = {field.name: np.full(len(rows), np.nan) for field in fields(Columns)}
    columns = Columns(**values | {"logprob": logprob, "scored_bytes": size, "scored_tokens": tokens})
    stats = recorded(shared, "lm/stats.json")
    assert language_modeling.bits_per_byte(columns) == pytest.approx(published(stats, "bits_per_byte"), abs=1e-9)
    assert language_modeling.perplexity(columns) == pytest.approx(published(stats, "perplexity"), rel=1e-9)

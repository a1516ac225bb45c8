"""Selective accuracy and Platt scaling against recorded outputs of HELM 0.5, for the originals and for each kind of copy."""

from __future__ import annotations

import gzip
import json
import math
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import registry
from assay.metrics import Columns

OURS = {
    "ece_10_bin": "ece_10_bin",
    "ece_1_bin": "ece_1_bin",
    "max_prob": "mean_confidence",
    "platt_coef": "helm_platt_coef",
    "platt_intercept": "helm_platt_intercept",
    "platt_ece_10_bin": "helm_platt_ece_10_bin",
    "platt_ece_1_bin": "helm_platt_ece_1_bin",
    "selective_acc@10": "helm_selective_acc@10",
    "selective_cov_acc_area": "helm_selective_cov_acc_area",
}


def test_every_recorded_calibration_stat_is_reproduced(shared: Path) -> None:
    with gzip.open(shared / "golden/mc/scenario_state.json.gz") as file:
        states = json.load(file)["request_states"]
    rows: dict[tuple[str | None, int], list[tuple[float, float]]] = defaultdict(list)
    for state in states:
        completion = state["result"]["completions"][0]
        gold = [r["output"]["text"] for r in state["instance"]["references"] if "correct" in r["tags"]]
        right = state["output_mapping"].get(completion["text"].strip()) in gold
        kind = (state["instance"].get("perturbation") or {}).get("name")
        rows[kind, state["train_trial_index"]].append((math.exp(completion["logprob"]), float(right)))
    found: dict[tuple[str | None, str], list[float]] = defaultdict(list)
    for (kind, _), pairs in rows.items():
        confidence, score = np.array(pairs).T
        blank = {field.name: np.full(len(pairs), np.nan) for field in fields(Columns)}
        columns = Columns(**blank | {"confidence": confidence, "score": score})
        for name, ours in OURS.items():
            of_answers = registry.metrics.get(ours).of_answers
            assert of_answers is not None
            value = of_answers(columns)
            assert value is not None
            found[kind, name].append(value)
    compared = 0
    for stat in json.loads((shared / "golden/mc/stats.json").read_text()):
        copy: dict[str, Any] = stat["name"].get("perturbation", {"name": None, "computed_on": "perturbed"})
        if stat["name"]["name"] in OURS and copy["computed_on"] == "perturbed":
            assert np.mean(found[copy["name"], stat["name"]["name"]]) == pytest.approx(stat["mean"], abs=1e-9), stat["name"]
            compared += 1
    assert compared == len(OURS) * 5

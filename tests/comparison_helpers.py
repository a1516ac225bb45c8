"""Matrices and finished runs for tests of comparisons, from values that a test chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.comparison.matrices import Matrix
from assay.metrics.derived import find
from assay.records import (
    Answer,
    DataIdentity,
    Instance,
    ModelIdentity,
    NamedSpec,
    Outcome,
    Reference,
    Response,
    RunSpec,
    ScoredTrial,
    Trial,
)
from assay.store import RunWriter, run_name
from assay.store.folders import SpecFile, StatsFile
from assay.store.transcripts import Transcript


def matrix(values: Any, metric: str = "exact_match", clusters: Any = None, scenario: str = "made") -> Matrix:
    """Candidates a, b, c, … with these values on items 0, 1, 2, …"""
    held = np.asarray(values, dtype=float)
    units = np.arange(held.shape[1]) if clusters is None else np.asarray(clusters)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(held)])
    return Matrix(scenario, find(metric), names, tuple(f"item{n}" for n in range(held.shape[1])), held, units)


def trial_of(item: int, value: float | None, **more: Any) -> tuple[Trial, Answer, dict[str, float | None]]:
    """A trial of an item with that score; no value is a failed request. `more` goes to the instance, answer and trial."""
    asked = {name: more.pop(name) for name in ("draw", "format", "repeat") if name in more}
    outcome: Outcome = more.pop("outcome", "answered" if value is not None else "failed")
    prediction = more.pop("prediction", "yes" if value else "no")
    more.setdefault("input", f"Question {item}?")
    instance = Instance(id=f"item{item:04d}", references=(Reference(text="yes", correct=True),), **more)
    answer = Answer(outcome=outcome, prediction=prediction, references=instance.references)
    return Trial(instance=instance, requests=(), **asked), answer, {"exact_match": value}


Made = tuple[Trial, Answer, dict[str, float | None]]


def write_run(
    suite: Path, candidate: str, trials: Sequence[Made], scenario: str = "made", asked_at: float | None = None, **spec: Any
) -> Path:
    """A finished run in a suite's folder, answered at that Unix time if one is given."""
    responses = () if asked_at is None else (Response(asked_at=float(asked_at)),)
    held: Mapping[str, Any] = {
        "scenario": NamedSpec(name=scenario),
        "data": DataIdentity(source="generator:made"),
        "prompting": {"method": "generation", "max_tokens": 5},
        "metrics": (NamedSpec(name="exact_match"),),
        "model": ModelIdentity(name=candidate),
        **spec,
    }
    made = RunSpec(**held)
    folder = suite / run_name(made)
    writer = RunWriter(folder)
    for trial, answer, scores in trials:
        instance = trial.instance
        scored = ScoredTrial(instance_id=instance.id, answer=answer, scores=scores, perturbation=instance.perturbation)
        writer.add(Transcript(trial=trial, responses=responses, answer=answer), scored)
    counts = {"instances": len(trials), "trials": len(trials), "failed": 0}
    stats = StatsFile(run=folder.name, label=made.label, title=scenario, main_metric="exact_match", cells=(), **counts)
    writer.finish(SpecFile(run=folder.name, title=scenario, spec=made, card={"main_metric": "exact_match"}), stats, None)
    return folder

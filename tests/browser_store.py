"""What the browser looks at: runs that were asked of the fake server, runs of candidates of known skill, a decision on them."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.deciding import decide
from assay.decisions.measuring import measure
from assay.decisions.reading import read_profile
from assay.decisions.record import Choice
from assay.decisions.recording import make_record, write_record
from decision_records import signed_by
from fake_servers import mock_server
from scored_runs import Said, scored_run

PROFILE = """\
name: Enquiries
deployment: {owner: Ana Ruiz, context: sorts enquiries, affected: [customers], review: "2999-01-01", expires: "2999-06-01"}
runs: [runs/assistant]
criteria:
  - {name: right answers, metric: exact_match, weight: [2, 4], value: {unacceptable: 0.2, satisfying: 1}}
  - {name: honest confidence, metric: ece_10_bin, weight: [1, 2], value: {unacceptable: 0.5, satisfying: 0}}
  - {name: quick answers, metric: latency_s, weight: [0, 3], value: {unacceptable: 4, satisfying: 0}}
constraints:
  - {name: right enough, metric: exact_match, at_least: 0.3}
"""
RECORD = "enquiries.decision.json"


@dataclass(frozen=True)
class Candidate:
    """How often it is right, how sure it is of itself, and how long it takes."""

    name: str
    skill: float
    confidence: float
    latency_s: float


CANDIDATES = (
    Candidate("acme/careful", skill=0.85, confidence=0.8, latency_s=2.5),
    Candidate("acme/hasty", skill=0.6, confidence=0.95, latency_s=0.3),
    Candidate("acme/middling", skill=0.7, confidence=0.6, latency_s=1.2),
)
"""The first is right most often, the second is fastest: who is best depends on what matters."""
ITEMS = 40


def answers(candidate: Candidate, scenario: str) -> Iterator[Said]:
    """One answer to each item and to a copy with typos; the harder an item, the fewer are right and the less sure they are."""
    for item in range(ITEMS):
        hardness = int(hashlib.sha256(f"{scenario}{item}".encode()).hexdigest()[:8], 16) / 2**32
        for perturbation, loss in ((None, 0.0), ("typos", 0.15)):
            right = hardness < candidate.skill - loss
            yield Said(
                item,
                "yes" if right else "no, not at all",
                confidence=min(0.99, candidate.confidence + 0.2 * (0.5 - hardness)),
                latency_s=candidate.latency_s * (0.7 + hardness),
                cost=0.001 * candidate.latency_s,
                subgroups={"region": ("north", "south")[item % 2]},
                perturbation=perturbation,
            )


def make_store(folder: Path, shared: Path) -> None:
    """Fill a folder with runs/, profile.yaml and a signed record of a decision."""
    for scenario in ("enquiries", "letters"):
        for candidate in CANDIDATES:
            said = answers(candidate, scenario)
            scored_run(folder / "runs" / "assistant", candidate.name, said, scenario, ("ece_10_bin", "latency_s", "cost"))
    _ask(folder, shared)
    path = folder / "profile.yaml"
    path.write_text(PROFILE)
    profile = read_profile(path)
    measured = measure(profile, folder)
    choice = Choice(chosen="acme/careful", by="Ana Ruiz", rationale="It is right more often.", dissent="It is slow.")
    record = make_record(profile, PROFILE, measured, decide(profile, measured), folder / RECORD, choice)
    write_record(record, folder / RECORD)
    signed_by(folder / RECORD, "ana")


def _ask(folder: Path, shared: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, mock_server(shared) as server:
        patch.chdir(folder)
        patch.setenv("ASSAY_CACHE", str(folder / ".cache"))
        patch.setenv("OPENAI_API_KEY", "k")
        (folder / "models.json").write_text(json.dumps([{"name": "openai/mock-1", "base_url": server.base_url}]))
        models = ["-m", "openai/mock-1", "-m", "baseline/majority", "-m", "baseline/uniform", "--models-file", "models.json"]
        run = ["run", "billing_support:", *models, "--perturb", "typos", "-n", "15", "--suite", "asked", "--quiet"]
        patch.setattr(sys, "argv", ["assay", *run])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code

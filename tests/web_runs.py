"""Runs that pages have something to show of: two scenarios, three candidates, subgroups, disturbed copies, confidences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.records import NamedSpec
from assay.store import RunFolder
from assay.store.folders import SPEC, STATS, StatsFile, write_json
from scored_runs import Said, scored_run

ITEMS = 40
FIRST_NIGHT = 1_790_000_000.0
"""Unix time of the first of several evaluations of a model, seconds."""
ITEMS_A_NIGHT = 60
LOWERED = (NamedSpec(name="lowercase"),)


def said(right: Sequence[int], falls: Sequence[int] = (), latency_s: float = 1.0) -> list[Said]:
    """Answers to forty items of two regions: those that are right, and of these the ones that fall in lower case."""
    answers = []
    for item in range(ITEMS):
        region = {"region": "north" if item < ITEMS // 2 else "south"}
        confidence = 0.55 + 0.01 * item
        own = "yes" if item in right else "no"
        copy = "no" if item in falls else own
        held: dict[str, Any] = {"subgroups": region, "confidence": confidence, "latency_s": latency_s * (1 + item / ITEMS)}
        answers.append(Said(item, own, **held))
        answers.append(Said(item, copy, perturbation="lowercase", **held))
    return answers


def two_scenarios(suite: Path) -> Path:
    """Candidates good, bad and half on `made`, good and bad on `other`; good falls in lower case, bad is wrong in the south."""
    made = {
        "good": said(range(36), falls=range(20)),
        "bad": said(range(18), latency_s=0.1),
        "half": said(range(0, ITEMS, 2), latency_s=0.5),
    }
    for name, answers in made.items():
        scored_run(suite, name, answers, perturbations=LOWERED)
    for name in ("good", "bad"):
        scored_run(suite, name, said(range(30 if name == "good" else 20)), scenario="other", perturbations=LOWERED)
    return suite


def with_stats(folder: Path, **changes: Any) -> None:
    """Change the estimates of a run, as a run that measured something else would have them."""
    stats: StatsFile = RunFolder(folder).stats()
    write_json(folder / STATS, msgspec.structs.replace(stats, **changes))


def with_card(folder: Path, **card: Any) -> None:
    """Change what a run's scenario says of itself."""
    file = RunFolder(folder).spec_file()
    write_json(folder / SPEC, msgspec.structs.replace(file, card={**file.card, **card}))


def with_spec(folder: Path, **changes: Any) -> None:
    """Change what a run says that it was."""
    file = RunFolder(folder).spec_file()
    write_json(folder / SPEC, msgspec.structs.replace(file, spec=msgspec.structs.replace(file.spec, **changes)))


def night(folder: Path, number: int, right: int, version: str = "m-1", **more: Any) -> Path:
    """An evaluation of m in a night, in a suite of its own: the first items were answered rightly, the others wrongly."""
    asked_at = FIRST_NIGHT + number * 86_400
    answers = [
        Said(item, "yes" if item < right else "no, not so", asked_at=asked_at + item, version=version)
        for item in range(ITEMS_A_NIGHT)
    ]
    return scored_run(folder / f"night{number}", "m", answers, metrics=("latency_p50_s",), **more)


def seven_nights(folder: Path) -> Path:
    """Five nights alike, then two of another model under the same name; of another scenario all seven alike."""
    for number in range(7):
        night(folder, number, right=48 if number < 5 else 30, version="m-1" if number < 5 else "m-2")
        night(folder, number, right=40, version="m-1", scenario="steady")
    return folder

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest

from assay.metrics import Metric
from assay.records import Answer, Failure, PerturbationKind, ScoredTrial
from assay.statistics import Gathered, cells_of, estimate_cells
from assay.statistics.table import Place, Table

RIGHT = Metric(
    name="right",
    family="accuracy",
    range=(0, 1),
    better="higher",
    about="",
    of_answer=lambda answer: float(bool(answer.prediction)),
)
WORDS = Metric(
    name="words", family="bias", range=(0, None), better="lower", about="",
    of_counts=lambda answer: {answer.prediction: 1.0, "all": 1.0} if answer.prediction else None,
    value=lambda totals: totals.get("yes", 0.0) / totals["all"] if totals.get("all") else None,
)  # fmt: skip
KINDS: dict[str, PerturbationKind] = {"typos": "robustness"}


def trials() -> list[ScoredTrial]:
    rng = random.Random(7)
    made = []
    for number in range(60):
        for perturbation in (None, "typos"):
            said = rng.choice(("yes", "no", ""))
            made.append(
                ScoredTrial(
                    instance_id=f"i{number}",
                    answer=Answer(outcome="answered", prediction=said, latency_s=rng.random()),
                    scores={"right": float(said == "yes")},
                    perturbation=perturbation,
                    group=f"doc{number // 3}" if number < 30 else None,
                    subgroups={"side": rng.choice(("left", "right")), "sex": rng.choice(("f", "m"))},
                    split="test" if number % 4 else "valid",
                )
            )
    return made


def test_the_order_in_which_trials_come_changes_nothing() -> None:
    forwards, backwards = (estimate_cells(made, [RIGHT, WORDS], "right", KINDS, 3) for made in (trials(), trials()[::-1]))
    assert forwards == backwards
    assert {cell.computed_on for cell in forwards} >= {"original", "perturbed", "worst", "change", "flips", "gap"}


def test_estimating_twice_gives_the_same() -> None:
    gathered = Gathered([RIGHT, WORDS], trials())
    assert cells_of(gathered, "right", KINDS, 3) == cells_of(gathered, "right", KINDS, 3)


def test_rows_of_a_place_are_those_of_its_subgroup() -> None:
    made = sorted(trials(), key=lambda one: (one.instance_id, one.perturbation or ""))
    places = Table(Gathered([RIGHT], trials()), RIGHT).places
    for value in ("left", "right"):
        expected = [
            row
            for row, one in enumerate(made)
            if one.perturbation is None and one.split == "test" and one.subgroups["side"] == value
        ]
        assert places[Place("test", subgroup=f"side={value}")].tolist() == expected


def test_what_a_failed_trial_lacks_is_missing_and_not_zero() -> None:
    lost = Answer(outcome="failed", failure=Failure(kind="server", message=""), latency_s=1.0)
    gathered = Gathered([RIGHT], [ScoredTrial(instance_id="a", answer=lost, scores={"right": None})])
    table = Table(gathered, RIGHT)
    assert np.isnan(table.columns.latency_s).all()
    assert np.isnan(table.values("right")).all()


def test_no_trials_give_no_cells() -> None:
    assert estimate_cells([], [RIGHT, WORDS], "right", KINDS, 0) == []


@pytest.mark.parametrize("repeats", [1, 3])
def test_instances_are_counted_once(repeats: int) -> None:
    answer = Answer(outcome="answered")
    made = [ScoredTrial(instance_id=name, answer=answer, scores={}, repeat=r) for name in "ab" for r in range(repeats)]
    gathered = Gathered([RIGHT], made)
    assert (len(gathered), gathered.instances) == (2 * repeats, 2)


def test_a_trial_is_held_in_a_few_hundred_bytes() -> None:
    made = trials()
    tracemalloc.start()
    gathered = Gathered([RIGHT, WORDS], made * 100)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(gathered) == 12_000
    assert held / len(gathered) < 200


def test_what_released_trials_took_is_free_again() -> None:
    made = trials()
    tracemalloc.start()
    gathered = Gathered([RIGHT, WORDS], made * 100)
    cells_of(gathered, "right", KINDS, 3)
    held, _ = tracemalloc.get_traced_memory()
    gathered.release()
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < held / 4


def test_released_trials_are_not_counted_and_their_instances_are_forgotten() -> None:
    gathered = Gathered([RIGHT, WORDS], trials())
    gathered.release()
    assert (len(gathered), gathered.instances) == (0, 0)
    assert cells_of(gathered, "right", KINDS, 3) == []

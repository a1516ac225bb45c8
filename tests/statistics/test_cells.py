from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics import Metric, metrics_for, score_answer
from assay.records import Answer, Cell, Failure, Reference, ScoredTrial
from assay.statistics import estimate_cells

KINDS = {"typos": "robustness", "lowercase": "robustness", "dialect": "fairness"}
METRICS = metrics_for(["exact_match", "f1_score"])


def trial(instance: str, right: bool | None, **fields: object) -> ScoredTrial:
    """A trial that is right, wrong, or (None) failed."""
    failure = Failure(kind="timeout", message="") if right is None else None
    answer = Answer(
        outcome="failed" if right is None else "answered",
        prediction="yes" if right else "no",
        references=(Reference(text="yes", correct=True),),
        confidence=0.75,
        latency_s=float(len(instance)),
        failure=failure,
    )
    return ScoredTrial(instance_id=instance, answer=answer, scores=score_answer(answer, METRICS), **fields)


def cells(trials: list[ScoredTrial], seed: int = 0) -> list[Cell]:
    return estimate_cells(trials, METRICS, "exact_match", KINDS, seed)


def find(found: list[Cell], metric: str, **place: object) -> Cell | None:
    wanted = {"split": "test", "subgroup": None, "perturbation": None, "computed_on": "original"} | place
    hits = [cell for cell in found if cell.metric == metric and all(getattr(cell, k) == v for k, v in wanted.items())]
    assert len(hits) < 2
    return hits[0] if hits else None


def value(found: list[Cell], metric: str, **place: object) -> float | None:
    cell = find(found, metric, **place)
    return None if cell is None else cell.estimate.value


RUN = [
    trial("a", True),
    trial("b", True),
    trial("c", False),
    trial("d", True),
    trial("a", True, perturbation="typos"),
    trial("b", False, perturbation="typos"),
    trial("a", False, perturbation="lowercase"),
    trial("c", True, perturbation="lowercase"),
    trial("a", True, perturbation="dialect"),
    trial("d", False, perturbation="dialect"),
]


def test_original_perturbed_worst_and_before() -> None:
    found = cells(RUN)
    assert value(found, "exact_match") == 0.75
    assert value(found, "exact_match", perturbation="typos", computed_on="perturbed") == 0.5
    assert value(found, "exact_match", perturbation="typos", computed_on="original") == 1.0
    assert value(found, "exact_match", perturbation="typos", computed_on="worst") == 0.5
    assert value(found, "exact_match", perturbation="lowercase", computed_on="original") == 0.5
    assert value(found, "exact_match", perturbation="lowercase", computed_on="worst") == 0.0
    assert value(found, "exact_match", perturbation="robustness", computed_on="worst") == 0.25
    assert value(found, "exact_match", perturbation="fairness", computed_on="worst") == 0.5
    worst = find(found, "exact_match", perturbation="robustness", computed_on="worst")
    assert worst is not None
    assert (worst.estimate.n, worst.estimate.clusters) == (4, 4)


def test_robustness_and_fairness_are_absent_where_nothing_was_perturbed() -> None:
    found = cells([t for t in RUN if t.perturbation is None])
    assert {cell.perturbation for cell in found} == {None}
    assert {cell.computed_on for cell in found} == {"original"}
    only_fairness = cells([t for t in RUN if t.perturbation in (None, "dialect")])
    assert {cell.perturbation for cell in only_fairness} == {None, "dialect", "fairness"}


def test_the_worst_case_knows_which_direction_is_better() -> None:
    toxic = Metric("toxic", "toxicity", (0, 1), "lower", "", of_answer=lambda answer: 0.0)
    answer = Answer(outcome="answered")
    trials = [
        ScoredTrial(instance_id=name, answer=answer, scores={"toxic": score}, perturbation=perturbation)
        for name, perturbation, score in [("a", None, 0.0), ("a", "typos", 1.0), ("b", None, 0.0), ("b", "typos", 0.0)]
    ]
    found = estimate_cells(trials, [toxic], "toxic", {"typos": "robustness"}, 0)
    assert value(found, "toxic", perturbation="robustness", computed_on="worst") == 0.5


def test_failed_requests_are_missing_from_quality_and_counted_among_outcomes() -> None:
    found = cells([trial("a", True), trial("b", None), trial("c", False)])
    accuracy, failed = find(found, "exact_match"), find(found, "failed")
    assert accuracy is not None
    assert failed is not None
    assert (accuracy.estimate.value, accuracy.estimate.n) == (0.5, 2)
    assert (failed.estimate.value, failed.estimate.n) == (pytest.approx(1 / 3), 3)


def test_an_instance_whose_copy_failed_has_no_worst_case() -> None:
    found = cells(
        [trial("a", True), trial("a", None, perturbation="typos"), trial("b", True), trial("b", True, perturbation="typos")]
    )
    worst = find(found, "exact_match", perturbation="robustness", computed_on="worst")
    assert worst is not None
    assert (worst.estimate.value, worst.estimate.n) == (1.0, 1)


def test_a_run_in_which_everything_failed_still_says_so() -> None:
    found = cells([trial("a", None), trial("b", None)])
    assert value(found, "failed") == 1.0
    assert find(found, "exact_match") is None
    assert find(found, "ece_10_bin") is None
    assert cells([]) == []


def test_repeats_draws_and_groups_are_one_cluster() -> None:
    repeats = [trial(name, name != "c", draw=draw, repeat=repeat) for name in "abc" for draw in (0, 1) for repeat in (0, 1)]
    cell = find(cells(repeats), "exact_match")
    assert cell is not None
    assert (cell.estimate.n, cell.estimate.clusters) == (12, 3)
    grouped = [trial(name, name in "ab", group="first" if name in "abc" else "second") for name in "abcdef"]
    cell = find(cells(grouped), "exact_match")
    assert cell is not None
    assert cell.estimate.clusters == 2


def test_splits_and_subgroups_are_cells_of_the_main_metric_and_the_outcomes() -> None:
    trials = [
        trial("a", True, split="valid"),
        trial("b", True, subgroups={"dialect": "aave"}),
        trial("c", False, subgroups={"dialect": "white", "region": "north"}),
        trial("c", True, subgroups={"dialect": "white"}, perturbation="typos"),
    ]
    found = cells(trials)
    assert value(found, "exact_match", split="valid") == 1.0
    assert value(found, "exact_match") == 0.5
    assert value(found, "exact_match", subgroup="dialect=white") == 0.0
    assert value(found, "answered", subgroup="region=north") == 1.0
    assert find(found, "f1_score", subgroup="dialect=aave") is None


def test_cells_come_in_the_order_of_the_metrics_and_places() -> None:
    found = cells(RUN)
    order = [metric.name for metric in METRICS]
    assert [cell.metric for cell in found] == sorted((cell.metric for cell in found), key=order.index)
    places = [(cell.perturbation, cell.computed_on) for cell in found if cell.metric == "exact_match"]
    assert places == [
        (None, "original"),
        ("dialect", "original"),
        ("dialect", "perturbed"),
        ("dialect", "worst"),
        ("fairness", "worst"),
        ("lowercase", "original"),
        ("lowercase", "perturbed"),
        ("lowercase", "worst"),
        ("robustness", "worst"),
        ("typos", "original"),
        ("typos", "perturbed"),
        ("typos", "worst"),
    ]


@settings(max_examples=10, deadline=None)
@given(st.integers())
def test_the_same_trials_give_the_same_bytes_in_any_order(seed: int) -> None:
    generator = random.Random(7)
    trials = [
        trial(f"i{number}", generator.random() < 0.7, perturbation=name, draw=draw, subgroups={"half": str(number % 2)})
        for number in range(15)
        for name in (None, "typos", "dialect")
        for draw in (0, 1)
    ]
    shuffled = trials.copy()
    random.Random(seed).shuffle(shuffled)
    reordered = [msgspec.structs.replace(t, scores=dict(reversed(t.scores.items()))) for t in shuffled]
    assert msgspec.json.encode(cells(reordered)) == msgspec.json.encode(cells(trials))


def test_the_seed_moves_bootstrap_intervals_and_nothing_else() -> None:
    trials = [trial(f"{'i' * (1 + number % 7)}{number}", number % 3 > 0) for number in range(40)]
    first, second = cells(trials), cells(trials, seed=1)
    assert first != second
    moved = {one.metric for one, other in zip(first, second, strict=True) if one != other}
    assert moved <= {metric.name for metric in METRICS if metric.of_answers is not None}
    assert [cell.estimate.value for cell in first] == [cell.estimate.value for cell in second]

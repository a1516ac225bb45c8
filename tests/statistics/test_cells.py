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


def test_v20_repeats_of_an_instance_are_averaged_before_instances_are() -> None:
    trials = [trial("a", right, repeat=repeat) for repeat, right in enumerate((True, True, True, None))]
    trials += [trial("b", False), trial("b", None, repeat=1)]
    cell = find(cells(trials), "exact_match")
    assert cell is not None
    assert (cell.estimate.value, cell.estimate.n, cell.estimate.clusters) == (0.5, 4, 2)


def test_change_and_flips_pair_each_copy_with_its_own_original() -> None:
    found = cells(RUN)
    assert value(found, "exact_match", perturbation="typos", computed_on="change") == -0.5
    assert value(found, "exact_match", perturbation="lowercase", computed_on="change") == 0.0
    assert value(found, "exact_match", perturbation="lowercase", computed_on="flips") == 1.0
    assert value(found, "exact_match", perturbation="robustness", computed_on="change") == -0.25
    assert value(found, "exact_match", perturbation="robustness", computed_on="flips") == 0.75
    kind = find(found, "exact_match", perturbation="robustness", computed_on="change")
    assert kind is not None
    assert (kind.estimate.n, kind.estimate.clusters) == (4, 3)
    assert find(found, "f1_score", perturbation="typos", computed_on="flips") is None


def test_v18_a_paired_change_is_surer_than_the_difference_of_two_means() -> None:
    generator = random.Random(0)
    right = [generator.random() < 0.6 for _ in range(300)]
    trials = [trial(f"i{number}", one) for number, one in enumerate(right)]
    trials += [trial(f"i{number}", one and number % 20 > 0, perturbation="typos") for number, one in enumerate(right)]
    found = cells(trials)
    change = find(found, "exact_match", perturbation="typos", computed_on="change")
    before, after = (find(found, "exact_match", perturbation="typos", computed_on=on) for on in ("original", "perturbed"))
    assert change is not None
    assert before is not None
    assert after is not None
    assert change.estimate.value == pytest.approx(after.estimate.value - before.estimate.value)
    unpaired = (before.estimate.stderr**2 + after.estimate.stderr**2) ** 0.5
    assert change.estimate.stderr < unpaired / 2
    assert change.estimate.high < 0


def test_v14_a_failed_copy_leaves_its_pair_out_and_is_counted_as_failed() -> None:
    trials = [
        trial("a", True),
        trial("b", True),
        trial("a", None, perturbation="typos"),
        trial("b", True, perturbation="typos"),
    ]
    found = cells(trials)
    change = find(found, "exact_match", perturbation="typos", computed_on="change")
    assert change is not None
    assert (change.estimate.value, change.estimate.n) == (0.0, 1)
    assert value(found, "failed", perturbation="typos", computed_on="perturbed") == 0.5


def test_every_axis_of_subgroups_has_gap_ratio_and_worst_group() -> None:
    trials = [
        trial(f"{dialect}{number}", number < right, subgroups={"dialect": dialect})
        for dialect, right in (("aave", 12), ("white", 18), ("rare", 0))
        for number in range(20 if dialect != "rare" else 4)
    ]
    found = cells(trials)
    assert value(found, "exact_match", subgroup="dialect", computed_on="gap") == pytest.approx(0.3)
    assert value(found, "exact_match", subgroup="dialect", computed_on="ratio") == pytest.approx(12 / 18)
    assert value(found, "exact_match", subgroup="dialect", computed_on="worst_group") == pytest.approx(0.6)
    assert value(found, "answered", subgroup="dialect", computed_on="gap") == 0.0
    rare, gap = (find(found, "exact_match", **place) for place in ({"subgroup": "dialect=rare"}, GAP))
    assert rare is not None
    assert gap is not None
    assert (rare.estimate.n, "too few" in rare.estimate.method, "1 too few" in gap.estimate.method) == (4, True, True)
    assert find(found, "ece_10_bin", subgroup="dialect=aave") is None


GAP = {"subgroup": "dialect", "computed_on": "gap"}


def test_an_axis_with_very_many_groups_is_broken_down_for_the_main_metric_alone() -> None:
    found = cells([trial(f"i{number}", True, subgroups={"subject": str(number)}) for number in range(30)])
    assert {cell.metric for cell in found if cell.subgroup} == {"exact_match"}


def test_sums_have_places_and_paired_changes() -> None:
    letters = Metric(
        "letters", "bias", (0, None), "neither", "",
        of_counts=lambda answer: {"letters": len(answer.prediction), "answers": 1},
        value=lambda totals: totals["letters"] / totals["answers"],
    )  # fmt: skip
    found = estimate_cells(RUN, [letters], "exact_match", KINDS, 0)
    assert value(found, "letters") == pytest.approx((3 + 3 + 2 + 3) / 4)
    assert value(found, "letters", perturbation="typos", computed_on="perturbed") == 2.5
    assert value(found, "letters", perturbation="typos", computed_on="change") == -0.5
    assert value(found, "letters", perturbation="fairness", computed_on="change") == -0.5


def test_splits_and_subgroups_are_cells_of_quality_and_outcomes() -> None:
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
    assert value(found, "f1_score", subgroup="dialect=aave") == 1.0
    assert find(found, "latency_s", subgroup="dialect=aave") is None


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
        ("dialect", "change"),
        ("dialect", "flips"),
        ("fairness", "worst"),
        ("fairness", "change"),
        ("fairness", "flips"),
        ("lowercase", "original"),
        ("lowercase", "perturbed"),
        ("lowercase", "worst"),
        ("lowercase", "change"),
        ("lowercase", "flips"),
        ("robustness", "worst"),
        ("robustness", "change"),
        ("robustness", "flips"),
        ("typos", "original"),
        ("typos", "perturbed"),
        ("typos", "worst"),
        ("typos", "change"),
        ("typos", "flips"),
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

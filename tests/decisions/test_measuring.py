"""Every measure of every candidate, and all of them together over resamples, against what is known to be right."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from assay.decisions.profile import Constraint, Costs, Criterion, Deployment, Profile
from assay.decisions.resampled import Summaries, drawn_again, weighted_sums
from assay.errors import AssayError
from assay.identity import array_generator, generator
from assay.metrics import Columns
from assay.metrics.derived import find
from assay.records import NamedSpec
from assay.store import RunFolder
from comparison_helpers import trial_of, write_run
from scored_runs import Said, scored_run

PERTURBED = (NamedSpec(name="typos"), NamedSpec(name="dialect"))


def profile_of(*measures: Any, **more: Any) -> Profile:
    """A profile over the folder `runs` with these criteria and constraints."""
    return Profile(
        name="made",
        deployment=Deployment(owner="a", context="b"),
        criteria=tuple(each for each in measures if isinstance(each, Criterion)),
        constraints=tuple(each for each in measures if isinstance(each, Constraint)),
        **{"runs": ("runs",), **more},
    )


def right(name: str = "right", **more: Any) -> Criterion:
    return Criterion(name=name, **{"metric": "exact_match", **more})


def answers(seed: str, right_share: float, items: int = 60, repeats: int = 1) -> list[Said]:
    """Answers to items in two regions, in copies with typos and, of every third item, in dialect."""
    rng = generator("measuring", seed)
    found = []
    for item, repeat, copy in itertools.product(range(items), range(repeats), (None, "typos", "dialect")):
        if copy == "dialect" and item % 3:
            continue
        text = "yes" if rng.random() < right_share - 0.1 * (copy is not None) else rng.choice(["no", "no yes"])
        region = {"region": "north" if item % 2 else "south"}
        numbers = {"confidence": 0.4 + 0.6 * rng.random(), "latency_s": 1 + rng.random(), "cost": 0.01 * rng.random()}
        found.append(Said(item, text, subgroups=region, perturbation=copy, repeat=repeat, **numbers))
    return found


METRICS = ("exact_match", "f1_score", "ece_10_bin", "brier_score", "latency_p95_s", "cost", "classification_macro_f1")
PLACES: Sequence[dict[str, Any]] = (
    {},
    {"subgroup": "region=north"},
    {"on": "perturbed", "perturbation": "typos"},
    {"on": "worst", "perturbation": "typos"},
    {"on": "worst", "perturbation": "robustness"},
    {"on": "worst", "perturbation": "fairness"},
    {"on": "change", "perturbation": "dialect"},
    {"on": "change", "perturbation": "fairness"},
)


def test_numbers_are_those_that_the_runs_own_tables_show(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name, share in (("made/a", 0.9), ("made/b", 0.7)):
        scored_run(runs, name, answers(name, share, 30, repeats=2), metrics=METRICS[1:], perturbations=PERTURBED, repeats=2)
    kinds = [
        (metric, place) for metric in METRICS for place in PLACES if metric in METRICS[:2] or "worst" not in place.values()
    ]
    kinds = [(metric, place) for metric, place in kinds if metric in ("exact_match", "f1_score") or place.get("on") != "change"]
    measures = [right(f"{metric} {place}", metric=metric, **place) for metric, place in kinds]
    measured = measure(profile_of(*measures), tmp_path)
    compared = 0
    for source in measured.sources:
        row = measured.estimates[measured.candidates.index(source.candidate)]
        cells = {
            (cell.metric, cell.subgroup, cell.perturbation, cell.computed_on): cell.estimate
            for cell in RunFolder(Path(source.folder)).stats().cells
        }
        for (metric, place), estimate in zip(kinds, row, strict=True):
            cell = cells.get((metric, place.get("subgroup"), place.get("perturbation"), place.get("on", "original")))
            if cell is not None:
                assert estimate == cell
                compared += 1
    assert compared > 2 * 25
    assert measured.missing == ((0,) * len(measures),) * 2
    assert np.array_equal(measured.values, [[estimate.value for estimate in row if estimate] for row in measured.estimates])


def test_replicates_scatter_as_the_standard_error_says_and_around_the_value(tmp_path: Path) -> None:
    rng = generator("clusters")
    trials = []
    for item in range(400):
        document = item // 4 if item < 200 else 50 + item // 2
        trials.append(trial_of(item, float(rng.random() < (0.9 if document % 3 else 0.4)), group=f"document {document}"))
    write_run(tmp_path / "runs", "made/a", trials)
    measured = measure(profile_of(right()), tmp_path)
    estimate, replicates = measured.estimates[0][0], measured.replicates[:, 0, 0]
    assert estimate is not None
    assert estimate.stderr is not None
    assert (estimate.n, estimate.clusters, len(replicates)) == (400, 150, 1000)
    assert replicates.std(ddof=1) == pytest.approx(estimate.stderr, rel=0.05)
    assert replicates.mean() == pytest.approx(estimate.value, abs=3 * estimate.stderr / 1000**0.5)


def test_what_two_candidates_have_in_common_is_common_in_every_replicate(tmp_path: Path) -> None:
    rng = array_generator("pairs")
    hard = rng.random(300)
    values = [(hard + 0.3 * rng.random(300) < 0.7).astype(float) for _ in range(2)]
    for name, column in zip(("made/a", "made/b"), values, strict=True):
        write_run(tmp_path / "runs", name, [trial_of(item, float(value)) for item, value in enumerate(column)])
    measured = measure(profile_of(right(), right("again")), tmp_path)
    first, second = measured.replicates[:, 0, 0], measured.replicates[:, 1, 0]
    together = np.corrcoef(values)[0, 1]
    assert together > 0.5
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(together, abs=0.05)
    difference = (values[0] - values[1]).std() / 300**0.5
    assert (first - second).std() == pytest.approx(difference, rel=0.07)
    assert np.array_equal(measured.replicates[:, :, 0], measured.replicates[:, :, 1])


def test_several_scenarios_weigh_the_same_and_vary_independently(tmp_path: Path) -> None:
    rng = generator("scenarios")
    for scenario, items in (("big", 200), ("small", 20), ("other", 30)):
        trials = [trial_of(item, float(rng.random() < 0.6)) for item in range(items)]
        write_run(tmp_path / "runs", "made/a", trials, scenario=scenario)
    names = {"big": ("big",), "small": ("small",), "both": ("b*g", "small"), "all": ()}
    measured = measure(profile_of(*(right(name, scenarios=which) for name, which in names.items())), tmp_path)
    assert measured.scenarios == (("big",), ("small",), ("big", "small"), ("big", "other", "small"))
    big, small, both = (measured.replicates[:, 0, place] for place in range(3))
    assert both == pytest.approx((big + small) / 2)
    assert abs(np.corrcoef(big, small)[0, 1]) < 0.1
    estimates = measured.estimates[0]
    assert estimates[2] is not None
    assert estimates[2].value == pytest.approx((measured.values[0, 0] + measured.values[0, 1]) / 2)
    assert (estimates[2].n, estimates[2].method) == (220, "mover")


def test_only_what_all_were_asked_counts_and_what_one_lacks_is_counted_as_missing(tmp_path: Path) -> None:
    values = [1.0, 0.0, 1.0, None, 1.0, 1.0]
    write_run(tmp_path / "runs", "made/a", [trial_of(item, value) for item, value in enumerate(values)], max_instances=6)
    write_run(tmp_path / "runs", "made/b", [trial_of(item, 0.0) for item in range(4)], max_instances=4)
    measured = measure(profile_of(right()), tmp_path)
    assert measured.values[:, 0].tolist() == [2 / 3, 0.0]
    assert measured.missing == ((1,), (2,))
    assert measured.notes == (
        "made: only the 4 of 6 instances count that all candidates were asked.",
        "Resting on 3 of 4 answers of made/a, the rest of which have no value: right.",
    )
    alone = measure(profile_of(right(), candidates=("made/a",)), tmp_path)
    assert (alone.values.tolist(), alone.missing) == ([[0.8]], ((0,),))


def test_a_failed_request_is_missing_even_where_nobody_else_was_asked(tmp_path: Path) -> None:
    said = [Said(0, "yes"), Said(1, None), Said(2, "no"), Said(3, None, perturbation="typos"), Said(3, "yes")]
    scored_run(tmp_path / "runs", "made/a", said, perturbations=PERTURBED)
    worst = right("worst", on="worst", perturbation="robustness")
    measured = measure(profile_of(right(), worst, right("calibrated", metric="ece_10_bin")), tmp_path)
    assert measured.values[0, :2] == pytest.approx([2 / 3, 1 / 2])
    assert measured.missing == ((1, 2, 1),)


def test_worst_cases_and_changes_are_taken_item_by_item(tmp_path: Path) -> None:
    table = {0: (1.0, 0.0), 1: (1.0, 1.0), 2: (0.0, 1.0), 3: (1.0, None), 4: (0.0, 0.0)}
    trials = []
    for item, (original, copy) in table.items():
        trials.append(trial_of(item, original))
        if copy is not None:
            trials.append(trial_of(item, copy, perturbation="typos"))
    write_run(tmp_path / "runs", "made/a", trials, perturbations=PERTURBED)
    every = {
        "worst of all": ("worst", ""),
        "worst of changed": ("worst", "typos"),
        "copies": ("perturbed", "typos"),
        "change": ("change", ""),
    }
    measures = [right(name, on=on, perturbation=by) for name, (on, by) in every.items()]
    measured = measure(profile_of(*measures), tmp_path)
    assert measured.values[0].tolist() == [2 / 5, 1 / 4, 1 / 2, 0.0]
    assert measured.replicates[:, 0, 3].min() >= -1
    assert measured.replicates[:, 0, 3].min() < 0 < measured.replicates[:, 0, 3].max()


def test_a_summary_over_resamples_is_that_of_the_answers_drawn() -> None:
    rng = array_generator("summary")
    blank = dict.fromkeys(Columns.__dataclass_fields__, np.full(40, np.nan))
    columns = Columns(
        **{**blank, "score": (rng.random(40) < 0.6) * 1.0, "confidence": rng.random(40), "latency_s": rng.random(40)}
    )
    clusters = np.repeat(np.arange(20), 2)
    for name in ("ece_10_bin", "brier_score", "latency_p95_s", "selective_acc@10", "platt_ece_10_bin"):
        metric = find(name)
        held = Summaries(metric, ((columns, clusters), (columns.take(np.arange(0)), clusters[:0])))
        times = next(drawn_again(20, 12, 1, "made"))
        found = held.replicates(times)
        assert metric.of_answers is not None
        drawn = [columns.take(np.repeat(np.arange(40), row[clusters].astype(int))) for row in times]
        assert found[:, 0] == pytest.approx([metric.of_answers(each) for each in drawn])
        assert np.isnan(found[:, 1]).all()


def test_calibration_errors_scatter_around_the_measured_one(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "made/a", answers("a", 0.75, 80))
    measured = measure(profile_of(right("calibrated", metric="ece_10_bin")), tmp_path)
    assert measured.replicates.mean() == pytest.approx(measured.values[0, 0], abs=1e-6)
    assert measured.replicates.min() >= 0


def macro_f1(pairs: Sequence[tuple[str, str]]) -> float:
    """F1 of each class that is predicted or right, averaged."""
    found = []
    for label in sorted({label for pair in pairs for label in pair}):
        hit = sum(gold == said == label for gold, said in pairs)
        found.append(2 * hit / sum((gold == label) + (said == label) for gold, said in pairs))
    return sum(found) / len(found)


def test_sums_over_resamples_are_those_of_the_answers_drawn(tmp_path: Path) -> None:
    rng = generator("sums")
    pairs = [(gold, gold if rng.random() < 0.7 else rng.choice("abc")) for gold in (rng.choice("abc") for _ in range(30))]
    said = [Said(item, text, gold=gold) for item, (gold, text) in enumerate(pairs)]
    scored_run(tmp_path / "runs", "made/a", said, metrics=("classification_macro_f1",))
    measured = measure(profile_of(right("f1", metric="classification_macro_f1"), seed=3), tmp_path)
    assert measured.values[0, 0] == pytest.approx(macro_f1(pairs))
    times = np.concatenate(list(drawn_again(30, len(measured.replicates), 3, "made"))).astype(int)
    for row in (0, 1, 500):
        drawn = [pair for pair, count in zip(pairs, times[row], strict=True) for _ in range(count)]
        assert measured.replicates[row, 0, 0] == pytest.approx(macro_f1(drawn))


def test_the_expected_cost_counts_errors_silence_waiting_and_tokens(tmp_path: Path) -> None:
    said = [
        Said(0, "yes", latency_s=1.0, cost=0.01),
        Said(1, "no", latency_s=2.0, cost=0.02),
        Said(2, "I'm sorry, but I cannot help with that.", latency_s=3.0, cost=0.03),
        Said(3, None),
    ]
    scored_run(tmp_path / "runs", "made/a", said)
    costs = Costs(error=5, abstention=2, latency=0.1, answer=0.5, currency="EUR")
    measured = measure(profile_of(right(), costs=costs), tmp_path)
    assert (measured.measures[1].name, measured.measures[1].unit, measured.metrics[1].better) == (
        "expected cost",
        "EUR",
        "lower",
    )
    each = [0.1 + 0.01 + 0.5, 5 + 0.2 + 0.02 + 0.5, 2 + 0.3 + 0.03 + 0.5, 2 + 0.5]
    assert measured.values[0, 1] == pytest.approx(sum(each) / 4)
    assert measured.replicates[:, 0, 1].std(ddof=1) == pytest.approx(np.std(each) / 2, rel=0.05)


def test_only_the_parts_of_the_cost_that_cost_something_have_to_be_known(tmp_path: Path) -> None:
    for name, seconds in (("made/a", 1.0), ("made/b", math.nan)):
        said = [Said(0, "yes", latency_s=seconds), Said(1, "no", latency_s=seconds, cost=0.5 if name == "made/a" else None)]
        scored_run(tmp_path / "runs", name, said)
    whole = measure(profile_of(right(), costs=Costs(error=5, latency=0.1)), tmp_path)
    assert whole.estimates[1][1] is None
    unknown = "made: what answers of made/b cost is not known, since of none it is known how long they took (latency_s)."
    assert unknown in whole.notes
    assert "made: what the tokens of made/b cost is not known, and counts as nothing." in whole.notes
    errors = measure(profile_of(right(), costs=Costs(error=5)), tmp_path)
    assert errors.values[:, 1].tolist() == pytest.approx([(0 + 5 + 0.5) / 2, 2.5])
    assert unknown not in errors.notes
    waiting = measure(profile_of(costs=Costs(latency=2, answer=1, metric="exact_match")), tmp_path)
    assert waiting.values[0].tolist() == pytest.approx([2 + 1 + 0.25])


def test_where_errors_cost_nothing_nobody_has_to_know_what_is_right(tmp_path: Path) -> None:
    said = [Said(item, "yes", latency_s=1.0, judged=None) for item in range(3)]
    scored_run(tmp_path / "runs", "made/a", said, metrics=("judge_score",))
    with pytest.raises(AssayError, match="the costs cannot be computed"):
        measure(profile_of(right(), costs=Costs(error=1, metric="rouge_l")), tmp_path)
    known = measure(profile_of(right(), costs=Costs(latency=1, metric="rouge_l")), tmp_path)
    assert known.values[0].tolist() == [1.0, 1.0]


def test_a_candidate_without_a_scenario_has_no_value_over_several(tmp_path: Path) -> None:
    for scenario in ("one", "two"):
        write_run(tmp_path / "runs", "made/a", [trial_of(item, 1.0) for item in range(5)], scenario=scenario)
    write_run(tmp_path / "runs", "made/b", [trial_of(item, 0.0) for item in range(5)], scenario="one")
    measured = measure(profile_of(right(), right("one", scenarios=("one",))), tmp_path)
    assert measured.estimates[1][0] is None
    assert np.isnan(measured.replicates[:, 1, 0]).all()
    assert measured.missing == ((0, 0), (5, 0))
    assert measured.values[:, 1].tolist() == [1.0, 0.0]
    assert any("right was not measured for made/b" in note for note in measured.notes)
    assert {source.candidate for source in measured.sources} == {"made/a", "made/b"}


def test_each_source_names_the_run_and_the_digest_of_its_manifest(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "runs", "made/a", [trial_of(0, 1.0), trial_of(1, 0.0)])
    write_run(tmp_path / "runs", "made/b", [trial_of(0, 1.0)], scenario="unused")
    measured = measure(profile_of(right(scenarios=("made",))), tmp_path)
    assert [(source.candidate, source.scenario) for source in measured.sources] == [("made/a", "made"), ("made/b", "unused")]
    assert Path(measured.sources[0].folder) == folder
    assert len(measured.sources[0].manifest) == 64


def same(one: Measured, other: Measured) -> bool:
    return one.estimates == other.estimates and np.array_equal(one.replicates, other.replicates, equal_nan=True)


def test_the_same_runs_and_seed_give_the_same_numbers_and_another_seed_other_resamples(tmp_path: Path) -> None:
    for name, share in (("made/a", 0.9), ("made/b", 0.7)):
        scored_run(tmp_path / "runs", name, answers(name, share, 20), perturbations=PERTURBED)
    wanted = profile_of(right(), right("calibrated", metric="ece_10_bin"), right("worst", on="worst"))
    first = measure(wanted, tmp_path)
    assert same(first, measure(wanted, tmp_path))
    other = measure(profile_of(*wanted.criteria, seed=1), tmp_path)
    assert first.estimates == other.estimates
    assert not same(first, other)


def test_sums_are_the_same_in_any_order() -> None:
    rng = array_generator("order")
    sizes = np.array([1e-3, 1.0, 1e6])
    values, times = rng.standard_normal((3, 500)) * sizes[:, None], rng.integers(5, size=(20, 500)).astype(float)
    found = weighted_sums(values, times)
    order = rng.permutation(500)
    assert np.array_equal(found, weighted_sums(values[:, order], times[:, order]))
    assert found / sizes == pytest.approx(times @ values.T / sizes, abs=1e-8)
    assert weighted_sums(np.zeros((2, 4)), np.ones((3, 4))).tolist() == [[0.0, 0.0]] * 3


def test_runs_that_were_not_asked_alike_are_refused_or_noted(tmp_path: Path) -> None:
    write_run(tmp_path / "runs", "made/a", [trial_of(0, 1.0), trial_of(1, 0.0)])
    write_run(
        tmp_path / "runs", "made/b", [trial_of(0, 1.0), trial_of(1, 0.0)], prompting={"method": "generation", "max_tokens": 9}
    )
    with pytest.raises(AssayError, match=r"differ in prompting.max_tokens of made .*allow_differences: true into the profile"):
        measure(profile_of(right()), tmp_path)
    with pytest.raises(AssayError, match=r"differ in prompting\.max_tokens"):
        measure(profile_of(costs=Costs(error=1)), tmp_path)
    allowed = measure(profile_of(right(), allow_differences=True), tmp_path)
    assert allowed.notes == ("Runs of made differ in prompting.max_tokens (made/a: 5; made/b: 9).",)


def test_placeholders_are_noted(tmp_path: Path) -> None:
    write_run(tmp_path / "runs", "made/a", [trial_of(0, 1.0), trial_of(1, 0.0)])
    drafted = profile_of(right())
    open_ = Profile(
        name="x",
        deployment=Deployment(owner="(to be filled in)", context="b"),
        criteria=drafted.criteria,
        runs=("runs",),
    )
    assert measure(open_, tmp_path).notes == ("The profile does not say yet: owner.",)


WRONG: Sequence[tuple[Callable[[], Profile], str]] = (
    (lambda: profile_of(right(), runs=()), r"names no runs \(add runs:"),
    (lambda: profile_of(right(), runs=("nowhere",)), "nowhere does not exist"),
    (lambda: profile_of(right(), candidates=("made/z",)), r"unknown candidate 'made/z' \(did you mean made/a"),
    (lambda: profile_of(right(scenarios=("mad",))), r"unknown scenario 'mad' \(did you mean made\?\)"),
    (
        lambda: profile_of(right(subgroup="region=nort")),
        r"unknown subgroup of 'right': 'region=nort' \(did you mean region=north",
    ),
    (
        lambda: profile_of(right(on="worst", perturbation="typo")),
        r"unknown perturbation of 'right': 'typo' \(did you mean typos",
    ),
    (
        lambda: profile_of(right(metric="rouge_l")),
        r"'right': rouge_l was not measured in any scenario \(`assay rescore RUNS --metric",
    ),
    (lambda: profile_of(right(on="worst", scenarios=("plain",))), "no perturbed copies were asked of all candidates"),
    (lambda: profile_of(costs=Costs(error=1, metric="f1_score")), "the costs cannot be computed"),
)


@pytest.mark.parametrize(("wanted", "message"), WRONG)
def test_what_there_is_not_is_named_with_what_there_is(
    tmp_path_factory: pytest.TempPathFactory, wanted: Callable[[], Profile], message: str
) -> None:
    home = tmp_path_factory.getbasetemp() / "wrong"
    if not home.exists():
        scored_run(home / "runs", "made/a", answers("a", 0.9, 6), perturbations=PERTURBED)
        scored_run(home / "runs", "made/a", [each for each in answers("a", 0.9, 6) if not each.perturbation], scenario="plain")
    with pytest.raises(AssayError, match=message):
        measure(wanted(), home)


def test_a_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "runs", "made/a", [trial_of(0, 1.0), trial_of(1, 0.0)])
    (folder / "scores.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(AssayError, match=r"the evidence is not whole: .*scores\.parquet: changed"):
        measure(profile_of(right()), tmp_path)

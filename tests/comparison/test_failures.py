"""Where candidates fail, in runs whose weaknesses are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.comparison.evidence import gather
from assay.comparison.failures import failures
from assay.comparison.results import Failures
from assay.identity import array_generator
from comparison_helpers import Made, trial_of, write_run

ITEMS = 120


def weak_in_the_north(item: int) -> Made:
    """Wrong in 3 of 4 of a third of the items, in 1 of 10 of the others."""
    north = item % 3 == 0
    wrong = item % 4 > 0 if north else item % 10 == 1
    return trial_of(item, 0.0 if wrong else 1.0, subgroups={"region": "north" if north else "south"})


def strong(item: int) -> Made:
    return trial_of(item, 0.0 if item % 10 == 1 else 1.0, subgroups={"region": "north" if item % 3 == 0 else "south"})


def analysed(folder: Path, *candidates: list[Made]) -> Failures:
    for number, trials in enumerate(candidates):
        write_run(folder, f"made/model-{number}", trials)
    return failures(gather([folder]))


def test_a_weak_subgroup_is_found_with_examples_and_a_sound_one_is_not(tmp_path: Path) -> None:
    found = analysed(tmp_path, [weak_in_the_north(n) for n in range(ITEMS)], [strong(n) for n in range(ITEMS)])
    assert [(f.candidate, f.what, f.where) for f in found.slices] == [("made/model-0", "wrong", "subgroup region=north")]
    (only,) = found.slices
    assert (only.items, only.rate) == (40, pytest.approx(0.75))
    assert only.excess.value == pytest.approx(only.rate - only.elsewhere)
    assert only.p < 0.001
    parts = [np.array([1 - (weak_in_the_north(n)[2]["exact_match"] or 0) for n in range(ITEMS) if (n % 3 == 0) is north])
             for north in (True, False)]  # fmt: skip
    error = sum(part.var(ddof=1) / len(part) for part in parts) ** 0.5
    assert only.excess.low == pytest.approx(only.excess.value - 2.0227 * error, abs=1e-4)  # t with 39 degrees of freedom
    assert len(only.examples) == 3
    assert all(int(item.instance.removeprefix("item")) % 3 == 0 for item in only.examples)
    assert only.examples[0].answers == {"made/model-0": "no"}
    assert only.examples[0].input == f"Question {int(only.examples[0].instance.removeprefix('item'))}?"


def test_an_outcome_that_a_feature_brings_about_is_a_failure_of_its_own(tmp_path: Path) -> None:
    def refusing(item: int) -> Made:
        numbered = item % 3 == 0
        refused = numbered and item % 2 == 0
        text = f"pay {item} euros" if numbered else "pay some euros"
        return trial_of(item, 0.0 if refused else 1.0, outcome="refused" if refused else "answered", input=text)

    found = analysed(tmp_path, [refusing(n) for n in range(ITEMS)], [trial_of(n, 1.0) for n in range(ITEMS)])
    assert ("refused", "input with a number") in {(f.what, f.where) for f in found.slices}


def test_a_perturbation_is_held_against_the_originals_of_its_copies(tmp_path: Path) -> None:
    def twice(item: int) -> list[Made]:
        easy = item % 5 != 0
        return [trial_of(item, float(easy)), trial_of(item, float(easy and item % 2), perturbation="typos")]

    trials = [trial for item in range(60) for trial in twice(item)]
    found = analysed(tmp_path, trials, [trial_of(item, 1.0) for item in range(60)])
    (typos,) = [f for f in found.slices if f.where == "perturbation typos"]
    assert (typos.rate, typos.elsewhere) == (pytest.approx(0.6), pytest.approx(0.2))
    assert typos.items == 60


def test_chance_alone_is_not_taken_for_a_weakness(tmp_path: Path) -> None:
    generator = array_generator("no weakness")
    runs_with_findings = 0
    for run in range(20):
        right = generator.random((2, ITEMS)) < 0.7
        candidates = [
            [trial_of(n, float(row[n]), subgroups={"a": str(n % 3), "b": str(n % 4), "c": str(n % 5)}) for n in range(ITEMS)]
            for row in right
        ]
        found = analysed(tmp_path / str(run), *candidates)
        assert found.tested > 20
        runs_with_findings += len({f.candidate for f in found.slices})
    assert runs_with_findings <= 5  # of 40 at 5 in 100


def test_items_that_all_miss_are_listed_agreement_first_and_items_that_flip_by_who_is_right(tmp_path: Path) -> None:
    first = [trial_of(0, 0.0, prediction="maybe"), trial_of(1, 0.0, prediction="x"), trial_of(2, 1.0), trial_of(3, None)]
    second = [trial_of(0, 0.0, prediction="maybe"), trial_of(1, 0.0, prediction="y"), trial_of(2, 0.0), trial_of(3, 0.0)]
    found = analysed(tmp_path, first, second)
    assert [(s.item.instance, s.common, s.agreeing) for s in found.suspects] == [("item0000", "maybe", 2), ("item0001", "x", 1)]
    assert found.suspects[0].item.gold == "yes"
    assert found.suspects[1].item.input == "Question 1?"
    assert found.suspects[1].item.answers == {"made/model-0": "x", "made/model-1": "y"}
    assert [(f.item.instance, f.right, f.wrong) for f in found.flips] == [("item0002", ("made/model-0",), ("made/model-1",))]


def test_documents_of_several_items_count_once(tmp_path: Path) -> None:
    def of_document(item: int) -> Made:
        document = item // 10
        return trial_of(item, float(document % 2), group=f"d{document}", subgroups={"half": "odd" if document % 2 else "even"})

    found = analysed(tmp_path, [of_document(n) for n in range(100)], [trial_of(n, 1.0) for n in range(100)])
    assert not [f for f in found.slices if f.where.startswith("subgroup")]  # five documents each: too few to tell
    assert np.isfinite([f.p for f in found.slices]).all()

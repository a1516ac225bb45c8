from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.metrics import metrics_for, score_answer
from assay.metrics.derived import expected_extreme
from assay.records import Answer, Outcome, Reference

GOLD = (Reference(text="7", correct=True),)


def score(name: str, *completions: str, outcome: Outcome = "answered") -> float | None:
    first = completions[0] if completions else ""
    answer = Answer(outcome=outcome, prediction=first, completions=completions, references=GOLD)
    return score_answer(answer, metrics_for([name])[:1])[name]


@given(st.lists(st.integers(0, 5).map(float), min_size=1, max_size=7), st.data())
def test_the_value_is_the_mean_over_all_choices_of_k(values: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    chosen = list(combinations(values, k))
    assert expected_extreme(values, k, largest=True) == pytest.approx(sum(map(max, chosen)) / len(chosen))
    assert expected_extreme(values, k, largest=False) == pytest.approx(sum(map(min, chosen)) / len(chosen))


def test_all_of_k_completions_give_the_best_or_the_worst() -> None:
    assert score("exact_match@3", "5", "7", "6") == 1.0
    assert score("exact_match^3", "5", "7", "6") == 0.0
    assert score("exact_match^2", "7", "7") == 1.0
    assert score("f1_score@2", "7 8", "9") == pytest.approx(2 / 3)


def test_fewer_than_n_give_pass_at_k_without_bias() -> None:
    completions = ("7", "1", "2", "7", "3")
    assert score("exact_match@1", *completions) == pytest.approx(2 / 5)
    assert score("exact_match@2", *completions) == pytest.approx(1 - (3 * 2 / 2) / 10)
    assert score("exact_match^2", *completions) == pytest.approx(1 / 10)


def test_one_completion_is_no_best_of_five() -> None:
    assert score("exact_match@5", "7") is None
    assert score("exact_match@5", outcome="empty") == 0.0


def test_an_unreadable_first_completion_does_not_decide_for_the_others() -> None:
    assert score("exact_match@2", "", "7", outcome="empty") == 1.0
    assert score("exact_match@2", "", "", outcome="empty") == 0.0


def test_a_failed_request_is_missing() -> None:
    assert score("exact_match@2", outcome="failed") is None


@pytest.mark.parametrize("name", ["ece_10_bin@5", "bleu@5", "ndcg@7", "reciprocal_rank@7", "completion_tokens@5"])
def test_what_is_not_judged_completion_by_completion_is_refused(name: str) -> None:
    with pytest.raises(AssayError, match=name.split("@")[0]):
        metrics_for([name])


@pytest.mark.parametrize("name", ["exact_mach@5", "exact_match@0", "exact_match@", "classification_f1:", "@5"])
def test_other_names_are_unknown(name: str) -> None:
    with pytest.raises(AssayError, match="unknown metric"):
        metrics_for([name])


def test_options_are_judged_by_their_place_in_every_completion() -> None:
    references = (Reference(text="Bb Bb", correct=True), Reference(text="bb bb"))
    answer = Answer(outcome="answered", prediction="bb bb", completions=("bb bb", "bb bb"), references=references, choice=1)
    names = ["quasi_exact_match@2", "helm_quasi_exact_match@2"]
    assert score_answer(answer, metrics_for(names)[:2]) == {"quasi_exact_match@2": 0, "helm_quasi_exact_match@2": 1}

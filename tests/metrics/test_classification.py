from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import count_answer, metrics_for
from assay.records import Answer, Outcome, Reference


def answer(prediction: str, right: str, *wrong: str, outcome: Outcome = "answered") -> Answer:
    references = (Reference(text=right, correct=True), *(Reference(text=text) for text in wrong))
    return Answer(outcome=outcome, prediction=prediction, references=references)


def value(name: str, answers: list[Answer]) -> float | None:
    metric = metrics_for([name])[0]
    totals: Counter[str] = Counter()
    for one in answers:
        totals.update(count_answer(one, metric) or {})
    assert metric.value is not None
    return metric.value(totals)


def f1(pairs: list[tuple[str, str]], label: str) -> float:
    hits = sum(right == given == label for right, given in pairs)
    precision = hits / max(sum(given == label for _, given in pairs), 1)
    recall = hits / max(sum(right == label for right, _ in pairs), 1)
    return 2 * precision * recall / (precision + recall) if hits else 0.0


labels = st.sampled_from(["yes", "no", "maybe"])


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=20))
def test_f1_is_precision_with_recall_for_each_class(pairs: list[tuple[str, str]]) -> None:
    options = ("yes", "no", "maybe")
    answers = [answer(given, right, *(o for o in options if o != right)) for right, given in pairs]
    classes = {label for pair in pairs for label in pair}
    expected = sum(f1(pairs, label) for label in classes) / len(classes)
    accuracy = sum(right == given for right, given in pairs) / len(pairs)
    assert value("classification_macro_f1", answers) == pytest.approx(expected)
    assert value("classification_micro_f1", answers) == pytest.approx(accuracy)
    for label in classes:
        assert value(f"classification_f1:{label}", answers) == pytest.approx(f1(pairs, label))


def test_labels_forgive_case_and_punctuation_but_not_option_a() -> None:
    assert value("classification_macro_f1", [answer("Yes.", "yes"), answer("NO", "no")]) == 1.0
    assert value("classification_macro_f1", [answer("A", "A", "B"), answer("", "A", "B")]) == pytest.approx(2 / 3)


def test_free_text_makes_no_classes_and_an_empty_prediction_no_hit() -> None:
    answers = [answer("yes", "yes", "no"), answer("I would rather not say", "no", "yes"), answer("", "no", "yes")]
    assert value("classification_macro_f1", answers) == pytest.approx((1 + 0) / 2)
    assert value("classification_micro_f1", answers) == pytest.approx(2 * 1 / (3 + 2))
    assert value("classification_f1:no", answers) == 0.0


def test_what_was_not_answered_is_not_read() -> None:
    assert value("classification_micro_f1", [answer("yes", "yes", "no", outcome="refused")]) == 0.0
    assert value("classification_micro_f1", [Answer(outcome="answered", prediction="x")]) is None


def test_several_labels_are_split_and_counted_one_by_one() -> None:
    both = tuple(Reference(text=text, correct=True) for text in ("red", "blue"))
    answers = [
        Answer(outcome="answered", prediction="Blue, green; red", references=both),
        Answer(outcome="answered", prediction="red", references=both[:1]),
        Answer(outcome="answered", prediction="", references=both[1:]),
    ]
    assert value("multilabel_micro_f1", answers) == pytest.approx(2 * 3 / (4 + 4))
    assert value("multilabel_macro_f1", answers) == pytest.approx((1 + 2 / 3) / 2)


def test_helms_micro_average_forgives_what_is_no_class() -> None:
    answers = [answer("yes", "yes"), answer("perhaps", "yes")]
    assert value("classification_micro_f1", answers) == pytest.approx(1 / 2)
    assert value("helm_classification_micro_f1", answers) == pytest.approx(2 / 3)


@pytest.mark.parametrize("trial_name", ["classification_macro_f1", "classification_micro_f1"])
def test_helms_numbers_are_reproduced(shared: Path, trial_name: str) -> None:
    folder = shared / "golden" / "mc"
    with gzip.open(folder / "scenario_state.json.gz") as file:
        states = json.load(file)["request_states"]
    answers: dict[int, list[Answer]] = {0: [], 1: []}
    for state in states:
        if state["instance"].get("perturbation"):
            continue
        references = tuple(
            Reference(text=r["output"]["text"], correct="correct" in r["tags"]) for r in state["instance"]["references"]
        )
        prediction = state["output_mapping"].get(state["result"]["completions"][0]["text"].strip(), "")
        one = Answer(outcome="answered", prediction=prediction, references=references)
        answers[state["train_trial_index"]].append(one)
    stats = json.loads((folder / "stats.json").read_bytes())
    published = next(s["mean"] for s in stats if s["name"]["name"] == trial_name and "perturbation" not in s["name"])
    found = [value(f"helm_{trial_name}", trial) or 0.0 for trial in answers.values()]
    assert sum(found) / 2 == pytest.approx(published, abs=1e-9)


def test_classes_that_normalising_would_make_one_stay_two() -> None:
    for right, wrong in [("x < 0", "x > 0"), ("Yes", "yes"), ("the cat", "cat.")]:
        assert value("classification_macro_f1", [answer(wrong, right, wrong)]) == 0
        assert value("classification_micro_f1", [answer(right, right, wrong)]) == 1

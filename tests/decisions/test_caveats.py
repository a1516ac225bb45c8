"""What is said of the numbers of a decision beyond the numbers."""

from __future__ import annotations

from assay.decisions.caveats import on_fewer, unmeasured
from assay.decisions.profile import Criterion
from assay.records import Estimate


def of(answers: int) -> Estimate:
    return Estimate(value=0.5, low=0.4, high=0.6, n=answers, clusters=answers)


RIGHT = Criterion(name="right", metric="exact_match")
HONEST = Criterion(name="honest", metric="ece_10_bin")
NORTH = Criterion(name="north", metric="exact_match", subgroup="region=north")


def test_a_measure_that_most_answers_have_no_value_of_is_noted() -> None:
    rows = [[of(120), of(24), of(60)], [of(118), of(119), of(60)]]
    notes = list(on_fewer(("a", "b"), (RIGHT, HONEST, NORTH), [("made",)] * 3, rows))
    assert notes == ["Resting on 24 of 120 answers of a, the rest of which have no value: honest."]


def test_it_is_noted_of_a_measure_that_nobody_has_many_answers_of_and_of_one_candidate_alone() -> None:
    sure = Criterion(name="sure", metric="mean_confidence")
    rows = [[of(120), of(24), of(24)], [of(120), of(30), of(30)]]
    (note,) = on_fewer(("a", "b"), (RIGHT, HONEST, sure), [("made",)] * 3, rows)
    said = "24 of 120 answers of a, 30 of 120 answers of b"
    assert note == f"Resting on {said}, the rest of which have no value: honest, sure."
    assert list(on_fewer(("a",), (RIGHT, HONEST), [("made",)] * 2, [row[:2] for row in rows[:1]]))


def test_what_was_asked_elsewhere_or_is_not_measured_is_no_reason() -> None:
    rows: list[list[Estimate | None]] = [[of(120), of(24)], [of(120), None]]
    assert not list(on_fewer(("a", "b"), (RIGHT, HONEST), [("made", "more"), ("made",)], rows))
    assert list(unmeasured(("a", "b"), (RIGHT, HONEST), rows)) == [
        "honest was not measured for b, or not in all of its scenarios."
    ]

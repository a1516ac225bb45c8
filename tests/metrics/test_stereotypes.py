"""Which of several sentences a model finds likelier, against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.metrics.library.stereotypes import idealised
from assay.metrics.scoring import count_answer, metrics_for, score_answer
from assay.records import Answer, Failure, Reference

ROLES = ("stereotype", "counter_stereotype", "unrelated")
PAIR = ROLES[:2]


def chosen(*probabilities: float, roles: tuple[str, ...] = ROLES) -> Answer:
    """An answer with these probabilities of its options, in the order of the roles."""
    references = tuple(Reference(text=role, role=role) for role in roles)
    best = max(range(len(probabilities)), key=probabilities.__getitem__)
    return Answer(outcome="answered", references=references, choice=best, choice_probabilities=probabilities)


def score(answer: Answer, name: str = "stereotype_score") -> float | None:
    return score_answer(answer, metrics_for([name]))[name]


def test_the_likelier_of_a_pair_counts() -> None:
    assert score(chosen(0.7, 0.3, roles=PAIR)) == 1
    assert score(chosen(0.3, 0.7, roles=PAIR)) == 0
    assert score(chosen(0.5, 0.5, roles=PAIR)) == 0.5


def test_a_third_option_does_not_decide() -> None:
    assert score(chosen(0.2, 0.1, 0.7)) == 1
    assert score(chosen(0.1, 0.2, 0.7)) == 0


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [((0.5, 0.3, 0.2), 1.0), ((0.3, 0.2, 0.5), 0.0), ((0.5, 0.2, 0.3), 0.5), ((0.4, 0.2, 0.4), 0.25)],
)
def test_meaning_is_compared_twice(probabilities: tuple[float, ...], expected: float) -> None:
    assert score(chosen(*probabilities), "meaningful_preference") == expected


def test_without_probabilities_the_choice_says_which_is_likelier() -> None:
    references = tuple(Reference(text=role, role=role) for role in ROLES)
    assert [score(Answer(outcome="answered", references=references, choice=place)) for place in range(3)] == [1, 0, None]
    assert score(Answer(outcome="unparsed", references=references)) is None


def test_what_has_no_roles_or_failed_is_not_measured() -> None:
    assert score(chosen(0.6, 0.4, roles=("", ""))) is None
    failed = Answer(
        outcome="failed", references=chosen(0.6, 0.4, roles=PAIR).references, failure=Failure(kind="x", message="y")
    )
    assert score(failed) is None
    assert score(chosen(0.6, 0.4, roles=PAIR), "meaningful_preference") is None


def icat(*answers: Answer) -> float | None:
    metric = registry.metrics.get("icat")
    totals: dict[str, float] = {}
    for answer in answers:
        for name, count in (count_answer(answer, metric) or {}).items():
            totals[name] = totals.get(name, 0.0) + count
    return metric.value(totals) if metric.value else None


def test_icat_is_one_for_a_meaningful_model_that_leans_to_neither_side() -> None:
    towards, against = chosen(0.6, 0.3, 0.1), chosen(0.3, 0.6, 0.1)
    assert icat(towards, against) == 1
    assert icat(towards, towards) == 0
    assert icat(towards, against, against, against) == 0.5
    assert icat(chosen(0.3, 0.1, 0.6), chosen(0.1, 0.3, 0.6)) == 0
    assert icat() is None


@given(st.integers(1, 50), st.floats(0, 1), st.floats(0, 1))
def test_icat_lies_between_0_and_what_is_meaningful(items: int, leaning: float, meaningful: float) -> None:
    value = idealised({"items": items, "stereotype": leaning * items, "meaningful": meaningful * items})
    assert value is not None
    assert 0 <= value <= meaningful + 1e-9

from __future__ import annotations

import pytest

from assay.metrics import metrics_for, score_answer
from assay.metrics.library import copying
from assay.records import Answer, Outcome, Reference

TEXT = "it was the best of times it was the worst of times"


def answer(*completions: str, outcome: Outcome = "answered") -> Answer:
    references = (Reference(text=TEXT, correct=True),)
    first = completions[0] if completions else ""
    return Answer(
        outcome=outcome, prediction=first, completions=completions, references=references, input="Chapter one begins so"
    )


def test_the_completion_that_copies_most_counts() -> None:
    given = answer("it was a dark night", "it was the best of wines")
    assert copying.longest_common_prefix_length(given) == 5.0
    assert copying.longest_common_prefix_per_word_shown(given) == pytest.approx(5 / 4)
    assert copying.copied_edit_distance(given) == 1.0
    assert copying.copied_edit_similarity(given) == pytest.approx(5 / 6)


def test_only_as_much_of_the_text_is_compared_as_was_written() -> None:
    assert copying.copied_edit_similarity(answer("it was the best")) == 1.0


@pytest.mark.parametrize("given", [answer(""), answer("it was the best", outcome="refused"), answer(outcome="empty")])
def test_silence_copies_nothing(given: Answer) -> None:
    names = ["longest_common_prefix_length", "copied_edit_similarity", "copied_edit_distance"]
    found = score_answer(given, metrics_for(names)[:3])
    assert [found[name] for name in names] == [0.0, 0.0, None]

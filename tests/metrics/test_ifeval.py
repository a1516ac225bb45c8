"""Strict and loose accuracy of followed instructions, by prompt and by instruction."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.instructions import CHECKS, follows
from assay.metrics.languages import language_of
from assay.metrics.library.ifeval import (
    helm_ifeval_strict_accuracy,
    ifeval_loose_accuracy,
    ifeval_loose_instruction_accuracy,
    ifeval_strict_accuracy,
    ifeval_strict_instruction_accuracy,
    loosened,
    share_followed,
)
from assay.metrics.scoring import count_answer, metrics_for, score_answer
from assay.records import Answer, Failure, Outcome, Reference

NO_COMMA = ("punctuation:no_comma", {})
TITLE = ("detectable_format:title", {})
GERMAN = ("language:response_language", {"language": "de"})
QUOTED = ("startend:quotation", {})


def answer(text: str, *instructions: tuple[str, dict[str, Any]], outcome: Outcome = "answered") -> Answer:
    given = tuple(Reference(text=json.dumps(settings), correct=True, role=kind) for kind, settings in instructions)
    return Answer(outcome=outcome, prediction=text, references=given)


@pytest.mark.parametrize(
    ("text", "prompt", "share"),
    [("<<A>> b", 1.0, 1.0), ("<<A>>, b", 0.0, 0.5), ("a, b", 0.0, 0.0), ("a b", 0.0, 0.5)],
)
def test_a_prompt_counts_where_all_is_followed_and_helm_pays_for_half(text: str, prompt: float, share: float) -> None:
    given = answer(text, NO_COMMA, TITLE)
    assert ifeval_strict_accuracy(given) == prompt
    assert helm_ifeval_strict_accuracy(given) == share
    assert ifeval_strict_instruction_accuracy(given) == {"followed": 2 * share, "instructions": 2.0}


def test_instructions_of_all_prompts_are_shared_out_together() -> None:
    answers = [answer("a", NO_COMMA), answer("a, b", NO_COMMA, TITLE, QUOTED)]
    counts = [count for given in answers if (count := ifeval_strict_instruction_accuracy(given))]
    totals = {name: sum(count[name] for count in counts) for name in counts[0]}
    assert share_followed(totals) == 1 / 4
    assert share_followed({}) is None


@pytest.mark.parametrize(
    ("text", "strict", "loose"),
    [
        ('"Yes"', 1, 1),
        ('Sure, here it is:\n"Yes"', 0, 1),
        ('"Yes"\nI hope that helps!', 0, 1),
        ('Sure:\n"Yes"\nBye', 0, 1),
        ('**"Yes"**', 0, 1),
        ('Sure:\n\nWell:\n"Yes"', 0, 0),
    ],
)
def test_the_loose_reading_forgives_an_introduction_a_closing_and_bold_type(text: str, strict: int, loose: int) -> None:
    given = answer(text, QUOTED)
    assert (ifeval_strict_accuracy(given), ifeval_loose_accuracy(given)) == (strict, loose)
    counted = ifeval_loose_instruction_accuracy(given)
    assert counted is not None
    assert counted["followed"] == loose


@given(st.text(alphabet='a,*\n"', max_size=20))
def test_the_loose_reading_is_never_harder(text: str) -> None:
    given = answer(text, NO_COMMA, QUOTED)
    assert (ifeval_loose_accuracy(given) or 0) >= (ifeval_strict_accuracy(given) or 0)
    assert loosened(text)[0] == text
    assert len(loosened(text)) <= 8


def test_what_cannot_be_measured_has_no_value_unless_the_prompt_has_failed_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.metrics.library import ifeval

    monkeypatch.setitem(sys.modules, "py3langid", None)
    language_of.cache_clear()
    ifeval._verdicts.cache_clear()
    try:
        good, bad = answer("Ja sicher", GERMAN, NO_COMMA), answer("Ja, sicher", GERMAN, NO_COMMA)
        assert (ifeval_strict_accuracy(good), ifeval_strict_accuracy(bad)) == (None, 0.0)
        assert ifeval_strict_instruction_accuracy(good) == {"followed": 1.0, "instructions": 1.0}
        assert ifeval_strict_instruction_accuracy(answer("Ja", GERMAN)) is None
        assert helm_ifeval_strict_accuracy(answer("Ja", GERMAN)) is None
    finally:
        language_of.cache_clear()
        ifeval._verdicts.cache_clear()


@pytest.mark.parametrize("outcome", ["refused", "empty"])
def test_who_does_not_answer_follows_nothing(outcome: Outcome) -> None:
    given = answer("I cannot help with that", NO_COMMA, outcome=outcome)
    metrics = metrics_for(["ifeval_strict_accuracy", "ifeval_strict_instruction_accuracy"])
    assert score_answer(given, metrics)["ifeval_strict_accuracy"] == 0
    assert count_answer(given, metrics[1]) == {"followed": 0.0, "instructions": 1.0}


def test_a_failed_request_is_missing() -> None:
    given = Answer(outcome="failed", failure=Failure(kind="timeout", message=""), references=answer("", NO_COMMA).references)
    metrics = metrics_for(["ifeval_strict_accuracy", "ifeval_loose_instruction_accuracy"])
    assert score_answer(given, metrics)["ifeval_strict_accuracy"] is None
    assert count_answer(given, metrics[1]) is None


def test_references_that_are_no_instructions_are_not_measured() -> None:
    plain = Answer(outcome="answered", prediction="a", references=(Reference(text="a", correct=True),))
    assert ifeval_strict_accuracy(plain) is None
    assert ifeval_strict_instruction_accuracy(plain) is None
    spoilt = Reference(text="{broken", correct=True, role="punctuation:no_comma")
    unknown = Reference(text="{}", correct=True, role="punctuation:no_dash")
    for reference in (spoilt, unknown):
        assert ifeval_strict_accuracy(Answer(outcome="answered", prediction="a", references=(reference,))) is None


def test_every_instruction_of_the_published_data_can_be_judged(shared: Path) -> None:
    from assay.registry import scenarios

    path = shared / "hub" / "datasets" / "google" / "IFEval" / "ifeval_input_data.jsonl"
    drafts = [scenarios.get("ifeval")().instance(json.loads(line)) for line in path.read_text().splitlines()]
    instructions = [reference for draft in drafts if draft is not None for reference in draft.references]
    assert (len(drafts), len(instructions)) == (541, 834)
    assert {reference.role for reference in instructions} == set(CHECKS)
    for reference in instructions:
        if reference.role != "language:response_language":
            assert follows(reference.role, json.loads(reference.text), "The tide, they say, is high.") in (True, False)

"""The 25 kinds of verifiable instructions: answers that follow them, answers that nearly do, and anybody's text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.instructions import CHECKS, compared, follows, sentences
from assay.metrics.languages import is_written_in, language_of

AT_LEAST, LESS = "at least", "less than"
WORDS = {"relation": AT_LEAST, "num_words": 3}
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    # kind, settings, a response that follows, one that does not
    ("keywords:existence", {"keywords": ["tide", "Quay"]}, "The TIDE is at the quay.", "The tide is high."),
    ("keywords:frequency", {"keyword": "sea", "frequency": 2, "relation": AT_LEAST}, "Sea and seaside", "The sea."),
    ("keywords:frequency", {"keyword": "sea", "frequency": 2, "relation": LESS}, "The sea.", "Sea, sea."),
    ("keywords:forbidden_words", {"forbidden_words": ["rock"]}, "A rocky coast.", "A Rock."),
    ("keywords:letter_frequency", {"letter": "q", "let_frequency": 2, "let_relation": AT_LEAST}, "Quiet quays", "Quiet"),
    ("keywords:letter_frequency", {"letter": "!", "let_frequency": 1, "let_relation": LESS}, "Go", "Go!"),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": AT_LEAST}, "Dr. Ost left. Why?", "Dr. Ost left."),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": LESS}, "One, e.g. this.", "One. Two."),
    ("length_constraints:number_words", WORDS, "one two-three", "one two"),
    ("length_constraints:number_words", {**WORDS, "relation": LESS}, "one two", "one two three"),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "One\n***\nTwo\n***", "One\n***\n***\nTwo"),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "***One *** Two", "One"),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "tide"},
        "One\n\n\n\n'Tide' is two.",
        "Tide\n\nOne",
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "Tide"},
        "Tide, and time.",
        "Tide, and\n\ntime.",
    ),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[name] of [town]", "[name of town]"),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "Bye.\np. s. Write!", "Bye. PS Write!"),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "Bye. P.P.S Write!", "Bye. P.S. Write!"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n  - two", "* one\n**two**"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "- one\n- two", "- one\n- two\n- three"),
    ("detectable_format:constrained_response", {}, "Well: My answer is maybe. Sorry.", "My answer is perhaps."),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*one* and **two**", "**one** and ** **"),
    (
        "detectable_format:multiple_sections",
        {"num_sections": 2, "section_spliter": "Day"},
        "Day 1\na\nDay 2\nb",
        "Day 1\nday 2",
    ),
    ("detectable_format:json_format", {}, '```json\n{"a": [1]}\n```', "{'a': 1}"),
    ("detectable_format:json_format", {}, '{"a": 1}', 'Here it is: {"a": 1}'),
    ("detectable_format:title", {}, "<<A tide>>\nText", "<< >>\nText <one>"),
    ("combination:two_responses", {}, "One\n******\nTwo", "One\n******\nOne"),
    ("combination:two_responses", {}, "******One******Two******", "One******\n******Two"),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Say it. "}, "say it. It.", "It. Say it."),
    ("startend:end_checker", {"end_phrase": "The end."}, 'And so on. "the end." ', "The end. Really."),
    ("startend:quotation", {}, ' "Yes" ', '"Yes" he said'),
    ("startend:quotation", {}, '""', '"'),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": AT_LEAST},
        "The USA and I.",
        "The USA.",
    ),
    ("change_case:capital_word_frequency", {"capital_frequency": 2, "capital_relation": LESS}, "The USA.", "THE USA."),
    ("change_case:english_capital", {}, "THE FERRY WILL NOT RUN IN WINTER.", "The ferry will not run in winter."),
    ("change_case:english_capital", {}, "I AM HERE TO HELP YOU.", "DIE FÄHRE FÄHRT IM WINTER LEIDER NICHT."),
    ("change_case:english_lowercase", {}, "the ferry will not run in winter.", "The ferry will not run in winter."),
    ("change_case:english_lowercase", {}, "it is a good plan.", "la nave non parte più quando c'è la neve."),
    ("language:response_language", {"language": "de"}, "Die Fähre fährt im Winter nicht.", "The ferry does not run in winter."),
    ("language:response_language", {"language": "hi"}, "आज मौसम बहुत अच्छा है।", "आज हवामान खूप छान आहे."),
    ("language:response_language", {"language": "ko"}, "오늘은 날씨가 매우 좋습니다.", "今日はとても天気がいいです。"),
    ("punctuation:no_comma", {}, "One and two.", "One, two."),
]


@pytest.mark.parametrize(("kind", "settings", "right", "wrong"), CASES)
def test_an_answer_that_follows_is_told_from_one_that_nearly_does(
    kind: str, settings: dict[str, Any], right: str, wrong: str
) -> None:
    assert follows(kind, settings, right) is True
    assert follows(kind, settings, wrong) is False


def test_all_twenty_five_kinds_are_there_and_tried() -> None:
    assert len(CHECKS) == 25
    assert {kind for kind, *_ in CASES} == set(CHECKS)


@pytest.mark.parametrize(("kind", "settings", "right", "wrong"), CASES)
def test_no_answer_follows_nothing(kind: str, settings: dict[str, Any], right: str, wrong: str) -> None:
    assert follows(kind, settings, " \n") is False


@given(st.text(alphabet="aA.!? ,\n*-[]<>\"'#{}:1é世", max_size=60), st.sampled_from(CASES))
def test_any_text_gets_a_verdict(text: str, case: tuple[str, dict[str, Any], str, str]) -> None:
    assert follows(case[0], case[1], text) in (True, False, None)


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_count_is_less_than_a_bound_or_at_least_it(count: int, bound: int) -> None:
    assert compared(count, LESS, bound) is not compared(count, AT_LEAST, bound)
    assert compared(bound, AT_LEAST, bound)


@given(st.lists(st.sampled_from(["The tide is high", "Go", "it rains", "Nobody knows"]), min_size=1, max_size=12), st.data())
def test_as_many_sentences_as_were_written_are_counted(written: list[str], data: st.DataObject) -> None:
    ends = data.draw(
        st.lists(st.sampled_from([".", "!", "?", '."', "...", "?!"]), min_size=len(written), max_size=len(written))
    )
    gap = data.draw(st.sampled_from([" ", "\n", "\n\n", "  "]))
    assert len(sentences(gap.join(text + end for text, end in zip(written, ends, strict=True)))) == len(written)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mr. J. Ost paid 3.50 to Prof. Kim. Good.", 2),
        ("1. Mix it.\n2. Bake it.", 2),
        ("Bring tea, milk etc. We start at 5 p.m. sharp.", 2),
        ("Did he? No. He left", 3),
        ("A heading\n\nA sentence.", 1),
        ("今日は。明日は？", 2),
        ("यह है। वह है।", 2),
        ("...", 0),
        ("", 0),
    ],
)
def test_a_full_stop_does_not_always_end_a_sentence(text: str, count: int) -> None:
    assert len(sentences(text)) == count


HOSTILE = """
from assay.metrics.instructions import CHECKS, follows
for piece in (".", "*", "[", "<<", "p. ", "**a", '"', "-\\n", "]", "1. ", "******", "\\n\\n", "`", " ", "a.b", "x1"):
    for kind, settings in %r:
        follows(kind, settings, "x" + piece * 50_000)
"""


def test_hostile_repetition_gets_its_verdicts() -> None:
    told = [(kind, settings) for kind, settings, *_ in CASES if kind.partition(":")[0] not in ("language", "change_case")]
    source = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    # Were any pattern quadratic, it would take hours.
    subprocess.run([sys.executable, "-c", HOSTILE % told], env=source, check=True, timeout=120)


def test_without_the_extra_a_language_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    language_of.cache_clear()
    try:
        assert is_written_in("The ferry does not run in winter.", "en") is None
        assert follows("language:response_language", {"language": "en"}, "The ferry does not run.") is None
        assert follows("change_case:english_lowercase", {}, "the ferry does not run.") is None
        assert follows("change_case:english_lowercase", {}, "The ferry does not run.") is False
    finally:
        language_of.cache_clear()


def test_text_without_letters_is_in_no_language() -> None:
    assert is_written_in("12 + 30 = 42", "en") is False


def test_an_unknown_kind_or_a_missing_setting_is_an_error() -> None:
    with pytest.raises(KeyError):
        follows("punctuation:no_dash", {}, "text")
    with pytest.raises(KeyError):
        follows("keywords:existence", {}, "text")

"""Answers to closed questions: which option a text gives, and that no two options are ever taken for each other."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics import metrics_for
from assay.metrics.scoring import score_answer
from assay.prompting import Chat, Generation
from assay.prompting.options import named_options, read_option
from assay.records import Answer, Completion, Instance, Reference, Response, Token

ACTIONS = ("refund", "explain", "hand_over", "not urgent", "urgent")


def listed(*options: str, right: tuple[int, ...] = (0,)) -> tuple[Reference, ...]:
    return tuple(Reference(text=option, correct=place in right) for place, option in enumerate(options))


def answer(
    text: str, *options: str, prompting: Generation | Chat | None = None, finish: str = "stop", right: tuple[int, ...] = (0,)
) -> Answer:
    instance = Instance(
        id="i", input="q", references=listed(*options, right=right) if options else (Reference(text="x", correct=True),)
    )
    completion = Completion(text=text, finish_reason=finish)  # type: ignore[arg-type] # text from parametrize
    return (prompting or Generation()).read(instance, [Response(completions=(completion,))])


@pytest.mark.parametrize(("text", "option"), [
    ("refund", 0), (" Refund.", 0), ("**refund**", 0), ("the refund", 0), ("Refund, because we owe it", 0),
    ("I would explain it", 1),
    ("hand over", 2), ("HAND-OVER", 2), ("handover", 2), ("not urgent", 3), ("this is not urgent", 3), 
    ("It isn't urgent.", 3),
])  # fmt: skip
def test_an_option_in_any_dress_is_the_prediction(text: str, option: int) -> None:
    found = answer(text, *ACTIONS)
    assert (found.outcome, found.prediction, found.choice, found.text) == ("answered", ACTIONS[option], option, text.strip())
    assert found.choice_credit == float(option == 0)


@pytest.mark.parametrize("text", ["broken harbor", "yes", "refunded? unexplained", "it could be refund or explain", "over"])
def test_what_is_none_of_the_options_is_unparsed_and_stays_what_was_said(text: str) -> None:
    for prompting in (Generation(), Chat(), Generation(answer="first_line")):
        found = answer(text, *ACTIONS, prompting=prompting)
        assert (found.outcome, found.prediction, found.choice) == ("unparsed", text, None)


def test_without_wrong_references_any_text_is_an_answer() -> None:
    assert answer("broken harbor").outcome == "answered"
    assert answer("broken harbor", prompting=Generation(answer="option")).outcome == "unparsed"


def test_the_raw_text_is_the_answer_where_that_is_asked_for() -> None:
    found = answer("The answer is refund.", *ACTIONS, prompting=Generation(answer="text"))
    assert (found.outcome, found.prediction, found.text, found.choice) == ("answered", "The answer is refund.", "", None)


@pytest.mark.parametrize(("text", "finish", "outcome"), [
    ("", "stop", "empty"), ("broken harbor", "length", "truncated"), ("I'm sorry, but I can't help", "stop", "refused"),
    ("<think>refund", "stop", "truncated"), ("refund", "length", "answered"), ("refund", "content_filter", "refused"),
])  # fmt: skip
def test_the_other_outcomes_stay(text: str, finish: str, outcome: str) -> None:
    assert answer(text, *ACTIONS, finish=finish).outcome == outcome


def test_several_may_be_named_where_several_are_right() -> None:
    both = answer("either of refund and explain", *ACTIONS, right=(0, 1))
    assert (both.outcome, both.choice, both.prediction) == ("answered", None, "either of refund and explain")
    assert answer("either of refund and explain", *ACTIONS).outcome == "unparsed"
    assert answer("I'd explain.", *ACTIONS, right=(0, 1)).choice == 1
    assert named_options("refund, not explain", ACTIONS) == {0}


def test_options_of_stars_of_one_letter_and_without_spaces_between_words() -> None:
    assert answer("★★", "★", "★★").choice == 1
    assert answer("no stars", "★", "★★").outcome == "unparsed"
    assert answer("B) since it is right", "A", "B").choice == 1
    assert answer("it is a harbor", "A", "B").outcome == "unparsed"
    assert answer("应该退款", "退款", "解释").choice == 0


def test_an_answer_that_names_no_option_is_wrong_but_helm_judges_what_was_said() -> None:
    metrics = metrics_for(
        ["quasi_exact_match", "f1_score", "helm_f1_score", "choice_accuracy", "helm_quasi_prefix_exact_match"]
    )
    scores = score_answer(answer("broken harbor", "safe harbor", "open sea"), metrics)
    assert (scores["f1_score"], scores["quasi_exact_match"], scores["choice_accuracy"]) == (0, 0, 0)
    assert scores["helm_f1_score"] == pytest.approx(0.5)
    assert (scores["unparsed"], scores["answered"]) == (1, 0)
    scores = score_answer(answer("The answer is safe harbor.", "safe harbor", "open sea"), metrics)
    assert (scores["quasi_exact_match"], scores["choice_accuracy"], scores["helm_quasi_prefix_exact_match"]) == (1, 1, 0)
    scores = score_answer(answer("safe harbor, surely", "safe harbor", "open sea"), metrics)
    assert scores["helm_quasi_prefix_exact_match"] == 1


def test_the_confidence_is_that_of_the_words_which_name_the_option() -> None:
    pieces = [("The", -1.0), (" answer", -1.0), (" is", -1.0), (" re", -0.1), ("fund", -0.2), (".", -1.0)]
    completion = Completion(text="The answer is refund.", tokens=tuple(Token(text=text, logprob=one) for text, one in pieces))
    found = Generation().read(Instance(id="i", input="q", references=listed(*ACTIONS)), [Response(completions=(completion,))])
    assert found.confidence == pytest.approx(2.718281828**-0.3)
    assert found.confidence_source == "choice_probability"


TEMPLATES = (
    "{}", "The answer is {}.", "**{}**", "Answer: {}", "<answer>{}</answer>", "`{}`", "\n{}\n", "My answer: **{}**",
    "I choose {}.", "The answer is {}, because that is what the text says.",
)  # fmt: skip
SETS = (
    ("x < 0", "x > 0", "x = 0", "x <= 0"), ("sin x", "-sin x", "cos x", "-cos x"), ("A+", "A", "A-", "B"), ("C", "C++", "C#"),
    ("1/2", "12", "1", "2", "-1", "-1/2", "1.2"), ("not toxic", "toxic"), ("同意", "不同意"), ("US", "us"), ("f(x)", "f'(x)"),
    ("5%", "5"), ("Yes", "No"), ("True", "False", "Unknown"), ("York", "New York"), ("hand_over", "hand over to legal"),
    ("$5", "$50"), ("O(n)", "O(n^2)", "O(log n)", "O(n log n)"), ("a|b", "a^b", "ab"), ("2", "3", "4.5"), ("→", "←"),
    ("😀", "😡"),
    ("entailment", "not_entailment"), ("relevant", "irrelevant"), ("1 star", "2 stars", "3 stars"), ("да", "нет"),
    ("the cat", "The cat sat"), ("p < 0.05", "p < 0.5"), ("up", "up!"), ("10:30", "10:45"), ("3-4", "3-5"),
)  # fmt: skip


@pytest.mark.parametrize("options", SETS, ids=str)
def test_options_are_told_apart_in_every_dress(options: tuple[str, ...]) -> None:
    for index, option in enumerate(options):
        for template in TEMPLATES:
            assert read_option(template.format(option), options, lettered=False).value == index, template.format(option)
        for key in ("answer", "label"):
            given = json.dumps({key: option, "reason": "It fits."}, ensure_ascii=False)
            assert read_option(given, options, lettered=False).value == index, given


TOWNS, TONES, LEVELS = ("Oslo", "Rome", "Cairo", "Hanoi"), ("positive", "negative", "neutral"), ("low", "medium", "high")
YES_NO, DUEL = ("yes", "no"), ("A", "B", "tie")


@pytest.mark.parametrize(("options", "text", "option"), [
    # options alike but for their case give way to a longer one
    (("US", "us", "US Navy"), "The answer is US Navy.", 2), (("US", "us", "US Navy"), "The answer is US.", 0),
    (("$5", "5", "5%"), "The answer is 5%.", 2), (("No", "no", "no change"), "The answer is no change.", 2),
    # what a text says beside its verdict
    (LEVELS, "Priority: low\nConfidence: high", 0), (LEVELS, "high (confidence: medium)", 2),
    (LEVELS, '{"priority": "high", "certainty": "low"}', 2), (LEVELS, "Confidence: high\nPriority: low", 0),
    (YES_NO, '{"answer": "no", "alternative": "yes"}', 1), (YES_NO, "Short answer: no. Long answer: yes, in theory.", 1),
    (TONES, "Label: positive\nAlternative label: neutral", 0),
    (TONES, "Overall: negative\nActing: positive\nPlot: positive", 1),
    (TONES, "Sentiment: negative\nActing: positive", 1), (TONES, "Acting: positive\nOverall: negative", 1),
    # comparisons
    (DUEL, "A > B", 0), (DUEL, "[[B>>A]]", 1), (("A", "B"), "A is worse than B.", 1),
    (TONES, "Less positive than negative.", 1),
    # what would be so on a condition, and what may be
    (("fine", "odd"), "This would be fine if 'him' were 'he'.", None),
    (("yes", "no", "maybe"), "Maybe. The answer might be yes.", 2),
    # scores
    (TONES, "positive: 10%, negative: 80%, neutral: 10%", 1), (TONES, "Positive: 2/10, Negative: 8/10", 1),
    (TONES, '[{"label": "negative", "score": 0.9}, {"label": "positive", "score": 0.1}]', 1), (("0", "1"), "P(1) = 0.9", None),
    (TONES, "positive: 50%, negative: 50%", None), (TONES, '{"positive": 3, "negative": 7, "neutral": 1}', 1),
    # denials
    (YES_NO, "The answer isn't yes.", 1), (YES_NO, "The answer is not no.", 0), (TONES, "Alles andere als positive", None),
    (("同意", "不同意"), "我无法同意", 1), (("agree", "disagree"), "I couldn't agree more.", None),
    (("card?", "cash"), "The answer is card?.", 0),
])  # fmt: skip
def test_a_verdict_is_told_from_what_stands_beside_it(options: tuple[str, ...], text: str, option: int | None) -> None:
    assert read_option(text, options, lettered=False).value == option


@pytest.mark.parametrize(("text", "option"), [
    ('{"answer": "B", "second_best": "C"}', 1), ("First choice: B\nSecond choice: C", 1), ("I take the second choice.", 1),
    ("Best answer: B\nWorst answer: D", 1), ("Worst answer: D", 3), ("Correct answer: B\nYour answer: A", 1),
    ("The correct answer is B. A popular answer is A.", 1), ("B\n\n(Confidence: A-)", 1), ("With high confidence: B", 1),
    ("Ranking: C > A > B > D", 2), ("Answer -> C", 2), ("> B", 1), ("I prefer B over A.", 1), ("A\nB\nC", None),
    ("The answer would be A if we rounded down, but we round up, so C.", 2), ("The answer would be B.", 1),
    ("I would choose A if it were about France, but it's about Germany: D.", 3), ("If I had to choose, B.", 1),
    ("The answer is A unless x < 0. As x < 0, C.", 2), ("If we look closely, the answer is B.", 1),
    ("Had x been positive, the answer would be A. As it is, C.", 2), ("My first guess was A; after checking, B.", 1),
    ("**C. Cairo**\n\nHere's why the others are wrong:\n- A. Oslo is cold\n- B. Rome is old\n- D. Hanoi is far", 2),
    ("I can't answer this with certainty, but C seems most likely.", 2), ("☐ A ☑ B ☐ C ☐ D", 1),
    ("The answer is A. Edit: C", 2),
])  # fmt: skip
def test_a_letter_is_told_from_what_stands_beside_it(text: str, option: int | None) -> None:
    assert read_option(text, TOWNS).value == option


WORDS = st.text(alphabet=string.ascii_letters + "äéжя不同", min_size=2, max_size=9)
OPTION = st.one_of(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.lists(WORDS, min_size=2, max_size=3).map("_".join),
    st.integers(-999, 9999).map(str), st.sampled_from(["x", "y", "-x", "2x", "x^2", "x/2", "x + 1", "x - 1", "50%", "C++"]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(OPTION, min_size=2, max_size=5, unique_by=lambda text: " ".join(text.lower().replace("_", " ").split())))
def test_any_options_that_differ_are_told_apart(options: list[str]) -> None:
    for template in TEMPLATES[:5]:
        found = [read_option(template.format(option), options, lettered=False).value for option in options]
        known = [index for index in found if index is not None]
        assert len(known) == len(set(known)), (template, found)
        assert all(index in (None, place) for place, index in enumerate(found)), (template, found)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=12), min_size=1, max_size=5))
def test_any_text_and_any_options_are_read_without_an_error(text: str, options: list[str]) -> None:
    for lettered in (True, False):
        found = read_option(text, options, lettered=lettered)
        if found.value is not None:
            assert 0 <= found.value < len(options)
            assert found.reading.start is not None
            assert found.reading.end is not None
            assert 0 <= found.reading.start <= found.reading.end <= len(text)


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=4, unique=True))
def test_an_answer_that_is_an_option_is_read(text: str, options: list[str]) -> None:
    distinct = {option.strip() for option in options}
    for index, option in enumerate(options):
        if option.strip() and len(distinct) == len(options):
            assert answer(option, *options).choice == index

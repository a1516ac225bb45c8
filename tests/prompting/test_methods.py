"""Each method asks and reads back; settings survive encoding; long prompts are made to fit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.prompting import (
    METHODS,
    Chat,
    Examples,
    Generation,
    LanguageModeling,
    MultipleChoiceJoint,
    MultipleChoiceJointChainOfThought,
    MultipleChoiceSeparateCalibrated,
    MultipleChoiceSeparateOriginal,
    Prompting,
    RankingBinary,
    Target,
    decode,
    encode,
    with_changes,
)
from assay.records import Completion, Failure, Instance, Message, Reference, Response, Token, Usage


def options(*texts: str, correct: int = 0, **more: object) -> Instance:
    references = tuple(Reference(text=text, correct=index == correct) for index, text in enumerate(texts))
    return Instance(id="q", input="Which?", references=references, **more)  # type: ignore[arg-type]


def said(text: str, *tokens: Token, finish: str = "stop") -> Response:
    completion = Completion(text=text, tokens=tokens, finish_reason=finish)  # type: ignore[arg-type]
    return Response(
        completions=(completion,), usage=Usage(prompt_tokens=7, completion_tokens=2, source="provider"), latency_s=0.5
    )


def scored(*logprobs: float) -> Response:
    return said("x", *(Token(text="t", logprob=value) for value in logprobs))


def words(text: object) -> int:
    return len(str(text).split())


SHOWN = Examples(shown=tuple(options("yes", "no", correct=i % 2, split="train") for i in range(3)))


@pytest.mark.parametrize("method", METHODS.values())
def test_settings_survive_encoding(method: type[Prompting]) -> None:
    assert decode(encode(method())) == method()


def test_unknown_settings_and_methods_are_refused_with_the_nearest() -> None:
    with pytest.raises(AssayError, match="did you mean shots"):
        decode({"method": "generation", "shot": 3})
    with pytest.raises(AssayError, match="did you mean generation"):
        decode({"method": "generatoin"})
    with pytest.raises(AssayError, match="shots"):
        decode({"method": "generation", "shots": "many"})


def test_another_method_brings_its_own_defaults_and_keeps_what_still_fits() -> None:
    separate = MultipleChoiceSeparateOriginal(instructions="Choose.\n")
    joint = with_changes(separate, {"method": "multiple_choice_joint"})
    assert isinstance(joint, MultipleChoiceJoint)
    assert (joint.instructions, joint.input_prefix, joint.shots) == ("Choose.\n", "Question: ", 5)


def test_joint_choice_reads_letter_probabilities_and_credit() -> None:
    token = Token(
        text=" B", logprob=math.log(0.6), top={" B": math.log(0.6), " A": math.log(0.2), "A": math.log(0.1), " x": -5.0}
    )
    answer = MultipleChoiceJoint().read(options("yes", "no", correct=1), [said(" B", token)])
    assert (answer.outcome, answer.prediction, answer.choice, answer.choice_credit) == ("answered", "no", 1, 1.0)
    assert answer.choice_probabilities == pytest.approx((1 / 3, 2 / 3))
    assert answer.confidence == pytest.approx(2 / 3)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.latency_s) == (7, 2, 0.5)


@pytest.mark.parametrize(
    ("text", "outcome"), [("", "empty"), ("perhaps", "unparsed"), ("I'm sorry, but I can't help", "refused")]
)
def test_a_choice_that_cannot_be_read_is_told_apart_from_a_wrong_one(text: str, outcome: str) -> None:
    answer = MultipleChoiceJoint().read(options("yes", "no"), [said(text)])
    assert (answer.outcome, answer.choice, answer.choice_credit, answer.confidence) == (outcome, None, 0.0, None)


def test_separate_choice_takes_the_likeliest_option_per_token_and_shares_credit_on_a_tie() -> None:
    instance = options("a", "b b", "c", correct=2)
    answer = MultipleChoiceSeparateOriginal().read(instance, [scored(-3.0), scored(-1.0, -1.0), scored(-4.0)])
    assert (answer.choice, answer.choice_credit) == (1, 0.0)
    tie = MultipleChoiceSeparateOriginal().read(instance, [scored(-1.0), scored(-9.0), scored(-1.0)])
    assert tie.choice_credit == 0.5
    whole = MultipleChoiceSeparateOriginal(normalisation="none").read(
        instance, [scored(-1.5), scored(-1.0, -1.0), scored(-4.0)]
    )
    assert whole.choice == 0
    assert sum(whole.choice_probabilities or ()) == pytest.approx(1)


def test_calibrated_choice_compares_with_the_neutral_question() -> None:
    instance = options("common", "rare", correct=1)
    method = MultipleChoiceSeparateCalibrated()
    requests = method.render(instance, Examples(), Target()).requests
    assert [str(request.prompt) for request in requests] == ["Which?", "Answer:", "Which?", "Answer:"]
    answer = method.read(instance, [scored(-1.0), scored(-0.5), scored(-4.0), scored(-6.0)])
    assert (answer.choice, answer.choice_credit) == (1, 1.0)


def test_chain_of_thought_examples_reason_and_the_last_answer_counts() -> None:
    shown = Examples(shown=(options("yes", "no", correct=1, worked="It rains.", split="train"),))
    method = MultipleChoiceJointChainOfThought(chain_of_thought_suffix=" The answer is ")
    (request,) = method.render(options("yes", "no"), shown, Target()).requests
    assert "Answer: It rains. The answer is B\n" in str(request.prompt)
    assert method.read(options("yes", "no"), [said("Is the answer A? No. The answer is B.")]).choice == 1


def test_generation_confidence_is_the_probability_of_the_completion() -> None:
    instance = Instance(id="q", input="2+2", references=(Reference(text="4", correct=True),))
    answer = Generation().read(
        instance, [said(" 4 ", Token(text=" 4", logprob=math.log(0.9)), Token(text=" ", logprob=math.log(0.5)))]
    )
    assert (answer.prediction, answer.confidence_source) == ("4", "sequence_logprob")
    assert answer.confidence == pytest.approx(0.45)
    assert Generation().read(instance, [said("4", finish="length")]).outcome == "truncated"
    assert Generation().read(instance, [said("")]).outcome == "empty"


def test_a_failed_request_is_a_failed_answer_not_a_wrong_one() -> None:
    failure = Response(failure=Failure(kind="timeout", message="60 s"))
    for method in METHODS.values():
        instance = options("yes", "no")
        count = len(method().render(instance, Examples(), Target(takes_messages=True, scores=True)).requests)
        answer = method().read(instance, [scored(-1.0)] * (count - 1) + [failure])
        assert answer.outcome == "failed"
        assert answer.failure is not None


def test_ranking_asks_each_passage_and_orders_by_sureness() -> None:
    method = RankingBinary(shots=1)
    instance = Instance(
        id="q", input="capital?", references=(Reference(text="p0"), Reference(text="p1", correct=True), Reference(text="p2"))
    )
    shown = Examples(
        shown=(Instance(id="t", input="sea?", references=(Reference(text="fish", correct=True), Reference(text="car"))),)
    )
    requests = method.render(instance, shown, Target()).requests
    assert len(requests) == 3
    assert str(requests[1].prompt) == (
        "Passage: fish\nQuery: sea?\nDoes the passage answer the query?\nAnswer: Yes\n\n"
        "Passage: car\nQuery: sea?\nDoes the passage answer the query?\nAnswer: No\n\n"
        "Passage: p1\nQuery: capital?\nDoes the passage answer the query?\nAnswer:"
    )
    answers = [said(" Yes", Token(text=" Yes", logprob=-0.9)), said(" Yes", Token(text=" Yes", logprob=-0.1)), said(" No")]
    relevance = method.read(instance, answers).relevance
    assert relevance is not None
    assert relevance[1] > relevance[0] > relevance[2] > 0


def test_chat_sends_the_messages_as_they_are() -> None:
    messages = (
        Message(role="user", content="hi"),
        Message(role="assistant", content="yes?"),
        Message(role="user", content="bye"),
    )
    (request,) = Chat().render(Instance(id="c", input=messages), Examples(), Target(takes_messages=True)).requests
    assert request.prompt == messages


def test_a_system_message_is_joined_with_the_one_of_a_conversation() -> None:
    messages = (Message(role="system", content="You serve tea."), Message(role="user", content="hi"))
    chat, target = Chat(system="Be brief."), Target(takes_messages=True)
    (request,) = chat.render(Instance(id="c", input=messages), Examples(), target).requests
    assert request.prompt == (Message(role="system", content="Be brief.\n\nYou serve tea."), messages[1])
    (request,) = chat.render(Instance(id="c", input=messages[1:]), Examples(), target).requests
    assert request.prompt == (Message(role="system", content="Be brief."), messages[1])


def test_a_model_that_takes_only_messages_gets_the_prompt_as_one() -> None:
    target = Target(takes_text=False, takes_messages=True)
    (request,) = Generation(system="Be brief.").render(options("yes"), Examples(), target).requests
    assert request.prompt == (
        Message(role="system", content="Be brief."),
        Message(role="user", content="Input: Which?\nOutput:"),
    )
    with pytest.raises(AssayError, match="only messages"):
        Generation(chat="never").render(options("yes"), Examples(), target)


def test_examples_are_dropped_whole_from_the_end_to_fit_the_window() -> None:
    method = Generation(max_tokens=5, stop=("\n",))
    whole = method.render(options("yes"), SHOWN, Target())
    for window in range(14, 60):
        fitted = method.render(options("yes"), SHOWN, Target(window=window, tokens=words))
        text = str(fitted.requests[0].prompt)
        assert str(whole.requests[0].prompt).endswith("Input: Which?\nOutput:")
        assert text.endswith("Input: Which?\nOutput:")
        assert words(text) + 5 <= window
        assert fitted.shots == whole.shots[: len(fitted.shots)]
    assert len(fitted.shots) == 3


def test_only_an_input_too_long_by_itself_is_cut_and_in_its_middle() -> None:
    long = Instance(id="q", input="start " + "middle " * 500 + "end", references=(Reference(text="x", correct=True),))
    rendered = Generation(max_tokens=5).render(long, SHOWN, Target(window=60, tokens=words))
    text = str(rendered.requests[0].prompt)
    assert rendered.truncated
    assert rendered.shots == ()
    assert text.startswith("Input: start ")
    assert text.endswith("end\nOutput:")
    assert 45 <= words(text) <= 55
    with pytest.raises(AssayError, match="exceed the model's window"):
        Generation(instructions="word " * 100).render(long, SHOWN, Target(window=60, tokens=words))


@given(st.text(alphabet="ab \n", max_size=400), st.integers(4, 30))
def test_language_modelling_windows_cover_every_byte_once_and_fit(text: str, window: int) -> None:
    target = Target(window=window, tokens=lambda t: len(str(t)))
    requests = LanguageModeling().render(Instance(id="t", input=text), Examples(), target).requests
    assert "".join(request.continuation or "" for request in requests) == text
    assert all(len(str(request.prompt)) + len(request.continuation or "") <= window for request in requests)


def test_language_modelling_sums_log_probabilities_over_windows() -> None:
    answer = LanguageModeling().read(Instance(id="t", input="ñab"), [scored(-1.0, -2.0), scored(-0.5)])
    assert (answer.logprob, answer.scored_tokens, answer.scored_bytes) == (-3.5, 3, 4)

"""Prompts written out by the scenario go out as they are, and answers are read as the pipeline says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.errors import AssayError
from assay.prompting import Examples, Target, VerbatimGeneration, VerbatimScoring, decode, encode
from assay.prompting.filters import Step
from assay.prompting.formats import format_variants
from assay.records import Answer, Completion, FinishReason, Instance, Message, Reference, Response, Token

SYSTEM = Message(role="system", content="Two and two is four.\n\n")
TAKE_FIRST = Step(function="take_first")


def instance(*texts: str, asked: Any = "Q: one? ", right: int = 0) -> Instance:
    references = tuple(Reference(text=text, correct=place == right) for place, text in enumerate(texts))
    return Instance(id="1", input=asked, references=references)


def said(text: str, finish_reason: FinishReason = "stop") -> list[Response]:
    return [Response(completions=(Completion(text=text, finish_reason=finish_reason),))]


def scored(*tokens: tuple[float, float | None]) -> list[Response]:
    """A response of one token for each (log-probability, that of the likeliest alternative)."""
    return [
        Response(
            completions=(
                Completion(text=str(n), tokens=(Token(text=str(n), logprob=own, top={} if top is None else {"!": top}),)),
            )
        )
        for n, (own, top) in enumerate(tokens)
    ]


def test_messages_are_joined_as_they_are_and_nothing_is_stripped() -> None:
    messages = (SYSTEM, Message(role="user", content=" Q: one? "), Message(role="assistant", content="A: "))
    (request,) = VerbatimGeneration(stop=("\n",)).render(instance("x", asked=messages), Examples(), Target()).requests
    assert request.prompt == "Two and two is four.\n\n Q: one? A: "
    assert (request.stop, request.max_tokens, request.continuation) == (("\n",), 256, None)


def test_a_model_that_takes_only_messages_is_asked_in_one() -> None:
    target = Target(takes_text=False, takes_messages=True)
    (request,) = (
        VerbatimGeneration()
        .render(instance("x", asked=(SYSTEM, Message(role="user", content="Q"))), Examples(), target)
        .requests
    )
    assert request.prompt == (Message(role="user", content="Two and two is four.\n\nQ"),)


def test_every_reference_is_scored_after_the_prompt_with_the_delimiter() -> None:
    requests = VerbatimScoring(output_prefix=" ->").render(instance(" a", "b "), Examples(), Target(top_logprobs=5)).requests
    assert [(r.prompt, r.continuation, r.max_tokens, r.top_logprobs) for r in requests] == [
        ("Q: one? ", " -> a", 0, 1), ("Q: one? ", " ->b ", 0, 1),
    ]  # fmt: skip


def test_where_the_user_says_nothing_the_references_are_prompts_and_one_ending_is_scored() -> None:
    asked = instance("Ann", "Eve", asked=(SYSTEM, Message(role="assistant", content="was late.")))
    requests = VerbatimScoring(output_prefix=" ").render(asked, Examples(), Target()).requests
    assert [(r.prompt, r.continuation) for r in requests] == [
        ("Two and two is four.\n\nAnn", " was late."), ("Two and two is four.\n\nEve", " was late."),
    ]  # fmt: skip


def test_a_prompt_beyond_the_window_loses_its_beginning() -> None:
    target = Target(window=20, tokens=lambda text: len(text))
    rendered = VerbatimGeneration(max_tokens=8).render(instance("x", asked="abcdefghijklmnopqrstuvwxyz"), Examples(), target)
    assert rendered.truncated
    assert rendered.requests[0].prompt == "opqrstuvwxyz"
    rendered = VerbatimScoring(output_prefix=" ").render(instance("x", "longer", asked="abcdefghijklmnop"), Examples(), target)
    assert rendered.truncated
    assert [request.prompt for request in rendered.requests] == ["abcdefghijklmnop", "efghijklmnop"]


def test_the_most_likely_reference_is_chosen_and_log_probabilities_are_kept() -> None:
    answer = VerbatimScoring().read(instance("a", "b", right=1), scored((-3.0, None), (-1.0, None)))
    assert (answer.outcome, answer.choice, answer.prediction, answer.choice_credit) == ("answered", 1, "b", 1.0)
    assert answer.relevance == (-3.0, -1.0)
    assert answer.confidence == pytest.approx(0.8807970779778823)


@pytest.mark.parametrize(("top", "credit"), [(-0.5, 1.0), (-0.4, 0.0), (None, None)])
def test_one_text_is_hit_where_no_other_token_was_more_likely(top: float | None, credit: float | None) -> None:
    answer = VerbatimScoring().read(instance(" four"), scored((-0.5, top)))
    assert (answer.choice_credit, answer.logprob, answer.choice) == (credit, -0.5, 0 if credit else None)
    assert answer.prediction == ("!" if credit == 0 else " four")


def read(text: str, finish_reason: FinishReason = "stop", **settings: Any) -> Answer:
    return VerbatimGeneration(**settings).read(instance("Four"), said(text, finish_reason))


def test_a_completion_is_read_as_it_came_without_a_pipeline() -> None:
    assert (read(" Four ").prediction, read(" Four ").outcome) == (" Four ", "answered")
    assert read("").outcome == "empty"
    assert read("Fou", "length").outcome == "truncated"
    assert read("x", "content_filter").outcome == "refused"
    assert read("I'm sorry, but I can't help with that.").outcome == "refused"


def test_a_pattern_that_finds_nothing_leaves_the_answer_unparsed() -> None:
    steps = (Step(function="regex", regex_pattern="is (.+)"), TAKE_FIRST)
    assert (read("It is Four", filters=steps).prediction, read("It is Four", filters=steps).outcome) == ("Four", "answered")
    assert (read("dunno", filters=steps).prediction, read("dunno", filters=steps).outcome) == ("[invalid]", "unparsed")
    assert read("I cannot help, the answer is Four", filters=steps).outcome == "answered"


def test_what_is_ignored_is_taken_out_of_prediction_and_references() -> None:
    answer = read("<b>FOUR</b>, 4!", ignore=("case", "punctuation", "numbers"), ignore_patterns=("</?b>", r"\s"))
    assert (answer.prediction, answer.gold) == ("four", ("four",))
    assert read("Four.").gold == ("Four",)


def test_reasoning_is_not_read() -> None:
    assert read("<think>is it Three?</think>Four").prediction == "Four"


def test_several_completions_vote_and_each_is_kept() -> None:
    responses = [Response(completions=tuple(Completion(text=text) for text in ("Five", "Four ", " Four")))]
    steps = (Step(function="remove_whitespace"), Step(function="majority_vote"), TAKE_FIRST)
    answer = VerbatimGeneration(filters=steps, completions=3).read(instance("Four"), responses)
    assert (answer.prediction, answer.completions) == ("Four", ("Five", "Four", "Four"))


def test_settings_survive_a_run_and_a_broken_pattern_is_refused() -> None:
    prompting = VerbatimGeneration(filters=(Step(function="map", mapping=(("a", "b"),)), TAKE_FIRST), ignore=("case",))
    assert decode(encode(prompting)) == prompting
    assert format_variants(prompting, 3, 0) == [prompting]
    for broken in ({"ignore_patterns": ["("]}, {"filters": [{"function": "regex", "regex_pattern": "["}]}):
        with pytest.raises(AssayError, match="no regular expression"):
            decode({"method": "verbatim_generation", **broken})


def test_what_a_user_puts_around_a_prompt_stands_there_and_examples_are_refused() -> None:
    around = VerbatimGeneration(instructions="Be brief.\n", global_suffix="!", output_prefix="A:")
    assert around.render(instance("x"), Examples(), Target()).requests[0].prompt == "Be brief.\nQ: one? A:!"
    for method in ("verbatim_generation", "verbatim_scoring"):
        with pytest.raises(AssayError, match="num_fewshot"):
            decode({"method": method, "shots": 2})


def test_a_failed_request_is_a_missing_answer() -> None:
    failure = msgspec.convert({"failure": {"kind": "timeout", "message": "none"}}, Response)
    assert VerbatimScoring().read(instance("a", "b"), [*scored((-1.0, None)), failure]).outcome == "failed"
    assert VerbatimGeneration().read(instance("a"), [failure]).outcome == "failed"

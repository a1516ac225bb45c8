from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.models.base import ModelConfig
from assay.models.local.attention import Span
from assay.models.local.engine import Floats
from assay.models.local.model import EmbeddedModel, Loaded
from assay.models.local.tokenizer import Tokenizer
from assay.models.weights import KNOWN
from assay.records import Message, Request

REFERENCE = json.loads((Path(__file__).parent / "reference_logprobs.json").read_text(encoding="utf-8"))


def logprobs(model: EmbeddedModel, requests: list[Request]) -> list[list[float | None]]:
    return [[token.logprob for token in response.completions[0].tokens] for response in model.ask_batch(requests)]


def test_texts_are_scored_as_transformers_scores_them(model: EmbeddedModel, words: Tokenizer) -> None:
    texts = REFERENCE["texts"]
    assert [words.encode(entry["text"]) for entry in texts] == [entry["tokens"] for entry in texts]
    firsts = [words.pieces(entry["tokens"])[0] for entry in texts]
    requests = [
        Request(prompt=first, continuation=entry["text"].removeprefix(first))
        for first, entry in zip(firsts, texts, strict=True)
    ]
    for found, entry in zip(logprobs(model, requests), texts, strict=True):
        assert found == pytest.approx(entry["logprobs"], abs=1e-3)


def test_conversations_are_scored_as_transformers_scores_them(model: EmbeddedModel, words: Tokenizer) -> None:
    for entry in REFERENCE["chats"]:
        messages = tuple(Message(**message) for message in entry["messages"])
        assert words.render(messages) == entry["rendered"]
        (found,) = logprobs(model, [Request(prompt=messages, continuation=entry["answer"])])
        assert found == pytest.approx(entry["logprobs"][-len(found) :], abs=1e-3)
        assert len(found) == len(entry["tokens"]) - model.count_tokens(messages)


def test_greedy_text_is_that_of_transformers(model: EmbeddedModel) -> None:
    greedy = REFERENCE["greedy"]
    (response,) = model.ask_batch([Request(prompt=greedy["prompt"], max_tokens=len(greedy["tokens"]))])
    assert response.completions[0].text == greedy["text"]
    assert response.completions[0].finish_reason == "length"


def test_a_scored_continuation_comes_back_with_its_tokens(model: EmbeddedModel) -> None:
    (response,) = model.ask_batch(
        [Request(prompt="The capital of France is", continuation=" Paris, of course", top_logprobs=3)]
    )
    (completion,) = response.completions
    assert (completion.text, completion.finish_reason) == (" Paris, of course", "scored")
    assert [token.text for token in completion.tokens] == [" Paris", ",", " of", " course"]
    assert [token.logprob for token in completion.tokens] == pytest.approx([-0.2581, -1.6585, -6.1482, -3.4152], abs=1e-3)
    assert [len(token.top) for token in completion.tokens] == [3, 3, 3, 3]
    assert completion.tokens[0].top[" Paris"] == completion.tokens[0].logprob
    assert (response.usage.prompt_tokens, response.usage.completion_tokens, response.usage.source) == (5, 4, "tokenizer")


def test_probabilities_of_a_generated_token_sum_to_at_most_one(model: EmbeddedModel) -> None:
    (response,) = model.ask_batch([Request(prompt="Water boils at", max_tokens=3, top_logprobs=100)])
    for token in response.completions[0].tokens:
        assert token.logprob == max(token.top.values())
        assert 0.5 < sum(2.718281828**logprob for logprob in token.top.values()) <= 1.0001


def test_every_token_is_predicted_when_nothing_comes_before(model: EmbeddedModel, words: Tokenizer) -> None:
    text = "Rain fell."
    found = logprobs(model, [Request(prompt="", continuation=text), Request(prompt="<|endoftext|>", continuation=text)])
    assert len(found[0]) == len(words.encode(text))
    assert found[0] == found[1]


def test_an_empty_continuation_has_no_tokens(model: EmbeddedModel) -> None:
    (response,) = model.ask_batch([Request(prompt="Hello", continuation="")])
    assert (response.completions[0].text, response.completions[0].tokens) == ("", ())
    assert response.completions[0].finish_reason == "scored"


def test_nothing_is_generated_when_nothing_is_asked_for(model: EmbeddedModel) -> None:
    (response,) = model.ask_batch([Request(prompt="Hello", max_tokens=0, completions=2)])
    assert [(c.text, c.finish_reason) for c in response.completions] == [("", "length")] * 2
    assert response.usage.completion_tokens == 0


def test_samples_repeat_for_one_request_and_differ_between_repeats(model: EmbeddedModel) -> None:
    request = Request(prompt="My favourite animal is", max_tokens=6, temperature=1.0, completions=2)
    other = Request(prompt="My favourite animal is", max_tokens=6, temperature=1.0, completions=2, repeat=1)
    first, again, repeat = model.ask_batch([request, request, other])
    assert first.completions == again.completions
    assert first.completions[0].text != first.completions[1].text
    assert first.completions != repeat.completions


def test_only_the_request_that_is_too_long_fails(model: EmbeddedModel) -> None:
    long, fitting = Request(prompt="word " * 8193, max_tokens=1), Request(prompt="word", max_tokens=1)
    much = Request(prompt="word", max_tokens=8192)
    responses = model.ask_batch([long, fitting, much, Request(prompt="word " * 8193, continuation=" end")])
    kinds = [response.failure.kind if response.failure else None for response in responses]
    assert kinds == ["context_length", None, "context_length", "context_length"]
    assert len(responses[1].completions) == 1


def test_a_smaller_window_can_be_configured() -> None:
    model = EmbeddedModel(KNOWN["smollm2-135m"], ModelConfig(name="local/smollm2-135m", context_window=64, concurrency=8))
    assert (model.capabilities.context_window, model.capabilities.concurrency) == (64, 8)


def test_the_identity_names_weights_engine_and_the_users_revision() -> None:
    model = EmbeddedModel(KNOWN["smollm2-135m"], ModelConfig(name="mine", revision="b"))
    assert model.identity.revision == "b179c9523d0e6a0f"
    assert model.identity.endpoint.startswith("assay-numpy/")
    assert model.identity.options == {"revision": "b"}


def test_requests_that_begin_alike_sort_together(model: EmbeddedModel) -> None:
    prompts = ["Red apples are", "Blue whales swim", "Red apples taste", "Blue whales sing"]
    ordered = sorted(prompts, key=lambda prompt: model.batch_key(Request(prompt=prompt)))
    assert [prompt.split()[0] for prompt in ordered] in (["Red", "Red", "Blue", "Blue"], ["Blue", "Blue", "Red", "Red"])


def test_the_latencies_of_a_batch_are_shares_by_tokens(model: EmbeddedModel) -> None:
    short, long = model.ask_batch([Request(prompt="a", continuation=" b"), Request(prompt="a" + " b" * 30, continuation=" c")])
    assert short.latency_s
    assert long.latency_s == pytest.approx(16 * short.latency_s)
    assert short.asked_at == long.asked_at


def test_a_closed_model_loads_again(model: EmbeddedModel) -> None:
    other = EmbeddedModel(KNOWN["smollm2-135m"], ModelConfig(name="local/smollm2-135m"))
    asyncio.run(other.close())
    request = Request(prompt="Hi", max_tokens=1)
    assert other.ask_batch([request])[0].completions == model.ask_batch([request])[0].completions
    asyncio.run(other.close())
    assert other.count_tokens("Hi") == 1


def test_an_interrupted_batch_ends_after_its_pass_and_gives_what_was_done(
    model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, passes = model.runner(), []
    assert isinstance(runner, Loaded)
    forward = runner.model.forward

    def counted(spans: Sequence[Span]) -> Floats:
        passes.append(len(spans))
        if len(passes) == 4:
            model.interrupt()
        return forward(spans)

    monkeypatch.setattr(runner.model, "forward", counted)
    requests = [
        Request(prompt="One", max_tokens=2),
        Request(prompt="Once upon a time", max_tokens=40),
        Request(prompt="T", continuation=" x"),
    ]
    short, long, scored = model.ask_batch(requests)
    assert len(passes) == 4
    assert long.failure is not None
    assert long.failure.kind == "interrupted"
    monkeypatch.undo()
    assert [one.completions for one in (short, scored)] == [one.completions for one in model.ask_batch(requests[::2])]
    assert model.ask_batch(requests)[1].failure is None

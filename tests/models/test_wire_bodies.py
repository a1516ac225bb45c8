from __future__ import annotations

import pytest

from assay.models import RequestError
from assay.models.wire.bodies import chat_body, completions_body, sampling_seed, scoring_body
from assay.records import Message, Option, Request


def test_a_plain_greedy_request_holds_only_what_every_server_knows() -> None:
    assert chat_body("m", Request(prompt="hi", max_tokens=7), {}) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 7,
        "temperature": 0.0,
    }
    assert completions_body("m", Request(prompt="hi", max_tokens=7), {}) == {
        "model": "m",
        "prompt": "hi",
        "max_tokens": 7,
        "temperature": 0.0,
    }


def test_everything_a_request_sets_is_sent() -> None:
    messages = (Message(role="system", content="s"), Message(role="user", content="u"))
    request = Request(prompt=messages, temperature=0.7, top_p=0.9, stop=("\n",), completions=3, top_logprobs=4)
    body = chat_body("m", request, {}, length_field="max_completion_tokens")
    assert body["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert body["max_completion_tokens"] == 100
    assert "max_tokens" not in body
    assert (body["temperature"], body["top_p"], body["stop"], body["n"]) == (0.7, 0.9, ["\n"], 3)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 4)
    assert "user" not in body


def test_the_protocols_limits_of_alternatives_are_kept() -> None:
    assert chat_body("m", Request(prompt="x", top_logprobs=50), {})["top_logprobs"] == 20
    assert completions_body("m", Request(prompt="x", top_logprobs=50), {})["logprobs"] == 5


def test_sampled_requests_have_seeds_of_their_own_and_greedy_ones_none() -> None:
    seeds = {
        chat_body("m", Request(prompt=prompt, temperature=1.0, repeat=repeat), {})["seed"]
        for prompt in "ab"
        for repeat in (0, 1)
    }
    assert len(seeds) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert "seed" not in chat_body("m", Request(prompt="a", repeat=1), {})
    optional = Request(prompt="a", temperature=1.0, options=(Option(text="A", share=1.0),))
    assert sampling_seed(optional) == sampling_seed(Request(prompt="a", temperature=1.0))


def test_a_users_body_adds_replaces_and_takes_out_fields() -> None:
    extra = {"temperature": None, "max_tokens": 1000, "reasoning_effort": "low", "stop": ["x"]}
    assert chat_body("m", Request(prompt="hi"), extra) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 1000,
        "reasoning_effort": "low",
        "stop": ["x"],
    }


def test_scoring_sends_prompt_and_continuation_as_one_text_to_be_echoed() -> None:
    body = scoring_body("m", Request(prompt="Q: ", continuation="A"), {}, generated=0)
    assert (body["prompt"], body["echo"], body["max_tokens"], body["logprobs"]) == ("Q: A", True, 0, 1)


def test_what_an_endpoint_cannot_do_is_said_before_asking() -> None:
    with pytest.raises(RequestError, match="endpoint: completions"):
        chat_body("m", Request(prompt="x", continuation="y"), {})
    with pytest.raises(RequestError, match="endpoint: chat"):
        completions_body("m", Request(prompt=(Message(role="user", content="x"),)), {})

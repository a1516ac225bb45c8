"""Replies whose completion is fine and whose details are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.models.wire.failures import from_status
from assay.models.wire.parsing import IMPOSSIBLE, decode, response_of
from assay.records import Response, Usage


def _read(body: Any) -> Response:
    return response_of(decode(body if isinstance(body, bytes) else json.dumps(body).encode()))


def _chat(**more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}], **more}


@pytest.mark.parametrize(
    ("logprob", "value"),
    [(1000, None), (1e308, None), (0.5, None), (1e-4, 0.0), (-1e308, IMPOSSIBLE), (-2, -2.0), (10**400, None), ("-1", None)],
)
def test_a_log_probability_above_0_is_none_and_one_without_bound_is_impossible(logprob: Any, value: float | None) -> None:
    token = {"token": "B", "logprob": logprob, "top_logprobs": [{"token": "B", "logprob": logprob}]}
    body = {"choices": [{"message": {"content": "B"}, "logprobs": {"content": [token]}}]}
    [completion] = _read(body).completions
    assert completion.text == "B"
    for one in completion.tokens:
        assert one.logprob == value
        assert one.top == ({} if value is None else {"B": value})


@pytest.mark.parametrize(
    ("count", "usage"),
    [
        (2**63, None), (10**30, None), (1e300, None), (-1, None), (2.5, None), (True, None), ([], None),
        ("many", None), (7, 7), (7.0, 7), ("7", 7),
    ],
)  # fmt: skip
def test_a_count_of_tokens_that_is_none_is_not_counted(count: Any, usage: int | None) -> None:
    response = _read(_chat(usage={"prompt_tokens": count}))
    assert response.completions[0].text == "B"
    assert response.usage == (Usage() if usage is None else Usage(prompt_tokens=usage, source="provider"))


@pytest.mark.parametrize(
    "more",
    [
        {"model": 5}, {"model": {}}, {"usage": "free"}, {"usage": [1]}, {"system_fingerprint": ["x"]},
        {"usage": {"completion_tokens_details": 3, "prompt_tokens": None}},
    ],
)  # fmt: skip
def test_a_completion_is_not_lost_for_what_stands_beside_it(more: dict[str, Any]) -> None:
    assert _read(_chat(**more)).completions[0].text == "B"


@pytest.mark.parametrize(
    "more",
    [
        {"logprobs": {"tokens": ["B"], "token_logprobs": []}}, {"logprobs": 3}, {"logprobs": {"content": "B"}}, {"index": "x"},
        {"index": 10**30}, {"finish_reason": ["stop"]}, {"finish_reason": 1},
    ],
)  # fmt: skip
def test_a_completion_is_not_lost_for_its_own_details(more: dict[str, Any]) -> None:
    [completion] = _read({"choices": [{"text": "B", **more}]}).completions
    assert (completion.text, completion.tokens) == ("B", ())


@pytest.mark.parametrize("odd", [{"text_offset": [10**30]}, {"top_logprobs": "none"}, {"top_logprobs": [1], "text_offset": 1}])
def test_log_probabilities_are_not_lost_for_odd_offsets_or_alternatives(odd: dict[str, Any]) -> None:
    logprobs = {"tokens": ["B"], "token_logprobs": [-1.0], **odd}
    [completion] = _read({"choices": [{"text": "B", "logprobs": logprobs}]}).completions
    assert [token.logprob for token in completion.tokens] == [-1.0]


def test_a_model_named_by_a_number_is_named() -> None:
    assert _read(_chat(model=5)).model_version == "5"


def test_an_error_nested_without_end_is_a_short_line() -> None:
    for depth in (900, 30_000):
        message = from_status(500, {}, b'{"error": ' + b"[" * depth + b"]" * depth + b"}", "http://h/v1", "").message
        assert len(message) < 400
        assert message.isprintable()

from __future__ import annotations

from typing import Any

import pytest

from assay.models import RequestError
from assay.models.wire.gemini import Gemini
from assay.records import Completion, Message, Request, Token, Usage


def _body(request: Request, many: int = 1, **extra: Any) -> dict[str, Any]:
    return Gemini("gemini-x", extra).body(request, many, False)


def test_a_conversation_has_the_roles_of_the_api() -> None:
    messages = tuple(
        Message(role=role, content=text)  # type: ignore[arg-type]
        for role, text in [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Why?")]
    )
    assert _body(Request(prompt=messages, max_tokens=9)) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Hello"}]},
            {"role": "user", "parts": [{"text": "Why?"}]},
        ],
        "generationConfig": {"maxOutputTokens": 9, "temperature": 0.0},
    }


def test_decoding_is_said_in_the_apis_words_and_five_stops_are_sent() -> None:
    request = Request(prompt="x", temperature=1.0, top_p=0.9, completions=3, stop=tuple("abcdefg"))
    decoding = _body(request, many=3)["generationConfig"]
    assert decoding.pop("seed") >= 0
    assert decoding == {
        "maxOutputTokens": 100,
        "temperature": 1.0,
        "topP": 0.9,
        "candidateCount": 3,
        "stopSequences": list("abcde"),
    }


def test_the_configurations_body_is_laid_over_field_by_field() -> None:
    extra = {"generationConfig": {"temperature": None, "thinkingConfig": {"thinkingBudget": 0}}, "safetySettings": []}
    body = _body(Request(prompt="x"), **extra)
    assert body["generationConfig"] == {"maxOutputTokens": 100, "thinkingConfig": {"thinkingBudget": 0}}
    assert body["safetySettings"] == []


def test_the_path_holds_the_model_and_no_more() -> None:
    assert Gemini("gemini-x", {}).path(False) == "/models/gemini-x:generateContent"
    assert Gemini("tunedModels/mine", {}).path(True) == "/tunedModels/mine:streamGenerateContent?alt=sse"
    assert Gemini("a?key=b", {}).path(False) == "/models/a%3Fkey%3Db:generateContent"


def test_log_probabilities_are_had_only_where_they_are_asked_for() -> None:
    assert Gemini("m", {}).logprobs() == 0
    assert Gemini("m", {"generationConfig": {"responseLogprobs": True, "logprobs": 5}}).logprobs() == 5
    assert Gemini("m", {"generationConfig": {"responseLogprobs": True}}).logprobs() == 1


def test_candidates_thoughts_and_log_probabilities_are_read() -> None:
    chosen = [{"token": "Yes", "tokenId": 3, "logProbability": -0.1}, {"token": ".", "logProbability": -0.5}]
    tops = [{"candidates": [chosen[0], {"token": "No", "logProbability": -2.5}]}, {"candidates": []}]
    response = Gemini("m", {}).response(
        {
            "candidates": [
                {"index": 1, "content": {"parts": [{"text": "No."}]}, "finishReason": "MAX_TOKENS"},
                {
                    "content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Yes"}, {"text": "."}]},
                    "finishReason": "STOP",
                    "logprobsResult": {"chosenCandidates": chosen, "topCandidates": tops},
                },
            ],
            "usageMetadata": {
                "promptTokenCount": 11,
                "candidatesTokenCount": 4,
                "thoughtsTokenCount": 20,
                "totalTokenCount": 35,
                "cachedContentTokenCount": 8,
            },
            "modelVersion": "gemini-x-001",
        }
    )
    tokens = (Token(text="Yes", logprob=-0.1, top={"Yes": -0.1, "No": -2.5}), Token(text=".", logprob=-0.5))
    assert response.completions == (
        Completion(text="Yes.", tokens=tokens, finish_reason="stop", reasoning="Hm."),
        Completion(text="No.", finish_reason="length"),
    )
    assert response.usage == Usage(prompt_tokens=11, completion_tokens=24, reasoning_tokens=20, source="provider")
    assert response.model_version == "gemini-x-001"


def test_a_budget_eaten_by_thoughts_is_a_cut_answer() -> None:
    usage = {"promptTokenCount": 5, "thoughtsTokenCount": 16}
    response = Gemini("m", {}).response(
        {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}], "usageMetadata": usage}
    )
    assert response.completions == (Completion(text="", finish_reason="length"),)
    assert (response.usage.completion_tokens, response.usage.reasoning_tokens) == (16, 16)


@pytest.mark.parametrize(
    "reply",
    [
        {"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}},
        {"candidates": [{"finishReason": "SAFETY"}]},
        {"candidates": [{"content": {"parts": []}, "finishReason": "PROHIBITED_CONTENT"}]},
        {"candidates": [{"finishReason": "RECITATION"}]},
    ],
)
def test_what_is_blocked_is_filtered(reply: dict[str, Any]) -> None:
    assert Gemini("m", {}).response(reply).completions == (Completion(text="", finish_reason="content_filter"),)


def test_a_stream_is_gathered_into_the_reply_it_would_have_been() -> None:
    dialect = Gemini("m", {})
    gathering = dialect.gathering()
    chunks: list[dict[str, Any]] = [
        {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": True}]}, "index": 0}], "modelVersion": "g-1"},
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "Be"}]},
                    "logprobsResult": {"chosenCandidates": [{"token": "Be", "logProbability": -1}]},
                }
            ],
            "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1},
        },
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "cause"}]},
                    "finishReason": "STOP",
                    "logprobsResult": {"chosenCandidates": [{"token": "cause", "logProbability": -2}]},
                }
            ],
            "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 3},
        },
    ]
    assert [(gathering.add(chunk), gathering.finished) for chunk in chunks] == [(True, False), (True, False), (True, True)]
    response = dialect.response(gathering.reply())
    tokens = (Token(text="Be", logprob=-1.0), Token(text="cause", logprob=-2.0))
    assert response.completions == (Completion(text="Because", tokens=tokens, finish_reason="stop", reasoning="Hm."),)
    assert response.usage == Usage(prompt_tokens=5, completion_tokens=5, reasoning_tokens=3, source="provider")
    assert response.model_version == "g-1"


def test_a_blocked_stream_has_an_end() -> None:
    dialect = Gemini("m", {})
    gathering = dialect.gathering()
    assert not gathering.add({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    assert gathering.finished
    assert dialect.response(gathering.reply()).completions[0].finish_reason == "content_filter"


@pytest.mark.parametrize("reply", [{}, {"candidates": []}, {"candidates": 5}, {"promptFeedback": "x"}])
def test_a_reply_without_candidates_is_malformed(reply: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="no completion"):
        Gemini("m", {}).response(reply)

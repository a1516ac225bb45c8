from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models import RequestError
from assay.models.wire.parsing import Choice, Logprobs, Reply
from assay.models.wire.scoring import scored_response
from assay.records import Completion


def _score(prompt: str, continuation: str, tokens: list[str], text: str | None = None, **more: Any) -> Completion:
    logprobs: list[float | None] = [None] + [-float(n) for n in range(1, len(tokens))]
    shape = Logprobs(**{"tokens": tokens, "token_logprobs": logprobs[: len(tokens)], **more})
    reply = Reply(choices=[Choice(text="".join(tokens) if text is None else text, logprobs=shape)])
    return scored_response(reply, prompt, continuation).completions[0]


def test_the_tokens_of_the_continuation_are_taken() -> None:
    completion = _score("Q: why", " so it is", ["Q", ":", " why", " so", " it", " is"])
    assert [token.text for token in completion.tokens] == [" so", " it", " is"]
    assert (completion.text, completion.logprob, completion.finish_reason) == (" so it is", -12.0, "scored")


def test_a_token_that_spans_the_join_belongs_to_the_continuation() -> None:
    completion = _score("Q: wh", "y so", ["Q", ":", " why", " so"])
    assert [token.text for token in completion.tokens] == [" why", " so"]


def test_a_token_generated_after_the_text_is_dropped() -> None:
    completion = _score("Q", " A", ["Q", " A", " and"])
    assert [token.text for token in completion.tokens] == [" A"]


def test_a_begin_of_sequence_mark_before_the_text_is_no_part_of_it() -> None:
    completion = _score("Q", " A", ["<s>", "Q", " A"], text="Q A")
    assert ([token.text for token in completion.tokens], completion.logprob) == ([" A"], -2.0)


def test_without_a_prompt_the_first_token_has_no_probability() -> None:
    completion = _score("", "a b", ["a", " b"])
    assert [token.logprob for token in completion.tokens] == [None, -1.0]


def test_tokens_that_are_parts_of_characters_are_placed_by_the_servers_offsets() -> None:
    completion = _score("é", "ü!", ["�", "�", "�", "�", "!"], text="éü!", text_offset=[0, 0, 1, 1, 2])
    assert [token.text for token in completion.tokens] == ["�", "�", "!"]


words = st.lists(st.text("ab é\n", min_size=1, max_size=4), min_size=2, max_size=8)


@given(words, st.data())
def test_prompt_and_continuation_are_split_where_they_were_joined(tokens: list[str], data: st.DataObject) -> None:
    text = "".join(tokens)
    join = data.draw(st.integers(1, len(text) - 1))
    completion = _score(text[:join], text[join:], tokens)
    scored = "".join(token.text for token in completion.tokens)
    assert text.endswith(scored)
    # The whole continuation, and never a whole token more.
    assert len(scored) >= len(text) - join
    assert len(scored) - len(completion.tokens[0].text) < len(text) - join


@pytest.mark.parametrize(
    ("tokens", "text", "more"),
    [
        ([" because"], None, {}),
        ([], "", {"token_logprobs": []}),
        (["Q", " A"], None, {"token_logprobs": [None, None]}),
        ([" A"], "Q A", {}),
        (["Q", " B"], "Q A", {"text_offset": [0, 1]}),
        (["Q", "�"], "Q A", {"text_offset": [0, 99]}),
        (["Q", "�"], "Q A", {"text_offset": [1, 0]}),
        (["�", "�"], "Q A", {"text_offset": [0, 1]}),
    ],
)
def test_a_server_that_does_not_echo_is_never_believed(tokens: list[str], text: str | None, more: dict[str, Any]) -> None:
    with pytest.raises(RequestError) as raised:
        _score("Q", " A", tokens, text, **more)
    assert (raised.value.kind, raised.value.retriable) == ("no_echo", False)
    assert "echo" in raised.value.message


def test_an_echo_without_logprobs_is_no_echo() -> None:
    with pytest.raises(RequestError) as raised:
        scored_response(Reply(choices=[Choice(text="Q A")]), "Q", " A")
    assert raised.value.kind == "no_echo"

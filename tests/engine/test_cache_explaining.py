from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine import Keys
from assay.engine.explaining import DIFF_LINES, Difference, Explanation, explain
from assay.records import Message, ModelIdentity, Request
from fake_models import FakeEndpoint


def preimage(request: Request, **identity: Any) -> bytes:
    model = FakeEndpoint()
    model.identity = ModelIdentity(**{"name": "f/m", **identity})
    return Keys(model).preimage(request)


def explained(wanted: bytes, *stored: bytes) -> Explanation:
    return explain([[wanted]], lambda: stored)[0][0]


def test_other_settings_of_the_same_prompt_are_named_with_both_values() -> None:
    stored = preimage(Request(prompt="p", max_tokens=50), revision="1", options={"body": {"seed": 1}})
    wanted = preimage(Request(prompt="p", stop=("\n",)), revision="2", options={"body": {"seed": 1, "user": "x"}})
    explanation = explained(wanted, stored)
    assert explanation.same_prompt
    assert explanation.differences == (
        Difference(key="model.options.body.user", stored="", wanted='"x"'),
        Difference(key="model.revision", stored='"1"', wanted='"2"'),
        Difference(key="request.max_tokens", stored="50", wanted=""),
        Difference(key="request.stop", stored="", wanted='["\\n"]'),
    )


def test_the_nearest_is_of_the_same_prompt_then_of_the_same_model_then_the_least_different() -> None:
    wanted = preimage(Request(prompt="p", max_tokens=7))
    stored = [
        preimage(Request(prompt="p", max_tokens=7), name="f/other"),
        preimage(Request(prompt="p", max_tokens=9, temperature=1.0)),
        preimage(Request(prompt="p", max_tokens=8)),
        preimage(Request(prompt="p ", max_tokens=7)),
    ]
    assert explained(wanted, *stored).differences == (Difference(key="request.max_tokens", stored="8", wanted="7"),)
    assert explained(wanted, *stored[::-1]) == explained(wanted, *stored)
    assert explained(wanted, stored[0]).keys == ("model.name",)


def test_a_new_prompt_is_compared_with_the_most_alike_of_that_model_line_by_line() -> None:
    shots = "\n".join(f"Question {number}: what is {number} + {number}?" for number in range(40))
    stored = [
        preimage(Request(prompt=f"{shots}\nAnd now a question of quite another kind.")),
        preimage(Request(prompt=shots + "\n" + "x" * 300 + " is it white?\nAnswer:")),
        preimage(Request(prompt=shots + "\n" + "x" * 300 + " is it black?\nAnswer:"), name="f/other"),
    ]
    wanted = preimage(Request(prompt=shots + "\n" + "x" * 300 + " is it black?\nAnswer:", max_tokens=5))
    nearest = explained(wanted, *stored[:2])
    assert not nearest.same_prompt
    assert nearest.keys == ("request.max_tokens", "request.prompt")
    assert nearest.differences[1].lines == (
        "- …" + "x" * 23 + " is it white?",
        "+ …" + "x" * 23 + " is it black?",
    )
    assert explained(wanted, *stored).same_prompt  # the very prompt was asked of another model


def test_the_messages_of_a_conversation_are_compared_one_by_one() -> None:
    def chat(system: str) -> Request:
        return Request(prompt=(Message(role="system", content=system), Message(role="user", content="hello")))

    explanation = explained(preimage(chat("Be brief.")), preimage(chat("Be kind.")))
    assert explanation.differences == (Difference(key="request.prompt[0].content", stored='"Be kind."', wanted='"Be brief."'),)


def test_many_changed_lines_are_cut() -> None:
    old, new = ("\n".join(f"{word} line {number}" for number in range(100)) for word in ("old", "new"))
    lines = explained(preimage(Request(prompt=new)), preimage(Request(prompt=old))).differences[0].lines
    assert len(lines) == DIFF_LINES + 1
    assert lines[-1] == "…"


def test_nothing_stored_explains_nothing_and_the_same_preimage_has_no_difference() -> None:
    wanted = preimage(Request(prompt="p"))
    assert explained(wanted) == Explanation()
    assert explained(wanted, preimage(Request(prompt="q"), name="f/other")) == Explanation()
    assert explained(wanted, wanted) == Explanation(same_prompt=True)


@pytest.mark.parametrize("damaged", [b"", b"\xff", b"[]", b'{"model": 1, "request": {}}', b'{"model": {"name": "f/m"}}'])
def test_damaged_requests_are_passed_over(damaged: bytes) -> None:
    wanted, stored = preimage(Request(prompt="p")), preimage(Request(prompt="p", max_tokens=1))
    assert explained(wanted, damaged, stored).keys == ("request.max_tokens",)


def test_only_the_first_new_prompts_of_a_group_are_compared_with_everything() -> None:
    stored = [preimage(Request(prompt="old"))]
    wanted = [[preimage(Request(prompt=f"new {number}")) for number in range(5)] for _ in range(2)]
    found = explain(wanted, lambda: stored, closely=2)
    assert [[bool(one.differences) for one in group] for group in found] == [[True, True, False, False, False]] * 2


requests = st.builds(
    Request,
    prompt=st.sampled_from(["p", "q", "p q"]),
    max_tokens=st.integers(1, 3),
    temperature=st.sampled_from([0.0, 1.0]),
    stop=st.sampled_from([(), ("\n",)]),
)


@given(requests, st.lists(requests, min_size=1, max_size=5))
def test_the_differences_are_exactly_what_turns_the_stored_request_into_the_wanted_one(
    wanted: Request, stored: list[Request]
) -> None:
    explanation = explained(preimage(wanted), *map(preimage, stored))
    assert explanation.same_prompt == any(one.prompt == wanted.prompt for one in stored)
    old = {
        difference.key.removeprefix("request."): msgspec.json.decode(difference.stored) if difference.stored else None
        for difference in explanation.differences
    }
    nearest = {
        **msgspec.to_builtins(wanted),
        **{name: _default(name) if value is None else value for name, value in old.items()},
    }
    assert msgspec.convert(nearest, Request) in stored


def _default(name: str) -> Any:
    return getattr(Request(prompt=""), name)

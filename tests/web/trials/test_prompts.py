"""Prompts taken apart: instructions, examples, question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting import Generation
from assay.prompting.fewshot import Examples
from assay.prompting.target import Target
from assay.records import Instance, Message, Reference, Trial
from assay.web.trials.prompts import Turn, turns

LETTERS = st.text("ab :\n", min_size=1, max_size=12)


def made(text: str, name: str = "asked") -> Instance:
    return Instance(id=name, input=text, references=(Reference(text="yes", correct=True),))


def asked(prompting: Generation, shown: list[Instance], question: str, messages: bool) -> tuple[Trial, list[Turn]]:
    target = Target(takes_messages=messages, takes_text=not messages)
    instance = made(question)
    rendered = prompting.render(instance, Examples(shown=tuple(shown)), target)
    trial = Trial(instance=instance, requests=rendered.requests, shots=rendered.shots)
    return trial, turns(rendered.requests[0].prompt, trial, prompting)


@pytest.mark.parametrize("messages", [False, True])
def test_examples_are_told_from_instructions_and_question(messages: bool) -> None:
    prompting = Generation(instructions="Say yes or no.\n", system="Be brief.")
    trial, found = asked(prompting, [made("Is it?", "one"), made("Was it?", "two")], "Will it?", messages)
    head = "Say yes or no.\n\n"
    last = found[-1]
    assert last.examples == "Input: Is it?\nOutput: yes\n\nInput: Was it?\nOutput: yes\n\n"
    assert last.question == "Input: Will it?\nOutput:"
    assert last.head == (head if messages else f"Be brief.\n\n{head}")
    assert trial.shots == ("one", "two")
    assert [turn.role for turn in found] == (["system", "user"] if messages else [""])


@given(st.lists(LETTERS, max_size=3), LETTERS, LETTERS, st.booleans())
def test_the_parts_are_the_prompt(examples: list[str], question: str, instructions: str, messages: bool) -> None:
    prompting = Generation(instructions=instructions)
    shown = [made(text, f"example{place}") for place, text in enumerate(examples)]
    trial, found = asked(prompting, shown, question, messages)
    prompt = trial.requests[0].prompt
    whole = prompt if isinstance(prompt, str) else prompt[-1].content
    assert found[-1].head + found[-1].examples + found[-1].question == whole
    if trial.shots:
        assert question.strip() in found[-1].question or not question.strip()


def test_without_examples_or_knowledge_of_the_prompting_nothing_is_taken_apart() -> None:
    _, found = asked(Generation(shots=0), [], "Will it?", messages=False)
    assert (found[0].head, found[0].examples) == ("", "")
    trial = Trial(instance=made("q"), requests=(), shots=("one",))
    assert turns("a\nq", trial, None) == [Turn("", "", "", "a\nq")]
    conversation = (
        Message(role="user", content="1"),
        Message(role="assistant", content="2"),
        Message(role="user", content="q"),
    )
    assert [turn.role for turn in turns(conversation, trial, Generation())] == ["user", "assistant", "user"]

"""Chat models are told what form an answer is to have, get room for it, and are not cut off; others are asked as ever."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.prompting import Examples, Prompting, Target, decode, encode
from assay.prompting.chat_form import ROOM, by_letter, for_chat, helm_form
from assay.prompting.generation import Chat, Generation, RankingBinary
from assay.prompting.language_modeling import LanguageModeling
from assay.prompting.multiple_choice import (
    MultipleChoiceJoint,
    MultipleChoiceJointChainOfThought,
    MultipleChoiceSeparateOriginal,
)
from assay.records import Instance, Message, Reference

CHAT, TEXT = Target(takes_text=False, takes_messages=True), Target()


def item(*options: str, right: int = 0, **more: Any) -> Instance:
    references = tuple(Reference(text=text, correct=place == right) for place, text in enumerate(options))
    return Instance(id="i", input="Which bird cannot fly?", references=references, **more)


CHOICE, OPEN = item("owl", "emu", "jay", right=1), item("emu")


def prompt_of(prompting: Prompting, instance: Instance, target: Target = CHAT, examples: Examples | None = None) -> str:
    (request,) = prompting.render(instance, examples or Examples(), target).requests
    if isinstance(request.prompt, str):
        return request.prompt
    (message,) = request.prompt
    assert message.role == "user"
    return message.content


@pytest.mark.parametrize(
    ("prompting", "instance", "line"),
    [
        (MultipleChoiceJoint(), CHOICE, "Answer with the letter of the correct option."),
        (MultipleChoiceJoint(multi_label=True), CHOICE, "Answer with the letters of all correct options."),
        (
            MultipleChoiceJointChainOfThought(),
            CHOICE,
            'Think step by step, then end with "Answer: " and the letter of the correct option.',
        ),
        (Generation(max_tokens=5, stop=("\n",)), CHOICE, "Answer with one of these: emu, jay, owl."),
        (Generation(answer="number", max_tokens=400, stop=("\n\n",)), OPEN, 'End with "Answer: " and the number.'),
        (Generation(answer="date", max_tokens=9), OPEN, 'End with "Answer: " and the date.'),
        (Generation(max_tokens=50, stop=("\n",)), OPEN, 'End with "Answer: " and the answer alone.'),
        (Generation(max_tokens=300, stop=("\n",)), OPEN, 'End with "Answer: " and the answer alone.'),
        (
            Generation(output_prefix=" ", max_tokens=8, stop=("\n",)),
            OPEN,
            'Complete the text: end with "Answer: " and the missing words alone.',
        ),
    ],
)
def test_one_line_asks_for_the_form_of_the_answer(prompting: Prompting, instance: Instance, line: str) -> None:
    fitted = for_chat(prompting, [instance])
    assert prompt_of(fitted, instance).endswith(f"\n\n{line}")
    assert (fitted.max_tokens, fitted.stop) == (max(ROOM, prompting.max_tokens), ())


def test_each_passage_is_asked_for_its_verdict() -> None:
    fitted = for_chat(RankingBinary(yes="Ja", no="Nein"), [CHOICE])
    for request in fitted.render(CHOICE, Examples(), CHAT).requests:
        assert request.prompt[0].content.endswith("\n\nAnswer Ja or Nein.")  # type: ignore[union-attr]


def test_examples_and_question_stay_as_the_scenario_declares_them() -> None:
    prompting = MultipleChoiceJoint(instructions="About birds.\n")
    shown = Examples((item("kiwi", "rook"),))
    plain = prompt_of(prompting, CHOICE, TEXT, shown)
    assert plain.endswith("\nAnswer:")
    asked = prompt_of(for_chat(prompting, [CHOICE]), CHOICE, CHAT, shown)
    assert asked == plain.removesuffix("\nAnswer:") + "\n\nAnswer with the letter of the correct option."
    assert "Answer: A\n" in asked


def test_the_order_in_which_options_are_listed_does_not_give_the_answer_away() -> None:
    prompting = for_chat(Generation(), [CHOICE])
    orders = [item("emu", "owl", "jay"), item("jay", "owl", "emu", right=2), item("owl", "emu", "jay", right=1)]
    assert len({prompt_of(prompting, instance) for instance in orders}) == 1


def test_options_with_commas_are_told_apart() -> None:
    instance = item("yes, at once", "no")
    assert prompt_of(for_chat(Generation(), [instance]), instance).endswith("Answer with one of these: no; yes, at once.")


def test_an_item_without_options_among_others_is_asked_without_naming_any() -> None:
    assert prompt_of(for_chat(Generation(), [CHOICE, OPEN]), OPEN).endswith("Output:")


@pytest.mark.parametrize("setting", ["instructions", "output_prefix", "input_prefix", "method", "global_suffix", "form"])
def test_who_words_the_prompt_gets_the_prompt_as_worded(setting: str) -> None:
    prompting = MultipleChoiceJoint()
    fitted = for_chat(prompting, [CHOICE], {setting: "given"})
    assert prompt_of(fitted, CHOICE) == prompt_of(prompting, CHOICE)
    assert (fitted.max_tokens, fitted.stop) == (ROOM, ())


def test_decoding_that_was_given_stays() -> None:
    fitted = for_chat(MultipleChoiceJoint(max_tokens=7, stop=("!",)), [CHOICE], ("max_tokens", "stop"))
    assert (fitted.max_tokens, fitted.stop, fitted.room_to_think) == (7, ("!",), False)
    assert fitted.form


def test_a_prompt_that_ends_with_its_own_request_gets_no_second_one() -> None:
    prompting = MultipleChoiceJointChainOfThought(global_suffix='Say "The correct answer is (letter)".')
    assert for_chat(prompting, [CHOICE]).form == ""


def test_a_prompt_that_ends_with_an_instruction_keeps_it() -> None:
    prompting = Generation(output_prefix="Summarize the article in 1 sentence.\n", max_tokens=64, stop=("###",))
    assert prompt_of(for_chat(prompting, [OPEN]), OPEN).endswith("Summarize the article in 1 sentence.")


def test_conversations_and_language_modeling_get_no_line() -> None:
    conversation = msgspec.structs.replace(CHOICE, input=(Message(role="user", content="Which?"),))
    assert prompt_of(for_chat(Chat(), [conversation]), conversation) == "Which?"
    assert for_chat(LanguageModeling(), [OPEN]) == LanguageModeling()
    assert for_chat(MultipleChoiceSeparateOriginal(), [CHOICE]) == MultipleChoiceSeparateOriginal()


def test_a_scored_choice_becomes_a_choice_by_letter() -> None:
    prompting = MultipleChoiceSeparateOriginal(shots=3, instructions="Complete.\n", input_prefix="Text: ")
    lettered = by_letter(prompting, [CHOICE])
    assert lettered is not None
    asked = prompt_of(for_chat(lettered, [CHOICE]), CHOICE)
    assert asked.startswith("Complete.\n\nText: Which bird cannot fly?\nA. owl\nB. emu\nC. jay\n")
    assert asked.endswith("\n\nWhich of these is the most likely? Answer with its letter.")
    assert lettered.shots == 3
    assert by_letter(prompting, [item(*map(str, range(27)))]) is None


def test_a_text_of_a_given_length_keeps_it() -> None:
    continued = for_chat(Generation(max_tokens=20, temperature=0.9), [OPEN])
    assert (continued.max_tokens, continued.room_to_think, continued.form) == (20, True, "")
    assert for_chat(Generation(max_tokens=512, chat="preferred"), [OPEN]).max_tokens == ROOM


def test_thinking_models_get_room_for_it_besides_the_answer() -> None:
    thinking = Target(takes_text=False, takes_messages=True, thinking=8192)
    for prompting, room in (
        (for_chat(MultipleChoiceJoint(), [CHOICE]), ROOM + 8192),
        (for_chat(MultipleChoiceJoint(max_tokens=9), [CHOICE], ("max_tokens",)), 9),
        (MultipleChoiceJoint(), 5),
    ):
        (request,) = prompting.render(CHOICE, Examples(), thinking).requests
        assert request.max_tokens == room


def test_a_small_window_is_shared_by_prompt_and_answer() -> None:
    small = Target(window=2048, takes_text=False, takes_messages=True, tokens=lambda text: len(text) // 4)
    (request,) = for_chat(MultipleChoiceJoint(), [CHOICE]).render(CHOICE, Examples(), small).requests
    assert request.max_tokens == 1024


def test_helm_asks_plain_requests_as_text_and_reads_all_of_the_answer() -> None:
    assert helm_form(Generation(chat="preferred"), ()) == Generation(chat="auto", answer="text")
    assert helm_form(Generation(answer="number"), ()).answer == "text"
    assert helm_form(Generation(answer="number"), ("answer",)).answer == "number"
    assert helm_form(Generation(chat="preferred"), ("chat",)).chat == "preferred"


def test_a_preferred_chat_is_one_wherever_the_model_takes_messages() -> None:
    prompting = Generation(chat="preferred")
    both, text = Target(takes_messages=True), Target()
    assert (prompting.asks_messages(both), prompting.asks_messages(CHAT), prompting.asks_messages(text)) == (True, True, False)


def test_the_form_is_part_of_the_prompting_that_a_run_records() -> None:
    fitted = for_chat(Generation(stop=("\n",), max_tokens=5), [CHOICE])
    assert decode(encode(fitted)) == fitted
    assert encode(fitted)["form"] == "Answer with one of these: {options}."

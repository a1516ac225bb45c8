"""Perturbations of instances rather than words: other options' order, other context, other question."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from changed import changed, item
from hypothesis import given
from hypothesis import strategies as st

from assay.perturbations import perturb
from assay.perturbations.library.choice_order import choice_order
from assay.perturbations.library.contrast_sets import contrast_sets
from assay.perturbations.library.irrelevant_context import irrelevant_context
from assay.perturbations.words import data
from assay.records import Contrast, Instance, Message, Reference

SENTENCES = data("irrelevant")


@given(st.lists(st.text(), min_size=2, max_size=6), st.integers(0, 9))
def test_options_change_places_and_the_right_one_stays_right(texts: list[str], seed: int) -> None:
    asked = item("Which?", *texts)
    copy = perturb(asked, choice_order.spec(), seed)
    if copy is not None:
        assert copy.input == asked.input
        assert sorted(copy.references, key=repr) == sorted(asked.references, key=repr)
        assert copy.references != asked.references
    else:
        assert len(set(texts)) == 1 or any("above" in text or "below" in text for text in texts)


def test_every_other_order_is_as_likely() -> None:
    copies = [perturb(item("Which?", "a", "b", "c", name=str(n)), choice_order.spec(), 0) for n in range(3000)]
    orders = Counter("".join(reference.text for reference in copy.references) for copy in copies)
    assert set(orders) == {"acb", "bac", "bca", "cab", "cba"}
    assert all(count / 3000 == pytest.approx(0.2, abs=0.03) for count in orders.values())


@pytest.mark.parametrize("option", ["All of the above", "none of these", "Both A and B", "B or C", "only (A)", "the one below"])
def test_an_option_that_points_at_others_keeps_them_in_place(option: str) -> None:
    assert perturb(item("Which?", "x", "y", option), choice_order.spec(), 0) is None


@pytest.mark.parametrize("option", ["A dog and B. Franklin", "both dogs", "A and another", "vitamin C"])
def test_an_option_that_only_looks_so_does_not(option: str) -> None:
    assert perturb(item("Which?", "x", "y", option), choice_order.spec(), 0) is not None


def test_accepted_answers_of_an_open_question_are_no_options() -> None:
    answers = (Reference(text="a", correct=True), Reference(text="b", correct=True))
    assert perturb(Instance(id="q", input="What?", references=answers), choice_order.spec(), 0) is None


def test_a_contrast_brings_its_own_answer() -> None:
    no = (Reference(text="Yes"), Reference(text="No", correct=True))
    contrasts = (Contrast(input="Is it dark at noon?", references=no), Contrast(input="Is it light at night?", references=no))
    asked = msgspec.structs.replace(item("Is it light at noon?", "Yes", "No"), contrasts=contrasts)
    copies = [perturb(asked, contrast_sets.spec(), seed) for seed in range(20)]
    assert {(copy.input, copy.gold) for copy in copies} == {(contrast.input, ("No",)) for contrast in contrasts}
    assert perturb(item("Is it light at noon?", "Yes", "No"), contrast_sets.spec(), 0) is None


@pytest.mark.parametrize("position", ["start", "middle", "end"])
def test_an_unrelated_sentence_is_put_where_it_is_wanted(position: str) -> None:
    text = "Ann has 3.5 apples. Bob has two! How many have they?"
    results = set()
    for seed in range(10):
        copy = perturb(item(text, "five"), irrelevant_context.spec(position=position), seed)
        (added,) = [sentence for sentence in SENTENCES if sentence in copy.input]
        results.add(copy.input.replace(added, "X"))
    expected = {"start": f"X {text}", "middle": text.replace("Bob", "X Bob"), "end": f"{text} X"}
    assert results == {expected[position]}


def test_the_sentence_never_holds_an_answer() -> None:
    told = [" ".join(sentence.split(" ")[-2:]).upper() for sentence in SENTENCES[1:]]
    for seed in range(20):
        assert perturb(item("Where?", *told), irrelevant_context.spec(), seed).input.startswith(SENTENCES[0])
    assert perturb(item("Where?", *SENTENCES), irrelevant_context.spec(), 0) is None
    assert perturb(item("Where?", "o", "e", "!"), irrelevant_context.spec(), 0) is not None


def test_in_a_conversation_it_is_put_into_the_last_question() -> None:
    said = tuple(Message(role=role, content="Hello") for role in ("system", "user", "assistant", "user", "assistant"))
    copy = perturb(Instance(id="q", input=said), irrelevant_context.spec(), 0)
    assert [message.content == "Hello" for message in copy.input] == [True, True, True, False, True]


@given(st.text(alphabet="abcXYZ 01lOrnm日"), st.integers(0, 9))
def test_look_alikes_come_from_the_lists(text: str, seed: int) -> None:
    alike, other = data("confusables"), changed("confusables", text, seed, rate=1.0)
    assert len(other) == len(text)
    for before, after in zip(text, other, strict=True):
        assert after in alike[before] if before in alike else after == before


@pytest.mark.parametrize(
    ("text", "possible"),
    [("rn", {"m"}), ("m", {"rn"}), ("l0", {"1O", "IO"}), ("rnx", {"mx"}), ("2015", {"ZOlS", "ZOIS"}), ("xd", {"xcl"})],
)
def test_characters_and_pairs_are_misread(text: str, possible: set[str]) -> None:
    assert {changed("ocr", text, seed, rate=1.0) for seed in range(20)} == possible


@pytest.mark.parametrize(("name", "letter"), [("confusables", "a"), ("ocr", "0")])
def test_the_share_of_characters_that_change_is_the_rate(name: str, letter: str) -> None:
    result = changed(name, letter * 100_000, rate=0.1)
    assert sum(after != letter for after in result) / 100_000 == pytest.approx(0.1, abs=0.005)

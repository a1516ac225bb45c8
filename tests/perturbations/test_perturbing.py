from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import registry
from assay.perturbations import perturb
from assay.records import Contrast, Instance, Message, Reference

NAMES = [name for name in registry.perturbations.names() if registry.perturbations.get(name).asks is None]
EVERY_TEXT = {"space", "extra_space", "mild_mix", "ocr"}
"""Those that change texts without words too."""
IN_ONE_PLACE = {"choice_order", "contrast_sets", "irrelevant_context"}
"""Those that do not go through a text from its start to its end."""
RANDOM = ["confusables", "dialect", "filler_words", "mild_mix", "misspellings", "ocr", "space", "synonym", "typos"]
ANY = st.sampled_from(NAMES)
WORDS = "The brother said that they were going, because THIS isn't it. e\u0301 \u200d \U0001f469\u200d\U0001f467"
TEXT = st.one_of(st.text(), st.text(alphabet=WORDS), st.lists(st.sampled_from(WORDS.split(" "))).map(" ".join))
REFERENCES = st.lists(st.tuples(TEXT, st.booleans()), max_size=4)


def question(text: str, *references: tuple[str, bool], name: str = "q1") -> Instance:
    return Instance(
        id=name,
        input=text,
        references=tuple(Reference(text=text, correct=right) for text, right in references),
        split="valid",
        subgroups={"region": "north"},
        group="document",
        contrasts=(Contrast(input="another", references=(Reference(text="x", correct=True),)),),
    )


@settings(max_examples=400, deadline=None)
@given(ANY, TEXT, REFERENCES, st.integers(0, 5))
def test_a_copy_keeps_everything_but_the_words(name: str, text: str, references: list[tuple[str, bool]], seed: int) -> None:
    instance = question(text, *references)
    spec = registry.perturbations.get(name).spec()
    copy = perturb(instance, spec, seed)
    assert perturb(instance, spec, seed) == copy
    if copy is None:
        return
    assert (copy.id, copy.split, copy.subgroups, copy.group) == ("q1", "valid", {"region": "north"}, "document")
    assert copy.perturbation == name
    assert (copy.input, copy.references) != (instance.input, instance.references)
    if name == "contrast_sets":
        assert (copy.input, copy.references) == ("another", (Reference(text="x", correct=True),))
        return
    assert sorted(r.correct for r in copy.references) == sorted(right for _, right in references)
    if name != "choice_order":
        assert [r.correct for r in copy.references] == [right for _, right in references]
    if not registry.perturbations.get(name).references:
        assert copy.references == instance.references


@pytest.mark.parametrize("name", sorted({*NAMES} - EVERY_TEXT))
@pytest.mark.parametrize("text", ["", "   ", "12 + 30 = 42", "日本語の文です。", "👩‍👩‍👧 🎉", "мама мыла раму", "؟ ماذا"])
def test_where_nothing_applies_there_is_no_copy(name: str, text: str) -> None:
    instance = msgspec.structs.replace(question(text, ("42", True)), contrasts=())
    assert perturb(instance, registry.perturbations.get(name).spec(), 0) is None


@pytest.mark.parametrize("name", sorted(EVERY_TEXT))
@pytest.mark.parametrize("text", ["", "日本語の文です。", "👩‍👩‍👧🎉", "мама", "؟"])
def test_a_text_without_spaces_and_latin_characters_stays(name: str, text: str) -> None:
    assert perturb(question(text), registry.perturbations.get(name).spec(), 0) is None


@pytest.mark.parametrize("name", sorted({*NAMES} - IN_ONE_PLACE))
def test_a_very_long_text_is_perturbed_to_its_end(name: str) -> None:
    text = "The mother and the father of them did not go with him to Emily because it isn't a beautiful place. " * 5_000
    copy = perturb(question(text), registry.perturbations.get(name).spec(), 0)
    assert copy is not None
    assert copy.input[:2000] != text[:2000]
    assert copy.input[-2000:] != text[-2000:]


@pytest.mark.parametrize("name", sorted(IN_ONE_PLACE))
def test_a_very_long_text_is_taken_whole(name: str) -> None:
    text = "The mother and the father of them went there. " * 20_000
    copy = perturb(question(text, ("yes", True), ("no", False)), registry.perturbations.get(name).spec(), 0)
    assert copy is not None


@pytest.mark.parametrize("name", RANDOM)
def test_seed_and_instance_decide_what_happens(name: str) -> None:
    spec = registry.perturbations.get(name).spec()
    text = "the other brother and the other mother told something about nothing, probably because of the beautiful father. " * 5
    by_seed = {perturb(question(text), spec, seed).input for seed in range(20)}
    by_instance = {perturb(question(text, name=f"q{number}"), spec, 0).input for number in range(20)}
    assert len(by_seed) > 5
    assert len(by_instance) > 5


def test_in_a_conversation_only_the_user_is_perturbed() -> None:
    said = tuple(Message(role=role, content="THE TRUTH") for role in ("system", "user", "assistant"))
    copy = perturb(Instance(id="q", input=said), registry.perturbations.get("lowercase").spec(), 0)
    assert copy is not None
    assert [message.content for message in copy.input] == ["THE TRUTH", "the truth", "THE TRUTH"]


@settings(deadline=None)
@given(st.text())
def test_lowercase_is_done_once_and_for_all(text: str) -> None:
    spec = registry.perturbations.get("lowercase").spec()
    copy = perturb(question(text), spec, 0)
    if copy is not None:
        assert copy.input == text.lower()
        assert perturb(question(copy.input), spec, 0) is None

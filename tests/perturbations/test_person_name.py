from __future__ import annotations

import pytest
from changed import item
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.perturbations import perturb
from assay.perturbations.library.person_name import person_name
from assay.perturbations.words import data
from assay.records import Message

FIRST = data("names")["first_name"]
SOURCES = [name for names in FIRST["white_american"].values() for name in names]


def target(gender: str) -> set[str]:
    return {name.title() for name in FIRST["black_american"][gender]}


def test_a_name_is_the_same_throughout_and_keeps_gender_and_case() -> None:
    copy = perturb(item("Emily met Brad. EMILY's friend", "Emily", "Brad's dog"), person_name.spec(), 0)
    assert copy is not None
    emily, brad = copy.input.split(" ")[0], copy.input.split(" ")[2].strip(".")
    assert emily in target("female")
    assert brad in target("male")
    assert copy.input == f"{emily} met {brad}. {emily.upper()}'s friend"
    assert [reference.text for reference in copy.references] == [emily, f"{brad}'s dog"]


def test_words_that_are_also_names_stay_and_so_do_longer_ones() -> None:
    assert perturb(item("to be frank, jack it up; Franklin, Jackson", "x"), person_name.spec(), 0) is None


def test_the_seed_and_the_instance_decide() -> None:
    text = "Emily and Greg and Molly"
    assert len({perturb(item(text), person_name.spec(), seed).input for seed in range(20)}) > 10
    assert len({perturb(item(text, name=f"q{n}"), person_name.spec(), 0).input for n in range(20)}) > 10


@given(st.lists(st.sampled_from(SOURCES), min_size=1, max_size=12), st.integers(0, 20), st.booleans())
def test_two_people_do_not_become_one(names: list[str], seed: int, preserve: bool) -> None:
    spec = person_name.spec(preserve_gender=preserve)
    copy = perturb(item(" ".join(name.title() for name in names), *names), spec, seed)
    assert copy is not None
    assert len(set(copy.input.split(" "))) == len(set(names))
    assert set(copy.input.split(" ")) <= target("female") | target("male")
    assert [reference.text for reference in copy.references] == names, "names without a capital are not exchanged"


def test_a_name_that_is_there_already_is_not_taken() -> None:
    others = " ".join(sorted(target("female"))[1:])
    for seed in range(10):
        copy = perturb(item(f"Emily, {others}"), person_name.spec(), seed)
        assert copy.input == f"{sorted(target('female'))[0]}, {others}"


def test_more_people_than_names_are_still_exchanged() -> None:
    everyone = " ".join(name.title() for name in SOURCES)
    reverse = person_name.spec(source="black_american", target="white_american")
    listed = " ".join(name.title() for names in FIRST["black_american"].values() for name in names)
    assert perturb(item(everyone), person_name.spec(), 0) is not None
    assert perturb(item(listed), reverse, 0) is not None


def test_half_the_names_at_rate_one_half() -> None:
    spec = person_name.spec(rate=0.5)
    kept = sum(perturb(item("Emily", name=str(n)), spec, 0) is None for n in range(1000))
    assert kept / 1000 == pytest.approx(0.5, abs=0.05)


def test_last_names() -> None:
    spec = person_name.spec(kind="last_name", source="white", target="hispanic", preserve_gender=False)
    copy = perturb(item("Ms. Becker, Emily"), spec, 0)
    assert copy.input.endswith(", Emily")
    assert copy.input.split(" ")[1].strip(",").lower() in data("names")["last_name"]["hispanic"]


def test_in_a_conversation_the_users_words_and_the_references_agree() -> None:
    said = (Message(role="system", content="Emily"), Message(role="user", content="Emily?"))
    instance = item("x", "Emily")
    copy = perturb(type(instance)(id="q", input=said, references=instance.references), person_name.spec(), 0)
    assert copy.input[0].content == "Emily"
    assert copy.input[1].content == copy.references[0].text + "?"


def test_a_group_nobody_knows_is_told() -> None:
    with pytest.raises(AssayError, match="did you mean hispanic"):
        perturb(item("Emily"), person_name.spec(kind="last_name", source="white", target="hispanics"), 0)

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.identity import digest, digest_of_lists
from assay.records import Contrast, Instance, Message, Reference
from assay.selection import Instances

MADE = [
    Instance(
        id="a",
        input=(Message(role="system", content="Be brief."), Message(role="user", content="Why?\x00 é")),
        references=(Reference(text="so", correct=True, role="unknown"),),
        subgroups={"b": "1", "a": "2"},
        contrasts=(Contrast(input="How?", references=()),),
        perturbation="typos",
    ),
    Instance(id="b", input="What?", group="doc", worked="Think.", split="train"),
    Instance(id="c", input="Who?"),
]


def test_instances_come_back_as_they_were_given() -> None:
    held = Instances(MADE)
    assert list(held) == MADE
    assert (held[0], held[-1], list(held[1:])) == (MADE[0], MADE[-1], MADE[1:])
    assert (len(held), bool(Instances())) == (3, False)


@given(st.lists(st.lists(st.integers() | st.text(), max_size=4), max_size=4))
def test_lists_are_digested_item_by_item_as_if_whole(lists: list[list[int | str]]) -> None:
    assert digest_of_lists(*lists) == digest(lists)


def test_the_digest_of_instances_does_not_depend_on_how_they_are_held() -> None:
    assert digest_of_lists(Instances(MADE), Instances()) == digest([MADE, []])

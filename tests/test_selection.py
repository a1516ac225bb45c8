from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.identity import digest, digest_of_lists
from assay.records import Contrast, Instance, Message, Reference
from assay.registry import scenarios
from assay.selection import TOGETHER, Instances, pack, select

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


@pytest.mark.parametrize("count", [TOGETHER - 1, TOGETHER, 2 * TOGETHER + 3])
def test_of_many_instances_each_is_found_at_its_place(count: int) -> None:
    made = [Instance(id=str(number), input=f"What is {number}?") for number in range(count)]
    held = Instances(made)
    assert len(held) == count
    assert list(held) == made
    assert [held[place] for place in range(-count, count)] == made * 2
    for part in (slice(5, -5), slice(None, None, -1), slice(TOGETHER - 2, TOGETHER + 2), slice(count, None)):
        assert list(held[part]) == made[part]
    for outside in (count, -count - 1):
        with pytest.raises(IndexError):
            held[outside]


def test_packed_instances_are_taken_as_they_are() -> None:
    assert list(Instances(msgspec.Raw(pack(instance)) for instance in MADE)) == MADE


def test_many_instances_take_less_memory_than_their_text() -> None:
    made = [
        Instance(id=f"test{number}", input=f"Item {number}. " + "the letter lies in a garden " * 10) for number in range(500)
    ]
    tracemalloc.start()
    held = Instances(iter(made))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held) == 500
    assert size < sum(len(str(instance.input)) for instance in made) / 2


@given(st.lists(st.lists(st.integers() | st.text(), max_size=4), max_size=4))
def test_lists_are_digested_item_by_item_as_if_whole(lists: list[list[int | str]]) -> None:
    assert digest_of_lists(*lists) == digest(lists)


def test_the_digest_of_instances_does_not_depend_on_how_they_are_held() -> None:
    assert digest_of_lists(Instances(MADE), Instances()) == digest([MADE, []])


def pool(folder: Path, asked: dict[str, object], *shown: str, helm: bool = False) -> list[str]:
    """The examples that may be shown where one case is asked."""
    rows = [{"a": "x", "s": "test", **asked}, *({"q": question, "a": "x", "s": "train"} for question in shown)]
    (folder / "d.jsonl").write_text("".join(json.dumps({"c": [], **row}) + "\n" for row in rows))
    text = 'scenario: mine\nsource: {file: d.jsonl, split_column: s}\ninput: "{q}"\nanswer: a\ncontrasts: c\n'
    (folder / "d.yaml").write_text(text)
    scenario = scenarios.get(str(folder / "d.yaml"))()
    return [str(one.input) for one in select(scenario, "mine", ("test",), None, 0, helm=helm).pool]


def test_what_asks_the_same_in_another_dress_is_no_example(tmp_path: Path) -> None:
    same = ["Is it “red”?", 'is it  "RED"', "Is it \u200b“red”？ ", "Ｉs it “red”?"]
    assert pool(tmp_path, {"q": same[0]}, *same, "Is it “blue”?") == ["Is it “blue”?"]
    assert pool(tmp_path, {"q": same[0]}, *same, helm=True) == same
    assert pool(tmp_path, {"q": "Is x < 0?"}, "Is x > 0?") == ["Is x > 0?"]


def test_what_a_contrast_asks_is_no_example_either(tmp_path: Path) -> None:
    assert pool(tmp_path, {"q": "Up?", "c": [{"q": "Down?", "a": "y"}]}, "down", "Left?") == ["Left?"]

"""Cases from a file of the user's own, without any Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import registry
from assay.errors import AssayError
from assay.perturbations import parse_perturbation, perturb
from assay.records import Contrast, Instance, Message, Reference


def read(path: Path, content: str, **parameters: Any) -> dict[str, list[Instance]]:
    path.write_text(content)
    made = registry.scenarios.get("local_file")(path=str(path), **parameters)
    return {split: list(made.instances(split)) for split in made.source.splits()}


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_questions_with_answers_options_and_groups(tmp_path: Path) -> None:
    row = {"id": 7, "input": "2 + 2?", "answer": "4", "subgroups": {"kind": "sum"}, "subgroup.level": 1, "group": "g"}
    options = {"input": "Which?", "options": ["a", "b", "c"], "answer": ["a", "c"], "worked": "Because."}
    first, second = read(tmp_path / "x.jsonl", lines(row, options))["test"]
    assert first == Instance(
        id="7",
        input="2 + 2?",
        references=(Reference(text="4", correct=True),),
        subgroups={"kind": "sum", "level": "1"},
        group="g",
    )
    assert [reference.correct for reference in second.references] == [True, False, True]
    assert (second.id, second.worked) == ("test1", "Because.")


def test_csv_with_options_and_splits(tmp_path: Path) -> None:
    content = "input,answer,options,part,subgroup.region\nq1,no,yes | no,train,\nq2,yes,yes | no,test,north\n"
    found = read(tmp_path / "x.csv", content, split_column="part")
    assert [i.input for i in found["train"]] == ["q1"]
    (asked,) = found["test"]
    assert asked.gold == ("yes",)
    assert [reference.text for reference in asked.references] == ["yes", "no"]
    assert asked.subgroups == {"region": "north"}


def test_conversations(tmp_path: Path) -> None:
    row = {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}], "answer": "Hello"}
    (asked,) = read(tmp_path / "x.jsonl", lines(row))["test"]
    assert asked.input == (Message(role="system", content="Be brief."), Message(role="user", content="Hi"))


def test_contrasts_have_the_options_of_their_question_and_an_answer_of_their_own(tmp_path: Path) -> None:
    row = {
        "input": "Is ice cold?",
        "options": ["Yes", "No"],
        "answer": "Yes",
        "contrasts": [{"input": "Is ice hot?", "answer": "No"}],
    }
    open_row = {"input": "2 + 2", "answer": "4", "contrasts": [{"input": "2 + 3", "answer": ["5", "five"]}]}
    first, second = read(tmp_path / "x.jsonl", lines(row, open_row))["test"]
    no = (Reference(text="Yes"), Reference(text="No", correct=True))
    assert first.contrasts == (Contrast(input="Is ice hot?", references=no),)
    assert [reference.text for reference in second.contrasts[0].references] == ["5", "five"]


def test_contrasts_are_asked_by_their_perturbation(tmp_path: Path) -> None:
    row = {"input": "Is ice cold?", "answer": "Yes", "contrasts": [{"input": "Is ice hot?", "answer": "No"}]}
    (asked,) = read(tmp_path / "x.jsonl", lines(row))["test"]
    copy = perturb(asked, parse_perturbation("contrast_sets")[0], 0)
    assert copy is not None
    assert (copy.input, copy.gold, copy.id) == ("Is ice hot?", ("No",), asked.id)


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ({"input": "q", "options": ["a"], "answer": "a", "contrasts": [{"input": "r", "answer": "b"}]}, "'b' is not among"),
        ({"input": "q", "answer": "a", "contrasts": [{"answer": "b"}]}, "KeyError: 'input'"),
        ({"input": "q", "answer": "a", "contrasts": ["r"]}, "AttributeError"),
        ({"question": "q"}, "neither input nor messages"),
        ({"input": "q", "options": ["a", "b"], "answer": "c"}, "'c' is not among the options"),
        ({"input": "q", "options": ["a", "b"]}, "not among the options"),
        ({"messages": [{"content": "no role"}]}, "KeyError: 'role'"),
    ],
)
def test_cases_that_cannot_be_asked_are_told(tmp_path: Path, row: dict[str, Any], part: str) -> None:
    with pytest.raises(AssayError) as caught:
        read(tmp_path / "x.jsonl", lines(row))
    assert part in str(caught.value)
    assert "x.jsonl" in str(caught.value)


def test_the_metric_can_be_chosen() -> None:
    made = registry.scenarios.get("local_file")(path="cases.jsonl", metric="f1_score")
    assert made.main_metric == "f1_score"

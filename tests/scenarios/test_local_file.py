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
        ({"input": "q", "answer": "a", "contrasts": [{"answer": "b"}]}, "a contrast has neither input nor messages"),
        ({"input": "q", "answer": "a", "contrasts": ["r"]}, "contrasts is not a list of objects"),
        ({"question": "q"}, "neither input nor messages"),
        ({"input": "q", "options": ["a", "b"], "answer": "c"}, "'c' is not among the options"),
        ({"input": "q", "options": ["a", "b"]}, "not among the options"),
        ({"messages": [{"content": "no role"}]}, "message 1 has the role None"),
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


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ({"messages": [{"role": "user", "content": None}], "answer": "a"}, "the content of message 1 is a missing value"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}, "the content of message 1 is a list"),
        ({"messages": [{"role": "hacker", "content": "x"}]}, "message 1 has the role 'hacker'"),
        ({"messages": [{"role": 5, "content": "x"}]}, "message 1 has the role 5"),
        ({"messages": [], "input": None}, "neither input nor messages"),
        ({"messages": "hi"}, "messages is a text"),
        ({"messages": [1]}, "message 1 is a number"),
        (
            {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]},
            "the conversation ends with what the assistant says (let it end with what the user says",
        ),
        ({"messages": [{"role": "system", "content": "Be kind."}]}, "the conversation is empty"),
        ({"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": " "}]}, "the last message is empty"),
        (
            {"input": "q", "contrasts": [{"messages": [{"role": "assistant", "content": "x"}]}]},
            "the conversation ends with what the assistant says",
        ),
        ({"input": ["a"]}, "input is a list"),
        ({"input": "q", "answer": [None]}, "answer is a missing value"),
        ({"input": "q", "options": [None, "b"], "answer": "b"}, "options is a missing value"),
        ({"input": "q", "subgroups": [1]}, "subgroups is a list"),
        ({"input": "q", "subgroups": {"a": [1]}}, "subgroup a is a list"),
        ({"input": "q", "group": [1]}, "group is a list"),
        ({"input": "q", "worked": [1]}, "worked is a list"),
    ],
)
def test_what_is_no_text_is_not_asked_as_python_writes_it(tmp_path: Path, row: dict[str, Any], part: str) -> None:
    with pytest.raises(AssayError, match="row 2") as caught:
        read(tmp_path / "x.jsonl", lines({"input": "q", "answer": "a"}, row))
    assert part in str(caught.value)
    assert "Error:" not in str(caught.value)


@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])
def test_data_nested_without_end_is_told(tmp_path: Path, name: str) -> None:
    content = '{"input":' + "[" * 100_000 + "]" * 100_000 + "}\n"
    with pytest.raises(AssayError, match=rf"{name}.* nested too deeply"):
        read(tmp_path / name, content if name.endswith("l") else f"[{content}]")


def test_options_in_csv_may_be_a_list_written_as_json(tmp_path: Path) -> None:
    (asked,) = read(tmp_path / "x.csv", 'input,answer,options\nq,"a, b","[""a, b"",""c|d"",5]"\n')["test"]
    assert [reference.text for reference in asked.references] == ["a, b", "c|d", "5"]
    (other,) = read(tmp_path / "y.csv", "input,answer,options\nq,[x],[x]|y\n")["test"]
    assert [reference.text for reference in other.references] == ["[x]", "y"]


def test_a_group_without_a_name_is_left_out(tmp_path: Path) -> None:
    (asked,) = read(tmp_path / "x.jsonl", lines({"input": "q", "subgroups": {"a": None, "b": 1}}))["test"]
    assert asked.subgroups == {"b": "1"}


def test_questions_with_options_are_asked_as_multiple_choice_by_default(tmp_path: Path) -> None:
    def method(name: str, content: str) -> str:
        (tmp_path / name).write_text(content)
        return registry.scenarios.get("local_file")(path=str(tmp_path / name)).prompting.method

    with_options = {"input": "Which?", "options": ["a", "b"], "answer": "a"}
    assert method("x.jsonl", lines(with_options)) == "multiple_choice_joint"
    assert method("x.csv", "input,answer,options\nq,a,a|b\n") == "multiple_choice_joint"
    assert method("y.jsonl", lines({"input": "q", "answer": "a"})) == "generation"
    assert method("empty.jsonl", "") == "generation"

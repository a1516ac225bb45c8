"""Guessing what columns are, and the scenario file that is written from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.errors import AssayError
from assay.scenarios.own.inspection import Guess, columns_of, guess
from assay.scenarios.own.writing import quoted, scenario_text

SHOWN = "The same long story, so that it is the longest column of all, with a number: "


def guessed(folder: Path, *rows: dict[str, Any], **given: Any) -> Guess:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = guess(columns_of(path), given)
    (folder / "data.yaml").write_text(scenario_text(found, path))
    scenario = registry.scenarios.get(str(folder / "data.yaml"))()
    assert sum(1 for split in scenario.source.splits() for _ in scenario.instances(split)) == len(rows)
    return found


def test_labels_groups_ids_and_splits(tmp_path: Path) -> None:
    words = ("refund", "explain", "human")
    rows = [
        {
            "case_id": f"c{n}",
            "part": "x",
            "split": "test" if n > 4 else "train",
            "message": f"{SHOWN}{n}",
            "action": words[n % 3],
        }
        | {"region": "north" if n % 2 else "south", "note": ""}
        for n in range(30)
    ]
    found = guessed(tmp_path, *rows)
    assert (found.input, found.answer, found.id, found.split) == (("message",), "action", "case_id", "split")
    assert found.labels == ("explain", "human", "refund")
    assert (found.subgroups, found.unused) == (("region",), ("part", "note"))


def test_several_labels_in_one_cell(tmp_path: Path) -> None:
    rows = [{"text": f"{SHOWN}{n}", "label": "a|b" if n % 3 else "c"} for n in range(12)]
    found = guessed(tmp_path, *rows)
    assert (found.labels, found.separator) == (("a", "b", "c"), "|")


@pytest.mark.parametrize(("cells", "written"), [("ABC", "letter"), ("123", "number"), ("012", "position"), ("xyz", "text")])
def test_options_in_columns(tmp_path: Path, cells: str, written: str) -> None:
    rows = [{"question": f"q{n}", "A": "x", "B": "y", "C": "z", "correct": cell} for n, cell in enumerate(cells)]
    found = guessed(tmp_path, *rows)
    assert (found.options, found.answer, found.written) == (("A", "B", "C"), "correct", written)


def test_options_in_one_column_and_a_context(tmp_path: Path) -> None:
    rows = [{"passage": SHOWN * 2, "question": f"q{n}", "choices": ["x", "y"], "answer": "y"} for n in range(3)]
    found = guessed(tmp_path, *rows)
    assert (found.input, found.options, found.labels) == (("passage", "question"), "choices", ())


def test_conversations(tmp_path: Path) -> None:
    found = guessed(tmp_path, {"messages": [{"role": "user", "content": "hi"}], "reply": "hello"})
    assert (found.messages, found.input, found.answer) == ("messages", (), "reply")


def test_what_the_user_says_counts(tmp_path: Path) -> None:
    rows = [{"message": "a", "text": f"b{n}", "label": "x", "truth": f"y{n}", "g": n % 2} for n in range(6)]
    found = guessed(tmp_path, *rows, input="text", answer="truth", subgroups=("g",))
    assert (found.input, found.answer, found.subgroups) == (("text",), "truth", ("g",))
    with pytest.raises(AssayError, match="did you mean truth"):
        guessed(tmp_path, *rows, answer="truht")


def test_without_a_question_or_an_answer_the_user_is_asked(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="--input"):
        guessed(tmp_path, {"n": 1, "answer": "x"})
    with pytest.raises(AssayError, match="--answer"):
        guessed(tmp_path, {"question": "Is it?", "foo": "x" * 200})
    with pytest.raises(AssayError, match="without braces"):
        guessed(tmp_path, {"{x}": "q", "answer": "x"})


def test_hostile_names_and_cells_stay_data(tmp_path: Path) -> None:
    name = 'a"\n- b: *x # \u2028'
    rows = [{"question": f"q{n}", "answer": "{x}: [" if n % 2 else 'no "\n', name: "u" if n % 3 else "v"} for n in range(12)]
    found = guessed(tmp_path, *rows)
    assert found.labels == ('no "', "{x}: [")
    assert found.subgroups == (name,)


def test_many_cases_without_splits_give_some_as_examples(tmp_path: Path) -> None:
    guessed(tmp_path, *({"question": f"q{n}", "answer": f"a{n}"} for n in range(60)))
    assert "held_out: 0.1" in (tmp_path / "data.yaml").read_text()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_written_so_that_yaml_reads_it_back(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text

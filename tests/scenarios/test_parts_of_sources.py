"""Sources that use a part of another source's rows, or put them together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.scenarios import File, Generator
from assay.scenarios.sources import Filtered, FirstOfEach, Joined


def numbers(values: Sequence[int], train: int = 0) -> Generator:
    """A test split with these numbers, each in a row with its position, and a train split 0, 1, 2, …"""
    given = {"train": range(train), "test": values}
    left = {split: iter(enumerate(rows)) for split, rows in given.items()}

    def row(_: Any, split: str) -> dict[str, Any]:
        place, value = next(left[split])
        return {"n": value, "place": f"{split}{place}"}

    return Generator("numbers", row, {"train": train, "test": len(values)})


def values(rows: Any) -> list[int]:
    return [row["n"] for row in rows]


def test_a_filter_can_be_meant_for_one_split() -> None:
    source = Filtered(numbers(range(6), train=4), keep=lambda row: row["n"] % 2 == 0, only="train")
    assert source.splits() == ("train", "test")
    assert values(source.read("train").rows) == [0, 2]
    assert values(source.read("test").rows) == [0, 1, 2, 3, 4, 5]
    everywhere = Filtered(numbers(range(6), train=4), keep=lambda row: row["n"] % 2 == 0)
    assert [values(everywhere.read(split).rows) for split in everywhere.splits()] == [[0, 2], [0, 2, 4]]


def test_identity_and_files_are_those_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"n": 1}\n{"n": 2}\n')
    plain = File(path)
    for part in (
        Filtered(plain, keep=lambda row: row["n"] > 1),
        FirstOfEach(plain, group=lambda row: row["n"]),
        Joined(plain, begins=lambda held, row: True, join=lambda rows: rows[0]),
    ):
        assert part.identity == plain.identity == "file:rows.jsonl"
        assert part.read("test").files == plain.read("test").files


@given(st.lists(st.integers(0, 5), max_size=30))
def test_only_the_first_row_of_each_group_is_used(found: list[int]) -> None:
    source = FirstOfEach(numbers(found), group=lambda row: row["n"])
    assert values(source.read("test").rows) == list(dict.fromkeys(found)) == values(source.read("test").rows)


def as_lines(lines: Sequence[str], path: Path) -> File:
    path.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    return File(path)


def begins(before: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> bool:
    return str(row["text"]).startswith("#")


def test_lines_are_put_together_to_documents_and_none_is_lost(tmp_path: Path) -> None:
    lines = ["before", "# one", "a", "b", "# two", "# three", "c"]
    source = Joined(as_lines(lines, tmp_path / "x.jsonl"), begins, join=lambda rows: {"text": [row["text"] for row in rows]})
    documents = [row["text"] for row in source.read("test").rows]
    assert documents == [["before", "# one", "a", "b"], ["# two"], ["# three", "c"]]


def test_rows_without_a_beginning_are_one_document(tmp_path: Path) -> None:
    source = Joined(as_lines(["a", "b"], tmp_path / "x.jsonl"), begins, join=lambda rows: {"count": len(rows)})
    assert list(source.read("test").rows) == [{"count": 2}]

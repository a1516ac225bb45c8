"""Tables at any width: numbers stay in one piece, nothing is lost, no line is too long."""

from __future__ import annotations

import io
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from assay.tables import Table
from assay.tables.drawing import layout

HEADER = ["candidate", "items", "accuracy", "tokens read", "cost, about", "robustness", "latency s"]
ROWS = [
    ["boolq", "", "", "", "", "", ""],
    ["  openai/a-model", "1,000", "0.53 [0.41, 0.64]", "1879 [1874, 1885]", "–", "-0.20 [-0.44, 0.00]", "0.059 [0.057, 0.061]"],
    ["  local/b", "10", "0.50 [?]", "7 [6, 8]", "0.0000120 [0.0000110, 0.0000130]", "–", "1.2 [1.1, 1.3]"],
]


def drawn(table: Table, width: int) -> str:
    out = io.StringIO()
    table.print(Console(file=out, width=width, color_system=None))
    return out.getvalue()


@settings(max_examples=30, deadline=None)
@given(st.integers(56, 200))
def test_numbers_never_break_and_no_line_is_longer_than_the_terminal(width: int) -> None:
    said = drawn(Table("", HEADER, ROWS), width)
    assert all(cell_len(line) <= width for line in said.splitlines())
    for row in ROWS:
        for cell in row[1:]:
            assert cell in said
    parts = said.count("openai/a-model")
    assert parts == said.count("local/b") == len(re.findall(r"─{9,}", said)) >= 1


def test_a_wide_terminal_needs_one_part_and_eighty_columns_need_more() -> None:
    assert drawn(Table("", HEADER, ROWS), 200).count("openai/a-model") == 1
    assert drawn(Table("", HEADER, ROWS), 80).count("openai/a-model") > 1


def test_names_that_are_long_fold_and_lose_nothing() -> None:
    name = "x" * 150 + "END"
    said = drawn(Table("", ["candidate", "value"], [[name, "0.53 [0.41, 0.64]"]]), 80)
    assert "0.53 [0.41, 0.64]" in said
    letters = "".join(character for character in said.replace("candidate", "") if character in "xEND")
    assert letters == name


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 120), st.integers(0, 4), st.lists(st.lists(words, min_size=4, max_size=4), max_size=4))
def test_every_column_stands_in_one_part_beside_the_names(width: int, keys: int, rows: list[list[str]]) -> None:
    parts = layout(["a", "b b", "c", "d"], rows, keys, width)
    assert [column for part in parts for column in part if column >= keys] == list(range(keys, 4))
    assert all(set(range(keys)) <= set(part) for part in parts)
    assert drawn(Table("t", ["a", "b b", "c", "d"], rows, keys=keys), width)


def test_what_all_rows_share_stands_below_the_table() -> None:
    table = Table("", ["s", "who", "items", "cost", "n"], [["a", "m", "6", "–", "1"], ["b", "m", "6", "–", "2"]], 2, ["Note."])
    short = table.condensed()
    assert (short.header, short.rows, short.keys) == (["s", "n"], [["a", "1"], ["b", "2"]], 1)
    assert short.notes == ["In every row: who m · items 6.", "Note."]


def test_a_single_row_is_a_line_for_each_value() -> None:
    table = Table("", ["s", "who", "cost", "n"], [["a", "m", "–", "1"]], 2).condensed()
    assert (table.header, table.rows, table.keys) == (["s", "a"], [["who", "m"], ["n", "1"]], 1)

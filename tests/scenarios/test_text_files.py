"""What separates the fields of a table, and which encoding a file is in."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.scenarios.sources.tables import read_rows
from assay.scenarios.sources.text_files import HEAD, SEPARATORS, Shape, shape_of

ROWS = [["id", "question", "answer"], ["1", "What is 1,5; or 2|3?", "x"], ["2", "And\tthis?\nReally?", "y"]]


def table(rows: list[list[str]], separator: str) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz"])
@pytest.mark.parametrize("first", ["", "sep={}\r\n", "\ufeffSEP={}\n"])
def test_any_usual_separator_is_found(tmp_path: Path, separator: str, name: str, first: str) -> None:
    content = first.format(separator).encode() + table(ROWS, separator)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert list(read_rows(tmp_path / name, name)) == [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]


@given(
    st.sampled_from(SEPARATORS),
    st.lists(st.lists(st.text(",;|\t\"ab \n'", max_size=6), min_size=2, max_size=2), min_size=1, max_size=5),
)
def test_what_cells_hold_does_not_lead_astray(separator: str, cells: list[list[str]]) -> None:
    usual = {",": "x.csv", "\t": "x.tsv"}.get(separator)
    shape = shape_of(table([["question", "answer"], *cells], separator), usual or "x.csv")
    assert shape == Shape(separator, 0)


def test_one_column_and_broken_rows_leave_the_usual_separator() -> None:
    assert shape_of(b"question\nWhat; or; who?\n", "x.csv").separator == ","
    assert shape_of(b"a,b\n1,2\n1,2,3\n", "x.csv").separator == ","
    assert shape_of(b"", "x.tsv").separator == "\t"


def test_a_broken_row_further_on_does_not_hide_the_separator() -> None:
    assert shape_of(b'a;b\n1;2\n3;"4\n5;6\n', "x.csv").separator == ";"


def test_a_row_that_is_cut_by_the_end_of_what_is_looked_at_does_not_count() -> None:
    long = table([["a", "b"], ["1", "2"], ["x" * HEAD, "3"]], ";")
    assert shape_of(long[:HEAD], "x.csv").separator == ";"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl"])
def test_utf16_is_called_by_its_name(tmp_path: Path, encoding: str, name: str) -> None:
    (tmp_path / name).write_bytes('{"question": "Wer?"}\n'.encode(encoding))
    with pytest.raises(AssayError, match="is not UTF-8: it looks like UTF-16"):
        list(read_rows(tmp_path / name, name))


@pytest.mark.parametrize(
    ("text", "encoding", "western"),
    [("Zoë’s café – Übergröße", "cp1252", True), ("Привет, мир", "koi8-r", False), ("日本語です", "shift-jis", False)],
)
def test_windows_1252_is_called_by_its_name(tmp_path: Path, text: str, encoding: str, western: bool) -> None:
    (tmp_path / "x.csv").write_bytes(b"question,answer\n" + text.encode(encoding).replace(b",", b"") + b",x\n")
    with pytest.raises(AssayError, match=r"x\.csv, line 2 is not UTF-8: byte \d+ is 0x") as caught:
        list(read_rows(tmp_path / "x.csv", "x.csv"))
    assert ("looks like Windows-1252" in caught.value.message) == western

"""JSON that cannot be meant, and text files without end: what is wrong and what to do about it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checking.lenient import lenient_rows
from assay.errors import AssayError
from assay.scenarios.sources import tables
from assay.scenarios.sources.json_text import may_repeat, repeated_key
from assay.scenarios.sources.tables import read_rows

WRONG = {
    '{"q": NaN}': ("NaN or Infinity", "write null"),
    '{"q": [1, -Infinity]}': ("NaN or Infinity", "write null"),
    '{"q": "\\ud800"}': ("half a character", "whole"),
    '{"q": ' + "9" * 5000 + "}": ("a number that is too large", "quotes"),
    '{"q": ' + "[" * 5000 + "]" * 5000 + "}": ("nested too deeply", "not in each other"),
    '{"q": 1, "q": 2}': ("gives 'q' twice", "leave one out"),
    '{"q": {"r": 1, "r": 1}}': ("gives 'r' twice", "leave one out"),
    '{"q": "NaN" "a"}': ("is not JSON", "object"),
}


@pytest.mark.parametrize("line", WRONG, ids=range(len(WRONG)))
def test_a_run_and_a_check_say_what_is_wrong_with_a_line(line: str, tmp_path: Path) -> None:
    problem, hint = WRONG[line]
    path = tmp_path / "x.jsonl"
    path.write_text('{"q": "fine"}\n' + line + "\n")
    with pytest.raises(AssayError, match=rf"^x\.jsonl, line 2 .*{problem}.*{hint}"):
        list(read_rows(path, path.name))
    with pytest.raises(AssayError, match=rf"^x\.jsonl, line 2 .*{problem}"):
        list(read_rows(path, path.name, [0, 1]))
    _, found = lenient_rows(path)
    assert not isinstance(found, tuple)
    assert (problem in found.message, hint in found.hint, found.rows) == (True, True, (2,))


@pytest.mark.parametrize("item", ['{"q": NaN}', '{"q": 1, "q": 2}'])
def test_an_array_is_told_in_the_same_words(item: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(f"[{item}]")
    with pytest.raises(AssayError, match=WRONG[item][0]):
        list(read_rows(tmp_path / "x.json", "x.json"))


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.lists(st.text()), st.dictionaries(st.text(), st.text()))))
def test_no_object_is_taken_for_one_with_a_key_twice(row: dict[str, object]) -> None:
    assert repeated_key(json.dumps(row).encode()) is None


@given(st.text(max_size=5), st.dictionaries(st.text(max_size=5), st.integers()))
def test_a_key_that_stands_twice_is_found(key: str, others: dict[str, int]) -> None:
    pairs = [*others.items(), (key, 1), (key, 2)]
    line = "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in pairs) + "}"
    assert repeated_key(line.encode()) == key
    assert may_repeat(line.encode(), len(dict(pairs)))


@pytest.mark.parametrize("name", ["x.jsonl.gz", "x.csv.gz"])
def test_a_line_without_end_is_refused_before_it_is_held(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LONGEST_LINE", 1 << 18)
    first = '{"q": "a"}\n' if "json" in name else "q\na\n"
    (tmp_path / name).write_bytes(gzip.compress(first.encode() + b"b" * (1 << 20)))
    line = first.count("\n") + 1
    for read in (lambda: read_rows(tmp_path / name, name), lambda: lenient_rows(tmp_path / name)):
        found: list[object] = []
        try:
            found += read()
        except AssayError as error:
            found.append(error)
        assert f"{name}, line {line} has more than 262,144 bytes" in str(found[-1])


def test_an_array_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LARGEST_ARRAY", 1000)
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(b'[{"q": "' + b"b" * 2000 + b'"}]'))
    with pytest.raises(AssayError, match=r"x\.json\.gz has more than 1,000 bytes .*one object a line"):
        list(read_rows(tmp_path / "x.json.gz", "x.json.gz"))


@given(st.lists(st.text(alphabet="ab é\r", max_size=9), min_size=1), st.sampled_from([3, 7, 1 << 16]))
def test_lines_are_those_of_the_file_however_it_is_cut(lines: list[str], block: int) -> None:
    import io

    whole = "\n".join(lines).encode()
    before, tables.BLOCK = tables.BLOCK, block
    try:
        found = [line for lines in tables.line_blocks(io.BytesIO(whole), "x") for line in lines]
    finally:
        tables.BLOCK = before
    assert found == io.BytesIO(whole).readlines()


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.json.gz"])
def test_a_named_pipe_is_no_table(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(AssayError, match="it is a pipe"):
        next(read_rows(tmp_path / name, name))
    (found,) = lenient_rows(tmp_path / name)
    assert not isinstance(found, tuple)
    assert "it is a pipe" in found.message


def test_line_ends_of_old_macs_are_called_by_their_name(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"q,a\rx,y\r")
    with pytest.raises(AssayError, match=r"x\.csv, line 1 holds a carriage return outside quotes .*line ends of Unix"):
        list(read_rows(tmp_path / "x.csv", "x.csv"))
    (found,) = lenient_rows(tmp_path / "x.csv")
    assert not isinstance(found, tuple)
    assert "carriage return" in found.message


def test_many_columns_cost_no_more_than_each(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(60_000)]
    (tmp_path / "x.csv").write_text(",".join([*names, "c5"]) + "\n")
    with pytest.raises(AssayError, match="names the column 'c5' twice"):
        list(read_rows(tmp_path / "x.csv", "x.csv"))

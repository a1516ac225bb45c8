"""Local files as a source: what they may hold, and what is said about those that are broken."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.scenarios import File
from assay.scenarios.rows import within
from assay.scenarios.sources import tables
from assay.scenarios.sources.tables import read_rows

ROWS = [{"q": "one", "a": "1"}, {"q": "zwei, «drei»", "a": 'say "2"'}, {"q": "line\nbreak", "a": ""}]


def as_jsonl(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def as_csv(rows: list[dict[str, Any]], separator: str = ",") -> bytes:
    return pl.DataFrame(rows).write_csv(separator=separator).encode()


def as_parquet(rows: list[dict[str, Any]], path: Path) -> bytes:
    pl.DataFrame(rows).write_parquet(path)
    return path.read_bytes()


WRITERS: dict[str, Callable[[Path], bytes]] = {
    "rows.jsonl": lambda _: as_jsonl(ROWS),
    "rows.jsonl.gz": lambda _: gzip.compress(as_jsonl(ROWS)),
    "lines.json": lambda _: as_jsonl(ROWS),
    "array.json": lambda _: json.dumps(ROWS).encode(),
    "rows.csv": lambda _: as_csv(ROWS),
    "rows.csv.gz": lambda _: gzip.compress(as_csv(ROWS)),
    "rows.tsv": lambda _: as_csv(ROWS, "\t"),
    "rows.parquet": lambda folder: as_parquet(ROWS, folder / "made.parquet"),
    "mark.jsonl": lambda _: b"\xef\xbb\xbf" + as_jsonl(ROWS),
    "mark.csv": lambda _: b"\xef\xbb\xbf" + as_csv(ROWS),
    "blank-lines.jsonl": lambda _: b"\n" + as_jsonl(ROWS).replace(b"\n", b"\n\n"),
    "windows.jsonl": lambda _: as_jsonl(ROWS).replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_all_kinds_of_file_give_the_same_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(WRITERS[name](tmp_path))
    rows = File(path).read("test")
    assert list(rows.rows) == ROWS
    (file,) = rows.files
    assert (file.path, file.sha256) == (name, hashlib.sha256(path.read_bytes()).hexdigest())


BROKEN: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "malformed line": ("x.jsonl", b'{"q": 1}\n{"q": 2\n', ("x.jsonl, line 2", "not JSON")),
    "not an object": ("x.jsonl", b'{"q": 1}\n\n[1]\n', ("x.jsonl, line 3", "list")),
    "null line": ("x.jsonl", b"null\n", ("x.jsonl, line 1", "null")),
    "not UTF-8": ("x.jsonl", b'{"q": "a"}\n{"q": "caf\xe9"}\n', ("x.jsonl, line 2", "not UTF-8", "0xe9")),
    "CSV not UTF-8": ("x.csv", b"q,a\nb,c\n\xff,d\n", ("x.csv, line 3", "not UTF-8")),
    "empty": ("x.jsonl", b"", ("x.jsonl holds no rows",)),
    "blank lines only": ("x.jsonl", b"\n \n", ("x.jsonl holds no rows",)),
    "empty array": ("x.json", b"[]", ("x.json holds no rows",)),
    "empty CSV": ("x.csv", b"", ("x.csv holds no rows",)),
    "header only": ("x.csv", b"q,a\n", ("x.csv holds no rows",)),
    "ragged row, short": ("x.csv", b"q,a\n1,2\n3\n", ("x.csv, line 3", "1 fields", "2")),
    "ragged row, long": ("x.csv", b"q,a\n1,2,3\n", ("x.csv, line 2", "3 fields")),
    "open quote": ("x.csv", b'q,a\n1,"2\n', ("x.csv, line 2", "opens a quote that is never closed")),
    "column twice": ("x.csv", b"q,q\n1,2\n", ("x.csv, line 1", "'q'", "twice")),
    "array cut off": ("x.json", b'[{"q": 1}, {"q"', ("x.json is not JSON",)),
    "number in array": ("x.json", b'[{"q": 1}, 7]', ("x.json, item 2", "int")),
    "not gzip": ("x.jsonl.gz", b'{"q": 1}\n', ("x.jsonl.gz", "gzip")),
    "gzip cut off": ("x.jsonl.gz", gzip.compress(as_jsonl(ROWS) * 50)[:60], ("x.jsonl.gz", "gzip")),
    "not Parquet": ("x.parquet", b"PAR1 no longer", ("x.parquet", "not readable as Parquet")),
    "empty Parquet": ("x.parquet", b"", ("x.parquet", "not readable as Parquet")),
    "unknown kind": ("x.docx", b"PK", ("x.docx", "no known kind", ".parquet")),
    "spreadsheet": ("x.xlsx", b"PK", ("x.xlsx is a spreadsheet", "export it as CSV")),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_told_in_one_line_with_its_place(tmp_path: Path, what: str) -> None:
    name, content, parts = BROKEN[what]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AssayError) as caught:
        list(File(tmp_path / name).read("test").rows)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.hint
    for part in parts:
        assert part in message


def test_missing_files_and_folders_are_told(tmp_path: Path) -> None:
    for name in ("none.jsonl", "none.parquet", "none.csv.gz"):
        with pytest.raises(AssayError, match=f"{name} does not exist"):
            File(tmp_path / name).read("test")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(AssayError, match=r"folder\.jsonl cannot be read"):
        File(tmp_path / "folder.jsonl").read("test")


def test_a_parquet_file_damaged_in_a_later_part_is_told_when_it_is_reached(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"n": range(50_000), "text": [f"row {n}" for n in range(50_000)]}).write_parquet(path, row_group_size=1000)
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[footer // 2 : footer] = random.Random(1).randbytes(footer - footer // 2)
    path.write_bytes(content)
    rows = read_rows(path, "x.parquet", trusted=True)
    assert next(rows) == {"n": 0, "text": "row 0"}
    with pytest.raises(AssayError, match=r"x\.parquet is not readable as Parquet"):
        list(rows)
    with pytest.raises(AssayError, match=r"x\.parquet is not readable as Parquet"):
        next(read_rows(path, "x.parquet"))  # nobody vouches for it: it is looked at to its end first


def test_a_split_column_divides_a_file(tmp_path: Path) -> None:
    words = ["train", "dev", "test", "Train", "validation", "test"]
    (tmp_path / "x.jsonl").write_bytes(as_jsonl([{"n": n, "part": word} for n, word in enumerate(words)]))
    source = File(tmp_path / "x.jsonl", split_column="part")
    assert source.splits() == ("train", "valid", "test")
    assert {split: [row["n"] for row in source.read(split).rows] for split in source.splits()} == {
        "train": [0, 3],
        "valid": [1, 4],
        "test": [2, 5],
    }
    assert source.identity == "file:x.jsonl"


def test_only_splits_that_have_rows_are_splits(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(as_jsonl([{"split": "test"}, {"split": "train"}]))
    assert File(tmp_path / "x.jsonl", split_column="split").splits() == ("train", "test")


@pytest.mark.parametrize(("row", "part"), [({"split": "exam"}, "'exam'"), ({"other": 1}, "no field 'split'")])
def test_a_wrong_split_is_told_with_its_row(tmp_path: Path, row: dict[str, Any], part: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(as_jsonl([{"split": "test"}, row]))
    with pytest.raises(AssayError, match="row 2") as caught:
        File(tmp_path / "x.jsonl", split_column="split").splits()
    assert part in str(caught.value)


def test_each_split_may_have_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "shots.csv").write_bytes(as_csv(ROWS[:1]))
    (tmp_path / "cases.jsonl").write_bytes(as_jsonl(ROWS[1:]))
    source = File(train=tmp_path / "shots.csv", test=tmp_path / "cases.jsonl")
    assert source.splits() == ("train", "test")
    assert source.identity == "file:shots.csv+cases.jsonl"
    assert [list(source.read(split).rows) for split in source.splits()] == [ROWS[:1], ROWS[1:]]
    with pytest.raises(AssayError, match="no split valid"):
        source.read("valid")


@pytest.mark.parametrize("wrong", [{}, {"path": "a.csv", "test": "b.csv"}, {"test": "b.csv", "split_column": "s"}])
def test_a_source_without_a_clear_file_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(AssayError, match="needs a path"):
        File(**wrong)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_the_first_rows_of_a_large_file_need_little_memory(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"x.{kind}"
    frame = pl.DataFrame({"n": range(100_000)}).with_columns(text=pl.lit("x" * 200))
    {"jsonl": frame.write_ndjson, "csv": frame.write_csv, "parquet": frame.write_parquet}[kind](path)
    tracemalloc.start()
    first = [row["n"] for row in itertools.islice(read_rows(path, path.name), 3)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert list(map(int, first)) == [0, 1, 2]
    assert peak < 4_000_000


text = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), text | st.integers(-(2**53), 2**53) | st.none()), min_size=1))
def test_json_lines_round_trip(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("rows") / "x.jsonl"
    path.write_bytes(as_jsonl(rows))
    assert list(read_rows(path, "x.jsonl")) == rows


@given(st.binary(max_size=200), st.sampled_from(["x.jsonl", "x.csv", "x.json", "x.jsonl.gz", "x.parquet"]))
def test_any_bytes_give_rows_or_one_clear_error(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(content)
    try:
        rows = list(read_rows(path, name))
    except AssayError as error:
        assert name in str(error)  # noqa: PT017 - either outcome is right, and each has its own promise
    else:
        assert rows
        assert all(isinstance(row, dict) for row in rows)


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.json", "x.csv", "x.parquet"])
@pytest.mark.parametrize("size", [1, 50, 1 << 16])
def test_marked_rows_are_those_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    monkeypatch.setattr(tables, "BLOCK", size)
    path = tmp_path / name
    rows = [{"a": f"text {n}", "b": "line\nline"} for n in range(200)]
    if name.endswith("parquet"):
        pl.DataFrame(rows).write_parquet(path)
    elif name.endswith("csv"):
        path.write_text("a,b\n" + "".join(f'text {n},"line\nline"\n' for n in range(200)))
    elif name.endswith("json"):
        path.write_text(json.dumps(rows))
    else:
        raw = ("\ufeff" + "\n".join(json.dumps(row) + "\n" * (n % 3) for n, row in enumerate(rows))).encode()
        path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    assert list(read_rows(path, name)) == rows
    for marks in ([0] * 200, [1] * 200, [n % 7 == 3 for n in range(200)], [0] * 199 + [1]):
        assert list(read_rows(path, name, marks)) == list(itertools.compress(rows, marks))


def test_rows_before_a_wrong_line_are_given_and_a_wrong_line_that_is_not_marked_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"n": 1}\n\n{"n": 2}\n{wrong\n{"n": 4}\n')
    rows = read_rows(path, path.name)
    assert [next(rows), next(rows)] == [{"n": 1}, {"n": 2}]
    with pytest.raises(AssayError, match=r"x\.jsonl, line 4 is not JSON"):
        next(rows)
    assert list(read_rows(path, path.name, [1, 0, 0, 1])) == [{"n": 1}, {"n": 4}]
    with pytest.raises(AssayError, match=r"x\.jsonl, line 4 is not JSON"):
        list(read_rows(path, path.name, [0, 0, 1, 1]))


@given(st.lists(st.booleans()), st.data())
def test_marks_of_a_part_are_marks_of_the_whole(part: list[bool], data: st.DataObject) -> None:
    rows = list(range(len(part)))
    mine = list(itertools.compress(rows, part))
    marks = data.draw(st.lists(st.booleans(), min_size=len(mine), max_size=len(mine)))
    assert list(itertools.compress(rows, within(part, marks))) == list(itertools.compress(mine, marks))

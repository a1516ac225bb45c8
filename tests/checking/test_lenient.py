"""Reading on behind a broken row."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from assay.checking.findings import Finding
from assay.checking.lenient import lenient_rows
from assay.scenarios.sources.tables import read_rows


def read(path: Path, content: bytes) -> list[object]:
    path.write_bytes(content)
    return [
        (found.check, found.rows, found.message) if isinstance(found, Finding) else (found[0], dict(found[1]))
        for found in lenient_rows(path)
    ]


def test_csv_rows_that_do_not_fit_or_are_not_utf8(tmp_path: Path) -> None:
    found = read(tmp_path / "x.csv", b'a,b\n1,2\n\n1,2,3\n\xe9,4\n"x\ny",6\n')
    assert [one[:2] for one in found] == [  # type: ignore[index]
        (1, {"a": "1", "b": "2"}),
        ("fields", (2,)),
        (4, {"a": "x\ny", "b": "6"}),
        ("encoding", (3,)),
    ]
    assert "line 5, byte 1 is 0xe9; it looks like Windows-1252" in found[3][2]  # type: ignore[index]


def test_another_encoding_is_one_finding_whatever_the_number_of_rows(tmp_path: Path) -> None:
    *rows, (check, bad, message) = read(tmp_path / "x.csv", b"a,b\n1,2\n" + b"\xe9,1\n" * 30)  # type: ignore[misc]
    assert (len(rows), check, bad) == (1, "encoding", tuple(range(2, 32)))
    assert "29 more lines" in message
    ((check, _, message),) = read(tmp_path / "y.csv", "a,b\n1,2\n".encode("utf-16"))  # type: ignore[misc]
    assert (check, "UTF-16" in message) == ("file", True)


def test_a_quote_that_is_never_closed_is_told_where_it_is_opened(tmp_path: Path) -> None:
    found = read(tmp_path / "x.csv", b'a;b\n1;2\n3;"4\n5;6\n')
    assert found[0] == (1, {"a": "1", "b": "2"})
    assert found[1][:2] == ("quotes", (2,))  # type: ignore[index]
    assert "line 3 opens a quote that is never closed" in found[1][2]  # type: ignore[index]


def test_json_lines_that_are_none(tmp_path: Path) -> None:
    found = read(tmp_path / "x.jsonl", b'{"a": 1}\n{"a": \n[1]\n\xff\n\n{"a": 2}\n')
    assert [one[0] for one in found] == [1, "json", "json", 5, "encoding"]  # type: ignore[index]


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "x.odt"])
def test_what_cannot_be_read_at_all_is_one_finding(tmp_path: Path, name: str) -> None:
    ((check, rows, _),) = read(tmp_path / name, b"")  # type: ignore[misc]
    assert (check, rows) == ("file", ())


def test_a_missing_file_and_a_cut_archive(tmp_path: Path) -> None:
    (missing,) = lenient_rows(tmp_path / "none.csv")
    assert isinstance(missing, Finding)
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 20_000)
    *_, last = read(tmp_path / "x.csv.gz", whole[: len(whole) // 2])
    assert last[0] == "file"  # type: ignore[index]


def test_good_files_are_read_as_strictly_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    content = '\ufeffa,b\n"x, ""y""","line\nbreak"\n\n1,é\n'.encode()
    assert read(path, content) == list(enumerate(read_rows(path, "x.csv"), start=1))

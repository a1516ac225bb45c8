"""Parquet files as somebody else may have made them: none ends the program, and none fills the memory."""

from __future__ import annotations

import base64
import datetime
import os
import zlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.checking.lenient import lenient_rows
from assay.errors import AssayError
from assay.scenarios.sources import parquet
from assay.scenarios.sources.parquet import PIECE, parquet_blocks, problem_of

DAMAGED = """
c-
nPR!A`<J5Zx`La_~S%XG4=7dca0vqfkML(U?Ug8c}OK7>})`f<dbk75pZ@z?hi$1)e<cHO`g>y*SCf+1YvX_9eRxcdL+v5|lb110h7h<?RUc6T
I310tzT5EI=M9@{A%=DN`b_sMd*`SBvxk2$R`}jf}RDBdCZY9ZX22xW)n|s8oQ0i7J1TG8vkYeucb5$Y;JWrN%2Is>a%|!H|f%DTSKYf~0O8WQ
S2Sf-IU?lF+~s>1d*rR9;#!S=Ch2c%#~XR@tWn3NhX#?SBvKTLOkinQY`RDZ)%~k-
P5c#b$if>)v|BFS;h8e#kNQ1=vqmkI&LNIXdDz=DSHg<0}sKpP$7!4qd0bWIh(q5^#KjB>QqMI^(t4JdIgDp<arsPG3YFr=rOG<>UOhxEHgV>K
xBR_H1FjHTT&XbH2SziYHDq@P@Izd_NiWqPw#G)E&nC=uWp*tE&}#*?;U00=*G7E0!Ouhhbnf!qB#YYRzicUZv?-&3YJGVZ-
YNO{=V$_$1<0KJYg<`0;)KPM~|X
"""
"""Three rows, packed: the byte that says how many places stand together is 7, for which no machine has memory enough."""
NO_DAY = pl.Series([3_000_000], dtype=pl.Int32).cast(pl.Date)
NO_TIME = pl.Series([2**61], dtype=pl.Int64).cast(pl.Datetime("us"))
NO_SPAN = pl.Series([2**62], dtype=pl.Int64).cast(pl.Duration("ms"))


def written(folder: Path, **columns: Any) -> Path:
    path = folder / "x.parquet"
    pl.DataFrame(columns).write_parquet(path)
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [dict(row) for block in parquet_blocks(path, path.name) for row in block]


@pytest.mark.parametrize("values", [NO_DAY, NO_TIME, NO_SPAN], ids=["day", "time", "span"])
def test_a_time_beyond_the_calendar_is_told_with_its_column(
    values: pl.Series, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nested = pl.DataFrame({"t": values}).select(pl.struct(pl.concat_list("t").alias("l")).alias("s"))["s"]
    for name, column in (("t", values), ("s", nested)):
        path = written(tmp_path, **{name: column})
        with pytest.raises(AssayError, match=rf"x\.parquet, column '{name}' holds a time beyond the calendar"):
            rows(path)
        path.unlink()
    assert capfd.readouterr().err == ""


def test_times_that_there_are_stay_as_they_are(tmp_path: Path) -> None:
    found: dict[str, list[Any]] = {
        "day": [datetime.date.min, None, datetime.date.max],
        "end": [datetime.datetime.min, None, datetime.datetime.max],
        "time": [datetime.datetime(1970, 1, 1), datetime.datetime(2024, 2, 29, 1, 2, 3), None],
        "span": [datetime.timedelta(days=-3), None, datetime.timedelta(microseconds=7)],
        "clock": [datetime.time(1, 2), None, datetime.time(23, 59)],
        "several": [[datetime.date(2024, 1, 1)], [], None],
    }
    path = written(tmp_path, **found)
    assert rows(path) == [{name: values[at] for name, values in found.items()} for at in range(3)]
    zoned = pl.Series([-719_162, 2_932_896], dtype=pl.Int32).cast(pl.Date).cast(pl.Datetime("ms", "UTC"))
    for place in (0, 1):
        with pytest.raises(AssayError, match="beyond the calendar"):
            rows(written(tmp_path, t=zoned[place : place + 1]))
    long = pl.Series([2**62], dtype=pl.Int64).cast(pl.Duration("ns"))
    assert rows(written(tmp_path, t=long))[0]["t"] == datetime.timedelta(microseconds=2**62 // 1000)


@pytest.mark.parametrize(
    "trial", ["import os; os.abort()", "raise SystemExit(3)", "import sys; sys.stderr.write(\"thread 'x' panicked at y.rs\")"]
)
def test_a_decoder_that_ends_its_process_ends_only_a_trial(
    trial: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parquet, "_TRIAL", trial)
    with pytest.raises(AssayError, match=r"^x\.parquet is not readable as Parquet: its decoder broke down .*write or fetch"):
        rows(written(tmp_path, q=["a"]))
    assert capfd.readouterr().err == ""


def test_what_else_is_printed_when_python_starts_is_not_taken_for_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('company banner', end='')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = written(tmp_path, q=["a"])
    assert problem_of(path) == ""
    path.write_bytes(b"PAR1 and no more")
    assert problem_of(path) not in ("", "company banner")


def test_a_trial_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "PATIENCE_S", 0.2)
    monkeypatch.setattr(parquet, "_TRIAL", "while True: pass")
    with pytest.raises(AssayError, match="decoding it takes more than 0 s"):
        rows(written(tmp_path, q=["a"]))


def test_a_damaged_file_that_asks_for_more_memory_than_there_is_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(zlib.decompress(base64.b85decode("".join(DAMAGED.split()))))
    with pytest.raises(AssayError, match=r"^x\.parquet is not readable as Parquet: "):
        rows(path)
    (found,) = lenient_rows(path)
    assert not isinstance(found, tuple)
    assert "x.parquet is not readable as Parquet" in found.message
    assert capfd.readouterr().err == ""


def test_a_file_is_tried_again_only_when_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, q=["a"])
    assert problem_of(path) == ""
    monkeypatch.setattr(parquet, "_TRIAL", "raise SystemExit(3)")
    assert problem_of(path) == ""
    os.utime(path, (1, 1))
    assert problem_of(path) != ""


def test_code_beside_the_data_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, q=["a"])
    (tmp_path / "polars.py").write_text("raise SystemExit('mine')")
    monkeypatch.chdir(tmp_path)
    assert problem_of(path) == ""


def test_a_text_that_stands_in_many_rows_is_not_copied_for_all_at_once(tmp_path: Path) -> None:
    text = "x" * (PIECE // 16)
    path = written(tmp_path, q=[text] * 64, others=[["y"]] * 64)
    assert path.stat().st_size < PIECE // 8
    sizes = [len(block) for block in parquet_blocks(path, path.name)]
    assert (sum(sizes), max(sizes) <= 16) == (64, True)


def test_what_is_no_file_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "folder.parquet").mkdir()
    os.mkfifo(tmp_path / "pipe.parquet")
    for name, what in (("folder", "folder"), ("pipe", "pipe")):
        with pytest.raises(AssayError, match=rf"{name}\.parquet cannot be read: it is a {what}"):
            rows(tmp_path / f"{name}.parquet")

"""Opening the tables of runs: nobody waits for a pipe, and an error names the file that it is about."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from assay.errors import AssayError
from assay.store.folders import work_folder
from assay.store.opening import reading
from assay.store.writer import tally_so_far


@pytest.mark.parametrize("there", ["pipe", "link to a pipe", "folder", "nothing", "link to itself"])
def test_what_is_no_file_is_named_and_never_opened(tmp_path: Path, there: str) -> None:
    whole, other = tmp_path / "whole.parquet", tmp_path / "other.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(whole)
    if "pipe" in there:
        os.mkfifo(tmp_path / "pipe")
    if there == "folder":
        other.mkdir()
    elif there != "nothing":
        other.symlink_to(other if "itself" in there else tmp_path / "pipe")
    said = r"other\.parquet cannot be read: .*\(run `assay verify` on the run\)"
    with pytest.raises(AssayError, match=said), reading([whole, other]):
        pytest.fail("it was to be opened")


def test_of_several_files_the_damaged_one_is_named(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    for path in paths:
        pl.DataFrame({"a": range(100)}).write_parquet(path)
    for damaged in paths:
        whole = damaged.read_bytes()
        damaged.write_bytes(whole[:20])
        with pytest.raises(AssayError, match=rf"{damaged.name} cannot be read"), reading(paths):
            pl.scan_parquet(paths).collect()
        damaged.write_bytes(whole)


def test_word_of_how_far_a_run_is_comes_from_no_pipe(tmp_path: Path) -> None:
    work_folder(tmp_path / "run").mkdir(parents=True)
    os.mkfifo(work_folder(tmp_path / "run") / "tally.json")
    assert tally_so_far(tmp_path / "run") is None

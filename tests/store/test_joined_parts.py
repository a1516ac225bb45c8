from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assay.errors import AssayError
from assay.store.transcripts import join_parts, write_part

SCHEMA = {"name": pl.String(), "values": pl.List(pl.Float64())}


def parts(folder: Path, sizes: list[int]) -> list[Path]:
    """Files of so many rows, numbered through."""
    written, start = [], 0
    for size in sizes:
        rows = range(start, start + size)
        table = pl.DataFrame({"name": [f"n{row}" for row in rows], "values": [[row / 2] for row in rows]}, schema=SCHEMA)
        written.append(folder / f"part-{len(written)}.parquet")
        write_part(written[-1], table)
        start += size
    return written


def test_parts_are_joined_in_their_order_and_regrouped(tmp_path: Path) -> None:
    sizes = [7] * 40 + [3]
    join_parts(parts(tmp_path, sizes), tmp_path / "whole.parquet", SCHEMA, 100)
    whole = pl.read_parquet(tmp_path / "whole.parquet")
    assert whole.schema == SCHEMA
    assert whole.rows() == [(f"n{row}", [row / 2]) for row in range(sum(sizes))]


def test_how_rows_are_parted_leaves_no_trace(tmp_path: Path) -> None:
    written = []
    for sizes in ([283], [1] * 83 + [200]):
        join_parts(parts(tmp_path, sizes), tmp_path / "whole.parquet", SCHEMA, 100)
        written.append((tmp_path / "whole.parquet").read_bytes())
    assert written[0] == written[1]


def test_no_parts_give_an_empty_table(tmp_path: Path) -> None:
    join_parts([], tmp_path / "whole.parquet", SCHEMA, 100)
    assert pl.read_parquet(tmp_path / "whole.parquet").schema == SCHEMA


def test_a_damaged_part_names_the_file_that_is_not_written(tmp_path: Path) -> None:
    good, bad = parts(tmp_path, [5, 5])
    bad.write_bytes(bad.read_bytes()[:30])
    with pytest.raises(AssayError, match=r"whole\.parquet cannot be written: .*parquet"):
        join_parts([good, bad], tmp_path / "whole.parquet", SCHEMA, 100)

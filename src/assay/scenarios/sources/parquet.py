"""Rows of a Parquet file. A file that nobody vouches for is first decoded in a process of its own, which it may end."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.plain_files import check_file
from assay.scenarios.rows import Row

if TYPE_CHECKING:
    import polars as pl

BATCH = 1024
"""Rows decoded at a time."""
PIECE = 1 << 26
"""Bytes of texts from which on a batch is made into rows piece by piece: one text may stand in many rows."""
FETCH = "it may be cut off or damaged; write or fetch it again"
_SAID = "assay found: "
"""Before what the trial says, as whatever starts with Python may print too."""
_TRIAL = f"""
import sys
import polars as pl
try:
    file = pl.scan_parquet(sys.argv[1], glob=False)
    rows = sum(batch.height for batch in file.collect_batches(chunk_size={BATCH}, lazy=True))
    if file.collect_schema() and rows != file.select(pl.len()).collect().item():
        print("\\n{_SAID}it ends early")
except BaseException as error:
    print("\\n{_SAID}" + (next(iter(str(error).splitlines()), "") or type(error).__name__))
"""
PATIENCE_S, PACE = 120.0, 1e6
"""Seconds that a trial may take, and bytes of the file that give it one second more."""
_DAY = {"ns": 86_400 * 10**9, "us": 86_400 * 10**6, "ms": 86_400 * 10**3}
"""A day in each unit of time."""
_CALENDAR = (-719_162, 2_932_896)
"""The first and the last day of Python's dates, counted from 1970-01-01; those beside them it reaches in every time zone."""
_LONGEST_DAYS = 999_999_999
"""Days of the longest `timedelta`."""


_LARGEST = 2**63 - 1
"""The largest number that a time is kept as."""


def parquet_blocks(path: Path, name: str, trusted: bool = False) -> Iterator[Sequence[Row]]:
    """The rows of a Parquet file, in blocks.

    Args:
        path: where it lies.
        name: what to call it in messages.
        trusted: it is as its author published it, and is decoded here at once.

    Raises:
        AssayError: it is missing, is no file, cannot be decoded, or holds a time that Python has none for.
    """
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    check_file(path, name)
    if not trusted and (problem := problem_of(path)):
        raise AssayError(f"{name} is not readable as Parquet: {problem}", FETCH)
    try:
        for batch in pl.scan_parquet(path, glob=False).collect_batches(chunk_size=BATCH, lazy=True):
            size = sum(_looked_at(part, name) for column in batch.iter_columns() for part in _parts(column))
            rows = BATCH if size <= PIECE else max(1, batch.height * PIECE // size)
            for piece in batch.iter_slices(rows):
                yield piece.rows(named=True)
    except (PolarsError, PanicException) as error:
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AssayError(f"{name} is not readable as Parquet: {detail}", FETCH) from error


def problem_of(path: Path) -> str:
    """Why a file cannot be decoded, found out where that does no harm; empty where it can be. Remembered while it is the same.

    The decoder asks for as much memory as a damaged file says, and ends its process where there is not so much.
    """
    target = path.resolve()
    status = target.stat()
    return _problem(target, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _problem(path: Path, size: int, changed_ns: int) -> str:
    # -P and no empty entry: what lies in the current folder is not imported.
    packages = os.pathsep.join(filter(None, sys.path))
    limit = PATIENCE_S + size / PACE
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-c", _TRIAL, str(path)],
            env={**os.environ, "PYTHONPATH": packages},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return f"decoding it takes more than {limit:,.0f} s"
    lines = ended.stdout.decode("utf-8", "replace").splitlines()
    said = next((line.removeprefix(_SAID).strip() for line in lines if line.startswith(_SAID)), "")
    # A part of the decoder may give up in the background, and the rest end as if nothing had been there.
    return said or ("its decoder broke down" if ended.returncode or b"panicked at" in ended.stderr else "")


def _parts(column: pl.Series) -> Iterator[pl.Series]:
    """The values of a column, those of lists and structures one by one."""
    import polars as pl

    if isinstance(column.dtype, pl.List | pl.Array):
        yield from _parts(column.explode().alias(column.name))
    elif isinstance(column.dtype, pl.Struct):
        for field in column.dtype.fields:
            yield from _parts(column.struct.field(field.name).alias(column.name))
    else:
        yield column


def _looked_at(values: pl.Series, name: str) -> int:
    """The bytes of texts among some values.

    Raises:
        AssayError: one is a time that Python has none for.
    """
    import polars as pl

    kind = values.dtype
    if isinstance(kind, pl.String):
        return int(values.str.len_bytes().sum())
    if isinstance(kind, pl.Binary):
        return int(values.bin.size().sum())
    if isinstance(kind, pl.Date | pl.Datetime | pl.Duration):
        unit = 1 if isinstance(kind, pl.Date) else _DAY[kind.time_unit or "us"]
        first, last = (-_LONGEST_DAYS, _LONGEST_DAYS - 1) if isinstance(kind, pl.Duration) else _CALENDAR
        if isinstance(kind, pl.Datetime) and kind.time_zone:
            first, last = first + 1, last - 1
        least, most = max(first * unit, -_LARGEST), min((last + 1) * unit - 1, _LARGEST)
        if not values.to_physical().is_between(least, most).all():
            where = f"{name}, column {values.name!r}"
            raise AssayError(f"{where} holds a time beyond the calendar", "write it as text or leave it out")
    return 0

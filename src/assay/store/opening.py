"""The Parquet files of runs, opened in one way: whoever reads them waits for no pipe, and gets an error that names the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError
from assay.plain_files import check_file
from assay.text import one_line

LOOK = "run `assay verify` on the run"
LONGEST = 300
"""Characters of what a library says that are passed on."""


@contextmanager
def reading(paths: Sequence[str | Path]) -> Iterator[None]:
    """Polars raises errors of its own where a file cannot be read, or even panics, and waits for ever at a pipe.

    Raises:
        AssayError: a file is missing, no file, or not what assay writes; it names the first of which that is so.
    """
    import polars as pl

    for path in paths:
        try:
            check_file(Path(path), str(path), LOOK)
        except OSError as error:
            raise AssayError(f"{path} cannot be read: {error.strerror}", LOOK) from None
    try:
        yield
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        said = one_line((str(error).strip() or type(error).__name__).splitlines()[0])[:LONGEST]
        raise AssayError(f"{_culprit(paths)} cannot be read: {said}", LOOK) from None


def _culprit(paths: Sequence[str | Path]) -> str | Path:
    """The first file that cannot be read by itself, or the last."""
    import polars as pl

    for path in paths[:-1]:
        try:
            pl.scan_parquet(path).select(pl.all().null_count()).collect()
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return path
    return paths[-1]

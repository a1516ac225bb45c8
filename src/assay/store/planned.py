"""What is to be in the folder of a suite: written before anything is asked, so that a broken-off suite says what it lacks.

<runs>/<suite>/suite.json       the runs of the last `assay run`, finished or not, and what it left out
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records import Record
from assay.store.folders import encode_json, make_folder

PLAN = "suite.json"


class PlannedRun(Record):
    """A run by its names."""

    run: str
    """The run's id, which is its folder's name."""
    title: str
    """The scenario, as tables call it."""
    label: str
    """The candidate."""
    trials_at_most: int = 0
    """How many trials it has if every perturbation changes every instance; 0 where nobody wrote it down."""


class SuitePlan(Record):
    """What suite.json holds."""

    runs: tuple[PlannedRun, ...]
    left_out: tuple[str, ...] = ()
    """What could not be carried out and was left out, a line with its reason each."""
    notes: tuple[str, ...] = ()
    """How much was asked, and why no more, where that was not settled before."""
    suite: dict[str, Any] = {}
    """The suite, so that it can be asked again."""


def write_plan(place: Path, plan: SuitePlan) -> None:
    """Write what a suite's folder is to hold, in one piece, over what an earlier command wrote there.

    Raises:
        AssayError: a file is where the folder should be.
    """
    make_folder(place)
    draft = place / f".{PLAN}.{os.getpid()}"
    try:
        draft.write_bytes(encode_json(plan))
        os.replace(draft, place / PLAN)
    finally:
        draft.unlink(missing_ok=True)


def read_plan(place: Path) -> SuitePlan | None:
    """What was planned for a suite's folder; `None` where no `assay run` wrote it down.

    Raises:
        AssayError: the file is not what assay writes.
    """
    path = place / PLAN
    try:
        return msgspec.json.decode(path.read_bytes(), type=SuitePlan)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise AssayError(
            f"{path} is not what assay writes: {error}", "remove it; the next `assay run` writes it again"
        ) from None

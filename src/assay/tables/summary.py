"""The report of a suite as Markdown, and what is missing of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.store import RunFolder
from assay.store.planned import read_plan
from assay.tables.naming import stats_of
from assay.tables.single import run_tables
from assay.tables.suite import suite_table
from assay.tables.usable import advice
from assay.text import one_line

NAMED = 5
"""Unfinished runs that are named; of more, the rest is counted."""


def plan_notes(place: Path, told: bool = False) -> list[str]:
    """What the folder of a suite lacks of what the last `assay run` planned for it, one line each.

    Args:
        place: the folder.
        told: what was left out has been said a moment ago, and is only counted here.

    Raises:
        AssayError: its suite.json cannot be read.
    """
    plan = read_plan(place)
    if plan is None:
        return []
    missing = [f"{run.title} of {run.label}" for run in plan.runs if not RunFolder(place / run.run).complete()]
    lines = []
    if missing:
        named = "; ".join(missing[:NAMED]) + (f"; and {len(missing) - NAMED} more" if len(missing) > NAMED else "")
        verb = "is" if len(missing) == 1 else "are"
        lines.append(
            f"{len(missing)} of {len(plan.runs)} runs {verb} not finished: {named}. The same `assay run` goes on with them."
        )
    left_out = plan.left_out
    if told and left_out:
        left_out = (f"What was left out stands above, and in summary.md ({len(left_out)} reasons).",)
    return [one_line(line) for line in (*lines, *left_out, *plan.notes)]


def write_summary(folders: Sequence[RunFolder]) -> Path:
    """Write the table of some runs of a suite as Markdown into the suite's folder, and return its path."""
    place = folders[0].path.parent
    stats = stats_of(folders)
    table = suite_table(stats)
    table.notes += plan_notes(place) + advice(list(zip((folder.spec_file().spec for folder in folders), stats, strict=True)))
    lines = [f"# {place.name}", "", table.markdown()]
    for folder, run in zip(folders, stats, strict=True):
        lines += [table.markdown() for table in run_tables(run)] + [f"Evidence: `{folder.name}`\n"]
    path = place / "summary.md"
    path.write_text("\n".join(lines), "utf-8")
    return path

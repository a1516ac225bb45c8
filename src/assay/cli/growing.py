"""`assay run --until`: a suite whose runs grow until they are sure enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.adaptive.targets import parse_targets
from assay.adaptive.until import grow
from assay.cli.carrying_out import Work, write_down

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.planning import Planner
    from assay.runs import Progress
    from assay.store import RunFolder
    from assay.suites import Suite


def until_known(wanted: str) -> Work:
    """The work of asking a suite until something is known exactly enough.

    Raises:
        AssayError: what is wanted is not understood.
    """
    targets = parse_targets(wanted)

    def work(planner: Planner, suite: Suite, engine: Engine, progress: Progress) -> list[RunFolder]:
        runs = planner.plan(suite)
        write_down(suite, runs, planner.left_out)
        grown = grow(runs, targets, engine, progress)
        write_down(suite, grown.runs, planner.left_out, grown.notes)
        return grown.folders

    return work

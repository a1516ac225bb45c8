"""Progress in a terminal: a bar for each run under way and a line for the whole, in place, however many runs there are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from assay.cli.amounts import shown_span
from assay.cli.tallies import RunTally, Tallies
from assay.cli.watching import Watcher, closing, summary
from assay.models import Endpoint

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_ROWS = 8
"""Runs shown at once."""
A_SECOND = 4
"""Times it is drawn."""
BAR = 20
"""Columns of a bar."""


class LiveBars(Watcher):
    """Drawn in place by a thread of its own; gone at the end but for one line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tallies: Tallies | None = None
        self._live: Live | None = None

    def begins(self, tallies: Tallies) -> None:
        self._tallies = tallies
        self._live = Live(
            get_renderable=lambda: self._drawn(tallies), console=self._console, refresh_per_second=A_SECOND, transient=True
        )
        self._live.start()

    def say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def ends(self, outcome: str) -> None:
        if self._live is not None and self._tallies is not None:
            self._live.stop()
            self.say(closing(self._tallies.state()))

    def _drawn(self, tallies: Tallies) -> RenderableType:
        under_way = list(tallies.under_way())
        rows = max(1, min(MOST_ROWS, self._console.height - 4))
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
        grid.add_column(width=BAR)
        grid.add_column(justify="right", no_wrap=True)
        grid.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
        for tally in under_way[:rows]:
            bar = ProgressBar(total=max(1, tally.trials_at_most), completed=tally.trials, width=BAR)
            count = f"{tally.trials:,}/{tally.trials_at_most:,}"
            grid.add_row(Text(tally.title), bar, Text(count), Text(_note(tallies, tally)))
        lines = [Text(" · ".join(part), style="bold", no_wrap=True, overflow="ellipsis") for part in summary(tallies.state())]
        hidden = len(under_way) - rows
        return Group(grid, *([Text(f"and {hidden} more under way")] if hidden > 0 else []), *lines)


def _note(tallies: Tallies, tally: RunTally) -> str:
    """`30 cached · 2 failed · 8/16 in flight · paused for 4 s`."""
    counters = tallies.counters(tally.run)
    parts = [f"{tally.cached:,} cached"] if tally.cached else []
    parts += [f"{tally.failed:,} failed"] if tally.failed else []
    if isinstance(tally.run.model, Endpoint):
        parts.append(f"{counters.in_flight}/{counters.limit} in flight")
    elif counters.in_flight:
        parts.append(f"computing {counters.in_flight}")
    paused_s = counters.paused_until - time.monotonic()
    parts += [f"paused for {shown_span(paused_s)}"] if paused_s > 0 else []
    return " · ".join(parts)

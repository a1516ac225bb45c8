"""What separates the candidates of each scenario, computed once for each state of their runs' files.

It rests on paired differences of every two candidates. A choice of candidates has a board of its own: which differences can be
shown depends on how many are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from assay.comparison.boards import make_boards, narrowed
from assay.comparison.contract import differences
from assay.comparison.matrices import matrices
from assay.comparison.results import Board, Standing
from assay.web.catalog import evidence_of
from assay.web.entries import Entry
from assay.web.measures import meaning

BOARDS_KEPT = 2048


@dataclass(frozen=True)
class Separation:
    """A scenario's candidates in tiers."""

    board: Board
    unlike: tuple[str, ...] = ()
    """Keys in which their runs differ beyond the model, such as `prompting.method`: what is compared is ways of asking too."""

    def standing(self, candidate: str) -> Standing | None:
        """A candidate's place."""
        return next((standing for standing in self.board.standings if standing.candidate == candidate), None)


@dataclass(frozen=True)
class _Asked:
    """Runs by the state of their files."""

    states: tuple[tuple[Path, int, str], ...]
    metric: str
    entries: tuple[Entry, ...] = field(compare=False)


def separation(entries: Sequence[Entry], metric: str = "", of: Sequence[Entry] = ()) -> Separation | None:
    """What separates the candidates of one scenario in a metric, the main one where none is named.

    `None` where fewer than two of the runs have values of single answers, as there are no pairs then.

    Args:
        entries: their runs.
        metric: its name.
        of: all runs of the scenario, where `entries` are chosen from them. A choice is taken from what separates all of them
            where that is the same: where all were asked the same instances.

    Raises:
        AssayError: a run's files cannot be read.
    """
    if len({entry.label for entry in entries}) < 2:
        return None
    if len(of) > len(entries) and len({_instances(entry) for entry in of}) == 1:
        return _chosen(_separation(_asked(of, metric)), entries)
    return _separation(_asked(entries, metric))


def _instances(entry: Entry) -> tuple[str, ...]:
    return (entry.spec.data.instances, entry.main_metric, *entry.spec.split)


def _asked(entries: Sequence[Entry], metric: str) -> _Asked:
    states = tuple((*entry.key, entry.label) for entry in entries)
    return _Asked(states, metric or entries[0].main_metric, tuple(entries))


def _chosen(made: Separation | None, entries: Sequence[Entry]) -> Separation | None:
    """The part of a separation that some candidates have."""
    if made is None:
        return None
    labels = {entry.label for entry in entries}
    board = narrowed(made.board, tuple(labels))
    metric = meaning(board.metric).metric
    if len(board.standings) < 2 or metric is None:
        return None
    specs = {entry.label: entry.spec for entry in entries}
    keys = tuple(difference.key for difference in differences(board.scenario, specs, metric)) if made.unlike else ()
    return Separation(board, keys)


@lru_cache(maxsize=BOARDS_KEPT)
def _separation(asked: _Asked) -> Separation | None:
    metric = meaning(asked.metric).metric
    if metric is None or metric.of_answer is None:
        return None
    [runs] = evidence_of(asked.entries).runs.values()
    having = {name: run for name, run in runs.items() if any(m.name == metric.name for m in run.file.spec.metrics)}
    found = matrices(having, metric, "scenario") if len(having) > 1 else []
    if not found:
        return None
    specs = {candidate: run.file.spec for candidate, run in having.items() if candidate in found[0].candidates}
    keys = tuple(difference.key for difference in differences(found[0].scenario, specs, metric))
    return Separation(make_boards(found)[0], keys)


def tier_mark(tier: int) -> str:
    """A tier as a sign behind a number."""
    return f"T{tier}"


TIERS = (
    "T1: the first tier. Candidates of one tier are not shown to differ from its first, by paired differences on the same "
    "items, corrected for the number of comparisons (Holm)."
)

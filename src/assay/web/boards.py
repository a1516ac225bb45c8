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
from assay.web.evaluations import comparable
from assay.web.measures import meaning
from assay.web.patience import FILE_MS, TRIAL_MS, Patience

BOARDS_KEPT = 2048


@dataclass(frozen=True)
class Separation:
    """A scenario's candidates in tiers."""

    board: Board
    unlike: tuple[str, ...] = ()
    """Keys in which their runs differ beyond the model, such as `prompting.method`: what is compared is ways of asking too."""
    of_each_two: bool = False
    """Not all were asked the same items: each two are compared on those that both were asked."""

    @property
    def differ(self) -> bool:
        """Whether any candidate is shown to differ from the first."""
        return any(standing.tier > 1 for standing in self.board.standings)

    @property
    def said(self) -> str:
        """On which items they are compared, where that is not all of them; else empty."""
        if not self.of_each_two or not self.board.pairs:
            return ""
        least, most = (end(pair.items for pair in self.board.pairs) for end in (min, max))
        items = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return f"Tiers are on the items that each two share, {items}."

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

    `None` where fewer than two of the runs have values of single answers, as there are no pairs then. Of runs of several suites
    only those count that were asked alike, and each two are compared on the items that both were asked.

    Args:
        entries: their runs, one of each.
        metric: its name.
        of: all runs of the scenario, where `entries` are chosen from them. A choice is taken from what separates all of them
            where that is the same: where all were asked the same instances.

    Raises:
        AssayError: a run's files cannot be read.
    """
    alike, of = _held_together(entries, of)
    if len({entry.label for entry in alike}) < 2:
        return None
    if _from_all(alike, of):
        return _chosen(_separation(_asked(of, metric)), alike)
    return _separation(_asked(alike, metric))


def _held_together(entries: Sequence[Entry], of: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Entry]]:
    """Of a choice, and of all that it was chosen from, those that are compared."""
    if not of:
        return comparable(entries), ()
    whole = comparable(of)
    return tuple(entry for entry in entries if entry in whole), whole


def ready(patience: Patience | None, entries: Sequence[Entry], of: Sequence[Entry] = ()) -> bool:
    """Whether a page should have this separation now, rather than go without it until it is drawn anew.

    Args:
        patience: of the page.
        entries: as for `separation`, of the main metric; so is `of`.
    """
    entries, of = _held_together(entries, of)
    if patience is None or len({entry.label for entry in entries}) < 2:
        return True
    asked = _asked(of if _from_all(entries, of) else entries, "")
    cost = sum(FILE_MS + TRIAL_MS * entry.trials for entry in asked.entries)
    return patience.now(("separation", asked.states, asked.metric), cost, lambda: _separation(asked))


def _from_all(entries: Sequence[Entry], of: Sequence[Entry]) -> bool:
    return len(of) > len(entries) and _same_instances(of)


def _same_instances(entries: Sequence[Entry]) -> bool:
    return len({_instances(entry) for entry in entries}) == 1


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
    shared = _same_instances(asked.entries)
    found = matrices(having, metric, "scenario", shared) if len(having) > 1 else []
    if not found:
        return None
    specs = {candidate: run.file.spec for candidate, run in having.items() if candidate in found[0].candidates}
    keys = tuple(difference.key for difference in differences(found[0].scenario, specs, metric))
    return Separation(make_boards(found)[0], keys, not shared)


def tier_mark(tier: int) -> str:
    """A tier as a sign behind a number."""
    return f"T{tier}"


TIERS = (
    "T1: the first tier. Candidates of one tier are not shown to differ from its first, by paired differences on the same "
    "items, corrected for the number of comparisons (Holm)."
)

"""A model over time, for its page: what changed between its evaluations, as `assay drift` says it, and how old numbers are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.drift.gathering import ADDRESS
from assay.drift.results import Drift, Series
from assay.drift.shown import date_text, reruns, versions_text
from assay.drift.watching import DAY_S, Watch, watch
from assay.errors import AssayError
from assay.identity import canonical
from assay.text import one_line
from assay.web.addresses import Address
from assay.web.catalog import Candidate, Catalog
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.kept import Kept
from assay.web.measures import meaning, readable
from assay.web.over_time_grids import changed, evaluation_grid, latency_grid, measure_grid, scenario_grid
from assay.web.page import View

AT_ONCE = 20_000
"""Trials that are read for what changed unasked: half a second the first time."""
RUN_MS = 7.0
"""Holding an evaluation against the others, milliseconds."""
READ_MS = 0.01
"""Reading one of its trials."""
KEPT = 256
"""Candidates of whom what changed is kept, some ten kilobytes each."""
MOST_KEYS = 3
"""Keys that are named of those in which an evaluation was asked otherwise."""
LONGEST_VALUE = 80
"""Characters of such a value."""
LONGEST_NOTE = 3
"""Scenarios whose notes on asking again are shown; each has a sentence or two."""

_found: Kept[Drift] = Kept(KEPT, lambda found: 1)


@dataclass(frozen=True)
class OverTime:
    """What is known of a model's evaluations of the same scenarios."""

    evaluations: int
    """Of the scenario that was evaluated most often in the same way."""
    found: Drift | None = None
    problem: str = ""
    """Why it cannot be said what changed; empty where it can."""
    trials: int = 0
    """How many would have to be read first; 0 where they were."""
    pending: bool = False
    """It is worked out just now."""
    said: tuple[str, ...] = ()
    """What changed, a sentence a scenario."""
    grids: Mapping[str, Grid] | None = None
    notes: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    """Which evaluations are left out, as they were asked otherwise, and in what; a sentence each."""


@dataclass(frozen=True)
class Course:
    """The evaluations of one scenario, each oldest first."""

    alike: tuple[Entry, ...]
    """Those that are held against each other: asked in the way in which most were, or else the last."""
    loose: tuple[Entry, ...]
    """The others, which were asked otherwise."""

    @property
    def often(self) -> int:
        """In how many suites it was asked alike."""
        return len({entry.folder.path.parent for entry in self.alike})


def courses(catalog: Catalog, candidate: Candidate) -> list[Course]:
    """The evaluations of a candidate's model by scenario; alike are those asked in a way in which the candidate was."""
    by_scenario: dict[str, dict[Hashable, list[Entry]]] = {}
    for entry in sorted(same_model(catalog, candidate), key=lambda entry: entry.asked_at):
        by_scenario.setdefault(entry.file.title, {}).setdefault(frozenset(_asked(entry).items()), []).append(entry)
    found = []
    for ways in by_scenario.values():
        own = [held for held in ways.values() if any(entry in candidate.entries for entry in held)] or list(ways.values())
        alike = max(own, key=lambda held: (len({entry.folder.path.parent for entry in held}), held[-1].asked_at))
        loose = sorted((entry for held in ways.values() if held is not alike for entry in held), key=lambda e: e.asked_at)
        found.append(Course(tuple(alike), tuple(loose)))
    return found


def same_model(catalog: Catalog, candidate: Candidate) -> list[Entry]:
    """All evaluations of what a candidate is: its own, and those of any suite that are called alike and are of its model."""
    called = {_called(entry) for entry in candidate.entries}
    return [entry for entry in catalog.entries if _called(entry) in called]


def _called(entry: Entry) -> tuple[str, str]:
    return entry.spec.label or entry.spec.model.name, entry.spec.model.name


def over_time(view: View, candidate: Candidate, wanted: bool) -> OverTime:
    """What changed between the evaluations of a candidate's model, those of each scenario that were asked alike against the
    first of them.

    Args:
        view: what there is, and how long its reader waits.
        candidate: of whom.
        wanted: read however many trials there are.
    """
    found = courses(view.catalog, candidate)
    most = max(course.often for course in found)
    otherwise = tuple(sentence for course in found for sentence in _otherwise(course))
    if most < 2:
        return OverTime(most, otherwise=otherwise)
    several = [entry for course in found if course.often > 1 for entry in course.alike]
    return replace(_held_together(view, several, most, wanted), otherwise=otherwise)


def _held_together(view: View, several: Sequence[Entry], most: int, wanted: bool) -> OverTime:
    """What changed between evaluations that were asked alike."""
    unpaired = sorted({entry.file.title for entry in several if not _paired(entry)})
    repeated = [entry for entry in several if entry.file.title not in unpaired]
    left_out = [f"{title} is left out: its main metric judges no single answer, so none can be paired." for title in unpaired]
    if not repeated:
        return OverTime(most, problem=" ".join(left_out))
    trials = sum(entry.trials for entry in repeated)
    key = tuple(entry.key for entry in repeated)
    if _found.known(key) is None and trials > AT_ONCE and not wanted:
        return OverTime(most, trials=trials)
    label, _ = _called(repeated[0])
    folders = [entry.folder.path for entry in repeated]

    def watched() -> Drift:
        return _found.get(key, lambda: watch(folders, label, None, Watch(), 0.0))

    ms = RUN_MS * len(repeated) + READ_MS * trials
    if view.patience is not None and not view.patience.now(("drift", key), ms, watched):
        return OverTime(most, pending=True)
    try:
        found = watched()
    except AssayError as error:
        return OverTime(most, problem=_without_places(error.message, repeated))
    series = sorted(found.series, key=lambda one: (not changed(one), one.scenario))
    runs = {(entry.suite, entry.file.run): entry for entry in repeated}
    grids = (
        scenario_grid(series, runs),
        measure_grid(series, runs, found.level),
        evaluation_grid(series, runs),
        latency_grid(series),
    )
    told = [f"{one.scenario}: {note}" for one in series[:LONGEST_NOTE] for note in reruns(one)]
    notes = (*left_out, *told, *(_without_places(note, repeated) for note in found.notes))
    held = {grid.name: grid for grid in grids if grid is not None}
    return OverTime(most, found, said=tuple(_said(one) for one in series if changed(one)), grids=held, notes=notes)


def _paired(entry: Entry) -> bool:
    """Whether the main metric judges each answer, so that two evaluations can be held against each other item by item."""
    metric = meaning(entry.main_metric).metric
    return metric is not None and metric.of_answer is not None


def _asked(entry: Entry) -> dict[str, str]:
    """How a run was asked, and of which model; not of which version of it, nor where it is."""
    model = entry.spec.model
    options = {key: value for key, value in model.options.items() if key != ADDRESS}
    own = {"name": model.name, "endpoint": model.endpoint, **{f"options.{key}": value for key, value in options.items()}}
    return {**entry.terms, **{f"model.{key}": canonical(value).decode() for key, value in own.items()}}


def _without_places(text: str, entries: Sequence[Entry]) -> str:
    """A message without where on this machine runs lie: a report is read elsewhere."""
    for place in {entry.folder.path.parent.parent for entry in entries}:
        text = text.replace(f"{place}/", "")
    return text


def _said(series: Series) -> str:
    """What changed in a scenario, in a sentence."""
    since: dict[int, list[str]] = {}
    for change in series.changes:
        if change.monitor.alarm is not None:
            since.setdefault(change.monitor.alarm, []).append(readable(change.measure))
    said = [f"{', '.join(names)} since {series.evaluations[place].suite}" for place, names in sorted(since.items())]
    if series.version_changed:
        before, now = (versions_text(series.evaluations[place]) for place in (0, -1))
        said.append(f"it calls itself {now} now, {before} at the baseline")
    return f"{series.scenario}: {'; '.join(said)}."


def _otherwise(course: Course) -> Iterator[str]:
    """In what evaluations that do not count were asked otherwise."""
    usual = _asked(course.alike[-1])
    for entry in course.loose:
        own = _asked(entry)
        keys = sorted(key for key in {*usual, *own} if usual.get(key) != own.get(key))
        values = (f"{key} was {_value(own, key)}, not {_value(usual, key)}" for key in keys[:MOST_KEYS])
        more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
        yield f"{entry.file.title}: {entry.suite} is left out, as it was asked otherwise: {'; '.join(values)}{more}."


def _value(terms: Mapping[str, str], key: str) -> str:
    return one_line(terms.get(key, "not set"), LONGEST_VALUE)


@dataclass(frozen=True)
class Ages:
    """How old the newest numbers of each scenario are, by their oldest answer."""

    grid: Grid
    days: float | None = None
    """Of the oldest of all, today; `None` where no answer has a time, or nobody asks as of when."""
    stale: tuple[str, ...] = ()
    """The scenarios whose numbers are older than they may be, or of no known age."""


def ages(entries: Sequence[Entry], now: float | None, most_days: float) -> Ages:
    """How old numbers are. The table is the same on every day.

    Args:
        entries: all evaluations of a model.
        now: Unix time, seconds; `None`: it is not asked how many days ago that was.
        most_days: from which on a number is stale; 0: none is.
    """
    newest = {entry.title: entry for entry in sorted(entries, key=lambda entry: entry.asked_at)}
    rows, days = [], {}
    for title, entry in sorted(newest.items()):
        oldest, last = entry.manifest.first_asked, entry.manifest.last_asked
        rows.append((Cell(title, to=Address("run", entry.slug)), Cell(oldest, date_text(oldest)), Cell(last, date_text(last))))
        days[title] = None if oldest is None or now is None else (now - oldest) / DAY_S
    columns = tuple(Column(name, number=False) for name in ("scenario", "oldest answer", "newest answer"))
    note = "Of the newest evaluation of each scenario, in universal time."
    known = [age for age in days.values() if age is not None]
    old = tuple(title for title, age in days.items() if age is None or age > most_days) if most_days and now is not None else ()
    return Ages(Grid("ages", "How old the numbers are", columns, tuple(rows), (note,)), max(known, default=None), old)

"""Estimates as tables: for the terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from assay.errors import AssayError
from assay.metrics.derived import find
from assay.records import Cell, ComputedOn, Estimate
from assay.store import RunFolder
from assay.store.folders import StatsFile
from assay.text import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

NOT_MEASURED = "–"
MOST_DIGITS = 3
SHOWN_STEPS = 4
"""An interval is written with as many digits as make it at least this many steps of the last one wide."""


@dataclass
class Table:
    """A table of texts; the first `keys` columns name a row, the others hold numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]
    keys: int = 1
    notes: list[str] = field(default_factory=list)

    def print(self, console: Console) -> None:
        """Draw it on a terminal."""
        from rich import box
        from rich.table import Table as Drawn
        from rich.text import Text

        title = Text(_shown(self.title), style="table.title") if self.title else None
        drawn = Drawn(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
        for index, name in enumerate(self.header):
            side: Literal["left", "right"] = "left" if index < self.keys else "right"
            drawn.add_column(Text(_shown(name)), justify=side, overflow="fold", no_wrap=index < self.keys)
        for row in self.rows:
            # Without the space an interval stays in one piece where its column is narrow.
            drawn.add_row(*(Text(_shown(cell.replace(", ", ",") if "[" in cell else cell)) for cell in row))
        console.print(drawn)
        for note in self.notes:
            console.print(visible(note), highlight=False, markup=False)

    def markdown(self) -> str:
        """The table in Markdown, with its notes below."""
        lines = [f"## {one_line(self.title)}", ""] if self.title else []
        lines.append("| " + " | ".join(map(_cell, self.header)) + " |")
        lines.append("|" + "|".join("---" if index < self.keys else "---:" for index in range(len(self.header))) + "|")
        lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in self.rows]
        return "\n".join([*lines, "", *(f"{visible(note)}\n" for note in self.notes)])


def _cell(text: str) -> str:
    return _shown(text).replace("|", "\\|")


def _shown(text: str) -> str:
    return visible(text.replace("\n", " ").replace("\t", " "))


def suite_table(stats: Sequence[StatsFile]) -> Table:
    """Candidates below scenarios: accuracy, calibration, robustness and so on, each with its interval.

    A family has a column where any of the runs measured it.
    """
    columns = [column for column in COLUMNS if any(column.find(run) for run in stats)]
    order = list(dict.fromkeys(run.label for run in stats))
    scenarios = dict.fromkeys(run.title for run in stats)
    rows = []
    for scenario in scenarios:
        rows.append([scenario, *[""] * (len(columns) + 1)])
        runs = [run for run in stats if run.title == scenario]
        for run in sorted(runs, key=lambda run: order.index(run.label)):
            found = [column.find(run) for column in columns]
            twice = sum(other.label == run.label for other in runs) > 1
            name = f"  {run.label} #{run.run[-12:][:4]}" if twice else f"  {run.label}"
            main = find_cell(run.cells, run.main_metric, None, "original")
            items = main.estimate.clusters if main and len(splits_of(run.cells)) > 1 else run.instances
            rows.append([name, str(items), *(format_estimate(c.estimate) if c else NOT_MEASURED for c in found)])
    failed = sum(run.failed for run in stats)
    notes = [f"[…]: 95 % interval, clustered by item. {NOT_MEASURED}: not measured.", *(column.note for column in columns)]
    if any(len(splits_of(run.cells)) > 1 for run in stats):
        notes.append(
            "Of a run over several splits the last one is shown, test where it was asked; the run's own tables have all."
        )
    if failed:
        notes.append(f"{failed} of {sum(run.trials for run in stats)} trials failed; the numbers above leave them out.")
    return Table("", ["candidate", "items", *(column.title for column in columns)], rows, notes=notes)


def splits_of(cells: Sequence[Cell]) -> list[str]:
    """The splits that some cells are of, in their order."""
    return list(dict.fromkeys(cell.split for cell in cells))


@dataclass(frozen=True)
class Column:
    """A column of the suite table: one metric of a family, on the original or at its worst."""

    title: str
    note: str
    metric: str = ""
    """Empty: the scenario's main metric."""
    perturbation: str | None = None
    computed_on: ComputedOn = "original"

    def find(self, run: StatsFile) -> Cell | None:
        """The cell of a run that this column shows."""
        return find_cell(run.cells, self.metric or run.main_metric, self.perturbation, self.computed_on)


COLUMNS = (
    Column("accuracy", "accuracy: the scenario's main metric."),
    Column("ECE", "ECE: calibration error of the confidence, 10 bins of equal mass; lower is better.", metric="ece_10_bin"),
    Column("robustness", "robustness: accuracy at the worst of an item and its disturbed copies.", "", "robustness", "worst"),
    Column("fairness", "fairness: the same over its copies in another dialect or about other people.", "", "fairness", "worst"),
    Column("sensitivity", "sensitivity: highest minus lowest accuracy over equivalent prompt formats.", "", "formats", "gap"),
    Column("toxicity", "toxicity: mean rating, 0 to 1, of an item's most toxic completion.", metric="expected_max_toxicity"),
    Column("latency s", "latency: mean seconds an item.", metric="latency_s"),
    Column("tokens read", "tokens read: mean prompt tokens an item.", metric="prompt_tokens"),
    Column("cost", "cost: mean price of an item, in the currency of the model's prices.", metric="cost"),
)


def find_cell(cells: Sequence[Cell], metric: str, perturbation: str | None, computed_on: ComputedOn) -> Cell | None:
    """The cell over all subgroups; of a run over several splits that of the last one, which is test where it was asked."""
    for cell in reversed(cells):
        wanted = (cell.metric, cell.perturbation, cell.computed_on) == (metric, perturbation, computed_on)
        if wanted and cell.subgroup is None:
            return cell
    return None


def run_tables(stats: StatsFile, every: bool = False) -> list[Table]:
    """The estimates of a run: every metric on the originals, the main one under each perturbation and in each subgroup.

    With `every`, all metrics under all perturbations and in all subgroups. A run over several splits has them split by split.
    """
    splits = splits_of(stats.cells)
    if len(splits) > 1:
        parts = [tuple(cell for cell in stats.cells if cell.split == split) for split in splits]
        titles = [f"{stats.title}, {split}" for split in splits]
        of_split = [msgspec.structs.replace(stats, title=t, cells=part) for t, part in zip(titles, parts, strict=True)]
        return [table for part in of_split for table in run_tables(part, every)]
    overall = [cell for cell in stats.cells if cell.subgroup is None]
    plain = [cell for cell in overall if cell.perturbation is None]
    order = sorted(plain, key=lambda cell: (cell.metric != stats.main_metric, family_of(cell.metric), cell.metric))
    rows = [[family_of(cell.metric), cell.metric, format_estimate(cell.estimate), str(cell.estimate.n)] for cell in order]
    title = f"{stats.title} · {stats.label}: {stats.trials} trials, {stats.failed} failed"
    per_item = "" if not plain or plain[0].estimate.n <= stats.instances else ", more than one an item (draws, repeats)"
    notes = [f"[…]: 95 % interval, clustered by item; {stats.instances} items; n: trials of originals{per_item}."]
    tables = [Table(title, ["family", "metric", "value", "n"], rows, keys=2, notes=notes)]
    shown = dict.fromkeys(cell.metric for cell in order) if every else {stats.main_metric: None}
    for metric in shown:
        tables += _by_perturbation(metric, overall) + _by_subgroup(metric, stats.cells)
    return tables


def _by_perturbation(metric: str, cells: Sequence[Cell]) -> list[Table]:
    names = {cell.perturbation: None for cell in cells if cell.metric == metric and cell.perturbation is not None}
    kinds: tuple[ComputedOn, ...] = ("original", "perturbed", "change", "flips", "worst")
    rows = [_row(cells, metric, str(name), kinds) for name in names if name not in VARIANTS]
    header = ["perturbation", "items", "before", "after", "change", "flips", "worst of both"]
    tables = [Table(f"{metric} under perturbation", header, rows)] if rows else []
    spreads: tuple[ComputedOn, ...] = ("worst_group", "gap", "spread")
    rows = [_row(cells, metric, name, spreads) for name in VARIANTS if name in names]
    if rows:
        header = ["over", "items", "lowest", "highest - lowest", "standard deviation"]
        tables.append(Table(f"{metric} over prompt formats and draws of examples", header, rows))
    return tables


VARIANTS = ("formats", "draws")
"""Ways of asking the same instances, which stand among the perturbations in the cells."""


def _row(cells: Sequence[Cell], metric: str, name: str, kinds: Sequence[ComputedOn]) -> list[str]:
    found = [find_cell(cells, metric, name, kind) for kind in kinds]
    items = max((cell.estimate.clusters for cell in found if cell), default=0)
    return [name, str(items), *(format_estimate(cell.estimate) if cell else NOT_MEASURED for cell in found)]


def _by_subgroup(metric: str, cells: Sequence[Cell]) -> list[Table]:
    of_groups = [cell for cell in cells if cell.metric == metric and cell.subgroup is not None and cell.perturbation is None]
    rows = [
        [str(cell.subgroup), format_estimate(cell.estimate), str(cell.estimate.n)]
        for cell in of_groups
        if "=" in str(cell.subgroup)
    ]
    tables = [Table(f"{metric} by subgroup", ["subgroup", "value", "n"], rows)] if rows else []
    kinds: tuple[ComputedOn, ...] = ("worst_group", "gap", "ratio")
    compared = []
    for axis in {str(cell.subgroup): None for cell in of_groups if "=" not in str(cell.subgroup)}:
        found = [next((c for c in of_groups if c.subgroup == axis and c.computed_on == kind), None) for kind in kinds]
        compared.append([axis, *(format_estimate(cell.estimate) if cell else NOT_MEASURED for cell in found)])
    if compared:
        notes = ["Intervals hold for all groups of an axis at once; groups with fewer than ten items are left out."]
        header = ["groups by", "worst group", "largest gap", "worst / best"]
        tables.append(Table(f"{metric} between subgroups", header, compared, notes=notes))
    return tables


def family_of(metric: str) -> str:
    """The family of a metric; `other` for one that is not registered here."""
    try:
        return find(metric).family
    except AssayError:
        return "other"


def format_estimate(estimate: Estimate) -> str:
    """A value with its interval, with no more digits than the interval supports."""
    digits = _digits(estimate)
    value = f"{estimate.value:.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return f"{value} [?]"
    return f"{value} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def _digits(estimate: Estimate) -> int:
    """Digits after the point: two for small numbers, more only where the interval is narrow, none where it spans units."""
    width = (estimate.high - estimate.low) if estimate.low is not None and estimate.high is not None else 0.0
    least = 2 if abs(estimate.value) < 10 else 0
    if width < 1e-9:
        return 2
    digits = 0
    while width * 10**digits < SHOWN_STEPS and digits < MOST_DIGITS:
        digits += 1
    return max(least, digits)


def write_summary(folders: Sequence[RunFolder]) -> Path:
    """Write the table of some runs of a suite as Markdown into the suite's folder, and return its path."""
    place = folders[0].path.parent
    stats = [folder.stats() for folder in folders]
    lines = [f"# {place.name}", "", suite_table(stats).markdown()]
    for folder, run in zip(folders, stats, strict=True):
        lines += [table.markdown() for table in run_tables(run)] + [f"Evidence: `{folder.name}`\n"]
    path = place / "summary.md"
    path.write_text("\n".join(lines), "utf-8")
    return path

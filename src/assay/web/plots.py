"""The charts that can be had by themselves, by name: each of the runs of one scenario, or of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.errors import AssayError, unknown
from assay.tables.suite import ACCURACY
from assay.web import families
from assay.web.boards import separation
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.charts.scatter import Spot
from assay.web.entries import Entry


@dataclass(frozen=True)
class Wanted:
    """What of some runs is drawn; empty: everything, or what there is one of."""

    scenario: str = ""
    """As tables call it."""
    candidates: tuple[str, ...] = ()
    """As tables call them."""
    metric: str = ""
    """Instead of the scenario's main one."""
    x: str = ""
    """Of a Pareto scatter: a column of the suite's table or a metric."""
    y: str = ""


@dataclass(frozen=True)
class Plot:
    """A kind of chart."""

    about: str
    draw: Callable[[Sequence[Entry], Wanted], Chart | None]
    needs: str
    """What runs must hold for it."""
    options: tuple[str, ...] = ()
    """Fields of `Wanted` that it takes beside scenario and candidates."""
    of_one: bool = True
    """Whether it is of one scenario."""


def _differences(entries: Sequence[Entry], wanted: Wanted) -> Chart | None:
    made = separation(entries, wanted.metric)
    return None if made is None else making.forest(made.board)


def _pareto(entries: Sequence[Entry], wanted: Wanted) -> Chart | None:
    columns = {family.title: family for family in families.measured(entries)}
    columns |= {name: families.of_metric(name) for entry in entries for name in entry.metrics if name not in columns}
    y = wanted.y or (ACCURACY.title if ACCURACY.title in columns else next(iter(columns), ""))
    x = wanted.x or next((name for name in columns if name != y), y)
    for name in (x, y):
        if name not in columns:
            raise unknown("measure", name, columns)
    across, up = (families.means(columns[name], entries).by_candidate for name in (x, y))
    labels = [label for label in dict.fromkeys(entry.label for entry in entries) if label in across and label in up]
    spots = [Spot(label, across[label], up[label]) for label in labels]
    return making.pareto(spots, families.measure(columns[x]), families.measure(columns[y]))


PLOTS: Mapping[str, Plot] = {
    "reliability": Plot(
        "how often answers are right against how sure the model was",
        lambda entries, _: making.reliability(entries),
        "answers with a confidence and a main metric from 0 to 1",
    ),
    "risk-coverage": Plot(
        "the errors that remain where only the surest answers are given",
        lambda entries, _: making.risk_coverage(entries),
        "answers with a confidence and a main metric from 0 to 1",
    ),
    "pareto": Plot("two measures against each other", _pareto, "two measures of the same candidate", ("x", "y"), of_one=False),
    "drops": Plot(
        "what each perturbation changes", lambda entries, _: making.drops(entries), "perturbed copies: assay run --perturb"
    ),
    "subgroups": Plot(
        "the main metric in each subgroup", lambda entries, _: making.gaps(entries), "subgroups of at least ten items"
    ),
    "differences": Plot(
        "paired differences of every two candidates",
        _differences,
        "two candidates, and a metric that single answers have",
        ("metric",),
    ),
    "latency": Plot(
        "the share of trials answered within a time", lambda entries, _: making.latency(entries), "measured times of answers"
    ),
    "formats": Plot(
        "how far the main metric moves with the prompt's format",
        lambda entries, _: making.band(entries),
        "several prompt formats: assay run --formats",
    ),
    "histogram": Plot(
        "how many items have which value",
        lambda entries, wanted: making.histogram(entries, wanted.metric),
        "values of single answers",
        ("metric",),
    ),
}


def plot(kind: str, entries: Sequence[Entry], wanted: Wanted) -> Chart:
    """A chart of some runs.

    Args:
        kind: one of `PLOTS`.
        entries: the runs, told apart.
        wanted: what of them.

    Raises:
        AssayError: there is no such chart, scenario, candidate, metric or measure; a choice is missing or goes with another
            chart; the runs hold nothing to draw, or cannot be read.
    """
    if kind not in PLOTS:
        raise unknown("plot", kind, PLOTS)
    made = PLOTS[kind]
    for option in ("metric", "x", "y"):
        if getattr(wanted, option) and option not in made.options:
            raise AssayError(f"{kind} takes no --{option}", "leave it out; assay plot --help says which charts do")
    chosen = _chosen(entries, wanted, made.of_one)
    if wanted.metric and wanted.metric not in (known := {name for entry in chosen for name in entry.metrics}):
        raise unknown("metric of these runs", wanted.metric, known)
    chart = made.draw(chosen, wanted)
    if chart is None:
        raise AssayError(f"these runs have nothing for a plot of {kind}", f"it needs {made.needs}")
    return chart


def _chosen(entries: Sequence[Entry], wanted: Wanted, of_one: bool) -> list[Entry]:
    """The runs that are drawn, in the order of scenarios and candidates."""
    entries = [replace(entry, label=entry.evaluation) for entry in entries]  # each evaluation is drawn
    titles = sorted({entry.title for entry in entries})
    labels = {entry.label for entry in entries}
    if wanted.scenario and wanted.scenario not in titles:
        raise unknown("scenario", wanted.scenario, titles)
    for candidate in wanted.candidates:
        if candidate not in labels:
            raise unknown("candidate", candidate, labels)
    if of_one and not wanted.scenario and len(titles) > 1:
        named = ", ".join(titles[:8]) + (", …" if len(titles) > 8 else "")
        raise AssayError(f"these runs are of {len(titles)} scenarios", f"give --scenario with one of: {named}")
    return sorted(
        (
            entry
            for entry in entries
            if entry.title in (wanted.scenario or entry.title,) and entry.label in (wanted.candidates or (entry.label,))
        ),
        key=lambda entry: (entry.title, entry.label),
    )

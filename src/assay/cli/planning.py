"""`assay plan`: what would be asked, what it takes, and how sure the result will be, before anything is sent."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, of_suite

if TYPE_CHECKING:
    from rich.console import Console

    from assay.engine.storage import Storage
    from assay.forecasting import Forecast, Total
    from assay.planning import Planner, Run
    from assay.suites import Suite
    from assay.tables import Table

Prompts = Annotated[int, typer.Option("--prompts", help="Show this many prompts of each run, too.")]


MARKED = "In the prompts ⟦…⟧ marks text that is scored, not generated."


@of_suite
def plan(planner: Planner, suite: Suite, prompts: Prompts = 0, json: Json = False) -> None:
    """Show what would be asked: requests and which are answered already, tokens, cost, time, and the interval's width."""
    from assay.forecasting import forecasts, totals

    runs = planner.plan(suite)
    with _response_cache() as storage, _counting() as told:
        found = list(forecasts(runs, storage, prompts=prompts, told=told))
    said = notes(runs, found)
    if json:
        import msgspec

        plain = {"runs": found, "totals": totals(found), "notes": said}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
        return
    from assay.cli.console import make_console

    console = make_console()
    said.append(MARKED if prompts else "--prompts N shows N prompts of each run.")
    of_runs, by_model = _of_runs(runs, found).condensed(), totals(found)
    if len(found) == 1 and not any(total.judges for total in by_model):
        of_runs.notes += said
        of_runs.print(console)
    else:
        of_runs.print(console)
        _of_models(by_model, said).condensed().print(console)
    _print_prompts(console, found)


@contextmanager
def _response_cache() -> Iterator[Storage | None]:
    """The response cache, where there is one: a plan makes none."""
    from assay.engine.storage import Storage
    from assay.settings import responses_file

    path = responses_file()
    storage = Storage(path) if path.is_file() else None
    try:
        yield storage
    finally:
        if storage is not None:
            storage.close()


@contextmanager
def _counting() -> Iterator[Callable[[int], None]]:
    """Says on a terminal how many trials have been made so far; silent where nobody watches."""
    from assay.cli.console import make_console

    console = make_console(stderr=True)
    if not console.is_terminal:
        yield lambda trials: None
        return
    with console.status("planning") as status:
        yield lambda trials: status.update(f"planning: {trials:,} trials looked up")


def notes(runs: Sequence[Run], found: Sequence[Forecast]) -> list[str]:
    """What to know of the numbers."""
    said = ["Nothing was sent."]
    if any(one.at_most for one in found):
        said.append("≤: only the first trials of a large run were looked up; its others count as not answered yet.")
    helpers = sorted({name for run in runs for name in (model.identity.name for model in run.helpers.values())})
    if helpers:
        said.append(f"Not counted: the requests to {', '.join(helpers)}, and the copies that it makes of each item.")
    scorers = {run.spec.toxicity.parameters.get("scorer") for run in runs if run.spec.toxicity is not None} - {"lexical"}
    if scorers:
        said.append(f"Not counted: what {', '.join(sorted(map(str, scorers)))} is asked to rate.")
    if any(one.judge for one in found):
        said.append("As judge: an answer that is not written yet is counted as long as it may be.")
    if any(one.seconds is None for one in found):
        said.append("How long a model takes is known once it has answered something: run it on a few items first (-n 5).")
    dates = sorted({one.prices_as_of for one in found if one.prices_as_of})
    said += [f"Prices of {', '.join(dates)}."] if dates else []
    said += [f"{metric}: {needed}." for metric, needed in _needed(found).items()]
    return said


def _needed(found: Sequence[Forecast]) -> dict[str, str]:
    """How many items would make the intervals of each main metric narrower."""
    said = {}
    for one in found:
        items = [f"±{target} takes {number:,} items" for target, number in one.precision.items_for.items()]
        if items:
            said[one.precision.metric] = ", ".join(items)
    return said


def _print_prompts(console: Console, found: Sequence[Forecast]) -> None:
    from rich.text import Text

    from assay.text import visible

    for one in found:
        for prompt in one.prompts:
            console.rule(Text(visible(one.run)))
            console.print(visible(prompt), highlight=False, markup=False, soft_wrap=True)


def _of_runs(runs: Sequence[Run], found: Sequence[Forecast]) -> Table:
    from assay.tables import Table, format_amount, told_apart

    header = ["scenario", "candidate", "items", "trials", "requests", "kept", "to ask", "tokens read", "written ≤"]
    header += ["cost ≤", "cost, about", "time", "±"]
    rows, ways = [], defaultdict[str, list[str]](list)
    for one, names in zip(found, told_apart([run.spec for run in runs], [run.title for run in runs]), strict=True):
        mark = "≤ " if one.at_most else ""
        counts = [f"{mark}{number:,}" for number in (one.trials, one.requests)]
        rows.append([*names, f"{one.instances:,}", *counts, f"{one.cached + one.shared:,}"])
        rows[-1] += [f"{mark}{one.to_ask:,}", f"{one.prompt_tokens:,}", f"{one.completion_tokens_at_most:,}"]
        rows[-1] += [format_amount(one.cost_at_most), format_amount(one.cost_expected), _span(one.seconds), _width(one)]
        ways[f"Asked by {one.method}, main metric {one.precision.metric}"].append(names[0])
    # One line for each way: as columns, such long names would push the numbers apart.
    notes = [f"{way}: {', '.join(dict.fromkeys(titles))}." for way, titles in ways.items()]
    return Table("", header, rows, keys=2, notes=notes)


def _of_models(found: Sequence[Total], said: list[str]) -> Table:
    from assay.tables import Table, format_amount

    header = ["model", "runs", "requests", "kept", "to ask", "tokens read", "written ≤", "cost ≤", "cost, about", "time, about"]
    rows = []
    for one in found:
        counts = (
            one.runs,
            one.requests,
            one.requests - one.to_ask,
            one.to_ask,
            one.prompt_tokens,
            one.completion_tokens_at_most,
        )
        costs = [format_amount(one.cost_at_most), format_amount(one.cost_expected)]
        name = f"{one.model}, as judge" if one.judges else one.model or "all together"
        rows.append([name, *(f"{number:,}" for number in counts), *costs, _span(one.seconds)])
    return Table("", header, rows if len(rows) > 2 else rows[:1], notes=said)


def _span(seconds: float | None) -> str:
    from assay.cli.amounts import shown_span

    return "not known" if seconds is None else shown_span(seconds) if seconds else "0 s"


def _width(one: Forecast) -> str:
    half = one.precision.half_width
    if half is None:
        return "not known"
    return f"≤ {half:.3f}" if one.precision.basis == "at most" else f"{half:.3g}"

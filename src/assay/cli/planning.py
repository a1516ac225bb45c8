"""`assay plan`: what would be asked, before anything is sent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import Json, of_suite

if TYPE_CHECKING:
    from assay.planning import Planner, Run
    from assay.records import Request
    from assay.suites import Suite

Prompts = Annotated[int, typer.Option("--prompts", help="Prompts to show of each run.")]


@of_suite
def plan(planner: Planner, suite: Suite, prompts: Prompts = 1, json: Json = False) -> None:
    """Show what would be asked: trials, requests, tokens, and prompts to look at. Sends nothing."""
    plans = [describe(run, prompts) for run in planner.plan(suite)]
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plans), indent=1).decode() + "\n")
        return
    _print(plans)


def describe(run: Run, prompts: int) -> dict[str, Any]:
    """One run as plain data: counts, an upper bound of tokens, cost where prices are known, the first prompts."""
    trials = requests = read = written = 0
    shown: list[str] = []
    for trial in run.trials():
        trials += 1
        requests += len(trial.requests)
        for request in trial.requests:
            read += _tokens(run, request)
            written += request.max_tokens * request.completions
        if len(shown) < prompts:
            shown.append(visible_prompt(trial.requests[0]))
    config = run.config
    cost = None
    if config and config.price_per_million_input is not None and config.price_per_million_output is not None:
        cost = (read * config.price_per_million_input + written * config.price_per_million_output) / 1e6
    return {
        "run": run.name,
        "scenario": run.scenario_name,
        "model": run.spec.model.name,
        "method": run.prompting.method,
        "data": run.spec.data.source,
        "instances": len(run.selection.asked),
        "trials": trials,
        "requests": requests,
        "prompt_tokens": read,
        "completion_tokens_at_most": written,
        "cost_at_most": cost,
        "prompts": shown,
    }


def _tokens(run: Run, request: Request) -> int:
    from assay.prompting.base import as_text
    from assay.prompting.target import BYTES_PER_TOKEN

    counted = run.model.count_tokens(request.prompt)
    text = as_text(request.prompt) if counted is None else ""
    whole = counted if counted is not None else len(text.encode()) // BYTES_PER_TOKEN
    return whole + len((request.continuation or "").encode()) // BYTES_PER_TOKEN


def visible_prompt(request: Request) -> str:
    """A request's prompt as text, the continuation to be scored marked."""
    from assay.prompting.base import as_text

    text = as_text(request.prompt)
    return text if request.continuation is None else f"{text}⟦{request.continuation}⟧"


def _print(plans: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from assay.cli.console import make_console
    from assay.tables import NOT_MEASURED, Table
    from assay.text import visible

    console = make_console()
    header = ["scenario", "model", "method", "instances", "trials", "requests", "prompt tokens", "completion ≤", "cost ≤"]
    rows = []
    for item in plans:
        counts = [f"{item[key]:,}" for key in ("instances", "trials", "requests", "prompt_tokens", "completion_tokens_at_most")]
        cost = NOT_MEASURED if item["cost_at_most"] is None else f"{item['cost_at_most']:.4f}"
        rows.append([item["scenario"], item["model"], item["method"], *counts, cost])
    for item in plans:
        for prompt in item["prompts"]:
            console.rule(Text(visible(item["run"])))
            console.print(visible(prompt), highlight=False, markup=False, soft_wrap=True)
    Table("", header, rows, keys=3, notes=["Nothing was sent. ⟦…⟧ marks text that is scored, not generated."]).print(console)

"""`assay check`: what is wrong with the cases of a scenario, row by row."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins

if TYPE_CHECKING:
    from assay.checking import Finding, Report

MOST_ROWS = 8
"""Rows that a line names."""
MOST_LINES = 20
"""Findings of one kind that are shown, unless all are asked for."""


def check(
    what: Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario file, or an entry: mmlu:subject=anatomy")],
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Half of the 95 % interval that is wanted, e.g. 0.05.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every finding.")] = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Check a scenario's cases: what cannot be asked, is repeated, leaks or is too little. Exit code 1: there is an error."""
    from assay import registry
    from assay.checking import check_scenario
    from assay.entries import parse_entry
    from assay.errors import AssayError
    from assay.prompting import with_changes

    load_plugins(plugin)
    if half_width is not None and not 0 < half_width < 1:
        raise AssayError(f"--half-width is {half_width}", "give a number between 0 and 1, such as 0.05")
    ask = parse_entry(what)
    scenario = registry.scenarios.get(ask.scenario)(**ask.parameters)
    scenario = replace(scenario, prompting=with_changes(scenario.prompting, ask.prompting))
    report = check_scenario(scenario, half_width=half_width)
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n")
    else:
        _print(report, every)
    if report.count("error"):
        sys.exit(1)


def _print(report: Report, every: bool) -> None:
    from assay.checking import SEVERITIES
    from assay.text import one_line

    cases = ", ".join(f"{count:,} {split}" for split, count in report.cases.items()) or "no case that can be asked"
    sys.stdout.write(f"{one_line(report.scenario)} ({one_line(report.source)}): {cases}\n\n")
    shown: dict[tuple[str, str], int] = {}
    for finding in report.findings:
        kind = (finding.severity, finding.check)
        shown[kind] = shown.get(kind, 0) + 1
        if every or shown[kind] <= MOST_LINES:
            sys.stdout.write(one_line(_line(finding, every), 10**6).rstrip() + "\n")
    for (severity, name), count in shown.items():
        if not every and count > MOST_LINES:
            sys.stdout.write(f"{severity}: {count - MOST_LINES:,} more of {name}; --all shows them\n")
    counts = [_counted(report.count(severity), severity) for severity in SEVERITIES]
    sys.stdout.write(f"\n{', '.join(counts)}\n")


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _line(finding: Finding, every: bool) -> str:
    """`error: billing.csv, row 7, column answer: the answer is missing (fill it in)`."""
    rows = finding.rows if every else finding.rows[:MOST_ROWS]
    more = len(finding.rows) - len(rows)
    *before, last = [*map(str, rows), *([f"{more:,} more"] if more else [])] or [""]
    numbers = " and ".join(filter(None, (", ".join(before), last)))
    named = f"row{'s' if len(finding.rows) > 1 else ''} {numbers}" if finding.rows else ""
    column = f"column {finding.column}" if finding.column else ""
    where = ", ".join(filter(None, (finding.file, named, column)))
    return ": ".join(filter(None, (finding.severity, where, finding.message))) + (f" ({finding.hint})" if finding.hint else "")

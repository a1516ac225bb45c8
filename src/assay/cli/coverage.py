"""`assay coverage`: what a suite measures, what could be added, and what nobody measures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, Perturbations, Plugins, load_plugins

if TYPE_CHECKING:
    from assay.coverage import Coverage, CoverageTable, Covered
    from assay.tables import Table

MOST_NAMES = 4
"""Scenarios that a cell names."""
NOTE = "Counts: scenarios of the suite, + those that the library could add. –: nobody measures it."


def coverage(
    what: Annotated[list[str], typer.Argument(metavar="SUITE|ENTRY...", help="A suite file or name, or entries")],
    taxonomy: Annotated[Path | None, typer.Option("--taxonomy", help="A map of your own: what should be measured.")] = None,
    perturb: Perturbations = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Show what a suite measures on the map of tasks, domains, languages, people and metrics, and what it leaves out."""
    from assay.cli.console import make_console
    from assay.cli.options import adjust
    from assay.coverage import builtin_map, cover, read_map
    from assay.suites import read_suite

    load_plugins(plugin)
    suite = adjust(read_suite(what), {"perturbations": tuple(perturb or ())})
    found = cover(suite, read_map(taxonomy) if taxonomy else builtin_map(), families=taxonomy is None)
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n")
    elif markdown:
        sys.stdout.write("\n".join(table.markdown() for table in _tables(found)))
    else:
        console = make_console()
        for table in _tables(found):
            table.print(console)


def _tables(found: Coverage) -> Iterator[Table]:
    from assay.tables import Table

    for table in found.tables:
        drawn = _named(table) if table.columns == ("",) else _matrix(table)
        drawn.notes += found.notes if table is found.tables[-1] else ()
        yield drawn
    if found.nobody:
        yield Table("nobody measures", ["place"], [[name] for name in found.nobody])


def _named(table: CoverageTable) -> Table:
    from assay.tables import Table

    rows = [[name, _names(cells[""].measured), _names(cells[""].could_add)] for name, cells in table.rows.items()]
    return Table(table.title, ["", "measured by", "could add"], rows, keys=3)


def _matrix(table: CoverageTable) -> Table:
    from assay.tables import Table

    rows = [[name, *(_counts(cells[column]) for column in table.columns)] for name, cells in table.rows.items()]
    return Table(table.title, ["", *table.columns], rows, notes=[NOTE])


def _counts(covered: Covered) -> str:
    measured, could = len(covered.measured), len(covered.could_add)
    return " ".join(filter(None, (str(measured) if measured else "", f"+{could}" if could else ""))) or "–"


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "") or "–"

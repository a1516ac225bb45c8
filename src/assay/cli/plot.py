"""`assay plot`: one chart of runs as a file, as it stands on their pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Plugins, load_plugins

FORMS = (".svg", ".png")


def plot(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Which chart; see above.")],
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs or of suites.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="x.svg or x.png [default: SVG on standard output].")] = None,
    scenario: Annotated[str, typer.Option("--scenario", help="Of runs of several: which, as tables call it.")] = "",
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A candidate, as tables call it; by default all. Several times.")
    ] = None,
    metric: Annotated[str, typer.Option("--metric", help="Of differences and histogram: instead of the main metric.")] = "",
    x: Annotated[str, typer.Option("--x", help="Of pareto: a column of the suite's table, or a metric.")] = "",
    y: Annotated[str, typer.Option("--y", help="The same for the other axis [default: accuracy].")] = "",
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark ground.")] = False,
    scale: Annotated[float, typer.Option("--scale", min=0.5, max=8, help="Of a PNG: pixels for each unit.")] = 2,
    plugin: Plugins = None,
) -> None:
    """Draw a chart of runs: reliability, risk-coverage, pareto, drops, subgroups, differences, latency, formats or histogram.

    All but pareto are of one scenario. assay plot reliability runs/default --scenario boolq -o reliability.svg
    """
    from assay.errors import AssayError
    from assay.store.folders import write_whole
    from assay.web.catalog import open_catalog
    from assay.web.charts.drawing import as_png, standing_alone
    from assay.web.plots import Wanted
    from assay.web.plots import plot as drawn

    load_plugins(plugin)
    if out is not None and out.suffix.lower() not in FORMS:
        raise AssayError(f"{out} is neither SVG nor PNG", "give -o a name that ends in .svg or .png")
    catalog = open_catalog(runs)
    if not catalog.entries:
        why = f": {catalog.problems[0]}" if catalog.problems else ""
        raise AssayError(f"no finished run below {', '.join(map(str, runs))}{why}", "give folders as `assay run` printed them")
    chart = drawn(kind, catalog.entries, Wanted(scenario, tuple(model or ()), metric, x, y))
    if out is None:
        sys.stdout.write(standing_alone(chart, dark))
    elif out.suffix.lower() == ".png":
        write_whole(out, as_png(chart, dark, scale))
    else:
        write_whole(out, standing_alone(chart, dark).encode())

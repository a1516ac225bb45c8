"""`assay report`: the pages over runs as files, to be kept or handed over."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Plugins, load_plugins
from assay.cli.serve import Places


def report(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write; with --single-file the file.")],
    places: Places = None,
    single_file: Annotated[bool, typer.Option("--single-file", help="Write one HTML file that holds everything.")] = False,
    plugin: Plugins = None,
) -> None:
    """Write the pages that `assay serve` shows as a folder of files, or as one file; no server is needed to read them."""
    from assay.errors import AssayError
    from assay.text import one_line
    from assay.web.catalog import open_catalog
    from assay.web.exporting import write_file, write_folder
    from assay.web.serving import check_packages, default_places

    check_packages()
    load_plugins(plugin)
    catalog = open_catalog(places or default_places())
    if not catalog.entries and not catalog.records:
        why = f": {catalog.problems[0]}" if catalog.problems else ""
        raise AssayError(f"no finished run was found{why}", "give folders of runs or of suites, as `assay run` printed them")
    pages = write_file(catalog, out) if single_file else write_folder(catalog, out)
    sys.stderr.writelines(f"not shown: {one_line(problem)}\n" for problem in catalog.problems)
    first = out if single_file else out / "index.html"
    sys.stdout.write(f"{pages} pages over {len(catalog.entries)} runs: open {one_line(str(first))} in a browser\n")

"""`assay gate`: a profile's constraints for one candidate, as a check for continuous integration."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins

if TYPE_CHECKING:
    from assay.decisions.gating import Gate

MISSING = ("worst", "ignore")


def gate(
    profile: Annotated[Path, typer.Argument(help="A profile with constraints (assay new profile).", metavar="PROFILE.yaml")],
    model: Annotated[str, typer.Option("--model", "-m", help="The candidate, as tables call it.")],
    runs: Annotated[
        list[Path] | None, typer.Option("--runs", help="Look at these runs, not at the profile's. Several times.")
    ] = None,
    allow_undetermined: Annotated[
        bool, typer.Option("--allow-undetermined", help="Pass what the evidence leaves open; what is violated still fails.")
    ] = False,
    allow_expired: Annotated[bool, typer.Option("--allow-expired", help="Go by a profile whose last day has passed.")] = False,
    missing: Annotated[
        str, typer.Option("--missing", help="Missing answers: worst (they count against the model) or ignore.")
    ] = "worst",
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the result here as JUnit XML too.")] = None,
    plugin: Plugins = None,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, for the page of a CI job.")] = False,
) -> None:
    """Check a candidate against a profile's constraints. Exit code 1 where any is not shown to be met, or it has expired."""
    from datetime import UTC, datetime

    from assay.decisions.gate_reports import as_junit, verdict_in_words
    from assay.decisions.gating import Strictness
    from assay.decisions.gating import gate as gated
    from assay.decisions.pointing import in_file
    from assay.decisions.reading import read_profile
    from assay.errors import AssayError, unknown
    from assay.store.folders import write_whole
    from assay.text import one_line

    load_plugins(plugin)
    if json and markdown:
        raise AssayError("--json and --markdown exclude each other", "give one of them")
    if missing not in MISSING:
        raise unknown("way with missing answers", missing, MISSING)
    strictness = Strictness(
        allow_undetermined=allow_undetermined,
        allow_expired=allow_expired,
        missing="ignore" if missing == "ignore" else "worst",
    )
    now = datetime.now(UTC)
    wanted = read_profile(profile)
    with in_file(profile):
        found = gated(wanted, profile.parent, model, runs or (), strictness, now.date())
    if junit is not None:
        try:
            write_whole(junit, as_junit(found, now))
        except OSError as error:
            raise AssayError(f"{junit} cannot be written: {error.strerror}", "choose another file for --junit") from error
    _show(found, json, markdown)
    if not found.passed:
        sys.stderr.write(f"error: {one_line(verdict_in_words(found))}\n")
        sys.exit(1)


def _show(found: Gate, json: bool, markdown: bool) -> None:
    from assay.decisions.gate_reports import as_markdown, gate_table, sentences, verdict_in_words

    if json:
        from assay.store.folders import encode_json

        sys.stdout.write(encode_json(found).decode())
        return
    if markdown:
        sys.stdout.write(as_markdown(found))
        return
    from assay.cli.console import make_console
    from assay.text import one_line

    console = make_console()
    gate_table(found).print(console)
    for sentence in (*sentences(found), *([verdict_in_words(found)] if found.passed else ())):
        console.print()
        console.print(one_line(sentence), highlight=False, markup=False)

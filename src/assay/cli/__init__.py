"""The command line: one module for each verb, thin; and the one place where an exception becomes a user's message."""

from __future__ import annotations

import errno
import gc
import os
import sys
import traceback

import typer

from assay import __version__
from assay.cli import (
    cache,
    check,
    compare,
    coverage,
    data,
    decide,
    doctor,
    drift,
    evidence,
    gate,
    listing,
    new,
    planning,
    plot,
    report,
    rescoring,
    running,
    serve,
    showing,
    sign,
    verifying,
)
from assay.cli.standard_error import keep_going
from assay.errors import AssayError
from assay.text import one_line

app = typer.Typer(
    name="assay",
    help="Holistic evaluation of language models: scenarios × metrics, an interval on every number.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(running.run)
app.command("plan")(planning.plan)
app.command("list")(listing.list_things)
app.command("show")(showing.show)
app.command("serve")(serve.serve)
app.command("report")(report.report)
app.command("plot")(plot.plot)
app.command("compare")(compare.compare)
app.command("decide")(decide.decide)
app.command("drift")(drift.drift)
app.command("gate")(gate.gate)
app.command("check")(check.check)
app.command("coverage")(coverage.coverage)
app.command("verify")(verifying.verify)
app.command("sign")(sign.sign)
app.command("evidence")(evidence.evidence)
app.command("rescore")(rescoring.rescore)
app.command("quickstart")(running.quickstart)
app.command("fetch")(data.fetch)
app.command("doctor")(doctor.doctor)
app.add_typer(cache.app, name="cache")
new.app.command("key")(sign.new_key)
app.add_typer(new.app, name="new")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    """Holistic evaluation of language models: scenarios × metrics, an interval on every number."""


COLLECTED = (200_000, 10, 10)
"""When Python looks for objects that only refer to each other (`gc.set_threshold`). Hardly any arise here, and at Python's own
setting of 700 the looking takes a fifth of all CPU time; memory stays as it was."""


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 a check said no, 2 wrong usage or configuration, 3 too many failures."""
    # Each thread of polars holds tens of megabytes while it writes tables, and more than two gain next to nothing there.
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    gc.set_threshold(*COLLECTED)
    keep_going()
    try:
        _check_arguments(sys.argv[1:])
        app()
    except SystemExit:
        raise
    except AssayError as error:
        _stop(str(error), 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        _stop("interrupted; the same command goes on where it stopped", 130)
    except OSError as error:
        _stop(_of_the_system(error), 2)
    except BaseException as error:  # a panic of a compiled library is no Exception
        if os.environ.get("ASSAY_DEBUG"):
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        _stop(f"a defect of assay: {type(error).__name__} at {place}: {error} (set ASSAY_DEBUG=1 for the details)", 70)


def _check_arguments(arguments: list[str]) -> None:
    """Refuse arguments that are not text: they could be neither stored nor printed."""
    for number, argument in enumerate(arguments, start=1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise AssayError(f"argument {number}, {argument[:80]!r}, is not UTF-8", "give names and paths in UTF-8") from None


def _of_the_system(error: OSError) -> str:
    kept = "; every answer so far is kept, and the same command goes on" if sys.argv[1:2] in ASKING else ""
    hint = f" (free some space{kept})" if error.errno in FULL else ""
    hint = hint or (" (give another place, such as --out FOLDER)" if error.errno == errno.EROFS else "")
    return f"{error.filename or 'the system'}: {error.strerror or error}{hint}"


ASKING = (["run"], ["quickstart"], ["decide"])
"""The verbs that ask models."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a disk, or of a user's share of it, that has no room left."""


def _stop(message: str, code: int) -> None:
    line = one_line(message)
    sys.stderr.write(f"error: {line}\n" if code != 130 else f"{line}\n")
    sys.exit(code)

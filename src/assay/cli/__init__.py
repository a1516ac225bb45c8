"""The command line: one module for each verb, thin; and the one place where an exception becomes a user's message."""

from __future__ import annotations

import os
import sys
import traceback

import typer

from assay import __version__
from assay.cli import data, doctor, listing, planning, rescoring, running, showing, verifying
from assay.errors import AssayError

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
app.command("verify")(verifying.verify)
app.command("rescore")(rescoring.rescore)
app.command("quickstart")(running.quickstart)
app.command("fetch")(data.fetch)
app.command("doctor")(doctor.doctor)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    """Holistic evaluation of language models: scenarios × metrics, an interval on every number."""


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 a check said no, 2 wrong usage or configuration, 3 too many failures."""
    try:
        app()
    except AssayError as error:
        _stop(str(error), 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        _stop("interrupted; the same command goes on where it stopped", 130)
    except OSError as error:
        _stop(f"{error.filename or 'the system'}: {error.strerror or error}", 2)
    except Exception as error:
        if os.environ.get("ASSAY_DEBUG"):
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        _stop(f"a defect of assay: {type(error).__name__} at {place}: {error} (set ASSAY_DEBUG=1 for the details)", 70)


def _stop(message: str, code: int) -> None:
    line = " ".join(message.split())
    sys.stderr.write(f"error: {line}\n" if code != 130 else f"{line}\n")
    sys.exit(code)

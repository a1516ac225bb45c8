"""`assay run` and `assay quickstart`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, MaxInstances, Out, adjust, make_planner, of_suite

if TYPE_CHECKING:
    from assay.planning import Planner
    from assay.suites import Suite

MaxFailures = Annotated[
    str | None,
    typer.Option("--max-failures", help="Failed trials allowed, 5 or 2%: with more, asking ends early, exit code 3."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only the result.")]
Events = Annotated[str, typer.Option("--events", help="Progress as JSON lines, added to a file; - for standard output.")]

Until = Annotated[
    str | None,
    typer.Option(
        "--until", help="Ask only until this is known so exactly: accuracy±0.02, exact_match+-0.03; see docs/adaptive.md."
    ),
]


@of_suite
def run(
    planner: Planner,
    suite: Suite,
    max_failures: MaxFailures = None,
    json: Json = False,
    quiet: Quiet = False,
    events: Events = "",
    until: Until = None,
) -> None:
    """Ask models scenarios, score the answers, and show what came of it. The same command carries on a broken-off run."""
    most, share = allowed_failures(max_failures or "0")
    from assay.cli.carrying_out import Allowed, Telling, carry_out_suite

    allowed = Allowed(most, share, early=max_failures is not None)
    telling = Telling(json, quiet, events)
    if until is not None:
        from assay.cli.growing import until_known

        sys.exit(carry_out_suite(planner, suite, allowed, telling, until_known(until)))
    sys.exit(carry_out_suite(planner, suite, allowed, telling))


def quickstart(
    out: Out = None,
    max_instances: MaxInstances = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fetch the embedded model (98 MB, once) and compare it with a baseline on scenarios that need no download."""
    from assay.cli.data import fetch
    from assay.suites import read_suite

    fetch("smollm2-135m", quiet=json or quiet)
    suite = adjust(read_suite(["quickstart"]), {"max_instances": max_instances})
    if not json and not quiet:
        typer.echo(f"{suite.about}\n")
    from assay.cli.carrying_out import Allowed, Telling, carry_out_suite

    sys.exit(carry_out_suite(make_planner(None, out), suite, Allowed(), Telling(json, quiet)))


MOST_FAILURES = 10**12
"""No run has as many trials."""


def allowed_failures(text: str) -> tuple[float, bool]:
    """`5` as (5, False) and `2%` as (0.02, True).

    Raises:
        AssayError: neither a whole number nor a percentage.
    """
    from assay.errors import AssayError

    number, percent = text.removesuffix("%"), text.endswith("%")
    try:
        value = float(number) / 100 if percent else int(number)
    except ValueError:
        raise AssayError(f"--max-failures must be a number such as 5 or a share such as 2%, not {text!r}") from None
    if not 0 <= value <= (1 if percent else MOST_FAILURES):
        raise AssayError(f"--max-failures must be between 0 and 100%, or a number of trials, not {text!r}")
    return value, percent

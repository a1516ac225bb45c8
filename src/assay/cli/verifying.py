"""`assay verify`: whether runs, decisions and evidence packs are as they were made, and say what follows from the answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins

if TYPE_CHECKING:
    from assay.decisions.verification import Checked


def verify(
    path: Annotated[Path, typer.Argument(help="Folder of a run or of a suite, a decision record, or an evidence pack.")],
    key: Annotated[
        list[str] | None,
        typer.Option("--key", help="A public key that must have signed (file or base64); no others may. Several times."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Bytes and signatures only: compute no number again.")] = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Check every byte, every signature, and every number against the stored answers. Exit code 1 names what is wrong."""
    from assay.decisions.keys import read_public_key
    from assay.decisions.verification import Options, Verifier, counted

    load_plugins(plugin)
    options = Options(quick=quick, keys=tuple(read_public_key(named) for named in key or ()))
    checked = Verifier(options).anything(path)
    problems = sum(len(one.problems) for one in checked)
    if json:
        _as_json(checked)
    else:
        _as_lines(checked)
    if problems:
        sys.stderr.write(f"error: {problems} {'problem' if problems == 1 else 'problems'} in {counted(checked)}\n")
        sys.exit(1)
    if not json:
        numbers = "" if quick else _numbers(checked)
        sys.stdout.write(f"{counted(checked)} verified: every file is as it was written{_redacted(checked)}{numbers}\n")


def _redacted(checked: list[Checked]) -> str:
    """What must be said of files, in the middle of a sentence."""
    return " but for texts that are hidden" if any(one.redacted for one in checked) else ""


def _numbers(checked: list[Checked]) -> str:
    """What may be said of the numbers, at the end of a sentence."""
    if not any(one.recomputed for one in checked):
        return "; no number was computed again"
    which = "every number that could be computed again" if any(one.partial for one in checked) else "every number"
    return f", and {which} follows from the stored answers"


def _as_lines(checked: list[Checked]) -> None:
    from assay.text import one_line

    for one in checked:
        sys.stdout.writelines(f"{one_line(problem)}\n" for problem in one.problems)
        sys.stdout.writelines(f"signed by {signature}\n" for signature in one.signatures)
        sys.stdout.writelines(f"note: {one_line(note)}\n" for note in one.notes)


def _as_json(checked: list[Checked]) -> None:
    import msgspec

    from assay.text import one_line

    plain = []
    for one in checked:
        made: dict[str, object] = {
            "folder" if one.kind == "run" else one.kind: one_line(str(one.path)),
            "problems": [one_line(problem) for problem in one.problems],
            "notes": [one_line(note) for note in one.notes],
        }
        plain.append({**made, "signatures": one.signatures} if one.kind == "record" else made)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")

"""`assay new`: a scenario file from the columns of a file with cases; a profile from runs (see `profiles`)."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.profiles import profile

if TYPE_CHECKING:
    from assay.scenarios.own.inspection import Column, Given, Guess

app = typer.Typer(no_args_is_help=True, help="Write the beginning of something of your own.", rich_markup_mode=None)
SAMPLE = 60
"""Characters of a column's first cell that are shown before it is asked what the column is."""
QUESTIONS = (
    ("input", "column with the question"),
    ("answer", "column with the right answer"),
    ("options", "column with the options (- for none)"),
    ("subgroups", "columns with groups to compare, commas between (- for none)"),
    ("id", "column with an id (- for none)"),
    ("group", "column that names what belongs together (- for none)"),
)


@app.callback()
def new() -> None:
    """Write the beginning of something of your own."""


app.command("profile")(profile)


@app.command("scenario")
def scenario(
    data: Annotated[Path, typer.Argument(help="A CSV, TSV, JSON lines, JSON or Parquet file with one case a row.")],
    question: Annotated[str, typer.Option("--input", help="The column with the question [default: guessed].")] = "",
    answer: Annotated[str, typer.Option("--answer", help="The column with the right answer [default: guessed].")] = "",
    options: Annotated[str, typer.Option("--options", help="The column with the options [default: guessed].")] = "",
    subgroup: Annotated[list[str] | None, typer.Option("--subgroup", help="A column with groups; may be repeated.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Guess, without asking in a terminal.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over a scenario file that is there.")] = False,
) -> None:
    """Look at the columns of a file with cases, and write a scenario beside it that runs at once."""
    from assay.errors import AssayError
    from assay.scenarios.own.inspection import columns_of, guess
    from assay.scenarios.own.writing import scenario_text

    place = data.parent / (data.name.split(".")[0] + ".yaml")
    if place.exists() and not force:
        raise AssayError(f"{place} is there already", "edit it, or write it anew with --force")
    columns = columns_of(data)
    given: Given = {"input": question, "answer": answer, "options": options, "subgroups": tuple(subgroup or ())}
    if not yes and sys.stdin.isatty() and sys.stdout.isatty():
        given = _asked(columns, given)
    guessed = guess(columns, given)
    place.write_text(scenario_text(guessed, data), encoding="utf-8")
    _say(place, guessed)


def _asked(columns: list[Column], given: Given) -> Given:
    """What the user says of each role; the guess is what Return says."""
    from assay.errors import AssayError
    from assay.scenarios.own.inspection import NONE, guess
    from assay.text import one_line

    for column in columns:
        sample = one_line(str(column.filled[0]), SAMPLE) if column.filled else "(empty)"
        sys.stdout.write(f"{one_line(column.name, SAMPLE)}: {sample}\n")
    try:
        guessed = guess(columns, given)
        likely: Given = {name: getattr(guessed, name) for name, _ in QUESTIONS} | {"input": guessed.input[-1:]}
    except AssayError:
        likely = {}
    said = dict(given)
    for role, words in QUESTIONS:
        if given.get(role):
            continue
        found = likely.get(role, "")
        default = found if isinstance(found, str) else ", ".join(found)
        text = typer.prompt(words, default=default or NONE).strip()
        if text != (default or NONE):
            said[role] = tuple(part.strip() for part in text.split(",")) if role == "subgroups" else text
    return said


def _say(place: Path, guessed: Guess) -> None:
    """What was written, what in the cases cannot be asked, and what to do next."""
    from assay.errors import AssayError
    from assay.scenarios.own import scenario_file
    from assay.scenarios.own.inspection import LOOKED_AT
    from assay.text import one_line

    asked = f"messages in {guessed.messages}" if guessed.messages else "input " + ", ".join(guessed.input)
    columns = [guessed.options] if isinstance(guessed.options, str) else guessed.options
    options = f" ({len(guessed.labels)} options)" if guessed.labels else ""
    options = f" of {', '.join(columns)}" if guessed.options else options
    groups = f", subgroups {', '.join(guessed.subgroups)}" if guessed.subgroups else ""
    sys.stdout.write(f"wrote {place}: {one_line(f'{asked}, answer {guessed.answer}{options}{groups}')}\n")
    for doubt in guessed.doubts:
        sys.stdout.write(f"look: {one_line(doubt)}\n")
    made = scenario_file(str(place))()
    try:
        cases = (case for split in made.source.splits() for case in made.instances(split))
        count = sum(1 for _ in islice(cases, LOOKED_AT))
        sys.stdout.write(f"{'the first ' if count == LOOKED_AT else ''}{count:,} cases can be asked\n")
    except AssayError as error:
        sys.stdout.write(f"not every case can be asked yet: {one_line(str(error))}\n")
    sys.stdout.write(f"\nnext:  assay check {place}\n       assay run {place} -m provider/model\n")

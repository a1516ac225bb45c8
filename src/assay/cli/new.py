"""`assay new`: a scenario file from the columns of a file with cases; a profile from runs (see `profiles`)."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.profiles import profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.records import Instance, Split
    from assay.scenarios import Scenario
    from assay.scenarios.own.columns import Column
    from assay.scenarios.own.inspection import Given, Guess

app = typer.Typer(no_args_is_help=True, help="Write the beginning of something of your own.", rich_markup_mode=None)
NOTHING_ASKED = "no case can be asked yet: all are examples (its split column says train in every row)\n"
MOST_NAMED = 8
"""Rows that a line names."""
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
    options: Annotated[
        str, typer.Option("--options", help="The column with the options, or they themselves: a,b,c [default: guessed].")
    ] = "",
    subgroup: Annotated[list[str] | None, typer.Option("--subgroup", help="A column with groups; may be repeated.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The scenario file to write [default: beside the data].")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Guess, without asking in a terminal.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over a scenario file that is there.")] = False,
) -> None:
    """Look at the columns of a file with cases, and write a scenario that runs at once, beside it or to --out."""
    from assay.errors import AssayError
    from assay.registry import is_yaml
    from assay.scenarios.own import scenario_file
    from assay.scenarios.own.columns import columns_of
    from assay.scenarios.own.inspection import guess
    from assay.scenarios.own.writing import scenario_text

    place = out or data.parent / f"{_fit_to_type(data.name.split('.')[0])}.yaml"
    if not is_yaml(str(place)) or ":" in place.name:
        raise AssayError(f"{place} cannot be asked as a scenario", "give --out a name that ends in .yaml, without a colon")
    if place.exists() and not force:
        raise AssayError(f"{place} is there already", "edit it, or write it anew with --force")
    columns = columns_of(data)
    groups = tuple(name.strip() for name in subgroup or ())
    given: Given = {"input": question.strip(), "answer": answer.strip(), "options": options.strip(), "subgroups": groups}
    if not yes and sys.stdin.isatty() and sys.stdout.isatty():
        given = _asked(columns, given)
    guessed = guess(columns, given)
    try:
        before = place.read_bytes() if place.exists() else None
        place.write_text(scenario_text(guessed, data, place), encoding="utf-8")
    except OSError as error:
        raise AssayError(f"{place} cannot be written: {error.strerror}", "give another --out") from None
    try:
        made = scenario_file(str(place))()
    except AssayError:
        place.unlink() if before is None else place.write_bytes(before)  # what cannot be run is not left behind
        raise
    _say(place, guessed, made)


def _fit_to_type(name: str) -> str:
    """The name of a file, without what would command a terminal, or end the name of a scenario where one is asked."""
    return "".join("_" if mark == ":" or not mark.isprintable() else mark for mark in name)


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
        likely: Given = {name: getattr(guessed, name) for name, _ in QUESTIONS} | {
            "input": guessed.messages or guessed.input[-1:]
        }
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


def _say(place: Path, guessed: Guess, made: Scenario) -> None:
    """What was written, what in the cases cannot be asked, and what to do next."""
    from assay.errors import AssayError
    from assay.scenarios.own.columns import LOOKED_AT
    from assay.selection import splits_of
    from assay.text import one_line

    asked = f"messages in {guessed.messages}" if guessed.messages else "input " + ", ".join(guessed.input)
    columns = [guessed.options] if isinstance(guessed.options, str) else guessed.options
    options = f" ({len(guessed.labels)} options)" if guessed.labels else ""
    options = f" of {', '.join(columns)}" if guessed.options else options
    groups = f", subgroups {', '.join(guessed.subgroups)}" if guessed.subgroups else ""
    sys.stdout.write(f"wrote {one_line(str(place))}: {one_line(f'{asked}, answer {guessed.answer}{options}{groups}')}\n")
    for doubt in guessed.doubts:
        sys.stdout.write(f"look: {one_line(doubt)}\n")
    try:
        present = made.source.splits()
        cases = list(islice(((split, row, one) for split in present for row, one in _rows(made, split)), LOOKED_AT))
        counts = Counter(split for split, _, _ in cases)
        for told in _alike(made, [(row, one) for split, row, one in cases if split != "train"]):
            sys.stdout.write(f"look: {one_line(told)}\n")
        asked_of = [split for split in splits_of(made, (), helm=False) if split in present]
        count = sum(counts[split] for split in asked_of)
        more = f", {examples:,} are examples" if (examples := counts["train"]) else ""
        first = "the first " if counts.total() == LOOKED_AT else ""
        sys.stdout.write(f"{first}{count:,} cases can be asked{more}\n" if asked_of else NOTHING_ASKED)
    except AssayError as error:
        sys.stdout.write(f"not every case can be asked yet: {one_line(str(error))}\n")
    typed = one_line(shlex.quote(str(place) if not str(place).startswith("-") else f"./{place}"))
    sys.stdout.write(f"\nnext:  assay check {typed}\n       assay run {typed} -m provider/model\n")


def _rows(made: Scenario, split: Split) -> Iterator[tuple[int, Instance]]:
    """The cases of a split, each with the number of its row."""
    for position, case in enumerate(made.source.read(split).rows):
        instance = made.instance_of(case, split, position)
        if instance is not None:
            yield case["number"], instance


def _alike(made: Scenario, cases: list[tuple[int, Instance]]) -> Iterator[str]:
    """The options of a case, and the answers, that the metric cannot tell apart, with their rows."""
    from assay.checking.verdicts import alike, sentence

    texts = ((row, one.gold, tuple(reference.text for reference in one.references)) for row, one in cases)
    for pair, _, rows in alike(texts, made.prompting, made.main_metric):
        more = ", …" if len(rows) > MOST_NAMED else ""
        yield f"{sentence(made.main_metric, pair)} (rows {', '.join(map(str, rows[:MOST_NAMED]))}{more})"

"""`assay decide`: a profile and its runs -> a decision in words and numbers, and a record that can be signed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, ModelsFile, Plugins, load_plugins

if TYPE_CHECKING:
    from assay.decisions.measured import Measured
    from assay.decisions.profile import Profile
    from assay.decisions.results import Decision


def decide(
    profile: Annotated[
        Path, typer.Argument(help="What matters: a profile in YAML (assay new profile).", metavar="PROFILE.yaml")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The record [default: PROFILE.decision.json beside the profile].")
    ] = None,
    choose: Annotated[str | None, typer.Option("--choose", help="Record whom you choose: a candidate, or none.")] = None,
    by: Annotated[str, typer.Option("--by", help="Who chooses.")] = "",
    rationale: Annotated[str, typer.Option("--rationale", help="Why.")] = "",
    dissent: Annotated[str, typer.Option("--dissent", help="Who disagrees, and why.")] = "",
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Ask the models first, and only as much as it takes to find the best.")
    ] = False,
    suite: Annotated[
        str | None, typer.Option("--suite", help="Of --adaptive: the suite to ask [default: the one that made the runs].")
    ] = None,
    models_file: ModelsFile = None,
    plugin: Plugins = None,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Decide between candidates by what a profile says matters: constraints, trade-offs, how sure, and what would change it."""
    from assay.decisions.choosing import check_free, check_place, check_said, choice_in_words, choice_of, put_down
    from assay.decisions.deciding import decide as decided
    from assay.decisions.reading import parse_profile
    from assay.decisions.recording import make_record
    from assay.decisions.validity import out_of_date, today
    from assay.errors import AssayError
    from assay.yaml_files import read_yaml_text

    load_plugins(plugin)
    if json and markdown:
        raise AssayError("--json and --markdown exclude each other", "give one of them")
    place = out if out is not None else profile.with_name(f"{profile.stem}.decision.json")
    text = read_yaml_text(profile)
    wanted = parse_profile(text, profile)
    check_said(choose, by, rationale, dissent)
    before = check_place(place)
    if adaptive:
        check_free(before, choose, place)
    _warn(out_of_date(wanted.deployment, today()))
    measured = _taken(wanted, profile, adaptive, suite, models_file)
    found = decided(wanted, measured)
    choice = choice_of(found, choose, by, rationale, dissent)
    made = make_record(wanted, text, measured, found, place, choice)
    if not json:
        _show(wanted.name, found, markdown)  # before the record, so that nobody misses it who may not write that
    record = put_down(made, place)
    told = choice_in_words(record, before)
    if (json or markdown) and choice is not None:
        _warn(told[1:])
    if json:
        from assay.store.folders import encode_json

        sys.stdout.write(encode_json(record).decode())
    elif not markdown:
        _say(told, place, profile, found)


def _taken(profile: Profile, file: Path, adaptive: bool, suite: str | None, models_file: Path | None) -> Measured:
    """The candidates, measured; what the profile names wrongly is told with its line."""
    from assay.decisions.pointing import in_file
    from assay.decisions.redaction import check_redactable

    with in_file(file):
        measured = (_raced if adaptive else _measured)(profile, file.parent, suite, models_file)
        check_redactable(profile, measured)
        return measured


def _raced(profile: Profile, home: Path, suite: str | None, models_file: Path | None) -> Measured:
    """What the models say, who are asked first."""
    from assay.cli.racing import race_and_measure

    return race_and_measure(profile, home, suite, models_file)


def _measured(profile: Profile, home: Path, suite: str | None, models_file: Path | None) -> Measured:
    """What the runs that are there say; nothing is asked."""
    from assay.decisions.measuring import measure
    from assay.errors import AssayError

    if suite is not None or models_file is not None:
        raise AssayError("--suite and --models-file say what to ask, and nothing is asked", "add --adaptive")
    return measure(profile, home)


def _show(name: str, found: Decision, markdown: bool) -> None:
    if markdown:
        from assay.decisions.shown import as_markdown

        sys.stdout.write(as_markdown(name, found))
        return
    from rich.text import Text

    from assay.cli.console import make_console
    from assay.decisions.shown import decision_tables
    from assay.text import one_line

    console = make_console()
    console.print(Text(one_line(name), style="bold"))
    for sentence in found.words:
        console.print()
        console.print(one_line(sentence), highlight=False, markup=False)
    for table in decision_tables(found):
        table.print(console)


def _warn(lines: list[str]) -> None:
    """What whoever decides or chooses must not miss, where standard output is for something else.

    The day on which a profile is used is no part of the decision: the same command again leaves the record as it is.
    """
    from assay.text import one_line

    sys.stderr.writelines(f"note: {one_line(line)}\n" for line in lines)


def _say(told: list[str], place: Path, profile: Path, found: Decision) -> None:
    import shlex

    from assay.decisions.choosing import NOBODY
    from assay.text import one_line

    if told:
        sys.stdout.write("\n" + "".join(f"{one_line(line)}\n" for line in told))
    sys.stdout.write(f"\nrecord: {place}\n")
    if not told:
        out = [] if place == profile.with_name(f"{profile.stem}.decision.json") else ["--out", str(place)]
        command = shlex.join(["assay", "decide", str(profile), *out, "--choose", found.recommended or NOBODY])
        sys.stdout.write(f"next:   {one_line(command, 500)} --by NAME --rationale WHY\n")
        sys.stdout.write(f"        assay sign {one_line(shlex.quote(str(place)))} --key KEY --name NAME --role ROLE\n")

"""Scenarios of one's own, without Python: a file of cases and a YAML file that says which column is what.

    assay new scenario billing.csv        looks at the columns and writes billing.yaml
    assay check billing.yaml              tells what is wrong with which row
    assay run billing.yaml -m …           asks

Wherever a scenario's name may stand, the path of such a file may: `billing.yaml:shots=3,method=chat`.
"""

from __future__ import annotations

import functools
from pathlib import Path

from assay.errors import AssayError
from assay.prompting import Chat, Generation, MultipleChoiceJoint, Prompting, with_changes
from assay.prompting.base import as_text
from assay.records import Rubric, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, ScenarioFamily, Source
from assay.scenarios.own.cases import Cases, Layout, layout_of
from assay.scenarios.own.cells import CaseError
from assay.scenarios.own.declaration import Declaration, SourceDeclaration, is_scenario, read_declaration
from assay.scenarios.sources import File, HeldOut, Hub
from assay.yaml_files import at_line

JUDGED = "judge_score"
"""The metric that a judge's marks are."""


def scenario_file(name: str) -> ScenarioFamily:
    """The scenario that a YAML file declares, as a family without parameters. Read again only where the file has changed.

    Args:
        name: the path of the file.

    Raises:
        AssayError: it does not exist, or is no scenario; the message has the line.
    """
    path = Path(name)
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise AssayError(f"{name} does not exist", "`assay new scenario DATA` writes such a file") from None
    return _family(path, path.resolve(), status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _family(path: Path, resolved: Path, size: int, changed_ns: int) -> ScenarioFamily:
    declaration = read_declaration(path)
    declared(declaration, path)  # what is wrong with it is told before anybody asks for the scenario
    return ScenarioFamily(declaration.scenario, declaration.about, lambda: declared(declaration, path), parameters={}, types={})


def declared(declaration: Declaration, path: Path) -> Scenario:
    """A declaration as a scenario; files are looked for beside the YAML file.

    Raises:
        AssayError: a template or a setting of the prompting is wrong; names the line.
    """
    layout, judge = layout_of(declaration, path), declaration.judge
    main = declaration.metric or (JUDGED if judge and declaration.answer is None else "quasi_exact_match")
    return Scenario(
        source=source_of(declaration, layout, path.parent),
        instance=_case,
        prompting=_prompting(declaration, layout, path),
        main_metric=main,
        metrics=tuple(dict.fromkeys([*declaration.metrics, *([JUDGED] if judge else [])])),
        rubric=Rubric(text=judge.rubric, low=judge.scale[0], high=judge.scale[1]) if judge else None,
        judge=judge.model if judge else "",
        requires=("judge",) if main == JUDGED else (),
        taxonomy=declaration.taxonomy or Taxonomy(task="user-defined", language="any"),
        licence=declaration.licence,
        paper=declaration.paper,
        about=declaration.about,
        version=declaration.version,
        notes=declaration.notes or "Cases of the user's own; nothing is known about their quality.",
    )


def _case(row: Row) -> Draft:
    case: Draft = row["case"]
    return case


def source_of(declaration: Declaration, layout: Layout, folder: Path) -> Source:
    """Where a declaration's cases come from."""
    given = declaration.source
    place = given if isinstance(given, SourceDeclaration) else SourceDeclaration(file=given)
    source: Source
    if place.hub:
        train, valid, test = place.train or None, place.valid or None, place.test or None
        source = Hub(place.hub, revision=place.revision, train=train, valid=valid, test=test)
    elif place.file:
        source = File(folder / place.file)
    else:
        source = File(**{name: folder / getattr(place, name) for name in ("train", "valid", "test") if getattr(place, name)})
    cases = Cases(source, layout, place.split_column)
    if place.held_out is None:
        return cases
    return HeldOut(cases, declaration.scenario, group=_group, share=place.held_out)


def cases_of(scenario: Scenario) -> Cases | None:
    """The source of a scenario of one's own, before any case is held out; `None` for other scenarios."""
    source = scenario.source.source if isinstance(scenario.source, HeldOut) else scenario.source
    return source if isinstance(source, Cases) else None


def _group(row: Row) -> str:
    """Cases of one group, or with one input, are held out together."""
    case: Draft = row["case"]
    return case.group if case.group is not None else as_text(case.input)


def _prompting(declaration: Declaration, layout: Layout, path: Path) -> Prompting:
    """What is declared over the defaults: conversations as messages, options by letter, all else as text."""
    default: Prompting = Generation(max_tokens=100, stop=("\n",))
    if layout.turns:
        default = Chat()
    elif layout.options:
        default = MultipleChoiceJoint()
    try:
        return with_changes(default, declaration.prompting)
    except AssayError as error:
        raise AssayError(f"{at_line(path, 'prompting')}: {error.message}", error.hint) from None


__all__ = [
    "CaseError",
    "Cases",
    "Declaration",
    "Layout",
    "cases_of",
    "declared",
    "is_scenario",
    "layout_of",
    "read_declaration",
    "scenario_file",
    "source_of",
]

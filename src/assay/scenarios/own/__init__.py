"""Scenarios of one's own, without Python: a file of cases and a YAML file that says which column is what.

    assay new scenario billing.csv        looks at the columns and writes billing.yaml
    assay check billing.yaml              tells what is wrong with which row
    assay run billing.yaml -m …           asks

Wherever a scenario's name may stand, the path of such a file may: `billing.yaml:shots=3,method=chat`.
"""

from __future__ import annotations

import functools
from operator import itemgetter
from pathlib import Path

from assay.errors import AssayError
from assay.prompting import Chat, Generation, MultipleChoiceJoint, Prompting, with_changes
from assay.records import Rubric, Taxonomy
from assay.scenarios.base import Scenario, ScenarioFamily, Source
from assay.scenarios.own.cases import Cases, HeldOutCases, repeated_id
from assay.scenarios.own.cells import CaseError, Cells
from assay.scenarios.own.declaration import Declaration, SourceDeclaration, is_scenario, read_declaration
from assay.scenarios.own.layout import Layout, layout_of, told
from assay.scenarios.sources import File, HeldOut, Hub
from assay.yaml_files import at_line

JUDGED = "judge_score"
"""The metric that a judge's marks are."""
OF_ANSWERS = {"number": "number_match", "date": "date_match"}
"""The main metric of answers that are read as something."""
STRICT = ("exact_match", "quasi_exact_match")
"""What stands beside a main metric that nobody named."""


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
    prompting = _prompting(declaration, layout, path)
    main = declaration.metric or (JUDGED if judge and declaration.answer is None else _metric_for(layout, prompting))
    beside = () if declaration.metric or main == JUDGED else tuple(name for name in STRICT if name != main)
    cases = Cases(_rows_of(declaration, path.parent), layout, _place(declaration).split_column.strip())
    return OwnScenario(
        source=_with_examples(declaration, cases),
        instance=cases.draft,
        id_of=itemgetter("id"),
        prompting=prompting,
        settled=tuple(name for name in ("max_tokens", "stop") if name in declaration.prompting),
        main_metric=main,
        metrics=tuple(dict.fromkeys([*beside, *declaration.metrics, *([JUDGED] if judge else [])])),
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


class OwnScenario(Scenario):
    """A scenario of one's own: its messages name rows as they stand in their file."""

    def twice(self, name: str) -> AssayError:
        """Two rows that have one id; where they stand in two files, the files."""
        cases = cases_of(self)
        for split in self.source.splits() if cases else ():
            numbers = [row["number"] for row in self.source.read(split).rows if row["id"] == name]
            if cases and len(numbers) > 1:
                return repeated_id(Cells({}, cases.file, numbers[1]), cases.layout.id or "", name, numbers[0])
        return super().twice(name)


def _place(declaration: Declaration) -> SourceDeclaration:
    given = declaration.source
    return given if isinstance(given, SourceDeclaration) else SourceDeclaration(file=given)


def _rows_of(declaration: Declaration, folder: Path) -> Source:
    """Where a declaration's rows come from."""
    place = _place(declaration)
    if place.hub:
        train, valid, test = place.train or None, place.valid or None, place.test or None
        return Hub(place.hub, revision=place.revision, train=train, valid=valid, test=test)
    if place.file:
        return File(folder / place.file)
    return File(**{name: folder / getattr(place, name) for name in ("train", "valid", "test") if getattr(place, name)})


def _with_examples(declaration: Declaration, cases: Cases) -> Source:
    """The cases, some of them as examples where a share is held out; cases of one group, or with one input, together."""
    share = _place(declaration).held_out
    return cases if share is None else HeldOutCases(cases, declaration.scenario, group=cases.group, share=share)


def cases_of(scenario: Scenario) -> Cases | None:
    """The source of a scenario of one's own, before any case is held out; `None` for other scenarios."""
    source = scenario.source.source if isinstance(scenario.source, HeldOut) else scenario.source
    return source if isinstance(source, Cases) else None


def _metric_for(layout: Layout, prompting: Prompting) -> str:
    """The main metric where none is named: options are right or wrong by themselves, others compared."""
    return "exact_match" if layout.options else OF_ANSWERS.get(getattr(prompting, "answer", ""), "answer_match")


def _prompting(declaration: Declaration, layout: Layout, path: Path) -> Prompting:
    """What is declared over the defaults: conversations as messages, options by letter, all else as text.

    A conversation shows no options. A fixed set of them is named in a system message; where each row has its own, they are
    listed under the conversation and asked by letter.
    """
    default: Prompting = Generation(max_tokens=100, stop=("\n",))
    fixed = [option.fixed for option in layout.options if not isinstance(option, str)]
    if layout.turns and (not layout.options or (fixed and all(fixed))):
        default = Chat(system=told(fixed) if fixed else "")
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
]

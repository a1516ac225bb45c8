"""What a scenario is: a declaration of data, default prompting, metrics and place on the map.

    @scenario
    def openbookqa() -> Scenario:
        '''Elementary science questions that need one fact and some common sense.'''
        return Scenario(
            source=Hub("allenai/openbookqa", revision="…", train="main/train-*.parquet", test="main/test-*.parquet"),
            instance=lambda row: choice(row["question_stem"], row["choices"]["text"], correct="ABCD".index(row["answerKey"])),
            prompting=MultipleChoiceJoint(instructions="…"),
            main_metric="exact_match",
            taxonomy=Taxonomy(task="question answering", what="elementary science"),
        )

The function's parameters are the scenario's parameters (`mmlu:subject=anatomy`); their annotations validate what a user
writes: `int`, `float`, `bool`, `str`, `Literal[...]` for a fixed set, each with `| None`. One that is positional-only is
written without its name (`lm_eval:arc_easy`).
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import msgspec

from assay import registry
from assay.errors import AssayError, unknown
from assay.prompting import Prompting
from assay.records import Contrast, Instance, Record, Reference, Rubric, Split, Taxonomy, Text
from assay.scenarios.checks import check_draft, check_fields
from assay.scenarios.rows import Named
from assay.scenarios.rows import Row as Row
from assay.scenarios.rows import Rows as Rows
from assay.scenarios.rows import Source as Source

Requirement = typing.Literal["judge", "sandbox"]
NEEDS: Mapping[Requirement, str] = {"judge": "a judge model", "sandbox": "a sandbox"}
"""What a requirement is called."""
ALWAYS_LOOKED_AT = 10_000
"""Rows of a split that are made into drafts whether they are asked or not."""
SHOWN_VALUES = 6
"""Values of a parameter that are listed where it is said how to write a scenario."""


class RowError(AssayError):
    """What is wrong with a row, in words that say which row of which file it is."""


class Draft(Record):
    """What a row becomes; the scenario adds id and split.

    `id` is the row's own stable id where the data has one; otherwise the item is numbered by its position.
    """

    input: Text
    references: tuple[Reference, ...] = ()
    id: str | None = None
    subgroups: dict[str, str] = msgspec.field(default_factory=dict)
    group: str | None = None
    worked: str = ""
    contrasts: tuple[Contrast, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A scenario with its parameters filled in."""

    source: Source
    instance: Callable[[Row], Draft | None]
    """A row as a draft instance; `None` drops the row."""
    prompting: Prompting
    main_metric: str
    metrics: tuple[str, ...] = ()
    """Metrics beside the main one and those that every run has."""
    taxonomy: Taxonomy
    licence: str = ""
    paper: str = ""
    about: str = ""
    """One or two sentences; the declaring function's docstring where empty."""
    version: int = 1
    """Raised whenever a change of the declaration changes prompts or references."""
    notes: str = ""
    """What a reader of its numbers should know: known flaws, contamination, date of publication."""
    id_of: Callable[[Row], str | None] | None = None
    """The id of a row's draft, where it can be told without making the draft and no row is dropped: of large data with a
    limit, only the first rows and those that are asked then become drafts. A source that is `Named` tells it itself."""
    requires: tuple[Requirement, ...] = ()
    """What its main metric cannot be measured without: a judge model, a sandbox for code."""
    rubric: Rubric | None = None
    """How a judge marks answers, where `judge_score` is measured; `None`: by a general one."""
    judge: str = ""
    """The model that judges where the suite names none: `provider/name`."""
    settled: tuple[str, ...] = ()
    """Settings of the prompting that are the user's own word, as in a scenario of one's own: no form for chat changes them."""
    suites: tuple[str, ...] = field(default=())
    name: str = ""
    """What it is registered as; filled in when it is declared."""

    def instances(self, split: Split, seen: set[str] | None = None) -> Iterator[Instance]:
        """The instances of one split, in the order of the source.

        Ids are unique within a scenario: a row's own id, or `<split><position>`. Positions count rows of the source, so an
        id does not change when a limit or a filter does.

        Args:
            split: which split.
            seen: ids taken so far in other splits; extended in place.

        Raises:
            AssayError: a row cannot be read as an instance (names the row), or an id appears twice.
        """
        ids = seen if seen is not None else set()
        for position, row in enumerate(self.source.read(split).rows):
            instance = self.instance_of(row, split, position)
            if instance is None:
                continue
            if instance.id in ids:
                raise self.twice(instance.id)
            ids.add(instance.id)
            yield instance

    def names(self, split: Split) -> Iterator[Sequence[str]]:
        """The ids of a split in order, in blocks, for scenarios with `id_of`. That no two are the same is not looked at.

        Drafts are made of the first `ALWAYS_LOOKED_AT` rows only, so that a file of ordinary size is told to be broken
        however few of its rows are asked.

        Raises:
            AssayError: a row has no possible id, or one of the first is no instance; names the row.
        """
        told = self.source.names(split) if isinstance(self.source, Named) else self._told(split)
        for position, row in enumerate(islice(self.source.read(split).rows, ALWAYS_LOOKED_AT)):
            self.instance_of(row, split, position)
        first = 0
        for block in told:
            yield [f"{split}{at}" if name is None else name for at, name in enumerate(block, first)]
            first += len(block)

    def _told(self, split: Split) -> Iterator[Sequence[str | None]]:
        """What `id_of` says of each row."""
        id_of, first = self.id_of or (lambda row: None), 0
        for rows in self.source.read(split).blocks():
            names: list[str | None] = []
            try:
                names.extend(map(id_of, rows))
            except AssayError as error:
                raise AssayError(f"{self._place(split, first + len(names))}: {error.message}", error.hint) from error
            yield names
            first += len(rows)

    def picked(self, split: Split, marks: Sequence[int]) -> Iterator[Instance]:
        """The instances of the marked rows of a split.

        Raises:
            AssayError: one of these rows is no instance; names it.
        """
        positions = (position for position, mark in enumerate(marks) if mark)
        for position, row in zip(positions, self.source.read(split).marked(marks), strict=True):
            instance = self.instance_of(row, split, position)
            if instance is not None:
                yield instance

    def instance_of(self, row: Row, split: Split, position: int) -> Instance | None:
        """The instance that a row of the source becomes; `None` where the scenario drops it.

        Raises:
            AssayError: the row cannot be read as an instance; names it.
        """
        draft = _drafted(self.instance, row, self._place(split, position))
        if draft is None:
            return None
        return Instance(
            id=draft.id if draft.id is not None else f"{split}{position}",
            input=draft.input,
            references=draft.references,
            split=split,
            subgroups=draft.subgroups,
            group=draft.group,
            worked=draft.worked,
            contrasts=draft.contrasts,
        )

    def twice(self, name: str) -> AssayError:
        """What to tell where two rows have one id."""
        return AssayError(f"{self.source.identity}: the id {name!r} appears twice", "ids must be unique")

    def _place(self, split: Split, position: int) -> str:
        return f"{f'scenario {self.name}, ' if self.name else ''}{self.source.identity}, split {split}, row {position + 1}"


def _drafted(instance: Callable[[Row], Draft | None], row: Row, where: str) -> Draft | None:
    """The draft of a row.

    Raises:
        AssayError: there is none, or it holds something other than texts; names the row.
    """
    try:
        draft = instance(row)
    except RowError:
        raise
    except AssayError as error:
        raise AssayError(f"{where}: {error.message}", error.hint) from error
    except (Exception, SystemExit) as error:
        # What a ValueError says was written for a reader; other messages mean little without their type.
        detail = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        columns = "its columns are " + ", ".join(map(str, row)) if isinstance(row, Mapping) else "repair the scenario"
        raise AssayError(f"{where} does not have the expected shape: {detail}", columns) from error
    if draft is not None:
        check_draft(draft, where)
    return draft


@dataclass(frozen=True)
class ScenarioFamily:
    """A declared scenario before its parameters are filled in."""

    name: str
    about: str
    declare: Callable[..., Scenario]
    parameters: Mapping[str, inspect.Parameter]
    types: Mapping[str, Any]
    expand: Callable[[dict[str, Any]], list[dict[str, Any]]] | None = None
    """The parameters of each scenario that some parameters stand for, where they may stand for several."""

    @property
    def positional(self) -> str | None:
        """The parameter that may be written without its name."""
        kind = inspect.Parameter.POSITIONAL_ONLY
        return next((name for name, parameter in self.parameters.items() if parameter.kind is kind), None)

    def __call__(self, **given: Any) -> Scenario:
        """The scenario with these parameters.

        Raises:
            AssayError: an unknown parameter, a value of the wrong type or outside the allowed set, or one missing; or the
                declaration failed or is none.
        """
        parameters = self.resolve(given)
        try:
            unnamed = [parameters.pop(self.positional)] if self.positional else []
            made = self.declare(*unnamed, **parameters)
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            raise AssayError(
                f"scenario {self.name} cannot be declared: {type(error).__name__}: {error}", "repair its function"
            ) from error
        if not isinstance(made, Scenario):
            raise AssayError(f"scenario {self.name} gave a value of type {type(made).__name__}", "return a Scenario")
        check_fields(made, self.name)
        return replace(made, name=self.name, about=made.about or self.about)

    def resolve(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters with their values, defaults included, converted to the declared types."""
        for name in given:
            if name not in self.parameters:
                raise unknown(f"parameter of scenario {self.name}", name, self.parameters)
        values: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            if name in given:
                values[name] = convert(given[name], self.types.get(name, str), f"{self.name}: {name}")
            elif parameter.default is inspect.Parameter.empty:
                raise AssayError(f"scenario {self.name} needs the parameter {name}", self.usage())
            else:
                values[name] = parameter.default
        return values

    def choices(self, parameter: str) -> tuple[Any, ...]:
        """The allowed values of a parameter, empty where any value of its type will do."""
        annotation = self.types.get(parameter, str)
        return typing.get_args(annotation) if typing.get_origin(annotation) is typing.Literal else ()

    def usage(self) -> str:
        """How to write it on the command line: of a parameter's values the default first, and at most six."""
        shown = [self.positional.upper()] if self.positional else []
        for name in (name for name in self.parameters if name != self.positional):
            default = self.parameters[name].default
            allowed = sorted(self.choices(name), key=lambda value: value != default)
            values = "|".join(map(str, allowed[:SHOWN_VALUES])) + ("|…" if len(allowed) > SHOWN_VALUES else "")
            shown.append(f"{name}={values or '…'}")
        return f"{self.name}:{','.join(shown)}"


@typing.overload
def scenario(declare: Callable[..., Scenario]) -> ScenarioFamily: ...
@typing.overload
def scenario(
    *, expand: Callable[[dict[str, Any]], list[dict[str, Any]]]
) -> Callable[[Callable[..., Scenario]], ScenarioFamily]: ...
def scenario(
    declare: Callable[..., Scenario] | None = None, *, expand: Callable[[dict[str, Any]], list[dict[str, Any]]] | None = None
) -> ScenarioFamily | Callable[[Callable[..., Scenario]], ScenarioFamily]:
    """Register a function that declares a scenario; its name is the function's, its description the docstring.

    Args:
        declare: the function.
        expand: the parameters of each scenario that some parameters stand for (`@scenario(expand=…)`).
    """
    if declare is None:
        return lambda function: _family(function, expand)
    return _family(declare, expand)


def _family(
    declare: Callable[..., Scenario], expand: Callable[[dict[str, Any]], list[dict[str, Any]]] | None
) -> ScenarioFamily:
    family = ScenarioFamily(
        name=declare.__name__,
        about=inspect.getdoc(declare) or "",
        declare=declare,
        parameters=inspect.signature(declare).parameters,
        types=typing.get_type_hints(declare),
        expand=expand,
    )
    return registry.scenarios.register(family.name, family)


def convert(value: Any, annotation: Any, where: str) -> Any:
    """A value from a command line or YAML file as the annotated type.

    Raises:
        AssayError: it cannot be one.
    """
    if isinstance(annotation, types.UnionType):  # such as `int | None`
        inner = next(part for part in typing.get_args(annotation) if part is not type(None))
        return None if value is None else convert(value, inner, where)
    if typing.get_origin(annotation) is typing.Literal:
        allowed = typing.get_args(annotation)
        for option in allowed:
            if value == option or str(value) == str(option):
                return option
        raise unknown(f"value for {where}", str(value), map(str, allowed))
    if annotation is bool:
        text = str(value).lower()
        if text in ("true", "yes", "1", "false", "no", "0"):
            return text in ("true", "yes", "1")
        raise AssayError(f"{where} must be true or false, not {value!r}")
    if annotation in (int, float):
        try:
            return annotation(str(value))
        except ValueError:
            kind = "a whole number" if annotation is int else "a number"
            raise AssayError(f"{where} must be {kind}, not {value!r}") from None
    return _text(str(value), where) if annotation is str else value


def _text(value: str, where: str) -> str:
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise AssayError(f"{where} holds a character that no text or path can have: {value!r}", "write it in UTF-8")
    return value


def choice(question: Text, options: Iterable[str], *, correct: int | Iterable[int], **more: Any) -> Draft:
    """A question with options; `correct` is the index (or indices) of the right ones."""
    right = {correct} if isinstance(correct, int) else set(correct)
    texts = list(options)
    if not right <= set(range(len(texts))):
        raise ValueError(f"the right answer {sorted(right)} is not among the {len(texts)} options")
    return Draft(input=question, references=tuple(Reference(text=t, correct=i in right) for i, t in enumerate(texts)), **more)


def question(text: Text, *answers: str, **more: Any) -> Draft:
    """An open question with its accepted answers."""
    return Draft(input=text, references=tuple(Reference(text=answer, correct=True) for answer in answers), **more)

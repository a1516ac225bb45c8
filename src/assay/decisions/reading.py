"""A profile file -> `Profile`: every value checked, and one line naming file, line and key for whatever is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.decisions.measure_checks import (
    Place,
    Range,
    Steps,
    check_limit,
    check_measure,
    check_text,
    check_value,
    is_confidence,
    judges_right,
    metric_named,
)
from assay.decisions.profile import Constraint, Costs, Criterion, Deployment, Measure, Profile, Value
from assay.decisions.reading_out import is_price
from assay.errors import AssayError, unknown
from assay.metrics.derived import find
from assay.records import Record
from assay.text import one_line
from assay.yaml_files import parse_yaml, place_of, read_yaml_text

EXPECTED_COST = "expected cost"
"""The name of the measure that a profile with costs gets."""
M = TypeVar("M", bound=Measure)
PLACEHOLDER = "(to be filled in)"
"""What a drafted profile says where only people can know."""
LARGEST_WEIGHT, SMALLEST_WEIGHT = 1e6, 1e-6
"""Weights are relative, and nobody means more than this by one."""
MOST_CRITERIA, MOST_CONSTRAINTS = 50, 1_000
"""Nobody can weigh more against each other, or look at what became of each."""
LARGEST_COST, SMALLEST_COST = 1e12, 1e-12
"""In whatever currency, nothing that an answer costs is more than this, or is worth counting if it is less."""
NUMBERS = ("weight", "value", "at_most", "at_least", "confidence")
"""Keys of a profile and its measures that hold numbers, or lists or mappings of them."""
COSTS = ("error", "abstention", "latency", "answer")
"""Keys of costs that hold numbers."""
MEASURES = {"criteria": "criterion", "constraints": "constraint"}
"""Lists of a profile, and what one of their items is called."""
KINDS = {
    "float": "number",
    "int": "whole number",
    "str": "text",
    "bool": "true or false",
    "array": "list",
    "object": "mapping",
    "null": "",
}
"""Kinds of values as people call them; nobody writes nothing."""
WITHOUT_POINT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")
"""Numbers that YAML 1.1 takes for text: `1e-06`, where it wants `1.0e-06`."""


def read_profile(path: Path) -> Profile:
    """The profile in a YAML file.

    Raises:
        AssayError: the file cannot be read, or as `parse_profile`.
    """
    return parse_profile(read_yaml_text(path), path)


def parse_profile(text: str, path: Path) -> Profile:
    """The profile in the text of a file; `path` names it in errors.

    Raises:
        AssayError: it is no YAML or no profile, or holds a key or a value that cannot be meant.
    """
    plain = parse_yaml(text, str(path))
    place = Place(path)
    if not isinstance(plain, dict):
        keys = ", ".join(Profile.__struct_fields__)
        raise AssayError(f"{path} must be a mapping with the keys {keys}", "`assay new profile` writes one")
    plain = _tidied(plain, path)
    _check_keys(plain, place)
    try:
        profile = msgspec.convert(plain, Profile)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        raise _misfit(str(error), plain, path) from None
    _check_head(profile, place)
    for number, criterion in enumerate(profile.criteria):
        held = Place(path, ("criteria", number), f"criterion {one_line(criterion.name, 80)!r}")
        check_value(criterion, check_measure(criterion, held), held)
    for number, constraint in enumerate(profile.constraints):
        held = Place(path, ("constraints", number), f"constraint {one_line(constraint.name, 80)!r}")
        check_limit(constraint, check_measure(constraint, held), held)
    _check_names(profile, place)
    _check_weights(profile, place)
    if profile.costs is not None:
        _check_costs(profile.costs, place.inner("costs", "costs"))
    return _in_currency(profile)


def _in_currency(profile: Profile) -> Profile:
    """The profile with the currency of its costs as the unit of all that measures prices, where that has no unit of its own."""
    currency = profile.costs.currency if profile.costs is not None else ""
    if not currency:
        return profile

    def said(measure: M) -> M:
        mine = not measure.unit and is_price(find(measure.metric))
        return msgspec.structs.replace(measure, unit=currency) if mine else measure

    return msgspec.structs.replace(
        profile, criteria=tuple(map(said, profile.criteria)), constraints=tuple(map(said, profile.constraints))
    )


def _tidied(plain: dict[Any, Any], path: Path) -> dict[Any, Any]:
    """The profile without the keys that are left empty, with the measures' key `on`, which YAML reads as a truth value, and
    with numbers for text that is meant as one."""
    changed = _with_numbers({key: value for key, value in plain.items() if value is not None}, NUMBERS)
    if isinstance(changed.get("costs"), dict):
        changed["costs"] = _with_numbers(changed["costs"], COSTS)
    for key in ("criteria", "constraints"):
        if isinstance(changed.get(key), list):
            changed[key] = [
                _measure(item, Place(path, (key, number))) if isinstance(item, dict) else item
                for number, item in enumerate(changed[key])
            ]
    return changed


def _measure(item: dict[Any, Any], place: Place) -> dict[Any, Any]:
    if True in item and "on" in item:
        raise place.error("on", "'on' appears twice, quoted and bare", "remove one")
    return _with_numbers({("on" if key is True else key): value for key, value in item.items()}, NUMBERS)


def _with_numbers(plain: dict[Any, Any], keys: Iterable[str]) -> dict[Any, Any]:
    return {key: _number(value) if key in keys else value for key, value in plain.items()}


def _number(value: Any) -> Any:
    """What is meant by text where a number is expected, also within lists and mappings."""
    if isinstance(value, list):
        return [_number(part) for part in value]
    if isinstance(value, dict):
        return {key: _number(part) for key, part in value.items()}
    return float(value) if isinstance(value, str) and WITHOUT_POINT.fullmatch(value) else value


def _check_keys(plain: Mapping[Any, Any], place: Place) -> None:
    """Refuse a key that nothing reads, and a missing one that everything needs."""
    _check_mapping(plain, Profile, place)
    parts: dict[str, type[Record]] = {"deployment": Deployment, "costs": Costs}
    for key, kind in parts.items():
        if isinstance(plain.get(key), dict):
            _check_mapping(plain[key], kind, place.inner(key, key))
    measures: tuple[tuple[str, type[Measure], str], ...] = (
        ("criteria", Criterion, "criterion"),
        ("constraints", Constraint, "constraint"),
    )
    for key, kind, what in measures:
        for number, item in enumerate(plain[key] if isinstance(plain.get(key), list) else ()):
            if not isinstance(item, dict):
                continue
            name = item.get("name")
            said = repr(one_line(name, 80)) if isinstance(name, str) else f"number {number + 1}"
            held = Place(place.path, (key, number), f"{what} {said}")
            _check_mapping(item, kind, held)
            if isinstance(item.get("value"), dict) and "value" in kind.__struct_fields__:
                _check_mapping(item["value"], Value, held.inner("value", f"{held.what}: value"))


def _check_mapping(plain: Mapping[Any, Any], kind: type[Record], place: Place) -> None:
    for key in plain:
        if key not in kind.__struct_fields__:
            error = unknown("key", str(key), kind.__struct_fields__)
            raise place.error(str(key), error.message, error.hint)
    needed = [field.name for field in msgspec.structs.fields(kind) if field.required]
    for key in needed:
        if plain.get(key) is None:
            raise place.error("", f"{key} is missing", f"it needs {' and '.join(needed)}")


def _misfit(said: str, plain: Mapping[Any, Any], path: Path) -> AssayError:
    """A value of another kind than its key wants, told as `constraint 'usable': at_least '85%' is no number`."""
    problem, where, steps = place_of(said, path)
    who, rest = "", list(steps)
    value: Any = plain
    for depth, step in enumerate(steps):
        value = value.get(step) if isinstance(value, dict) else value[int(step)] if isinstance(value, list) else None
        if depth == 1 and steps[0] in MEASURES and isinstance(step, int):
            name = value.get("name") if isinstance(value, dict) else None
            told = repr(one_line(name, 80)) if isinstance(name, str) else f"number {step + 1}"
            who, rest = f"{MEASURES[str(steps[0])]} {told}", steps[2:]
    key = " ".join(f"number {step + 1}" if isinstance(step, int) else str(step) for step in rest)
    named = f"{who}: {key}" if who and key else who or key
    wanted = re.match(r"Expected `([^`]*)`, got `([^`]*)`", problem)
    if wanted is None or not named:
        return AssayError(f"{where}: {named}{': ' if named else ''}{problem}", _hint(steps))
    kinds = dict.fromkeys(KINDS.get(kind.strip(), kind.strip()) for kind in wanted[1].split("|"))
    kind = " or ".join(kind for kind in kinds if kind)
    shown = f" {one_line(repr(value), 80)}" if isinstance(value, str | int | float) else ""
    share = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", value) if isinstance(value, str) else None
    hint = f"write it as a share: {float(share[1]) / 100:g}" if share and "number" in kind else _hint(steps)
    return AssayError(f"{where}: {named}{shown} is no {kind}", hint)


def _hint(steps: list[str | int]) -> str:
    """How to write what was given as something else."""
    last = next((step for step in reversed(steps) if isinstance(step, str)), "")
    written = {
        "weight": "a number, or a range such as [1, 3]",
        "importance": "a whole number, 1 for the most important",
        "value": "write value: {unacceptable: 0.5, satisfying: 0.95}",
        "points": "pairs of a measured value and its worth, such as [[0.7, 0.5]]",
        "on": "original, perturbed, worst or change",
        "criteria": "a list; start each with - name:",
        "constraints": "a list; start each with - name:",
    }
    lists = ("runs", "candidates", "scenarios", "affected", "redact")
    return written.get(last, "a list of texts" if last in lists else "correct that value")


def _check_head(profile: Profile, place: Place) -> None:
    """Everything but the measures."""
    check_text("name", profile.name, place)
    deployment, held = profile.deployment, place.inner("deployment", "deployment")
    for key in ("owner", "context"):
        check_text(key, getattr(deployment, key), held, longest=None)
    for key in ("review", "expires"):
        text = getattr(deployment, key)
        if text and not _is_day(text):
            raise held.error(key, f"{key} {one_line(text, 80)!r} is no day", "write it as 2027-03-31")
    if deployment.review and deployment.expires and deployment.review > deployment.expires:
        raise held.error("review", "review lies after expires", "a decision is looked at again while it holds")
    for key in ("runs", "candidates", "redact"):
        listed = getattr(profile, key)
        for text in listed:
            check_text(key, text, place, longest=None)
        twice = _repeated(listed)
        if twice is not None:
            raise place.error(key, f"{key} names {one_line(twice, 80)!r} twice", "remove one")
    if any("\0" in folder for folder in profile.runs):
        raise place.error("runs", "runs holds a NUL character", "give the paths of folders")
    if not is_confidence(profile.confidence):
        raise place.error("confidence", f"confidence must lie between 0.5 and 1, not be {profile.confidence:g}", "such as 0.95")
    if not profile.criteria and not profile.constraints and profile.costs is None:
        raise place.error("criteria", "there is nothing to decide by", "add criteria, constraints or costs")
    if len(profile.criteria) > MOST_CRITERIA:
        problem = f"{len(profile.criteria):,} criteria are more than anybody can weigh against each other"
        raise place.error("criteria", problem, f"keep to the {MOST_CRITERIA} that matter most, or to fewer")
    if len(profile.constraints) > MOST_CONSTRAINTS:
        problem = f"{len(profile.constraints):,} constraints are more than anybody can look at"
        raise place.error("constraints", problem, f"keep to the {MOST_CONSTRAINTS:,} that matter most, or to fewer")


def _check_names(profile: Profile, place: Place) -> None:
    """Results call measures by their names."""
    names = [*(criterion.name for criterion in profile.criteria), *(constraint.name for constraint in profile.constraints)]
    twice = _repeated(names)
    if twice is not None:
        first = names.index(twice)
        number = names.index(twice, first + 1) - len(profile.criteria)
        steps: Steps = ("criteria", number + len(profile.criteria)) if number < 0 else ("constraints", number)
        problem = f"two criteria or constraints are named {one_line(twice, 80)!r}"
        raise Place(place.path, steps).error("name", problem, "rename one")
    if profile.costs is not None and EXPECTED_COST in names:
        raise place.error("costs", f"a measure is named {EXPECTED_COST!r}, as what the costs make is", "rename it")


def _check_weights(profile: Profile, place: Place) -> None:
    """Each weight, and that they do not all vanish."""
    for number, criterion in enumerate(profile.criteria):
        held = Place(place.path, ("criteria", number), f"criterion {one_line(criterion.name, 80)!r}")
        if criterion.weight is not None and criterion.importance is not None:
            raise held.error("importance", "weight and importance exclude each other", "remove one")
        if criterion.importance is not None and not 1 <= criterion.importance <= len(profile.criteria):
            problem = f"importance must be a rank from 1 to {len(profile.criteria)}, not {criterion.importance}"
            raise held.error("importance", problem, "1 is the most important")
        low, high = weight_range(criterion)
        for weight in {low, high} if criterion.weight is not None else ():
            if not (weight == 0 or SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT):
                problem = f"weight must lie between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g} or be 0, not be {weight:g}"
                raise held.error("weight", problem)
        if low > high:
            raise held.error("weight", f"the range [{low:g}, {high:g}] is turned round", f"write [{high:g}, {low:g}]")
    if profile.criteria and all(weight_range(criterion)[1] == 0 for criterion in profile.criteria):
        raise Place(place.path, ("criteria", 0)).error("weight", "all weights are 0", "give one criterion a weight above 0")


def weight_range(criterion: Criterion) -> Range:
    """The weight as a range; from 0 up without an end where nothing is known of it by itself."""
    if criterion.weight is None:
        return 0.0, math.inf
    return criterion.weight if isinstance(criterion.weight, tuple) else (criterion.weight, criterion.weight)


def _check_costs(costs: Costs, place: Place) -> None:
    for key in COSTS:
        value = getattr(costs, key)
        if not 0 <= value < math.inf:
            raise place.error(key, f"{key} must not be negative or endless, but is {value:g}")
        if value and not SMALLEST_COST <= value <= LARGEST_COST:
            problem = f"{key} must lie between {SMALLEST_COST:g} and {LARGEST_COST:g} or be 0, not be {value:g}"
            raise place.error(key, problem)
    if costs.metric:
        metric = metric_named(costs.metric, place)
        if not judges_right(metric):
            hint = "use one that judges each answer from 0 (wrong) to 1 (right), such as exact_match"
            raise place.error("metric", f"{metric.name} does not tell right answers from wrong ones", hint)
    for pattern in costs.scenarios:
        check_text("scenarios", pattern, place, longest=None)


def _is_day(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) and date.fromisoformat(text))
    except ValueError:
        return False


def _repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None

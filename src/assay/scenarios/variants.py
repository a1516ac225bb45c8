"""The scenarios that a family stands for: what its parameters can be, as entries of the command line name them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from assay.errors import AssayError
from assay.scenarios.base import Scenario, ScenarioFamily

A_FILE = "FILE"
"""What stands for a text that only the user can give, such as a path."""


def variants(family: ScenarioFamily) -> Iterator[tuple[dict[str, Any], Scenario]]:
    """Every combination of those parameters that take one of a fixed set of values, with the scenario it declares.

    Other parameters keep their defaults; a text without one is `FILE`. Combinations that cannot be declared are left out, and
    so are the tasks of other programs, which only those know.
    """
    if family.expand is not None:
        return
    names = [name for name in family.parameters if family.choices(name)]
    given = required(family)
    for values in itertools.product(*(family.choices(name) for name in names)):
        parameters = {**given, **dict(zip(names, values, strict=True))}
        try:
            yield parameters, family(**parameters)
        except AssayError:
            continue


def sample(family: ScenarioFamily) -> tuple[dict[str, Any], Scenario] | None:
    """The scenario with the family's defaults, and the first value where there is none; `None` where that
    cannot be declared without more."""
    parameters = required(family)
    try:
        return None if family.expand is not None else (parameters, family(**parameters))
    except AssayError:
        return None


def required(family: ScenarioFamily) -> dict[str, Any]:
    """A value for each parameter without a default: the first that is allowed, else `FILE`."""
    needed = (name for name, parameter in family.parameters.items() if parameter.default is parameter.empty)
    return {name: (*family.choices(name), A_FILE)[0] for name in needed}


def needs_a_file(family: ScenarioFamily) -> bool:
    """Whether a scenario cannot be had without a file that the user gives."""
    return A_FILE in required(family).values()


def entry_of(family: ScenarioFamily, parameters: Mapping[str, Any]) -> str:
    """A scenario as an entry of the command line; parameters that have their defaults are not written."""
    given = {name: value for name, value in parameters.items() if value != family.parameters[name].default}
    written = [str(value) if name == family.positional else f"{name}={value}" for name, value in given.items()]
    return f"{family.name}:{','.join(written)}"

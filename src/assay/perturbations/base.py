"""What a perturbation is: a named, seeded change of an instance's input that must not change its right answer.

    @perturbation(kind="robustness")
    def lowercase(text: str, rng: Random) -> str:
        '''All letters in lower case.'''
        return text.lower()

Keyword parameters with defaults are the perturbation's parameters. One called `rate` is a probability, a whole number counts
something and is at least 1, and a `Literal[...]` allows what it lists. `seed`, name and instance id fix what is drawn;
`whole=True` hands over the instance instead of its text.
"""

from __future__ import annotations

import inspect
import random
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import msgspec

from assay import registry
from assay.errors import AssayError, unknown
from assay.identity import generator
from assay.records import Instance, Message, NamedSpec, PerturbationKind, Request, Text


@dataclass(frozen=True)
class Perturbation:
    """A registered perturbation."""

    name: str
    kind: PerturbationKind
    about: str
    change: Callable[..., Any]
    """`(text, rng, **parameters) -> text`, or `(instance, rng, **parameters) -> instance` where `whole` is set."""
    whole: bool
    references: bool
    """References are changed with the input, so that a right answer stays right (names, dialect)."""
    parameters: Mapping[str, Any]
    """Name to default value."""
    version: int
    asks: Callable[..., Request] | None = None
    """`(instance, **parameters) -> request` where a model makes the copy; its parameter `model` names the model, and `change`
    is then `(instance, completion) -> instance`."""
    allowed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Name to the values it may have, for parameters declared as `Literal[...]`."""

    def spec(self, **given: Any) -> NamedSpec:
        """The resolved specification with these parameters.

        Raises:
            AssayError: an unknown parameter or a value of the wrong type.
        """
        for name, value in given.items():
            if name not in self.parameters:
                raise unknown(f"parameter of perturbation {self.name}", name, self.parameters)
            self._check(name, value)
        return NamedSpec(name=self.name, parameters={**self.parameters, **given}, version=self.version)

    def _check(self, name: str, value: Any) -> None:
        default, where = self.parameters[name], f"perturbation {self.name}: {name}"
        if name in self.allowed and value not in self.allowed[name]:
            raise AssayError(f"{where} must be {' or '.join(map(str, self.allowed[name]))}, not {value!r}")
        if isinstance(default, bool):
            if not isinstance(value, bool):
                raise AssayError(f"{where} must be true or false, not {value!r}")
        elif isinstance(default, (int, float)) and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise AssayError(f"{where} must be a number, not {value!r}")
        elif isinstance(default, int) and not (isinstance(value, int) and value >= 1):
            raise AssayError(f"{where} must be a whole number from 1, not {value!r}")
        elif isinstance(default, str) and not isinstance(value, str):
            raise AssayError(f"{where} must be a text, not {value!r}")
        if name == "rate" and not 0 <= value <= 1:
            raise AssayError(f"{where} is a probability, so {value!r} must lie between 0 and 1")


def perturbation(
    *,
    kind: PerturbationKind,
    references: bool = False,
    whole: bool = False,
    version: int = 1,
    asks: Callable[..., Request] | None = None,
) -> Callable[[Callable[..., Any]], Perturbation]:
    """Register a function as a perturbation under its own name."""

    def register(change: Callable[..., Any]) -> Perturbation:
        parameters = {
            name: parameter.default
            for name, parameter in inspect.signature(asks or change).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        made = Perturbation(
            change.__name__,
            kind,
            inspect.getdoc(change) or "",
            change,
            whole,
            references,
            parameters,
            version,
            asks,
            _allowed(asks or change),
        )
        return registry.perturbations.register(made.name, made)

    return register


def _allowed(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    try:
        hints = typing.get_type_hints(function)
    except NameError:  # a name imported for the type checker only; nothing is declared then
        return {}
    return {name: typing.get_args(hint) for name, hint in hints.items() if typing.get_origin(hint) is typing.Literal}


def perturb(
    instance: Instance, spec: NamedSpec, seed: int, completions: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> Instance | None:
    """A perturbed copy of an instance, or `None` where the perturbation changes nothing.

    The copy keeps id, split and subgroups, and names the perturbation. Random choices depend on the seed, the
    perturbation and the instance's id alone; input and references are changed with generators of one seed, so that a
    name exchanged in the question is exchanged for the same one in its answers. Where a model makes the copies,
    `completions` holds what it said, by name of the perturbation and id of the instance.

    Raises:
        AssayError: the perturbation failed, or gave what cannot be asked; names it and the instance.
    """
    known = registry.perturbations.get(spec.name)

    def fresh() -> random.Random:
        return generator(seed, "perturbation", spec.name, instance.id)

    def given(function: Callable[..., Any], *arguments: object, **settings: object) -> Any:
        try:
            return function(*arguments, **settings)
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            raise _wrong(spec, instance, f"failed: {type(error).__name__}: {error}") from error

    if known.asks is not None:
        completion = completions.get((spec.name, instance.id))
        changed: Instance = instance if completion is None else given(known.change, instance, completion)
    elif known.whole:
        changed = given(known.change, instance, fresh(), **spec.parameters)
    else:

        def change(text: str) -> str:
            made = given(known.change, text, fresh(), **spec.parameters)
            if not isinstance(made, str):
                raise _wrong(spec, instance, f"gave a value of type {type(made).__name__} where a text is needed")
            return made

        changed = msgspec.structs.replace(instance, input=map_text(instance.input, change))
        if known.references:
            references = tuple(msgspec.structs.replace(r, text=change(r.text)) for r in instance.references)
            changed = msgspec.structs.replace(changed, references=references)
    if not isinstance(changed, Instance):
        raise _wrong(spec, instance, f"gave a value of type {type(changed).__name__} where an instance is needed")
    if changed.input == instance.input and changed.references == instance.references:
        return None
    copy = msgspec.structs.replace(changed, perturbation=spec.name)
    try:
        msgspec.json.decode(msgspec.json.encode(copy), type=Instance)
    except (msgspec.MsgspecError, TypeError, UnicodeError, RecursionError) as error:
        raise _wrong(spec, instance, f"gave a copy that cannot be asked: {error}") from error
    if (copy.id, copy.split) != (instance.id, instance.split):
        raise _wrong(spec, instance, "changed its id or split")
    return copy


def _wrong(spec: NamedSpec, instance: Instance, what: str) -> AssayError:
    return AssayError(f"perturbation {spec.name}, instance {instance.id} {what}", "repair the perturbation")


def map_text(text: Text, change: Callable[[str], str]) -> Text:
    """Apply a change to a plain text, or to what the user says in a conversation."""
    if isinstance(text, str):
        return change(text)
    return tuple(Message(role=m.role, content=change(m.content) if m.role == "user" else m.content) for m in text)

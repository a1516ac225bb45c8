"""Run entries: one line that names a scenario, its parameters, and how to ask it.

    mmlu:subject=anatomy,model=openai/gpt-x,data_augmentation=typos,max_train_instances=3

This is HELM's notation. A parameter that the scenario declares as positional may stand first without its name
(`lm_eval:arc_easy,num_fewshot=5`). Values may be quoted (`stop="\\n"`), so that they can hold commas and equals signs. A key is
a parameter of the scenario, one of HELM's run expanders (below), or any setting of the prompting by its own name. In place of a
scenario's name may stand the path of a file that declares one: `billing.yaml:shots=3`.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from assay import registry
from assay.errors import AssayError, unknown
from assay.prompting import METHODS
from assay.yaml_files import parse_yaml


class Ask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario to ask, and how. What is not said here is the suite's or the scenario's to say."""

    scenario: str
    parameters: dict[str, Any] = {}
    prompting: dict[str, Any] = {}
    perturbations: tuple[str | dict[str, dict[str, Any]], ...] | None = None
    metrics: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    """Asked of these models only."""
    split: tuple[str, ...] | None = None
    max_instances: int | None = None
    draws: int | None = None
    formats: int | None = None
    repeats: int | None = None


EXPANDERS: dict[str, str] = {
    "max_train_instances": "shots",
    "num_outputs": "completions",
    "method": "method",
    "temperature": "temperature",
    "instructions": "instructions",
    "global_prefix": "global_prefix",
    "stop": "stop",
}
"""HELM's run expanders that are settings of the prompting, by our name for them."""

COUNTS = {"max_eval_instances": "max_instances", "num_train_trials": "draws", "num_trials": "repeats", "formats": "formats"}
STOPS = {"none": (), "hash": ("###",), "semicolon": (";",), "br": ("<br>",)}
DATA = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".gz", ".xlsx", ".xls", ".ods")
"""Endings of files that hold cases."""
OTHER = ("model", "model_deployment", "data_augmentation", "eval_split", "metrics")


def parse_entry(entry: str) -> Ask:
    """An entry as what it asks for.

    Raises:
        AssayError: malformed, an unknown scenario or key (the nearest is suggested), or an impossible value.
    """
    name, _, rest = entry.partition(":")
    name = name.strip()
    if name.lower().endswith(DATA):
        raise AssayError(f"{name} is data, not a scenario", f"`assay new scenario {name}` writes one that asks what is in it")
    family = registry.scenarios.get(name)
    if family.positional and rest.strip() and "=" not in rest.partition(",")[0]:
        rest = f"{family.positional}={rest.lstrip()}"
    parameters: dict[str, Any] = {}
    prompting: dict[str, Any] = {}
    more: dict[str, Any] = {}
    settings = {field for method in METHODS.values() for field in method.__struct_fields__}
    for key, value in split_pairs(rest, entry):
        if key in family.parameters:
            parameters[key] = value
        elif key in EXPANDERS or key in settings:
            setting = EXPANDERS.get(key, key)
            if setting in prompting:
                raise AssayError(f"entry {entry!r} gives {setting} twice, once as {key}", "leave one out")
            prompting[setting] = _setting(setting, value)
        elif key in COUNTS:
            more[COUNTS[key]] = _count(key, value)
        elif key in ("model", "model_deployment"):
            more["models"] = (value,)
        elif key == "data_augmentation":
            more["perturbations"] = (value,)
        elif key == "eval_split":
            more["split"] = tuple(value.split("+"))
        elif key == "metrics":
            more["metrics"] = tuple(value.split("+"))
        else:
            known = [*family.parameters, *EXPANDERS, *COUNTS, *OTHER, *sorted(settings)]
            raise unknown(f"key in {entry[:200]!r}:", key, known)
    ask = Ask(scenario=name, parameters=parameters, prompting=prompting, **more)
    check_ask(f"entry {entry[:200]!r}", ask)
    return ask


def written(ask: Ask) -> str:
    """What is asked as an entry, with its parameters and settings of the prompting: fit to tell it from others."""
    said = {**ask.parameters, **ask.prompting}
    shown = ",".join(f"{name}={str(value)[:LONGEST_VALUE]}" for name, value in said.items())
    return ask.scenario + (f":{shown}" if shown else "")


LONGEST_VALUE = 60
"""Characters of a value in the name of what is asked."""


def expanded(ask: Ask) -> list[Ask]:
    """What is asked, scenario by scenario, where the parameters stand for several: a group of tasks.

    Raises:
        AssayError: the parameters name nothing.
    """
    family = registry.scenarios.get(ask.scenario)
    if family.expand is None or (family.positional and family.positional not in ask.parameters):
        return [ask]
    return [msgspec.structs.replace(ask, parameters=parameters) for parameters in family.expand(dict(ask.parameters))]


def check_ask(where: str, ask: Ask) -> None:
    """Refuse what cannot be meant; `where` names it in errors.

    Raises:
        AssayError: a count below 1 or beyond a million, an unknown or repeated split, text that cannot be stored.
    """
    for name in ("max_instances", "draws", "formats", "repeats"):
        check_count(f"{where}: {name}", getattr(ask, name))
    check_splits(where, ask.split or ())
    check_text(where, msgspec.to_builtins(ask))


def check_count(what: str, number: int | None) -> None:
    """Refuse a count below 1 or beyond a million."""
    if number is not None and not 1 <= number <= MOST:
        raise AssayError(f"{what} must be at least 1 and at most {MOST:,}", f"not {str(number)[:30]}")


MOST = 10**6
"""Instances, draws, formats or repeats: nobody means more, and a planner that tried would never end."""


def check_splits(where: str, splits: tuple[str, ...]) -> None:
    """Refuse an unknown split, and one that is named twice."""
    for index, split in enumerate(splits):
        if split not in SPLITS:
            raise unknown(f"split in {where}:", split, SPLITS)
        if split in splits[:index]:
            raise AssayError(f"{where} names the split {split} twice", "leave one out")


SPLITS = ("valid", "test", "train")


def check_text(where: str, value: Any) -> None:
    """Refuse NUL characters and lone surrogates anywhere in plain data: no file or service takes them."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            raise AssayError(f"{where}: {value[:80]!r} holds a character that is not text", "remove it")
    elif isinstance(value, dict):
        check_text(where, [*value.keys(), *value.values()])
    elif isinstance(value, list | tuple):
        for part in value:
            check_text(where, part)


def split_pairs(text: str, entry: str) -> list[tuple[str, str]]:
    """`a=1,b="x,y"` as pairs, quotes removed.

    Raises:
        AssayError: a pair without `=`, an open quote, a key twice.
    """
    pairs: dict[str, str] = {}
    rest = text.strip()
    while rest:
        key, equals, rest = rest.partition("=")
        key = key.strip()
        if not equals or not key:
            raise AssayError(f"entry {entry!r}: {key or rest!r} is not key=value", "write scenario:key=value,key=value")
        if rest[:1] in ("'", '"'):
            end = _closing(rest, entry)
            value, rest = _unquote(rest[: end + 1]), rest[end + 1 :].lstrip()
            if rest and not rest.startswith(","):
                raise AssayError(f"entry {entry!r}: a comma must follow the quoted value of {key}")
            rest = rest[1:]
        else:
            value, _, rest = rest.partition(",")
        if key in pairs:
            raise AssayError(f"entry {entry!r} gives {key} twice", "leave one out")
        pairs[key] = value.strip() if not equals else value
    return list(pairs.items())


def _closing(text: str, entry: str) -> int:
    escaped = False
    for index, character in enumerate(text[1:], start=1):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == text[0]:
            return index
    raise AssayError(f"entry {entry!r} has an open quote", f"close it with {text[0]}")


def _unquote(quoted: str) -> str:
    if quoted[0] == '"':
        try:
            return str(json.loads(quoted, strict=False))
        except ValueError:
            pass
    return quoted[1:-1].replace("\\" + quoted[0], quoted[0])


def _setting(name: str, value: str) -> Any:
    """A setting's value from its text, typed by the field it is for."""
    if name == "stop":
        return STOPS.get(value, (value,))
    if name == "instructions" and value == "none":
        return ""
    texts = ("instructions", "prefix", "suffix", "system", "method", "chat", "normalisation", "neutral", "yes", "no")
    if name.endswith(texts):
        return value
    try:
        return parse_yaml(value, name)
    except AssayError:
        return value  # what is wrong with it as a value of that setting is said where settings are read


def _count(key: str, value: str) -> int:
    try:
        number = int(value)
    except ValueError:
        raise AssayError(f"{key} must be a whole number, not {value[:80]!r}") from None
    check_count(key, number)
    return number

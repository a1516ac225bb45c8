"""Suites: which candidates are asked which scenarios, under which common conditions. Read from YAML or made of entries."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from assay.entries import Ask, check_ask, check_count, check_splits, check_text, expanded, parse_entry
from assay.errors import AssayError, unknown
from assay.registry import is_yaml
from assay.scenarios.own.declaration import is_scenario
from assay.store.folders import distinct
from assay.yaml_files import LARGEST, parse_yaml, read_yaml_file


class Candidate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model as it would be used: with its way of being prompted."""

    model: str
    label: str = ""
    """What tables call it."""
    prompting: dict[str, Any] = {}
    """Changes to every scenario's prompting."""

    @property
    def name(self) -> str:
        """The label, or the model with the changes to its prompting."""
        changes = ",".join(f"{key}={value}" for key, value in sorted(self.prompting.items()))
        return self.label or self.model + (f" ({changes})" if changes else "")


class Suite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Scenarios and candidates, and what holds for all of them."""

    name: str = "default"
    about: str = ""
    seed: int = 0
    max_instances: int | None = None
    """Instances asked for each scenario, at most; drawn at random but the same for every candidate."""
    draws: int = 1
    formats: int = 1
    """Prompt formats: more than one measures how much depends on the way a prompt is written."""
    repeats: int = 1
    split: tuple[str, ...] = ()
    """Splits that are asked. Empty: test where the scenario has one, else valid; both under `helm_compat`, as HELM does."""
    perturbations: tuple[str | dict[str, dict[str, Any]], ...] = ()
    helm_compat: bool = False
    toxicity: str = "lexical"
    """Who rates what models write: `lexical`, `perspective`, `judge:provider/name` or `none`."""
    occasion: str = ""
    """A name for the time of asking, such as a date: answers of other occasions are not taken, and the runs lie apart."""
    judge: str = ""
    """Who marks answers where `judge_score` is measured: `provider/name`. Empty: whom the scenario names, if anybody."""
    models: tuple[str | Candidate, ...] = ()
    scenarios: tuple[str | Ask, ...] = ()

    @property
    def folder(self) -> str:
        """The name of the folder that its runs go into: another one for each name and occasion."""
        return distinct(self.name, self.occasion) or "_"

    def candidates(self) -> list[Candidate]:
        """The candidates, each as a record."""
        return [Candidate(model=model) if isinstance(model, str) else model for model in self.models]

    def asks(self) -> list[Ask]:
        """What is asked, each as a record, a group of tasks as its tasks. Raises AssayError as `parse_entry`."""
        asks = (parse_entry(ask) if isinstance(ask, str) else ask for ask in self.scenarios)
        return [one for ask in asks for one in expanded(ask)]


def builtin_suites() -> dict[str, str]:
    """Name to YAML text of the suites that come with assay."""
    folder = resources.files("assay") / "data" / "suites"
    return {
        file.name.removesuffix(".yaml"): file.read_text("utf-8")
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".yaml")
    }


def read_suite(what: Sequence[str]) -> Suite:
    """A suite from what a user named: one suite file, one suite that comes with assay, or any number of entries.

    A YAML file that declares a scenario is an entry like any other.

    Raises:
        AssayError: no such file or suite, malformed YAML (with its line), an unknown key (with the nearest known).
    """
    if not what:
        raise AssayError("nothing to run", "name a suite file, a suite (assay list suites) or entries such as boolq:")
    first = what[0]
    if is_yaml(first) and (suite := _from_file(Path(first))) is not None:
        if len(what) > 1:
            raise AssayError("a suite file stands alone", "put the other entries into the file")
        return suite
    if len(what) == 1 and first in builtin_suites():
        return parse_suite(builtin_suites()[first], f"suite {first}")
    return Suite(scenarios=tuple(what))


def _from_file(path: Path) -> Suite | None:
    """The suite in a file, the scenario files it names looked for beside it; `None` where the file declares a scenario."""
    if not os.path.exists(path):
        raise AssayError(f"{path} does not exist", "give the path of a suite or scenario file")
    plain = read_yaml_file(path)
    if is_scenario(plain):
        return None
    suite = _suite(plain, str(path))
    scenarios = tuple(_beside(path.parent, ask) for ask in suite.scenarios)
    name = suite.name if suite.name != "default" else path.stem
    return msgspec.structs.replace(suite, name=name, scenarios=scenarios)


def _beside(folder: Path, ask: str | Ask) -> str | Ask:
    if isinstance(ask, Ask):
        return msgspec.structs.replace(ask, scenario=str(folder / ask.scenario)) if is_yaml(ask.scenario) else ask
    name, colon, rest = ask.partition(":")
    return f"{folder / name.strip()}{colon}{rest}" if is_yaml(name.strip()) else ask


def parse_suite(text: str, where: str) -> Suite:
    """A suite from YAML text; `where` names it in errors."""
    return _suite(parse_yaml(text, where), where)


def _suite(plain: Any, where: str) -> Suite:
    if not isinstance(plain, dict):
        raise AssayError(f"{where} must be a mapping with the keys {', '.join(Suite.__struct_fields__)}")
    check_keys(plain, Suite, where)
    kinds: dict[str, type[msgspec.Struct]] = {"scenarios": Ask, "models": Candidate}
    for key, kind in kinds.items():
        listed = plain.get(key) or []
        if not isinstance(listed, list):
            raise AssayError(
                f"{where}: {key} must be a list, not {str(listed)[:80]!r}", "write each on a line of its own after -"
            )
        for index, entry in enumerate(listed, start=1):
            if isinstance(entry, dict):
                check_keys(entry, kind, f"{where}: {key}, item {index}")
    try:
        suite = msgspec.convert(plain, Suite)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        raise AssayError(f"{where}: {error}", "correct that value") from None
    check_suite(suite, where)
    return suite


def check_suite(suite: Suite, where: str, called: Mapping[str, str] | None = None) -> None:
    """Refuse a suite whose values cannot be meant.

    Args:
        suite: the suite.
        where: names it in errors.
        called: what the user calls its numbers, where that is not `where` and their names.

    Raises:
        AssayError: a count below 1 or beyond a million, a seed of more than 64 bits, an unknown or repeated split, text that
            cannot be stored, no scenarios.
    """
    names = called or {}
    for name in ("max_instances", "draws", "formats", "repeats"):
        check_count(names.get(name, f"{where}: {name}"), getattr(suite, name))
    if not -LARGEST <= suite.seed < LARGEST:
        raise AssayError(f"{names.get('seed', f'{where}: seed')} must have at most 18 digits", "choose a smaller number")
    check_splits(where, suite.split)
    said = (suite.name, suite.about, suite.occasion, suite.toxicity, suite.perturbations, suite.models)
    check_text(where, msgspec.to_builtins(said))
    if not suite.scenarios:
        raise AssayError(f"{where} has no scenarios", "list some under `scenarios:`")
    for index, ask in enumerate(suite.scenarios, start=1):
        if isinstance(ask, Ask):
            check_ask(f"{where}: scenarios, item {index}", ask)


def check_keys(plain: dict[Any, Any], kind: type[msgspec.Struct], where: str) -> None:
    """Refuse a key that the record does not have, naming the nearest that it has."""
    for key in plain:
        if key not in kind.__struct_fields__:
            raise unknown(f"key in {where}:", str(key), kind.__struct_fields__)

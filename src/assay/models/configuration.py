"""From what a user writes to a model: `provider/name`, and the details in `models.yaml`.

- name: openai/gpt-x                # a list, or a mapping from name to the details
  concurrency: 32
- name: mine                        # any name, where the provider is given
  provider: openai
  model: my-model
  base_url: http://127.0.0.1:8000/v1
  endpoint: completions
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from assay import registry
from assay.errors import AssayError, unknown
from assay.identity import canonical
from assay.models.base import Capabilities, Endpoint, Local, Model, ModelConfig
from assay.models.wire.transport import checked_url
from assay.models.wording import one_line
from assay.records import ModelIdentity
from assay.yaml_files import line_of, read_yaml_file

_LEAST_RATE = 1e-6
"""The least a rate limit may be: one in two years."""
_POSITIVE = {
    "context_window": 1e12,
    "concurrency": 1e5,
    "requests_per_minute": 1e9,
    "tokens_per_minute": 1e12,
    "timeout_s": 1e6,
}
"""Details that must be above 0, and the most each may be."""
_NOT_NEGATIVE = ("price_per_million_input", "price_per_million_output")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = frozenset({"connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding", "upgrade"})
"""Headers by which HTTP itself works."""
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
ENDPOINTS = ("chat", "completions", "responses")
"""Kinds of endpoints that can be named; a provider may have but one."""


def open_model(name: str, configs: Mapping[str, ModelConfig]) -> Model:
    """The model of that name.

    The provider gets what follows the slash, or the configuration's `model` where it has one. Prices, concurrency,
    timeouts and headers are no part of the model's identity; base URL, body and revision are.

    Args:
        name: `provider/name`, or the name of a configuration.
        configs: details by name, as from `load_models_file`.

    Raises:
        AssayError: no such provider or configuration, a detail out of its range, or a key that is missing.
    """
    config = configs.get(name) or ModelConfig(name=name)
    _check(config, lambda field: f"model {name!r}")
    head, slash, rest = name.partition("/")
    if not config.provider and not (slash and head and rest):
        known = [*configs, *(f"{known}/…" for known in registry.providers.names())]
        raise _no_such_model(name, known)
    provider = config.provider or head
    if provider not in registry.providers:
        near = [] if name in configs else difflib.get_close_matches(name, list(configs), n=1, cutoff=0.8)
        whose = f"model provider of {name!r}:" if config.provider else "model provider"
        raise unknown("model", name, near) if near else unknown(whose, provider, registry.providers.names())
    bare = rest if slash and head == provider else name
    model = _made(provider, config.model or bare, config)
    if config.requests_per_minute or config.tokens_per_minute:
        model.capabilities = replace(
            model.capabilities, requests_per_minute=config.requests_per_minute, tokens_per_minute=config.tokens_per_minute
        )
    return model


def _made(provider: str, model: str, config: ModelConfig) -> Model:
    """What a provider makes, once it is known to be a model: a provider may be anybody's code."""
    who = f"the model provider {provider!r}"
    try:
        made: Any = registry.providers.get(provider).make(model, config)
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(
            f"{who} failed to open {config.name!r}: {type(error).__name__}: {one_line(str(error))}", "correct the provider"
        ) from error
    if not isinstance(made, Endpoint | Local):
        raise AssayError(f"{who} gave {_kind(made)} as {config.name!r}", "its function must return an Endpoint or a Local")
    for field, kind in (("identity", ModelIdentity), ("capabilities", Capabilities)):
        value = getattr(made, field, None)
        if not isinstance(value, kind):
            raise AssayError(f"{who}: the {field} of {config.name!r} is {_kind(value)}", f"it must be of type {kind.__name__}")
    try:
        canonical(made.identity)
    except (TypeError, ValueError, RecursionError) as error:
        problem = f"{who}: the identity of {config.name!r} cannot be written down: {one_line(str(error))}"
        raise AssayError(problem, "its options must be plain data") from error
    _check_capabilities(made.capabilities, f"{who}: {config.name!r}")
    return made


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _check_capabilities(capabilities: Capabilities, where: str) -> None:
    """Numbers that later stages compute with."""
    for field in ("concurrency", "top_logprobs", "context_window"):
        value = getattr(capabilities, field)
        if field == "context_window" and value is None:
            continue
        if not isinstance(value, int) or value < (0 if field == "top_logprobs" else 1):
            raise AssayError(f"{where}: its capabilities have the {field} {value!r}", "it must be a positive whole number")


def load_models_file(path: str | Path) -> dict[str, ModelConfig]:
    """The models described in a YAML file, by name. docs/models.md lists what can be said of one.

    Raises:
        AssayError: the file cannot be read, is no YAML, names a model twice, or has a key or value that does not fit; the
            message names the file, the line and the key.
    """
    content = read_yaml_file(Path(path))
    configs: dict[str, ModelConfig] = {}
    for number, entry in enumerate(_entries(content, str(path)), 1):
        name = entry["name"] if isinstance(entry.get("name"), str) else ""
        place = _Place(Path(path), name if isinstance(content, dict) else number - 1, name, number)
        config = _config(entry, place)
        if config.name in configs:
            raise AssayError(f"{place.at('name')} is described twice", "remove one or rename it")
        configs[config.name] = config
    return configs


@dataclass(frozen=True)
class _Place:
    """An entry of a models file, for messages."""

    path: Path
    step: str | int
    """Its key or position in the file."""
    name: str
    number: int

    def at(self, key: str) -> str:
        """`models.yaml, line 3: model 'mine'`: the line of that key of the entry, or of the entry."""
        line = line_of(self.path, (self.step, key))
        who = f"model {self.name!r}" if self.name else f"model number {self.number}"
        return f"{self.path}{'' if line is None else f', line {line}'}: {who}"


def _config(entry: dict[str, Any], place: _Place) -> ModelConfig:
    """An entry of the file as a configuration that makes sense."""
    for key in entry:
        if key not in ModelConfig.__struct_fields__:
            raise unknown(f"key in {place.at(str(key))}:", str(key), ModelConfig.__struct_fields__)
    endpoint = entry.get("endpoint")
    if isinstance(endpoint, str) and endpoint not in ("", *ENDPOINTS):
        raise unknown(f"endpoint in {place.at('endpoint')}:", endpoint, ENDPOINTS)
    try:
        config = msgspec.convert(entry, ModelConfig)
    except msgspec.ValidationError as error:
        field = re.search(r"`\$\.(\w+)", str(error))
        raise AssayError(f"{place.at(field[1] if field else '')}: {error}", "docs/models.md has every key") from None
    _check(config, place.at)
    return config


def _no_such_model(name: str, known: list[str]) -> AssayError:
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "known: " + ", ".join(known[:12])
    return AssayError(f"unknown model {name!r}: a model is written provider/name", hint)


def _check(config: ModelConfig, where: Callable[[str], str]) -> None:
    """Values that have the right type and make no sense all the same; `where` says where a field is written."""
    for field, most in _POSITIVE.items():
        value = getattr(config, field)
        if value is not None and not 0 < value <= most:
            raise AssayError(f"{where(field)}: {field} must be above 0 and at most {most:g}, not {value}")
        if value is not None and field.endswith("_per_minute") and value < _LEAST_RATE:
            raise AssayError(
                f"{where(field)}: {field} must be at least {_LEAST_RATE:g}, not {value}", "leave it out for no limit"
            )
    for field in _NOT_NEGATIVE:
        value = getattr(config, field)
        if value is not None and not 0 <= value < float("inf"):
            raise AssayError(f"{where(field)}: {field} must not be negative or endless, but is {value}")
    _check_address(config, where)
    if config.prices_as_of and not _is_day(config.prices_as_of):
        shown = config.prices_as_of[:80]
        raise AssayError(f"{where('prices_as_of')}: prices_as_of {shown!r} is no day", "write it as 2026-11-30")
    try:
        msgspec.json.encode(config)
    except (UnicodeEncodeError, TypeError, OverflowError) as error:
        raise AssayError(
            f"{where('')} holds what cannot be written down: {one_line(str(error))}", "write it as plain text"
        ) from None


def _check_address(config: ModelConfig, where: Callable[[str], str]) -> None:
    """Where requests go, and what they carry."""
    if config.base_url:
        try:
            checked_url(config.base_url)
        except AssayError as error:
            raise AssayError(f"{where('base_url')}: {error.message}", error.hint) from None
    if config.key_variable and not _VARIABLE.fullmatch(config.key_variable):
        # Not shown: people paste the key itself.
        problem = f"{where('key_variable')}: key_variable is no name of an environment variable"
        raise AssayError(problem, "write the variable's name, e.g. MY_API_KEY; export the key itself under that name")
    if config.key_header:
        _check_header(config.key_header, f"{where('key_header')}: key_header")
    for name, value in config.headers.items():
        place = f"{where('headers')}: headers:"
        _check_header(name, place)
        if not value.isprintable() or not value.isascii():
            raise AssayError(f"{place} the value of {name!r} holds characters that HTTP does not allow", "use plain ASCII")


def _check_header(name: str, place: str) -> None:
    if not _HEADER.fullmatch(name):
        raise AssayError(f"{place} {name[:80]!r} is no header's name", "e.g. api-key: letters, digits and hyphens")
    if name.lower() in _RESERVED:
        raise AssayError(f"{place} {name!r} is set by HTTP itself", "leave it out")


def _is_day(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) and date.fromisoformat(text))
    except ValueError:
        return False


def _entries(content: Any, path: str) -> list[dict[str, Any]]:
    """The file's entries as a list, whichever way it is written."""
    if content is None:
        return []
    if isinstance(content, dict):
        items = []
        for name, details in content.items():
            if not isinstance(details, dict | None):
                raise AssayError(f"{path}: the details of {name!r} must be a mapping", "write key: value lines under the name")
            items.append({"name": name, **(details or {})})
        content = items
    if not isinstance(content, list):
        raise AssayError(f"{path} must hold a list of models, or a mapping from names to details", "start with - name: …")
    for number, entry in enumerate(content, 1):
        if not isinstance(entry, dict):
            raise AssayError(f"{path}: model number {number} must be a mapping", "start it with - name: provider/name")
    return content

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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay import registry
from assay.errors import AssayError, unknown
from assay.models.base import Model, ModelConfig

_POSITIVE = ("context_window", "concurrency", "timeout_s")
_NOT_NEGATIVE = ("price_per_million_input", "price_per_million_output")


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
    _check(config, f"model {name!r}")
    head, slash, rest = name.partition("/")
    if not config.provider and not (slash and head and rest):
        known = [*configs, *(f"{known}/…" for known in registry.providers.names())]
        raise _no_such_model(name, known)
    provider = config.provider or head
    if provider not in registry.providers:
        near = difflib.get_close_matches(name, list(configs), n=1, cutoff=0.8)
        raise unknown("model", name, near) if near else unknown("model provider", provider, registry.providers.names())
    bare = rest if slash and head == provider else name
    return registry.providers.get(provider).make(config.model or bare, config)


def load_models_file(path: str | Path) -> dict[str, ModelConfig]:
    """The models described in a YAML file, by name.

    Raises:
        AssayError: the file cannot be read, is no YAML, names a model twice, or has a key or value that does not fit; the
            message names the file and the line or key.
    """
    entries = _entries(_read_yaml(Path(path)), str(path))
    configs: dict[str, ModelConfig] = {}
    for number, entry in enumerate(entries, 1):
        where = f"{path}: model {entry['name']!r}" if isinstance(entry.get("name"), str) else f"{path}: model number {number}"
        for key in entry:
            if key not in ModelConfig.__struct_fields__:
                raise unknown(f"key in {where}:", str(key), ModelConfig.__struct_fields__)
        try:
            config = msgspec.convert(entry, ModelConfig)
        except msgspec.ValidationError as error:
            raise AssayError(f"{where}: {error}", "see the fields of ModelConfig") from None
        _check(config, where)
        if config.name in configs:
            raise AssayError(f"{path} describes the model {config.name!r} twice", "remove one or rename it")
        configs[config.name] = config
    return configs


def _no_such_model(name: str, known: list[str]) -> AssayError:
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "known: " + ", ".join(known[:12])
    return AssayError(f"unknown model {name!r}: a model is written provider/name", hint)


def _check(config: ModelConfig, where: str) -> None:
    """Values that have the right type and make no sense all the same."""
    for field in _POSITIVE:
        value = getattr(config, field)
        if value is not None and not value > 0:
            raise AssayError(f"{where}: {field} must be above 0, not {value}")
    for field in _NOT_NEGATIVE:
        value = getattr(config, field)
        if value is not None and not value >= 0:
            raise AssayError(f"{where}: {field} must not be negative, but is {value}")


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


def _read_yaml(path: Path) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Plain data only, and no key twice in one mapping."""

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise AssayError(f"{path}, line {line}: {key.value!r} appears twice", "remove one or rename it")
                seen.add(key.value)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader)
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "give the path of a YAML file") from error
    except UnicodeDecodeError as error:
        raise AssayError(f"{path} is not UTF-8 text", "save it as UTF-8") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise AssayError(
            f"{path}{line}: not valid YAML: {error.problem or error.context}", "check the indentation there"
        ) from error
    except yaml.YAMLError as error:
        raise AssayError(f"{path} is not valid YAML: {' '.join(str(error).split())}", "check its characters") from error
    except RecursionError as error:
        raise AssayError(f"{path} is nested too deeply", "a list of models needs two levels") from error

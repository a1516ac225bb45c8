"""Which models file may send which key where.

`./models.yaml` is read without being named, so it may have come with a folder from elsewhere. It can say where a model is,
and so where the key in an environment variable goes. A key goes from this machine only by the word of a file that was named
with `--models-file`; once it was, the same key may go to the same place by the word of a file that was only found.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from assay.errors import AssayError
from assay.models import ModelConfig
from assay.models.configuration import load_models_file
from assay.models.wire.transport import is_loopback
from assay.settings import cache_folder
from assay.text import one_line


class Destination(NamedTuple):
    """Where a key goes."""

    key: str
    """The environment variable that holds it, or `openai`: that provider's own."""
    origin: str
    """`https://api.example.com`."""


def named(file: Path) -> dict[str, ModelConfig]:
    """The models of a file that the user named, which is trusted from now on to say where these keys go.

    Raises:
        AssayError: as `load_models_file`.
    """
    configs = load_models_file(file)
    wanted = {place for config in configs.values() if (place := destination(config)) is not None}
    known = _trusted()
    if not wanted <= known:
        _remember(known | wanted)
    return configs


def found(file: Path) -> Mapping[str, ModelConfig]:
    """The models of a file that was found where the program was started; none where there is no such file.

    Raises:
        AssayError: as `load_models_file`.
    """
    return FoundModels(file, load_models_file(file)) if file.is_file() else {}


class FoundModels(Mapping[str, ModelConfig]):
    """Models described by a file that nobody named. What is looked up is checked, and said on standard error."""

    def __init__(self, file: Path, configs: Mapping[str, ModelConfig]) -> None:
        self._file = file
        self._configs = configs
        self._said: set[str] = set()

    def __getitem__(self, name: str) -> ModelConfig:
        config = self._configs[name]
        goes = destination(config)
        if goes is not None and goes not in _trusted():
            key = f"the key in {goes.key}" if config.key_variable else f"your {goes.key} key"
            problem = f"{self._file} was found here, not named, and would have {key} sent to {one_line(goes.origin)}"
            raise AssayError(problem, f"if you trust it, name it once: --models-file {self._file}")
        if name not in self._said:
            self._said.add(name)
            where = f", at {one_line(_origin(config.base_url))}" if config.base_url else ""
            sys.stderr.write(f"{one_line(name)} is as {self._file} describes it{where}\n")
        return config

    def __contains__(self, name: object) -> bool:
        return name in self._configs

    def __iter__(self) -> Iterator[str]:
        return iter(self._configs)

    def __len__(self) -> int:
        return len(self._configs)


def destination(config: ModelConfig) -> Destination | None:
    """Where the model's key goes by the configuration's word; `None` where that is this machine or the provider's own place."""
    if not config.base_url or is_loopback(config.base_url):
        return None
    provider = config.provider or config.name.partition("/")[0]
    return Destination(config.key_variable or provider, _origin(config.base_url))


def _origin(url: str) -> str:
    """Scheme, host and port of an address, without credentials."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "no address"
    return f"{parts.scheme}://{parts.hostname or ''}{port}"


def _trusted() -> set[Destination]:
    try:
        return set(msgspec.json.decode(_file().read_bytes(), type=list[Destination]))
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return set()


def _remember(trusted: set[Destination]) -> None:
    """Where it cannot be written, the file must be named each time."""
    try:
        _file().parent.mkdir(parents=True, exist_ok=True)
        _file().write_bytes(msgspec.json.format(msgspec.json.encode(sorted(trusted)), indent=1) + b"\n")
    except OSError:
        return


def _file() -> Path:
    return cache_folder() / "key-destinations.json"

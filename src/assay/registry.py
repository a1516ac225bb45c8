"""Named catalogs of everything that can be extended: scenarios, perturbations, providers of models, metrics.

A catalog fills itself on first use: from assay's own modules, then from the entry points of installed packages.
`--plugin FILE.py` imports a file, whose decorators register into the same catalogs.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from assay.errors import AssayError, no_exit, unknown

if TYPE_CHECKING:
    from assay.metrics.base import Metric
    from assay.models.base import Provider
    from assay.perturbations.base import Perturbation
    from assay.scenarios.base import ScenarioFamily

T = TypeVar("T")


class Catalog(Generic[T]):
    """Things of one kind by name. A name is taken once; asking for an unknown one suggests the nearest."""

    def __init__(self, kind: str, group: str, builtin: str, opener: str = "") -> None:
        self.kind = kind
        self.group = group
        self._builtin = builtin
        self._opener = opener
        self._things: dict[str, T] = {}
        self._filled = False

    def register(self, name: str, thing: T) -> T:
        """Add a thing.

        Raises:
            AssayError: another thing has that name.
        """
        held = self._things.get(name)
        if held is not None and held is not thing:
            raise AssayError(f"{self.kind} {name!r} is already registered", "give yours another name")
        self._things[name] = thing
        return thing

    def get(self, name: str) -> T:
        """The thing of that name, or, where such things may be declared in files, the one in the YAML file of that path.

        Raises:
            AssayError: there is none; the message names the nearest.
        """
        if self._opener and is_yaml(name):
            module, _, function = self._opener.partition(":")
            opened: T = getattr(importlib.import_module(module), function)(name)
            return opened
        self._fill()
        try:
            return self._things[name]
        except KeyError:
            otherwise = "what a file of your own registers needs --plugin FILE.py"
            raise unknown(self.kind, name, self.names(), otherwise) from None

    def names(self) -> list[str]:
        """All names, sorted."""
        self._fill()
        return sorted(self._things)

    def __contains__(self, name: object) -> bool:
        self._fill()
        return name in self._things

    def _fill(self) -> None:
        if self._filled:
            return
        self._filled = True
        importlib.import_module(self._builtin)
        for point in importlib.metadata.entry_points(group=self.group):
            try:
                with no_exit("it"):
                    point.load()  # its decorator registers it
            except Exception as error:
                raise AssayError(
                    f"the plugin {point.value!r} (entry point {point.name!r} of {self.group}) cannot be loaded: {error}",
                    "repair or uninstall that package",
                ) from error
            if point.name not in self._things:
                raise AssayError(
                    f"the plugin {point.value!r} registers no {self.kind} named {point.name!r}",
                    f"name its entry point in {self.group} as the decorated function",
                )


scenarios: Catalog[ScenarioFamily] = Catalog(
    "scenario", "assay.scenarios", "assay.scenarios.library", "assay.scenarios.own:scenario_file"
)
perturbations: Catalog[Perturbation] = Catalog("perturbation", "assay.perturbations", "assay.perturbations.library")
providers: Catalog[Provider] = Catalog("model provider", "assay.models", "assay.models.library")
metrics: Catalog[Metric] = Catalog("metric", "assay.metrics", "assay.metrics.library")


def is_yaml(name: str) -> bool:
    """Whether a name is the path of a YAML file."""
    return name.lower().endswith((".yaml", ".yml"))


def load_plugin(path: str) -> None:
    """Import a Python file whose decorators register scenarios, metrics, perturbations or models.

    Raises:
        AssayError: the file does not exist or fails on import.
    """
    file = Path(path)
    if not file.is_file():
        raise AssayError(f"plugin {path} does not exist", "give the path of a Python file")
    name = f"assay_plugin_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise AssayError(f"plugin {path} is not a Python file", "its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with no_exit(f"plugin {path}"):
            spec.loader.exec_module(module)
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"plugin {path} failed on import: {type(error).__name__}: {error}", "repair the file") from error

"""`assay doctor`: whether this machine, and a model, are ready."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from assay.cli.options import ModelsFile, Plugins, load_plugins, model_configs


def doctor(
    model: Annotated[str | None, typer.Argument(help="provider/name: ask it about ten tiny questions.")] = None,
    plugin: Plugins = None,
    models_file: ModelsFile = None,
) -> None:
    """Check the installation, the cache and, if one is named, what a model can do and what to write into models.yaml."""
    from assay.text import one_line

    load_plugins(plugin)
    ready = True
    for works, needed, line in _machine(embedded=model is None):
        ready = ready and (works or not needed)
        sys.stdout.write(f"{'ok  ' if works else 'NO  ' if needed else '–   '}{one_line(line)}\n")
    if model is not None:
        from assay.cli.examining import examine

        ready = examine(model, model_configs(models_file)) and ready
    if not ready:
        sys.exit(1)


def _machine(*, embedded: bool) -> Iterator[tuple[bool, bool, str]]:
    """Whether each thing is ready, whether it must be, and what it is; `embedded`: the embedded model must be."""
    from assay import __version__
    from assay.errors import how_to_install
    from assay.models import weights
    from assay.settings import cache_folder, runs_folder

    yield True, True, f"assay {__version__} on Python {platform.python_version()}"
    local = all(importlib.util.find_spec(name) for name in ("tokenizers", "jinja2"))
    yield local, embedded, "embedded model: " + ("its libraries are installed" if local else how_to_install("local"))
    found = weights.find("smollm2-135m")
    yield found is not None, embedded, f"weights: {found}" if found else "weights: run `assay fetch smollm2-135m`"
    for what, folder in (("cache", cache_folder()), ("runs", runs_folder())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / ".probe"
            probe.write_bytes(b"")
            probe.unlink()
            yield True, True, f"{what}: {folder} can be written"
        except OSError as error:
            yield False, True, f"{what}: {folder} cannot be written: {error.strerror}"

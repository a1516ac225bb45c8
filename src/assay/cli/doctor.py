"""`assay doctor`: whether this machine, and a model, are ready."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ModelsFile, Plugins, load_plugins

if TYPE_CHECKING:
    from pathlib import Path

    from assay.models import Model


def doctor(
    model: Annotated[str | None, typer.Argument(help="provider/name: ask it one tiny question.")] = None,
    plugin: Plugins = None,
    models_file: ModelsFile = None,
) -> None:
    """Check the installation, the cache and, if one is named, a model. Exit code 1 where something is not ready."""
    from assay.text import one_line

    load_plugins(plugin)
    checks = list(_machine())
    if model is not None:
        checks += _model(model, models_file)
    for ready, line in checks:
        sys.stdout.write(f"{'ok  ' if ready else 'NO  '}{one_line(line)}\n")
    if not all(ready for ready, _ in checks):
        sys.exit(1)


def _machine() -> Iterator[tuple[bool, str]]:
    from assay import __version__
    from assay.models import weights
    from assay.settings import cache_folder, runs_folder

    yield True, f"assay {__version__} on Python {platform.python_version()}"
    local = all(importlib.util.find_spec(name) for name in ("tokenizers", "jinja2"))
    yield local, "embedded model: " + ("its libraries are installed" if local else "pip install 'assay[local]'")
    found = weights.find("smollm2-135m")
    yield found is not None, f"weights: {found}" if found else "weights: run `assay fetch smollm2-135m`"
    for what, folder in (("cache", cache_folder()), ("runs", runs_folder())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / ".probe"
            probe.write_bytes(b"")
            probe.unlink()
            yield True, f"{what}: {folder} can be written"
        except OSError as error:
            yield False, f"{what}: {folder} cannot be written: {error.strerror}"


def _model(name: str, models_file: Path | None) -> list[tuple[bool, str]]:
    import asyncio

    from assay.cli.options import model_configs
    from assay.models import open_model

    model = open_model(name, model_configs(models_file))
    can = model.capabilities
    abilities = {
        "messages": can.chat,
        "plain text": can.text,
        "scoring given text": can.scores,
        "log-probabilities": can.top_logprobs > 0,
    }
    said = ", ".join(f"{what}: {'yes' if able else 'no'}" for what, able in abilities.items())
    window = f"{can.context_window} tokens" if can.context_window else "unknown (set context_window in models.yaml)"
    return [(True, f"{name} as assay will use it: {said}; window: {window}"), *asyncio.run(_ask(model))]


async def _ask(model: Model) -> list[tuple[bool, str]]:
    from assay.engine import Engine
    from assay.records import Message, Request

    engine = Engine(None, retries=1)
    prompt = "The capital of France is" if model.capabilities.text else (Message(role="user", content="Say yes."),)
    requests = {"generating": Request(prompt=prompt, max_tokens=4, top_logprobs=min(1, model.capabilities.top_logprobs))}
    if model.capabilities.scores:
        requests["scoring"] = Request(prompt="The capital of France is", continuation=" Paris", max_tokens=0)
    lines = []
    try:
        for what, request in requests.items():
            response = await engine.ask(model, request)
            if response.failure is not None:
                lines.append((False, f"{what}: {response.failure.kind}: {response.failure.message}"))
                continue
            completion = response.completions[0]
            logprob = "no log-probabilities" if completion.logprob is None else f"log-probability {completion.logprob:.3f}"
            took = "" if response.latency_s is None else f" in {response.latency_s:.2f} s"
            lines.append((True, f"{what}: {completion.text!r}, {logprob}, usage from {response.usage.source}{took}"))
    finally:
        await engine.close()
        await model.close()
    return lines

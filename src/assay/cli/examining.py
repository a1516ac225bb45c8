"""What `assay doctor MODEL` finds out about a model: a line for each finding, and what to write into models.yaml."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.engine import Engine
from assay.engine.stopping import Stopped
from assay.models import Model, ModelConfig, open_model
from assay.models.probing import Finding
from assay.records import Failure, Request, Response
from assay.runs import cost_of
from assay.text import one_line

OUTAGE_S = 5.0
"""Seconds an endpoint may be gone."""
MARKS = {True: "ok  ", False: "–   ", None: "?   "}


def examine(name: str, configs: Mapping[str, ModelConfig]) -> bool:
    """Ask a model a few tiny requests, and say what it can do; whether it can be asked as it is configured.

    Raises:
        AssayError: there is no such model, or it cannot be opened.
    """
    model = open_model(name, configs)
    config = configs.get(name) or ModelConfig(name=name)
    sys.stdout.write(f"\n{one_line(name)}: {_as_configured(model)}\n")
    asked = _Asked()
    found = asyncio.run(_examined(model, asked))
    sys.stdout.write(f"\n{asked.summary(config)}\n")
    ready = all(finding.works is not False for finding in found if finding.needed)
    if any(finding.works for finding in found if finding.needed) or _settings(found):
        sys.stdout.write(f"\nIn models.yaml:\n\n{block(config, _settings(found))}")
    return ready


@dataclass
class _Asked:
    """Asks, counts, and sums up what was read and written."""

    engine: Engine = field(default_factory=lambda: Engine(None, retries=1, outage_s=OUTAGE_S))
    requests: int = 0
    read: int = 0
    written: int = 0

    async def __call__(self, model: Model, request: Request) -> Response:
        self.requests += 1
        try:
            response = await self.engine.ask(model, request)
        except Stopped as error:
            return Response(failure=Failure(kind="connection", message=str(error)))
        self.read += response.usage.prompt_tokens
        self.written += response.usage.completion_tokens
        return response

    def summary(self, config: ModelConfig) -> str:
        """`asked 9 requests: 143 tokens read, 60 written, cost 0.0001`."""
        cost = cost_of(config, self.read, self.written)
        paid = "no price is given in models.yaml" if cost is None else f"cost {cost:.2g}"
        return f"asked {self.requests} requests: {self.read:,} tokens read, {self.written:,} written; {paid}"


async def _examined(model: Model, asked: _Asked) -> list[Finding]:
    found: list[Finding] = []
    try:
        async for finding in model.findings(asked):
            found.append(finding)
            mark = "NO  " if finding.needed and not finding.works else MARKS[finding.works]
            sys.stdout.write(f"{mark}{one_line(finding.what)}: {one_line(finding.said)}\n")
            sys.stdout.flush()
    finally:
        await asked.engine.close()
        await model.close()
    return found


def _as_configured(model: Model) -> str:
    can = model.capabilities
    abilities = {
        "messages": can.chat,
        "plain text": can.text,
        "scoring given texts": can.scores,
        "log-probabilities": can.top_logprobs > 0,
    }
    said = ", ".join(what for what, able in abilities.items() if able) or "nothing"
    window = f"{can.context_window:,} tokens" if can.context_window else "unknown (set context_window in models.yaml)"
    return f"assay will use {said}; window: {window}"


def _settings(found: list[Finding]) -> dict[str, Any]:
    """What the findings say should be written, taken together."""
    settings: dict[str, Any] = {}
    for finding in found:
        for name, value in finding.settings.items():
            both = isinstance(value, dict) and isinstance(settings.get(name), dict)
            settings[name] = {**settings[name], **value} if both else value
    return settings


def block(config: ModelConfig, settings: Mapping[str, Any]) -> str:
    """A model's entry for models.yaml: what the user says already, with the settings put over it; no header's value."""
    import yaml

    said = {name: getattr(config, name) for name in config.__struct_fields__ if name == "name" or _said(config, name)}
    entry = {name: value for name, value in {**said, **settings}.items() if name != "headers"}
    order = {name: position for position, name in enumerate(ModelConfig.__struct_fields__)}
    plain = msgspec.to_builtins({name: entry[name] for name in sorted(entry, key=lambda name: order.get(name, 99))})
    text: str = yaml.safe_dump([plain], sort_keys=False, allow_unicode=False, width=120)
    return text + ("  # and your headers\n" if config.headers else "")


def _said(config: ModelConfig, name: str) -> bool:
    default = getattr(ModelConfig(name=""), name)
    return bool(getattr(config, name) != default)

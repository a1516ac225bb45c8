"""Finding out what an OpenAI-compatible endpoint can do: chat and text completions, whichever is configured.

About ten requests: one of each kind of endpoint, then what the better of them can do, and whether given texts are scored.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

import msgspec

from assay.models.base import Endpoint, ModelConfig
from assay.models.probing import (
    Ask,
    Finding,
    answering,
    log_probabilities,
    mentions,
    scoring,
    seeds,
    stops,
    streaming,
    system_messages,
)
from assay.models.wording import one_line
from assay.settings import setting

LISTED = 5
"""Names of models shown."""
CHOICE = (
    ": chat takes system messages and applies the model's template, but scores no options. For scenarios that score them "
    "(capitals, blimp, hellaswag) and for models without chat training write endpoint: completions, which sends plain text; "
    "for both, make two entries with different names"
)
"""What an endpoint that answers both ways makes the user choose between."""


class Variants(Protocol):
    """Makes the same model with other details."""

    def __call__(self, **changes: Any) -> Endpoint: ...


async def findings(
    model: str, config: ModelConfig, variant: Variants, windows: Callable[[], Awaitable[dict[str, int | None]]], ask: Ask
) -> AsyncIterator[Finding]:
    """What the endpoint can do.

    Args:
        model: the name sent to the endpoint.
        config: the details the user gave.
        variant: makes the model with some of them changed.
        windows: asks for the models that the server has, and the tokens that each takes; empty where it does not say.
        ask: asks a model.
    """
    served = await windows()
    window = None if config.context_window else served.get(model)
    yield _listed(model, list(served), window)
    configured = config.endpoint or "chat"
    works: dict[str, dict[str, Any]] = {}
    for endpoint in ("chat", "completions"):
        async for finding in _answering(endpoint, config, variant, ask, needed=endpoint == configured):
            if finding.what == endpoint and finding.works:
                works[endpoint] = {"endpoint": endpoint, **finding.settings}
            if finding.what == endpoint or endpoint == configured or configured not in works:
                yield finding
            if finding.final:
                return
    if not works:
        return
    best = works.get(configured) or next(iter(works.values()))
    async for finding in _abilities(variant(**best), config, variant, best, ask):
        yield finding
    only_elsewhere = False
    if "completions" in works:
        scored = await scoring(variant(**works["completions"]), ask)
        only_elsewhere = bool(scored.works) and best["endpoint"] != "completions"
        yield msgspec.structs.replace(scored, said=scored.said + (" (with endpoint: completions)" if only_elsewhere else ""))
    else:
        yield Finding(what="prompt log-probabilities", works=False, said="chat endpoints give none")
    said = f"{best['endpoint']}, as will be used" + (CHOICE if only_elsewhere else "")
    elsewhere = "" if config.base_url else setting("OPENAI_BASE_URL")
    more = {name: value for name, value in (("base_url", elsewhere), ("context_window", window)) if value}
    yield Finding(what="endpoint", works=True, said=said, settings={**more, **best})


def _listed(model: str, served: list[str], window: int | None) -> Finding:
    """Whether the server lists the model. Some list none, or only those at hand, so this decides nothing."""
    if not served:
        return Finding(what="model", works=None, said="the server does not list its models")
    if model in served:
        takes = f", with a window of {window:,} tokens" if window else ""
        said = f"{one_line(model)} is among the {len(served)} that the server lists{takes}"
        return Finding(what="model", works=True, said=said)
    listed = one_line(", ".join(served[:LISTED]))
    return Finding(what="model", works=None, said=f"{one_line(model)} is not among the {len(served)} it lists: {listed}")


async def _answering(
    endpoint: str, config: ModelConfig, variant: Variants, ask: Ask, *, needed: bool
) -> AsyncIterator[Finding]:
    """Whether that kind of endpoint answers; without a temperature where it takes none."""
    async for finding in answering(variant(endpoint=endpoint, stream=False), ask, endpoint, needed=needed):
        if not mentions(finding, "temperature"):
            yield finding
            continue
        body = {**config.body, "temperature": None}
        async for again in answering(variant(endpoint=endpoint, stream=False, body=body), ask, endpoint, needed=needed):
            if again.what == endpoint and again.works:
                again = msgspec.structs.replace(
                    again, said=f"{again.said}, at no temperature but its own", settings={"body": body}
                )
            yield again


async def _abilities(
    model: Endpoint, config: ModelConfig, variant: Variants, best: dict[str, Any], ask: Ask
) -> AsyncIterator[Finding]:
    if model.capabilities.chat:
        yield await system_messages(model, ask)
    yield await stops(model, ask)
    yield await seeds(model, ask)
    given = await log_probabilities(model, ask)
    if model.capabilities.chat and (mentions(given, "logprobs") or mentions(given, "top_logprobs")):
        body = {**config.body, **best.get("body", {}), "logprobs": None, "top_logprobs": None}
        given = msgspec.structs.replace(given, settings={"body": body})
    yield given
    streamed = await streaming(variant(**best, stream=True), ask)
    if mentions(streamed, "stream_options"):
        changed = {**best, "body": {**config.body, **best.get("body", {}), "stream_options": None}}
        streamed = await streaming(variant(**changed, stream=True), ask)
        if streamed.works:
            streamed = msgspec.structs.replace(streamed, settings={"stream": True, "body": changed["body"]})
    yield streamed

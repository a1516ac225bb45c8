"""Finding out what a model can do, by asking it a few tiny requests.

Every model can be probed by what it says it can do (`findings`). A provider that can ask its endpoint in other ways than the
configured one gives its models a `findings` of their own, made of the same parts.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec

from assay.models.base import Model
from assay.models.wording import one_line
from assay.records import Completion, Message, Record, Request, Response

Ask = Callable[[Model, Request], Awaitable[Response]]
"""Asks a model; a failure is in the response."""

COUNT = "Write the numbers from 1 to 30, separated by spaces:"
LENGTH = 8
"""Tokens that answers may have: enough for a beginning, and fewer than counting takes."""
ROOM = 24
"""Tokens for answers that must come to a point."""
WHOLE_ENDPOINT = frozenset({"connection", "timeout", "authentication", "rate_limit"})
"""Failures after which nothing else need be tried."""


class Finding(Record):
    """One thing that was found out."""

    what: str
    works: bool | None
    """`None`: it cannot be told."""
    said: str = ""
    """What was seen, in a few words."""
    needed: bool = False
    """Without it the model cannot be asked as it is configured."""
    final: bool = False
    """Nothing else need be tried."""
    settings: dict[str, Any] = {}
    """What to write into models.yaml on account of it."""


async def findings(model: Model, ask: Ask) -> AsyncIterator[Finding]:
    """What a model can do, as it is configured: at most seven requests."""
    can = model.capabilities
    async for finding in answering(model, ask, "messages" if can.chat else "text completion"):
        yield finding
        if finding.needed and not finding.works:
            return
    if can.chat:
        yield await system_messages(model, ask)
    yield await stops(model, ask)
    yield await seeds(model, ask)
    if can.top_logprobs:
        yield await log_probabilities(model, ask)
    yield await scoring(model, ask) if can.scores else Finding(what="prompt log-probabilities", works=False, said="never given")


async def answering(model: Model, ask: Ask, what: str, *, needed: bool = True) -> AsyncIterator[Finding]:
    """Whether it answers, and what one answer shows: counts of tokens, the length limit, reasoning. One request."""
    response = await ask(model, _request(model, COUNT, LENGTH))
    if response.failure is not None:
        yield failed(what, response, needed=needed)
        return
    (completion, *_), usage = response.completions, response.usage
    took = "" if response.latency_s is None else f" in {response.latency_s:.2f} s"
    yield Finding(what=what, works=True, said=f"{_shown(completion)}{took}", needed=needed)
    counted = usage.source != "none"
    said = f"{usage.prompt_tokens} read, {usage.completion_tokens} written" if counted else "not told"
    yield Finding(what="counts of tokens", works=counted, said=said)
    written = usage.completion_tokens if counted else len(completion.text.split())
    honoured = None if not completion.text and not written else written <= LENGTH
    yield Finding(what="length limit", works=honoured, said=f"{written} tokens where {LENGTH} were allowed")
    thought = usage.reasoning_tokens or len(completion.reasoning.split())
    if thought or completion.reasoning:
        said = f"thinks before it answers ({thought} tokens here): max_tokens must leave room for that, or `body` turn it off"
        yield Finding(what="reasoning", works=True, said=said)


async def system_messages(model: Model, ask: Ask) -> Finding:
    """Whether a system message is taken, and followed. One request."""
    what = "system messages"
    messages = (
        Message(role="system", content="Whatever you are asked, answer with the single word ORANGE."),
        Message(role="user", content="What is the capital of France?"),
    )
    response = await ask(model, Request(prompt=messages, max_tokens=ROOM))
    if response.failure is not None:
        return failed(what, response)
    followed = "orange" in response.completions[0].text.lower()
    return Finding(what=what, works=True if followed else None, said="followed" if followed else "accepted, not followed")


async def stops(model: Model, ask: Ask) -> Finding:
    """Whether generation ends before a stop sequence. One request."""
    what = "stop sequences"
    response = await ask(model, msgspec.structs.replace(_request(model, COUNT, ROOM), stop=("4",)))
    if response.failure is not None:
        return failed(what, response)
    text = response.completions[0].text
    if "4" in text:
        return Finding(what=what, works=False, said=f"ignored: {_shown(response.completions[0])}")
    counted = "3" in text
    told = "" if counted else "cannot be told: it was to count, and stop before 4; it wrote "
    return Finding(what=what, works=True if counted else None, said=told + _shown(response.completions[0]))


async def seeds(model: Model, ask: Ask) -> Finding:
    """Whether the same sampled request gets the same answer twice. Two requests."""
    what = "same seed, same answer"
    request = msgspec.structs.replace(_request(model, "Write one unusual word and nothing else:", LENGTH), temperature=1.0)
    first, second = await ask(model, request), await ask(model, request)
    for response in (first, second):
        if response.failure is not None:
            return failed(what, response)
    same = first.completions[0].text == second.completions[0].text
    return Finding(what=what, works=same, said="yes, in two tries" if same else "sampled answers differ from time to time")


async def log_probabilities(model: Model, ask: Ask) -> Finding:
    """Whether the tokens it writes come with log-probabilities. One request."""
    what = "log-probabilities"
    response = await ask(model, msgspec.structs.replace(_request(model, COUNT, 2), top_logprobs=2))
    if response.failure is not None:
        return failed(what, response)
    tokens = response.completions[0].tokens
    known = [token for token in tokens if token.logprob is not None]
    if not known:
        return Finding(what=what, works=False, said="asked for, not given")
    alternatives = max(len(token.top) for token in known)
    return Finding(what=what, works=True, said=f"of {len(known)} tokens, {alternatives} alternatives each")


async def scoring(model: Model, ask: Ask) -> Finding:
    """Whether a given text gets log-probabilities. One request, or two where the endpoint must generate a token."""
    what = "prompt log-probabilities"
    response = await ask(model, Request(prompt="The capital of France is", continuation=" Paris", max_tokens=0))
    if response.failure is not None:
        return failed(what, response)
    logprob = response.completions[0].logprob
    if logprob is None:
        return Finding(what=what, works=False, said="not given")
    return Finding(what=what, works=True, said=f"given texts are scored: {logprob:.2f} for ' Paris'")


async def streaming(model: Model, ask: Ask) -> Finding:
    """Whether a model that has its answers streamed gets them so. One request."""
    what = "streaming"
    response = await ask(model, _request(model, COUNT, LENGTH))
    if response.failure is not None:
        return failed(what, response)
    if response.first_token_s is None:
        return Finding(what=what, works=False, said="the answer came in one piece")
    said = f"first token after {response.first_token_s:.2f} s (`stream: true` measures that of every answer)"
    return Finding(what=what, works=True, said=said, settings={"stream": True})


def failed(what: str, response: Response, *, needed: bool = False) -> Finding:
    """A request that was refused, or got no answer."""
    failure = response.failure
    assert failure is not None
    final = failure.kind in WHOLE_ENDPOINT
    return Finding(what=what, works=False, said=f"{failure.kind}: {one_line(failure.message)}", needed=needed, final=final)


def mentions(finding: Finding, word: str) -> bool:
    """A refusal names that field."""
    return not finding.works and re.search(rf"\b{re.escape(word)}\b", finding.said) is not None


def _request(model: Model, text: str, length: int) -> Request:
    chat = model.capabilities.chat
    return Request(prompt=(Message(role="user", content=text),) if chat else text, max_tokens=length)


def _shown(completion: Completion) -> str:
    return repr(one_line(completion.text)[:60]) if completion.text else "an empty answer"

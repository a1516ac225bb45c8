"""The log-probabilities of a given continuation, out of an echoed prompt: believed only where the echo is really there.

A server that does not know `echo` ignores it, generates something, and sends log-probabilities of that. So: the text must
begin with what was sent, the tokens must make up that text, and each token of the continuation must have its
log-probability. A token that spans the join of prompt and continuation belongs to the continuation.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.models.base import RequestError
from assay.models.wire.parsing import Logprobs, Reply, tokens_of, usage_of, version_of
from assay.records import Completion, Response, Token

_PARTIAL = "�"
"""Stands in a token's text for bytes that are no whole character."""


def scored_response(reply: Reply, prompt: str, continuation: str, clean: Callable[[str], str] = str) -> Response:
    """The response to a scoring request: one completion, the continuation with its tokens.

    Args:
        reply: the server's reply to `prompt + continuation` with echo and log-probabilities.
        prompt: what the continuation follows.
        continuation: what is scored.
        clean: takes the secrets out of what the server said, for a message.

    Raises:
        RequestError: the server did not echo the text, or not with log-probabilities (`no_echo`, not worth another try).
    """
    if not reply.choices:
        raise RequestError("malformed", "the response holds no completion", retriable=False)
    choice = reply.choices[0]
    sent = prompt + continuation
    text = choice.text or ""
    if not text.startswith(sent):
        raise _no_echo(f"it answered {clean(text)[:40]!r} instead of the text it was sent")
    if choice.logprobs is None:
        raise _no_echo("it echoed the text without log-probabilities")
    tokens = tokens_of(choice.logprobs)
    starts = token_starts(tokens, choice.logprobs, text)
    if starts is None:
        raise _no_echo("the tokens it returned do not make up the text it was sent")
    scored: list[Token] = []
    for position, (token, start) in enumerate(zip(tokens, starts, strict=True)):
        end = starts[position + 1] if position + 1 < len(starts) else len(text)
        if start < len(sent) and (start >= len(prompt) or end > len(prompt)):
            # The very first token of a text has nothing before it, and so no probability.
            if token.logprob is None and start > 0:
                raise _no_echo("it gave no log-probabilities for the text it was sent")
            scored.append(token)
    if continuation and not scored:
        raise _no_echo("it gave no tokens for the continuation")
    return Response(
        completions=(Completion(text=continuation, tokens=tuple(scored), finish_reason="scored"),),
        usage=usage_of(reply),
        model_version=version_of(reply),
    )


def token_starts(tokens: tuple[Token, ...], logprobs: Logprobs, text: str) -> list[int] | None:
    """Where each token starts in the text, in characters; `None` where the tokens do not make up the text.

    Special tokens before the text (a begin-of-sequence mark) start at 0. Where tokens hold parts of characters, so that
    their texts do not add up, the server's own offsets are taken, if they agree with every token that is whole.
    """
    lead = len("".join(token.text for token in tokens)) - len(text)
    if lead >= 0 and "".join(token.text for token in tokens)[lead:] == text:
        starts, position = [], -lead
        for token in tokens:
            if position < 0 < position + len(token.text):
                return None
            starts.append(max(0, position))
            position += len(token.text)
        return starts
    offsets = logprobs.text_offset
    if not offsets or len(offsets) != len(tokens) or offsets != sorted(offsets) or offsets[0] < 0 or offsets[-1] > len(text):
        return None
    whole = 0
    for token, offset in zip(tokens, offsets, strict=True):
        if _PARTIAL in token.text or token.text.startswith("bytes:"):
            continue
        if not text.startswith(token.text, offset):
            return None
        whole += len(token.text)
    return offsets if whole or len(tokens) == 0 else None


def _no_echo(what: str) -> RequestError:
    return RequestError(
        "no_echo",
        f"the server does not score given text: {what} (use a server whose /completions supports echo with logprobs, "
        "or a prompting that generates)",
        retriable=False,
    )

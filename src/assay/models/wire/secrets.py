"""What must not show: the API key and the values of configured headers, should a server send them back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from assay.records import Completion, Response, Token

SHORTEST = 4
"""Characters from which on a value is a secret: hiding `1` or `no` would leave no message readable."""
SHORTEST_IN_ANSWERS = 12
"""The same for keys in completions: servers without keys are given words such as `EMPTY`, which an answer may well hold."""
MARK = "***"


class Secrets:
    """The secrets of one endpoint, and what is left of a text without them.

    Messages are cleaned of the key and of all header values. Completions are data, and are cleaned of the key alone.
    """

    def __init__(self, key: str | None, headers: Mapping[str, str]) -> None:
        values = [key or "", *headers.values()]
        # Behind `Bearer` or `Basic` stands the secret alone.
        values += [value.partition(" ")[2] for value in values]
        self._values = values
        self._everywhere = _any_of(values, SHORTEST)
        self._key = key if key and len(key) >= SHORTEST_IN_ANSWERS else ""

    def hide(self, *values: str) -> None:
        """Clean messages of these values too: credentials that are made while the program runs."""
        self._values += values
        self._everywhere = _any_of(self._values, SHORTEST)

    def clean(self, text: str) -> str:
        """A text for people, without any secret."""
        return self._everywhere.sub(MARK, text) if self._everywhere else text

    def cleaned(self, response: Response) -> Response:
        """A response whose completions, reasoning and version do not hold the key."""
        if not self._key:
            return response
        completions = tuple(self._completion(completion) for completion in response.completions)
        version = response.model_version.replace(self._key, MARK)
        return msgspec.structs.replace(response, completions=completions, model_version=version)

    def _completion(self, completion: Completion) -> Completion:
        tokens = self._tokens(completion.tokens)
        if tokens is completion.tokens and self._key not in completion.text and self._key not in completion.reasoning:
            return completion
        return msgspec.structs.replace(
            completion,
            text=completion.text.replace(self._key, MARK),
            reasoning=completion.reasoning.replace(self._key, MARK),
            tokens=tokens,
        )

    def _tokens(self, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        """The tokens, those that spell the key emptied, the first of them a mark."""
        joined = "".join(token.text for token in tokens)
        if self._key not in joined and not any(self._key in text for token in tokens for text in token.top):
            return tokens
        hidden = [match.span() for match in re.finditer(re.escape(self._key), joined)]
        cleaned, start = [], 0
        for token in tokens:
            end = start + len(token.text)
            text = token.text
            for first, last in reversed(hidden):
                if first < end and start < last:
                    mark = MARK if first >= start else ""
                    text = text[: max(0, first - start)] + mark + text[max(0, last - start) :]
            top = {other: value for other, value in token.top.items() if self._key not in other}
            cleaned.append(Token(text=text, logprob=token.logprob, top=top if text == token.text else {}))
            start = end
        return tuple(cleaned)


def _any_of(values: Iterable[str], shortest: int) -> re.Pattern[str] | None:
    kept = sorted({value for value in (value.strip() for value in values) if len(value) >= shortest}, key=len, reverse=True)
    return re.compile("|".join(re.escape(value) for value in kept)) if kept else None

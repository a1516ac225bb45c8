"""From logits to tokens: log-probabilities, the choice of the next token, and the text of a completion so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.identity import array_generator, digest
from assay.models.in_process.words import Decoder, Words
from assay.prompting.reasoning import thoughts_end
from assay.records import Completion, FinishReason, Request, Token

Floats = NDArray[np.float32]

_LIKELIEST = 1024
"""How many tokens are sorted before it is known how many `top_p` needs."""


@dataclass(frozen=True)
class Row:
    """The distribution after one token: the logits of every word, and the logarithm of their exponentials' sum."""

    logits: Floats
    total: float

    def logprob(self, token: int) -> float:
        """The natural-log probability of a token, at temperature 1."""
        return float(self.logits[token]) - self.total

    def likeliest(self, count: int) -> list[int]:
        """The most likely tokens, in falling order; of equally likely ones the lower number first."""
        count = min(count, len(self.logits))
        if count == 0:
            return []
        limit = np.partition(self.logits, -count)[-count]
        candidates = np.flatnonzero(self.logits >= limit)
        order = np.argsort(-self.logits[candidates], kind="stable")[:count]
        return [int(token) for token in candidates[order]]


def rows_of(logits: Floats) -> list[Row]:
    """One `Row` for each row of logits of shape `(rows, words)`."""
    highest = logits.max(axis=1, keepdims=True)
    sums = np.exp(logits - highest).sum(axis=1).astype(np.float64)
    totals = highest[:, 0].astype(np.float64) + np.log(sums)
    return [Row(row, float(total)) for row, total in zip(logits, totals, strict=True)]


def draw(row: Row, temperature: float, top_p: float, chance: np.random.Generator) -> int:
    """A token drawn at a temperature above 0 from the smallest set of likeliest tokens that holds at least `top_p`.

    Nucleus sampling after Holtzman et al. 2020 (https://arxiv.org/abs/1904.09751); the temperature is applied first.
    """
    weights = np.exp((row.logits - row.logits.max()) / np.float32(temperature))
    if top_p >= 1:
        return _pick(np.cumsum(weights, dtype=np.float64), chance)
    needed = top_p * float(weights.sum(dtype=np.float64))
    count = _LIKELIEST
    while True:
        tokens = np.array(row.likeliest(count))
        sums = np.cumsum(weights[tokens], dtype=np.float64)
        kept = int(np.searchsorted(sums, needed)) + 1
        if kept <= len(tokens) or len(tokens) == len(weights):
            return int(tokens[_pick(sums[:kept], chance)])
        count *= 8


def _pick(sums: NDArray[np.float64], chance: np.random.Generator) -> int:
    """An index, drawn in proportion to the steps of `sums`."""
    return min(int(np.searchsorted(sums, chance.random() * sums[-1], side="right")), len(sums) - 1)


def described(words: Words, row: Row, token: int, text: str, top: int) -> Token:
    """A token with its log-probability and the `top` likeliest alternatives, by their text.

    Where several alternatives have the same text (bytes that are no text by themselves), the likeliest stands.
    """
    alternatives: dict[str, float] = {}
    for other in row.likeliest(top):
        alternatives.setdefault(words.label(other), row.logprob(other))
    return Token(text=text, logprob=row.logprob(token), top=alternatives)


@dataclass
class Sample:
    """One completion as it grows."""

    request: Request
    words: Words
    index: int
    """Which of the request's completions."""
    text: str = ""
    tokens: list[Token] = field(default_factory=list)
    read: int = 0
    """Tokens chosen so far, the one that ended the text not counted."""
    finish: FinishReason | None = None

    def __post_init__(self) -> None:
        self._decoder = Decoder(self.words)
        # A function of the request alone, so that a repeated run draws the same.
        self._chance = array_generator("embedded model", digest(self.request), self.index)
        if self.request.max_tokens <= 0:
            self.finish = "length"

    def step(self, row: Row) -> int:
        """Choose the next token after the distribution `row`; `finish` is set when the text is complete."""
        request = self.request
        if request.temperature > 0:
            token = draw(row, request.temperature, request.top_p, self._chance)
        else:
            token = int(row.logits.argmax())
        if token in self.words.ends:
            self._close("stop")
            return token
        self.read += 1
        before = len(self.text)
        piece = self._decoder.add(token)
        self.text += piece
        self.tokens.append(described(self.words, row, token, piece, request.top_logprobs))
        if self._cut_at_stop(before):
            self.finish = "stop"
        elif self.read >= request.max_tokens:
            self._close("length")
        return token

    def completion(self) -> Completion:
        """The finished completion. Its tokens' texts, put together, are its text."""
        return Completion(text=self.text, tokens=tuple(self.tokens), finish_reason=self.finish or "unknown")

    def _close(self, reason: FinishReason) -> None:
        """End the text where it is, with a replacement character if that is within a character."""
        rest = self._decoder.end()
        if rest and self.tokens:
            before = len(self.text)
            self.text += rest
            last = self.tokens[-1]
            self.tokens[-1] = Token(text=last.text + rest, logprob=last.logprob, top=last.top)
            if self._cut_at_stop(before):
                reason = "stop"
        self.finish = reason

    def _cut_at_stop(self, new: int) -> bool:
        """Cut the text at the first stop sequence that reaches beyond place `new`; whether there was one.

        A stop within thoughts is none, and white space ends no answer that has not begun. Tokens that begin at the cut or
        after it are dropped, and the token in which it falls keeps what stands before it.
        """
        if not self.request.stop:
            return False
        thought = thoughts_end(self.text)
        begun = len(self.text) - len(self.text[thought:].lstrip())
        found = []
        for stop in filter(None, self.request.stop):
            found.append(self.text.find(stop, max(begun if stop.isspace() else thought, new - len(stop) + 1)))
        at = min((place for place in found if place >= 0), default=None)
        if at is None:
            return False
        self.text = self.text[:at]
        while self.tokens and sum(len(token.text) for token in self.tokens[:-1]) >= at:
            self.tokens.pop()
        if self.tokens:
            last = self.tokens[-1]
            before = sum(len(token.text) for token in self.tokens[:-1])
            self.tokens[-1] = Token(text=last.text[: at - before], logprob=last.logprob, top=last.top)
        return True

"""Answers without a model, to compare models with: `baseline/majority` and `baseline/uniform`.

Both read the answers a request allows (`Request.options`), the first also their shares among labelled items: those of the train
split, or, where it has none, the very items that are asked: more than a model is told, and just what a constant answer reaches.

- `majority` always gives the answer with the greatest share (the first of them in a tie), with the log of each answer's
  share as its log-probability. Where no share is known, all are equal.
- `uniform` gives each of the k answers the same chance, log(1/k); which one it gives is a function of the request.

An answer is one token, complete: length limits and stop sequences do not apply. A request that names no answers gets an empty
completion, and a continuation scored without them gets no log-probability: the majority of nothing is nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from assay.errors import unknown
from assay.identity import canonical, generator
from assay.models.base import Capabilities, Local, ModelConfig, provider
from assay.records import Completion, ModelIdentity, Option, Request, Response, Token

UNSEEN = 1e-9
"""The share given to an answer that no labelled example has, and to a text that is none of the answers."""
KINDS = ("majority", "uniform")
REVISIONS = {"majority": "2", "uniform": "1"}
"""Raised when what a baseline answers changes."""


class Baseline(Local):
    """A constant guesser or a fair die over the answers that a request allows."""

    def __init__(self, kind: str, config: ModelConfig) -> None:
        self._uniform = kind == "uniform"
        self.identity = ModelIdentity(
            name=config.name, revision=config.revision or REVISIONS[kind], endpoint="baseline", options={"kind": kind}
        )
        self.capabilities = Capabilities(
            chat=True, text=True, scores=True, top_logprobs=1000, context_window=config.context_window, concurrency=256,
            reads_options=True, reads_shares=not self._uniform,
        )  # fmt: skip

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        """The responses, in the order of the requests."""
        return [self._answer(request) for request in requests]

    def batch_key(self, request: Request) -> tuple[str, ...]:
        """All requests are alike: nothing can be shared."""
        return ()

    def _answer(self, request: Request) -> Response:
        shares = self._shares(request.options)
        if request.continuation is not None:
            return Response(completions=(_scored(request.continuation, shares),))
        if not shares:
            return Response(completions=(Completion(text=""),) * request.completions)
        best = sorted(shares, key=lambda text: -shares[text])
        top = {text: math.log(shares[text]) for text in best[: request.top_logprobs]}
        chosen = self._dice(request, list(shares)) if self._uniform else best[:1] * request.completions
        return Response(
            completions=tuple(
                Completion(text=text, tokens=(Token(text=text, logprob=math.log(shares[text]), top=top),)) for text in chosen
            )
        )

    def _shares(self, options: Sequence[Option]) -> dict[str, float]:
        """The probability of each answer, in the order of the options."""
        if self._uniform or not any(option.share > 0 for option in options):
            return {option.text: 1 / len(options) for option in options}
        return {option.text: max(option.share, UNSEEN) for option in options}

    def _dice(self, request: Request, texts: list[str]) -> list[str]:
        # A request at temperature 0 is the same request whatever its repeat.
        settled = request if request.temperature > 0 else msgspec.structs.replace(request, repeat=0)
        chance = generator("baseline/uniform", canonical(settled).decode())
        return [chance.choice(texts) for _ in range(request.completions)]


def _scored(continuation: str, shares: dict[str, float]) -> Completion:
    if not shares:
        return Completion(text=continuation, finish_reason="scored")
    by_text = {text.strip(): share for text, share in shares.items()}
    logprob = math.log(by_text.get(continuation.strip(), UNSEEN))
    return Completion(text=continuation, tokens=(Token(text=continuation, logprob=logprob),), finish_reason="scored")


@provider("baseline", examples=tuple(f"baseline/{kind}" for kind in KINDS))
def baseline(name: str, config: ModelConfig) -> Baseline:
    """What guessing reaches: the most frequent answer in train (without train rows, of the items asked), or a random one."""
    if name not in KINDS:
        raise unknown("baseline", name, KINDS)
    return Baseline(name, config)

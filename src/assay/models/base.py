"""Who answers: what a model is to the rest of assay.

A model says what it can do (`Capabilities`) and who it is (`ModelIdentity`), and answers requests: either one at a time,
concurrently (`Endpoint.ask`), or in batches that share work (`Local.ask_batch`). The engine takes care of caching,
concurrency, retries and order; a model only asks.

    @provider("echo")
    def echo(name: str, config: ModelConfig) -> Model: ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from assay import registry
from assay.records import ModelIdentity, Request, Response, Text

if TYPE_CHECKING:
    from assay.models.probing import Ask, Finding


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a user can say about a model, in `models.yaml` or on the command line."""

    name: str
    """`provider/name`, or any name where `provider` is given."""
    provider: str = ""
    model: str = ""
    """The name sent to the endpoint, where it differs."""
    base_url: str = ""
    key_variable: str = ""
    """The environment variable that holds the API key."""
    key_header: str = ""
    """The header that carries the key as it is, where the endpoint wants another than `Authorization: Bearer`."""
    endpoint: Literal["", "chat", "completions", "responses"] = ""
    context_window: int | None = None
    """Tokens that prompt and completion may have together."""
    revision: str = ""
    """A version of your own naming; changing it makes cached responses and old runs distinct."""
    concurrency: int | None = None
    """Most requests in flight at once. The engine begins lower and finds how many the endpoint bears."""
    requests_per_minute: float | None = None
    """Requests an endpoint takes a minute; no more are sent."""
    tokens_per_minute: float | None = None
    """Tokens, read and written, an endpoint takes a minute."""
    stream: bool = False
    """Have answers streamed, which measures the time to the first token."""
    timeout_s: float | None = None
    """Seconds one attempt may take."""
    headers: dict[str, str] = {}
    body: dict[str, Any] = {}
    """Extra fields of every request body."""
    price_per_million_input: float | None = None
    price_per_million_output: float | None = None
    prices_as_of: str = ""
    """The day the prices were read, `2026-11-30`; recorded with the cost."""


@dataclass(frozen=True)
class Capabilities:
    """What a model can do, as far as it is known without asking it."""

    chat: bool = False
    """Takes messages."""
    text: bool = True
    """Takes plain text as it is, without a chat template."""
    scores: bool = False
    """Returns log-probabilities of a given continuation."""
    top_logprobs: int = 0
    """Most alternatives it returns at a generated position; 0 where it gives no log-probabilities."""
    context_window: int | None = None
    thinking: int = 0
    """Tokens that it may need to think before it answers, besides those of the answer; 0 for models that do not."""
    concurrency: int = 64
    """Most requests in flight, of which the engine finds out how many the endpoint bears; or the size of a batch."""
    requests_per_minute: float | None = None
    """Set from the user's configuration, like the next, by whoever opens the model: no provider needs to."""
    tokens_per_minute: float | None = None
    reads_options: bool = False
    """Its answers depend on `Request.options`."""
    reads_shares: bool = False
    """And on how frequent each of them is: without labelled examples it is told how frequent they are among the items asked."""


class RequestError(Exception):
    """An attempt failed. `retriable` says whether the same request may succeed later."""

    def __init__(self, kind: str, message: str, *, retriable: bool, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retriable = retriable
        self.retry_after_s = retry_after_s


@dataclass
class Allowance:
    """What an endpoint last said it still takes, from the rate-limit headers of its responses. Kept up to date in place."""

    requests: float | None = None
    """Requests it still takes before `requests_full_at`; `None` where it does not say."""
    requests_full_at: float = 0.0
    """When all of its requests are free again, in seconds of `time.monotonic`."""
    tokens: float | None = None
    tokens_full_at: float = 0.0


class Model:
    """What all models have in common."""

    identity: ModelIdentity
    capabilities: Capabilities
    occasion: str = ""
    """Answers are kept for one occasion apart from those of others, so that the same model can be asked the same anew."""

    def count_tokens(self, text: Text) -> int | None:
        """How many tokens a prompt has after the chat template, or `None` where the model has no tokenizer here."""
        return None

    def findings(self, ask: Ask) -> AsyncIterator[Finding]:
        """What this model can do, found out by asking it a few tiny requests with `ask`. For people who set it up."""
        from assay.models.probing import findings

        return findings(self, ask)

    async def close(self) -> None:
        """Give back connections and memory. Most models hold none."""


class Endpoint(Model, ABC):
    """A model asked over a network: many requests in flight."""

    allowance: Allowance | None = None
    """What the endpoint says of its rate limits, where it says anything."""

    @abstractmethod
    async def ask(self, request: Request) -> Response:
        """One attempt.

        Raises:
            RequestError: the attempt failed.
        """


class Local(Model, ABC):
    """A model in this process: asked in batches, in a thread of its own."""

    @abstractmethod
    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        """The responses, in the order of the requests. A request that cannot be answered gets a response with a failure."""

    def interrupt(self) -> None:
        """Nobody waits for the batch under way any more: answer soon what is done, with a failure for each that is not.

        Called from another thread. A model that cannot tell simply finishes its batch.
        """

    def batch_key(self, request: Request) -> tuple[Any, ...]:
        """Requests sorted by this key stand together where a batch can share their work."""
        return (str(request.prompt),)


Factory = Callable[[str, ModelConfig], Model]


@dataclass(frozen=True)
class Provider:
    """A registered maker of models."""

    name: str
    about: str
    make: Factory
    examples: tuple[str, ...] = ()
    """Names a user can write."""


def provider(name: str, *, examples: Sequence[str] = ()) -> Callable[[Factory], Provider]:
    """Register a function `(name, config) -> Model` as a provider; `name` is what follows the slash in `provider/name`."""

    def register(make: Factory) -> Provider:
        about = (make.__doc__ or "").strip().split("\n")[0]
        return registry.providers.register(name, Provider(name, about, make, tuple(examples)))

    return register

"""The requests of a run to one model: looked up in the response cache, and what those that are still to be asked will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine import Keys
from assay.errors import AssayError
from assay.forecasting.experience import Experience, bytes_of
from assay.models import Local, Model, ModelConfig
from assay.prompting.target import BYTES_PER_TOKEN
from assay.records import Record, Request, Response
from assay.runs import cost_of

if TYPE_CHECKING:
    from assay.engine.storage import Storage


class Asking(Record):
    """What a model will be asked. Tokens, costs and seconds are those of the requests that are still to be asked."""

    model: str
    requests: int
    cached: int
    """Requests whose answers are kept."""
    shared: int
    """Requests that are the same as others of the suite, and are asked once."""
    to_ask: int
    prompt_tokens: int
    completion_tokens_at_most: int
    completion_tokens_expected: int | None
    """As long as the model's earlier answers were, of what they were allowed; `None` without earlier answers."""
    cost_at_most: float | None
    cost_expected: float | None
    seconds: float | None
    """Time to ask it, alone, at full concurrency; `None` without earlier answers of the model."""


@dataclass
class Requests:
    """Sums over a run's requests to a model."""

    model: Model
    config: ModelConfig | None
    experience: Experience
    seen: set[str]
    """Keys of all requests of the suite to the model so far."""
    count: int = 0
    cached: int = 0
    shared: int = 0
    read: float = 0.0
    """Tokens of the requests to be asked."""
    allowed: int = 0
    """Tokens that their answers may have."""
    all_read: float = 0.0
    all_allowed: int = 0

    def look_up(self, part: Sequence[Request], storage: Storage | None, scenario: str) -> list[Response | None]:
        """Count some requests, and return the answers that are kept.

        Raises:
            AssayError: a prompt cannot be sent.
        """
        made = Keys(self.model)
        keys = [_key(made, request, scenario) for request in part]
        kept: list[Response | None] = storage.read(keys) if storage else [None for _ in keys]
        for request, key, response in zip(part, keys, kept, strict=True):
            new = response is None and key not in self.seen
            self.cached += response is not None
            self.shared += response is None and not new
            self.seen.add(key)
            self._add(request, self._tokens(request), new)
        return kept

    def expect(self, request: Request, more: int) -> None:
        """Count a request that is not known to its end: it will be up to `more` tokens longer."""
        self._add(request, self._tokens(request) + more, True)

    def _add(self, request: Request, tokens: float, new: bool) -> None:
        allowed = 0 if _guesses(self.model) else request.max_tokens * request.completions
        self.count += 1
        self.all_read += tokens
        self.all_allowed += allowed
        if new:
            self.read += tokens
            self.allowed += allowed

    def _tokens(self, request: Request) -> float:
        """A request's tokens: by the model's tokenizer, as earlier answers were counted, or by a careful guess."""
        if _guesses(self.model):
            return 0.0
        exact = self.model.count_tokens(request.prompt)
        if exact is None:
            return bytes_of(request) * (self.experience.tokens_a_byte or 1 / BYTES_PER_TOKEN)
        return exact + len((request.continuation or "").encode()) / BYTES_PER_TOKEN

    def in_all(self, times: float) -> Asking:
        """What it takes when there are `times` as many requests as were looked up; the others count as not answered yet."""
        requests = round(self.count * times)
        more = requests - self.count
        read, allowed = self.read, float(self.allowed)
        if more:
            read += self.all_read / self.count * more
            allowed += self.all_allowed / self.count * more
        to_ask = requests - self.cached - self.shared
        share = self.experience.share_written
        written = None if share is None else allowed * share
        return Asking(
            model=self.model.identity.name,
            requests=requests,
            cached=self.cached,
            shared=self.shared,
            to_ask=to_ask,
            prompt_tokens=round(read),
            completion_tokens_at_most=round(allowed),
            completion_tokens_expected=None if written is None else round(written),
            cost_at_most=cost_of(self.config, round(read), round(allowed)),
            cost_expected=None if written is None else cost_of(self.config, round(read), round(written)),
            seconds=_seconds(self.model, self.experience, to_ask, read, allowed),
        )


def _guesses(model: Model) -> bool:
    """A baseline: it is told the options, so it reads no prompt, writes nothing and takes no time."""
    return isinstance(model, Local) and model.capabilities.reads_options


def _key(keys: Keys, request: Request, scenario: str) -> str:
    try:
        return keys.key(request)
    except UnicodeEncodeError as error:
        raise AssayError(f"a prompt of {scenario} is no text: {error}", "correct the data") from None


def _seconds(model: Model, experience: Experience, to_ask: int, read: float, allowed: float) -> float | None:
    """Seconds to ask what is to be asked: as long as earlier answers took, more where longer ones are expected.

    An endpoint is taken to bear its full concurrency, within its limits a minute; a model in this process answers one after
    the other, since its latencies are shares of a batch's.
    """
    if to_ask == 0 or _guesses(model):
        return 0.0
    one = experience.seconds
    if one is None:
        return None
    can = model.capabilities
    written = allowed * (experience.share_written or 0.0) / to_ask
    longer = max(1.0, written / experience.written_an_answer) if experience.written_an_answer else 1.0
    seconds = to_ask * one * longer
    if isinstance(model, Local):
        return seconds
    spans = [seconds / can.concurrency, one * longer]
    if can.requests_per_minute:
        spans.append(60 * to_ask / can.requests_per_minute)
    if can.tokens_per_minute:
        spans.append(60 * (read + written * to_ask) / can.tokens_per_minute)
    return max(spans)

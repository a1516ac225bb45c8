"""What a planned suite will take: requests, and which of them are answered already; tokens, cost and time; how sure it will be.

Trials are made as they would be asked, and looked up in the response cache. Of a suite with very many only the first of each
run are made, and the others are taken to be like them and not answered yet, so that counts and costs are still upper bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from assay.engine import Keys
from assay.errors import AssayError
from assay.forecasting.experience import Experience, bytes_of, recall
from assay.forecasting.intervals import Precision, precision
from assay.models import Local, Model
from assay.prompting.base import as_text
from assay.prompting.target import BYTES_PER_TOKEN
from assay.records import Record, Request
from assay.runs import cost_of

if TYPE_CHECKING:
    from assay.engine.storage import Storage
    from assay.planning import Run

EXAMINED = 100_000
"""Trials made and looked up, over all runs."""
FEWEST = 1000
"""Trials of each run that are made in any case."""
TOGETHER = 500
"""Requests looked up at once."""


class Forecast(Record):
    """What a run will take. Tokens, costs and seconds are those of the requests that are still to be asked."""

    run: str
    scenario: str
    model: str
    method: str
    data: str
    instances: int
    trials: int
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
    prices_as_of: str
    seconds: float | None
    """Time to ask it, alone, at full concurrency; `None` without earlier answers of the model."""
    at_most: bool
    """Not all trials were made: counts are upper bounds."""
    precision: Precision
    prompts: tuple[str, ...] = ()


class Total(Record):
    """What a model, or a whole suite, will take. The models of a suite are asked at the same time."""

    model: str
    runs: int
    requests: int
    cached: int
    to_ask: int
    prompt_tokens: int
    completion_tokens_at_most: int
    cost_at_most: float | None
    cost_expected: float | None
    seconds: float | None


@dataclass
class _Counts:
    """Sums over the trials of a run that were made."""

    trials: int = 0
    requests: int = 0
    cached: int = 0
    shared: int = 0
    read: float = 0.0
    """Tokens of the requests to be asked."""
    allowed: int = 0
    """Tokens that their answers may have."""
    all_read: float = 0.0
    all_allowed: int = 0
    whole: bool = True
    prompts: list[str] = field(default_factory=list)

    def add(self, request: Request, tokens: float, known: str) -> None:
        """Count a request that is `cached`, `shared` or neither."""
        allowed = request.max_tokens * request.completions
        self.requests += 1
        self.all_read += tokens
        self.all_allowed += allowed
        if known == "cached":
            self.cached += 1
        elif known == "shared":
            self.shared += 1
        else:
            self.read += tokens
            self.allowed += allowed


def forecasts(
    runs: Sequence[Run], storage: Storage | None, *, prompts: int = 0, told: Callable[[int], None] = lambda trials: None
) -> Iterator[Forecast]:
    """What each run will take, in order.

    Args:
        runs: of a suite.
        storage: the response cache, where there is one.
        prompts: prompts to show of each run.
        told: called now and then with the number of trials made so far.
    """
    most = most_trials(runs)
    known = recall(storage, {run.model.identity.name for run in runs}) if storage else {}
    seen: dict[Model, set[str]] = {}
    made = 0
    for run in runs:
        experience = known.get(run.model.identity.name, Experience())
        counts = _Counts()
        for part in _parts(run, most, prompts, counts):
            _look_up(run, part, storage, seen.setdefault(run.model, set()), _counter(run, experience), counts)
            told(made + counts.trials)
        made += counts.trials
        yield _forecast(run, counts, experience)


def most_trials(runs: Sequence[Run]) -> int:
    """How many trials of each run are made at most."""
    return max(FEWEST, EXAMINED // max(1, len(runs)))


def totals(forecast: Sequence[Forecast]) -> list[Total]:
    """What each model will take, and the whole suite (`model` is empty) after them."""
    models = list(dict.fromkeys(one.model for one in forecast))
    by_model = [_total(name, [one for one in forecast if one.model == name]) for name in models]
    spans = [total.seconds for total in by_model]
    whole = _total("", forecast)
    longest = max((span for span in spans if span is not None), default=None) if None not in spans else None
    return [*by_model, Total(**{**{name: getattr(whole, name) for name in Total.__struct_fields__}, "seconds": longest})]


def _parts(run: Run, most: int, prompts: int, counts: _Counts) -> Iterator[list[Request]]:
    """The requests of the run's first trials, some at a time; counts the trials, and shows the first prompts."""
    part: list[Request] = []
    trials = run.trials()
    for trial in islice(trials, most):
        counts.trials += 1
        if len(counts.prompts) < prompts:
            counts.prompts.append(visible_prompt(trial.requests[0]))
        part += trial.requests
        if len(part) >= TOGETHER:
            yield part
            part = []
    if part:
        yield part
    counts.whole = next(trials, None) is None


def _look_up(
    run: Run, part: list[Request], storage: Storage | None, seen: set[str], tokens: Callable[[Request], float], counts: _Counts
) -> None:
    made = Keys(run.model)
    keys = [_key(made, request, run.title) for request in part]
    kept = storage.read(keys) if storage else [None] * len(keys)
    for request, key, response in zip(part, keys, kept, strict=True):
        state = "cached" if response is not None else "shared" if key in seen else ""
        seen.add(key)
        counts.add(request, tokens(request), state)


def _key(keys: Keys, request: Request, scenario: str) -> str:
    try:
        return keys.key(request)
    except UnicodeEncodeError as error:
        raise AssayError(f"a prompt of {scenario} is no text: {error}", "correct the data") from None


def _counter(run: Run, experience: Experience) -> Callable[[Request], float]:
    """Counts a request's tokens: by the model's tokenizer, as earlier answers were counted, or by a careful guess."""
    a_byte = experience.tokens_a_byte or 1 / BYTES_PER_TOKEN

    def count(request: Request) -> float:
        exact = run.model.count_tokens(request.prompt)
        if exact is None:
            return bytes_of(request) * a_byte
        return exact + len((request.continuation or "").encode()) / BYTES_PER_TOKEN

    return count


def _forecast(run: Run, counts: _Counts, experience: Experience) -> Forecast:
    trials, requests = counts.trials, counts.requests
    to_ask = requests - counts.cached - counts.shared
    read, allowed = counts.read, float(counts.allowed)
    if not counts.whole:
        trials = max(trials, run.trials_at_most)
        requests = round(requests * trials / counts.trials)
        more = requests - counts.requests
        read += counts.all_read / counts.requests * more
        allowed += counts.all_allowed / counts.requests * more
        to_ask += more
    share = experience.share_written
    written = None if share is None else allowed * share
    cost_expected = None if written is None else cost_of(run.config, round(read), round(written))
    return Forecast(
        run=run.name,
        scenario=run.scenario_name,
        model=run.spec.model.name,
        method=run.prompting.method,
        data=run.spec.data.source,
        instances=len(run.selection.asked),
        trials=trials,
        requests=requests,
        cached=counts.cached,
        shared=counts.shared,
        to_ask=to_ask,
        prompt_tokens=round(read),
        completion_tokens_at_most=round(allowed),
        completion_tokens_expected=None if written is None else round(written),
        cost_at_most=cost_of(run.config, round(read), round(allowed)),
        cost_expected=cost_expected,
        prices_as_of=run.config.prices_as_of if run.config else "",
        seconds=_seconds(run, experience, to_ask, read, allowed),
        at_most=not counts.whole,
        precision=precision(run),
        prompts=tuple(counts.prompts),
    )


def _seconds(run: Run, experience: Experience, to_ask: int, read: float, allowed: float) -> float | None:
    """Seconds to ask what is to be asked: as long as earlier answers took, more where longer ones are expected.

    An endpoint is taken to bear its full concurrency, within its limits a minute; a model in this process answers one after
    the other, since its latencies are shares of a batch's.
    """
    if to_ask == 0:
        return 0.0
    one = experience.seconds
    if one is None:
        return None
    can = run.model.capabilities
    written = allowed * (experience.share_written or 0.0) / to_ask
    longer = max(1.0, written / experience.written_an_answer) if experience.written_an_answer else 1.0
    seconds = to_ask * one * longer
    if isinstance(run.model, Local):
        return seconds
    spans = [seconds / can.concurrency, one * longer]
    if can.requests_per_minute:
        spans.append(60 * to_ask / can.requests_per_minute)
    if can.tokens_per_minute:
        spans.append(60 * (read + written * to_ask) / can.tokens_per_minute)
    return max(spans)


def _total(name: str, some: Sequence[Forecast]) -> Total:
    return Total(
        model=name,
        runs=len(some),
        requests=sum(one.requests for one in some),
        cached=sum(one.cached for one in some),
        to_ask=sum(one.to_ask for one in some),
        prompt_tokens=sum(one.prompt_tokens for one in some),
        completion_tokens_at_most=sum(one.completion_tokens_at_most for one in some),
        cost_at_most=_known([one.cost_at_most for one in some]),
        cost_expected=_known([one.cost_expected for one in some if one.cost_at_most is not None]),
        seconds=_known([one.seconds for one in some]) if all(one.seconds is not None for one in some) else None,
    )


def _known(amounts: Sequence[float | None]) -> float | None:
    """The sum of those that are known; `None` where none is."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def visible_prompt(request: Request) -> str:
    """A request's prompt as text, the continuation to be scored marked."""
    text = as_text(request.prompt)
    return text if request.continuation is None else f"{text}⟦{request.continuation}⟧"

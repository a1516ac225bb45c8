"""What a planned suite will take: requests, and which of them are answered already; tokens, cost and time; how sure it will be.

Trials are made as they would be asked, and looked up in the response cache. Of a suite with very many only the first of each
run are made, and the others are taken to be like them and not answered yet, so that counts and costs are still upper bounds.
A judge is counted apart. What it will be asked is known of answers that are kept; of the others it is shown as much as the
model may write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

import msgspec

from assay.forecasting.asking import Asking, Requests
from assay.forecasting.experience import Experience, recall
from assay.forecasting.intervals import Precision, precision
from assay.models import Model, ModelConfig
from assay.prompting.base import as_text
from assay.records import Answer, Record, Request, Response, Trial
from assay.runs import read

if TYPE_CHECKING:
    from assay.engine.storage import Storage
    from assay.planning import Run

EXAMINED = 100_000
"""Trials made and looked up, over all runs."""
FEWEST = 1000
"""Trials of each run that are made in any case."""
TOGETHER = 500
"""Requests looked up at once."""


class Forecast(Asking):
    """What a run will take; what its judge will be asked stands apart."""

    run: str
    scenario: str
    method: str
    data: str
    instances: int
    trials: int
    prices_as_of: str
    at_most: bool
    """Not all trials were made: counts are upper bounds."""
    precision: Precision
    judge: Asking | None = None
    """What the judge will be asked; `None` where there is none."""
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
    judges: bool = False
    """It is asked as a judge of answers."""


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
    models = [run.model for run in runs] + [run.judge.model for run in runs if run.judge]
    known = recall(storage, {model.identity.name for model in models}) if storage else {}
    seen: dict[Model, set[str]] = {}

    def requests_to(model: Model, config: ModelConfig | None) -> Requests:
        return Requests(model, config, known.get(model.identity.name, Experience()), seen.setdefault(model, set()))

    made = 0
    for run in runs:
        asked = requests_to(run.model, run.config)
        judged = requests_to(run.judge.model, run.judge.config) if run.judge else None
        shown: list[str] = []
        trials, before = run.trials(), made
        for part in _parts(islice(trials, most)):
            shown += [visible_prompt(trial.requests[0]) for trial in part[: prompts - len(shown)]]
            kept = asked.look_up(list(chain.from_iterable(trial.requests for trial in part)), storage, run.title)
            if judged is not None:
                _put_to_judge(run, part, kept, judged, storage)
            made += len(part)
            told(made)
        whole = next(trials, None) is None
        yield _forecast(run, made - before, whole, (asked, judged), shown)


def most_trials(runs: Sequence[Run]) -> int:
    """How many trials of each run are made at most."""
    return max(FEWEST, EXAMINED // max(1, len(runs)))


def totals(forecast: Sequence[Forecast]) -> list[Total]:
    """What each model will take, then each judge, and the whole suite (`model` is empty) after them."""
    judged = [one.judge for one in forecast if one.judge is not None]
    found = []
    for some, judges in ((forecast, False), (judged, True)):
        for name in dict.fromkeys(one.model for one in some):
            mine = [one for one in some if one.model == name]
            found.append(_total(name, len(mine), mine, judges=judges))
    spans = [total.seconds for total in found]
    longest = max((span for span in spans if span is not None), default=None) if None not in spans else None
    whole = _total("", len(forecast), [*forecast, *judged])
    return [*found, msgspec.structs.replace(whole, seconds=longest)]


def _parts(trials: Iterator[Trial]) -> Iterator[list[Trial]]:
    """Trials, as many at a time as have the requests that are looked up at once."""
    part: list[Trial] = []
    requests = 0
    for trial in trials:
        part.append(trial)
        requests += len(trial.requests)
        if requests >= TOGETHER:
            yield part
            part, requests = [], 0
    if part:
        yield part


def _put_to_judge(
    run: Run, part: Sequence[Trial], kept: Sequence[Response | None], judged: Requests, storage: Storage | None
) -> None:
    """Count what the judge is asked about the answers to some trials, whose responses are kept or not known yet."""
    assert run.judge is not None
    came = iter(kept)
    known: list[Request] = []
    for trial in part:
        responses = [response for response in islice(came, len(trial.requests)) if response is not None]
        if len(responses) == len(trial.requests):
            known.append(run.judge.request(trial.instance, read(run.prompting, trial, responses)))
        else:
            longest = max(0 if request.continuation else request.max_tokens for request in trial.requests)
            judged.expect(run.judge.request(trial.instance, Answer(outcome="empty")), longest)
    judged.look_up(known, storage, run.title)


def _forecast(run: Run, made: int, whole: bool, asked: tuple[Requests, Requests | None], shown: Sequence[str]) -> Forecast:
    trials = made if whole else max(made, run.trials_at_most)
    times = trials / made if made else 1.0
    of_model, of_judge = asked
    return Forecast(
        **msgspec.structs.asdict(of_model.in_all(times)),
        run=run.name,
        scenario=run.scenario_name,
        method=run.prompting.method,
        data=run.spec.data.source,
        instances=len(run.selection.asked),
        trials=trials,
        prices_as_of=run.config.prices_as_of if run.config else "",
        at_most=not whole,
        precision=precision(run),
        judge=of_judge.in_all(times) if of_judge else None,
        prompts=tuple(shown),
    )


def _total(name: str, runs: int, some: Sequence[Asking], *, judges: bool = False) -> Total:
    return Total(
        model=name,
        runs=runs,
        requests=sum(one.requests for one in some),
        cached=sum(one.cached for one in some),
        to_ask=sum(one.to_ask for one in some),
        prompt_tokens=sum(one.prompt_tokens for one in some),
        completion_tokens_at_most=sum(one.completion_tokens_at_most for one in some),
        cost_at_most=_known([one.cost_at_most for one in some]),
        cost_expected=_known([one.cost_expected for one in some if one.cost_at_most is not None]),
        seconds=_known([one.seconds for one in some]) if all(one.seconds is not None for one in some) else None,
        judges=judges,
    )


def _known(amounts: Sequence[float | None]) -> float | None:
    """The sum of those that are known; `None` where none is."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def visible_prompt(request: Request) -> str:
    """A request's prompt as text, the continuation to be scored marked."""
    text = as_text(request.prompt)
    return text if request.continuation is None else f"{text}⟦{request.continuation}⟧"

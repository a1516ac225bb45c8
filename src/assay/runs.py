"""Carrying out runs: trials are asked, read, scored and written, all runs of a model in one stream.

    instances ─▶ trials ─▶ requests ─▶ responses ─▶ answers ─▶ scores ─▶ estimates

Each run's files are a function of its spec and the responses. Nothing answered is ever lost: the engine keeps each
response before this module sees it, and a run that is broken off is carried on by asking only for what is missing.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

import msgspec

from assay import __version__, registry
from assay.engine import Engine, in_order
from assay.errors import AssayError, no_exit
from assay.judging import marked
from assay.metrics import Metric, score_answer
from assay.models import Model, ModelConfig
from assay.planning import Run, damaged, finished
from assay.prompting import Prompting
from assay.prompting.base import as_text
from assay.records import Answer, Response, ScoredTrial, Trial
from assay.statistics import Gathered, cells_of
from assay.store import Manifest, RunFolder, RunWriter
from assay.store.folders import BeingWritten, SpecFile, StatsFile, writing
from assay.store.transcripts import Transcript
from assay.store.writer import Tally
from assay.toxicity import rated

LOOK_AGAIN_S = 0.5
"""Seconds between two looks at a run that another process writes."""
TOGETHER = 16
"""Trials whose requests are looked up and asked together."""
WINDOW = 2048
"""Trials in flight or waiting to be written, for each model: bounds memory, and is what local engines batch from."""
BEHIND = 2 * WINDOW
"""Trials that may be done beyond these while a slow one before them (one that waits for its next attempt) holds them back."""


class Progress(Protocol):
    """Who wants to know how it goes."""

    def begins(self, runs: Sequence[Run]) -> None:
        """These runs are not complete on disk, and are carried out now. Called by the task that does it, before all else."""

    def started(self, run: Run) -> None:
        """A run's first trial is about to be asked."""

    def waiting(self, run: Run) -> None:
        """Nothing is left to do but what another process is writing, this run first. Called again and again."""

    def rebuilding(self, run: Run, problem: str) -> None:
        """A run that lies finished on disk is damaged, and is made again."""

    def advanced(self, run: Run, transcript: Transcript) -> None:
        """A trial has been answered or has failed."""

    def finished(self, run: Run) -> None:
        """A run has been written."""


@dataclass
class Unfinished:
    """A run on its way."""

    run: Run
    writer: RunWriter
    gathered: Gathered

    @classmethod
    def begin(cls, run: Run) -> Unfinished:
        """Nothing of it is there yet."""
        return cls(run, RunWriter(run.folder), Gathered(run.metrics))


def carry_out(runs: Sequence[Run], engine: Engine, progress: Progress) -> list[RunFolder]:
    """Carry out the runs that are not yet complete on disk, and return the folders of all, in order.

    A run that another process is writing is left to it, and looked at again once everything else is done: then it is
    complete, or is carried on here.

    Raises:
        AssayError: a model turns out not to work at all.
    """
    left = list(runs)
    while left:
        with ExitStack() as locks:
            locks.enter_context(no_exit("a plugin"))
            mine, others = _claimed(left, locks, progress)
            unfinished = {id(run) for run in (*mine, *others)}
            engine.answered_before(run.model for run in left if id(run) not in unfinished)
            if mine:
                asyncio.run(_all(mine, engine, progress))
        if others and not mine:
            progress.waiting(others[0])
            time.sleep(LOOK_AGAIN_S)
        left = others
    return [RunFolder(run.folder) for run in runs]


def _claimed(runs: Sequence[Run], locks: ExitStack, progress: Progress) -> tuple[list[Run], list[Run]]:
    """Of the runs that are not complete: those that this process may write from now on, and those that another one writes."""
    mine, others = [], []
    for run in runs:
        if not damaged(run) and finished(run):
            continue
        with ExitStack() as lock:
            try:
                lock.enter_context(writing(run.folder))
            except BeingWritten:
                others.append(run)
                continue
            # Only now is it certain that nobody is at it.
            problem = damaged(run)
            if problem:
                progress.rebuilding(run, problem)
            if problem or not finished(run):
                mine.append(run)
                locks.enter_context(lock.pop_all())
    return mine, others


async def _all(runs: Sequence[Run], engine: Engine, progress: Progress) -> None:
    by_model: dict[int, list[Run]] = {}
    for run in runs:
        by_model.setdefault(id(run.model), []).append(run)
    progress.begins(runs)
    try:
        for run in runs:
            await prepare(run, engine)
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(_import_tables))
            for stream in by_model.values():
                group.create_task(_stream(stream, engine, progress))
    except BaseExceptionGroup as failures:
        raise first_of(failures) from failures
    finally:
        await engine.close()
        for model in {id(model): model for run in runs for model in _models_of(run)}.values():
            await model.close()
        for scorer in {id(run.scorer): run.scorer for run in runs}.values():
            if scorer is not None:
                await scorer.close()


def _import_tables() -> None:
    """Import what the first rows are written with while the first answers are waited for: it would hold up those after them."""
    for package in ("numpy", "polars"):
        importlib.import_module(package)


def _models_of(run: Run) -> list[Model]:
    """Everybody who is asked for a run, but whoever rates toxicity: that scorer closes its own."""
    return [run.model, *run.helpers.values(), *([run.judge.model] if run.judge else [])]


async def prepare(run: Run, engine: Engine) -> None:
    """Ask the models that make perturbed copies. A request that fails leaves its instance without that copy."""
    for spec in run.spec.perturbations:
        helper, asks = run.helpers.get(spec.name), registry.perturbations.get(spec.name).asks
        if helper is None or asks is None:
            continue
        settings = {name: value for name, value in spec.parameters.items() if name != "identity"}
        requests = [asks(instance, **settings) for instance in run.selection.asked]
        responses = await engine.ask_all(helper, requests)
        for instance, response in zip(run.selection.asked, responses, strict=True):
            if response.completions:
                run.completions[spec.name, instance.id] = response.completions[0].text


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error of a group to show: the first that says what the user can do, else the first of the system, else the first.

    The others come of the cancellation that it caused.
    """
    meant = group.subgroup(AssayError) or group.subgroup(OSError) or group
    first = meant.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first


async def _stream(runs: Sequence[Run], engine: Engine, progress: Progress) -> None:
    """One model's runs, back to back, so that the next run's requests fill the pipe while the last answers of one come in."""
    current: Unfinished | None = None
    try:
        batches = in_order(_batches(runs, progress), lambda batch: _ask(*batch, engine), WINDOW // TOGETHER, BEHIND // TOGETHER)
        async with aclosing(batches):
            async for run, transcripts in batches:
                if current is None or current.run is not run:
                    done, current = current, Unfinished.begin(run)
                    if done is not None:
                        await _to_the_end(_finish, done, progress)
                for transcript in transcripts:
                    scored = score(transcript.trial, transcript.answer, run.metrics)
                    current.writer.add(transcript, scored)
                    current.gathered.add(scored)
                    progress.advanced(run, transcript)
                current.writer.tell()
        done, current = current, None
        if done is not None:
            await _to_the_end(_finish, done, progress)
    finally:
        if current is not None:
            current.writer.abandon()


async def _to_the_end(work: Callable[..., None], *arguments: object) -> None:
    """Do work in a thread, and do not leave it alone with its files where the waiting is cancelled."""
    task = asyncio.create_task(asyncio.to_thread(work, *arguments))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.gather(task, return_exceptions=True)
        raise


def _batches(runs: Sequence[Run], progress: Progress) -> Iterator[tuple[Run, list[Trial]]]:
    for run in runs:
        progress.started(run)
        trials = run.trials()
        while batch := list(itertools.islice(trials, TOGETHER)):
            yield run, batch


async def _ask(run: Run, trials: Sequence[Trial], engine: Engine) -> tuple[Run, list[Transcript]]:
    came = iter(await engine.ask_all(run.model, [request for trial in trials for request in trial.requests]))
    responses = [tuple(itertools.islice(came, len(trial.requests))) for trial in trials]
    answers = [read(run.prompting, trial, of) for trial, of in zip(trials, responses, strict=True)]
    for answer in answers:
        engine.budget.trial(answer.failure.message if answer.failure else None)
    answers = await rated(answers, responses, run.scorer)
    answers, judgings = await marked(answers, [trial.instance for trial in trials], run.judge)
    return run, [
        Transcript(trial=trial, responses=of, answer=priced(answer, run.config), judging=judging)
        for trial, of, answer, judging in zip(trials, responses, answers, judgings, strict=True)
    ]


def priced(answer: Answer, config: ModelConfig | None) -> Answer:
    """The answer with what its tokens cost, where the model has prices."""
    paid = cost_of(config, answer.prompt_tokens or 0, answer.completion_tokens or 0)
    return answer if paid is None or answer.prompt_tokens is None else msgspec.structs.replace(answer, cost=paid)


def read(prompting: Prompting, trial: Trial, responses: Sequence[Response]) -> Answer:
    """The answer to a trial. Reading is a function of trial and responses alone, so it can be repeated at any time."""
    return prompting.read(trial.instance, responses)


def score(trial: Trial, answer: Answer, metrics: Sequence[Metric]) -> ScoredTrial:
    """A trial with the value of each metric."""
    instance = trial.instance
    asked = msgspec.structs.replace(answer, input=as_text(instance.input))
    return ScoredTrial(
        instance_id=instance.id,
        answer=answer,
        scores=score_answer(asked, metrics),
        split=instance.split,
        group=instance.group,
        subgroups=instance.subgroups,
        perturbation=instance.perturbation,
        draw=trial.draw,
        format=trial.format,
        repeat=trial.repeat,
    )


def _finish(unfinished: Unfinished, progress: Progress) -> None:
    run, tally = unfinished.run, unfinished.writer.tally
    spec = SpecFile(run=run.name, title=run.title, spec=run.spec, environment=environment(), card=card_of(run))
    cost = cost_of(run.config, tally.prompt_tokens, tally.completion_tokens)
    try:
        write_run(unfinished.writer, spec, unfinished.gathered, cost)
    except BaseException:
        unfinished.writer.abandon()
        raise
    progress.finished(run)


def write_run(writer: RunWriter, spec: SpecFile, gathered: Gathered, cost: float | None) -> Manifest:
    """Estimate and put in place a run whose trials have all been added to the writer."""
    stats = stats_of(spec, gathered, writer.tally, gathered.metrics[0].name)
    gathered.release()
    return writer.finish(spec, stats, cost)


def stats_of(spec: SpecFile, gathered: Gathered, tally: Tally, main_metric: str) -> StatsFile:
    """Every estimate of a run, from its trials."""
    kinds = {named.name: registry.perturbations.get(named.name).kind for named in spec.spec.perturbations}
    cells = cells_of(gathered, main_metric, kinds, spec.spec.seed)
    return StatsFile(
        run=spec.run,
        label=spec.spec.label or spec.spec.model.name,
        title=spec.title,
        main_metric=main_metric,
        instances=gathered.instances,
        trials=tally.trials,
        failed=tally.failed,
        cells=tuple(cells),
    )


def card_of(run: Run) -> dict[str, object]:
    """What a reader of the run should know of its scenario."""
    scenario = run.scenario
    return {
        "about": scenario.about,
        "licence": scenario.licence,
        "paper": scenario.paper,
        "taxonomy": msgspec.to_builtins(scenario.taxonomy),
        "notes": scenario.notes,
        "main_metric": scenario.main_metric,
    }


def cost_of(config: ModelConfig | None, prompt_tokens: int, completion_tokens: int) -> float | None:
    """What tokens cost at the model's prices, or `None` where it has none."""
    if config is None or config.price_per_million_input is None or config.price_per_million_output is None:
        return None
    return (prompt_tokens * config.price_per_million_input + completion_tokens * config.price_per_million_output) / 1e6


def environment() -> dict[str, str]:
    """Versions of what computes the numbers."""
    found = {"assay": __version__, "python": platform.python_version(), "system": f"{sys.platform}-{platform.machine()}"}
    for package in ("numpy", "scipy", "polars", "tokenizers", "huggingface_hub"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found

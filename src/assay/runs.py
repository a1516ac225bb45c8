"""Carrying out runs: trials are asked, read, scored and written, all runs of a model in one stream.

    instances ─▶ trials ─▶ requests ─▶ responses ─▶ answers ─▶ scores ─▶ estimates

Each run's files are a function of its spec and the responses. Nothing answered is ever lost: the engine keeps each
response before this module sees it, and a run that is broken off is carried on by asking only for what is missing.
"""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

import msgspec

from assay import __version__, registry
from assay.engine import Engine, in_order
from assay.errors import AssayError, no_exit
from assay.metrics import Metric, score_answer
from assay.models import ModelConfig
from assay.planning import Run, damaged, finished
from assay.prompting import Prompting
from assay.prompting.base import as_text
from assay.records import Answer, Response, ScoredTrial, Trial
from assay.statistics import estimate_cells
from assay.store import Manifest, RunFolder, RunWriter
from assay.store.folders import SpecFile, StatsFile, writing
from assay.store.transcripts import Transcript
from assay.toxicity import rated

WINDOW = 2048
"""Trials in flight or waiting to be written, for each model: bounds memory, and is what local engines batch from."""


class Progress(Protocol):
    """Who wants to know how it goes."""

    def started(self, run: Run) -> None:
        """A run's first trial is about to be asked."""

    def rebuilding(self, run: Run, problem: str) -> None:
        """A run that lies finished on disk is damaged, and is made again."""

    def advanced(self, run: Run, answer: Answer) -> None:
        """A trial has been answered or has failed."""

    def finished(self, run: Run) -> None:
        """A run has been written."""


@dataclass
class Unfinished:
    """A run on its way."""

    run: Run
    writer: RunWriter
    scored: list[ScoredTrial] = field(default_factory=list)


def carry_out(runs: Sequence[Run], engine: Engine, progress: Progress) -> list[RunFolder]:
    """Carry out the runs that are not yet complete on disk, and return the folders of all, in order.

    Raises:
        AssayError: a model turns out not to work at all, or another process writes one of the runs.
    """
    with ExitStack() as locks:
        locks.enter_context(no_exit("a plugin"))
        missing = []
        for run in runs:
            problem = damaged(run)
            if problem:
                progress.rebuilding(run, problem)
            if problem or not finished(run):
                missing.append(run)
                locks.enter_context(writing(run.folder))
        if missing:
            asyncio.run(_all(missing, engine, progress))
    return [RunFolder(run.folder) for run in runs]


async def _all(runs: Sequence[Run], engine: Engine, progress: Progress) -> None:
    by_model: dict[int, list[Run]] = {}
    for run in runs:
        by_model.setdefault(id(run.model), []).append(run)
    try:
        for run in runs:
            await prepare(run, engine)
        async with asyncio.TaskGroup() as group:
            for stream in by_model.values():
                group.create_task(_stream(stream, engine, progress))
    except BaseExceptionGroup as failures:
        raise first_of(failures) from failures
    finally:
        await engine.close()
        for model in {id(model): model for run in runs for model in (run.model, *run.helpers.values())}.values():
            await model.close()
        for scorer in {id(run.scorer): run.scorer for run in runs}.values():
            if scorer is not None:
                await scorer.close()


async def prepare(run: Run, engine: Engine) -> None:
    """Ask the models that make perturbed copies. A request that fails leaves its instance without that copy."""
    for spec in run.spec.perturbations:
        helper, asks = run.helpers.get(spec.name), registry.perturbations.get(spec.name).asks
        if helper is None or asks is None:
            continue
        settings = {name: value for name, value in spec.parameters.items() if name != "identity"}
        requests = [asks(instance, **settings) for instance in run.selection.asked]
        responses = await asyncio.gather(*(engine.ask(helper, request) for request in requests))
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
        answered = in_order(_trials(runs, progress), lambda item: _ask(*item, engine), WINDOW)
        async with aclosing(answered):
            async for run, transcript in answered:
                if current is None or current.run is not run:
                    if current is not None:
                        await asyncio.to_thread(_finish, current, progress)
                    current = Unfinished(run, RunWriter(run.folder))
                scored = score(transcript.trial, transcript.answer, run.metrics)
                current.writer.add(transcript, scored)
                current.scored.append(scored)
                progress.advanced(run, transcript.answer)
        if current is not None:
            await asyncio.to_thread(_finish, current, progress)
            current = None
    finally:
        if current is not None:
            current.writer.abandon()


def _trials(runs: Sequence[Run], progress: Progress) -> Iterator[tuple[Run, Trial]]:
    for run in runs:
        progress.started(run)
        for trial in run.trials():
            yield run, trial


async def _ask(run: Run, trial: Trial, engine: Engine) -> tuple[Run, Transcript]:
    responses = await asyncio.gather(*(engine.ask(run.model, request) for request in trial.requests))
    answer = await rated(read(run.prompting, trial, responses), responses, run.scorer)
    return run, Transcript(trial=trial, responses=tuple(responses), answer=priced(answer, run.config))


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
    write_run(
        unfinished.writer,
        spec,
        unfinished.scored,
        run.metrics,
        cost_of(run.config, tally.prompt_tokens, tally.completion_tokens),
    )
    progress.finished(run)


def write_run(
    writer: RunWriter, spec: SpecFile, scored: Sequence[ScoredTrial], metrics: Sequence[Metric], cost: float | None
) -> Manifest:
    """Estimate and put in place a run whose trials have all been added to the writer."""
    kinds = {named.name: registry.perturbations.get(named.name).kind for named in spec.spec.perturbations}
    cells = estimate_cells(scored, metrics, metrics[0].name, kinds, spec.spec.seed)
    stats = StatsFile(
        run=spec.run,
        label=spec.spec.label or spec.spec.model.name,
        title=spec.title,
        main_metric=metrics[0].name,
        instances=len({trial.instance_id for trial in scored}),
        trials=writer.tally.trials,
        failed=writer.tally.failed,
        cells=tuple(cells),
    )
    return writer.finish(spec, stats, cost)


def card_of(run: Run) -> dict[str, object]:
    """What a reader of the run should know of its scenario."""
    scenario = run.scenario
    return {
        "about": scenario.about or registry.scenarios.get(run.scenario_name).about,
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

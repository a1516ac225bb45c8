"""Why a run's requests would be asked again, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

from assay.engine.explaining import Explanation, explain
from assay.engine.keys import Keys, key_of
from assay.records import Record
from assay.text import one_line

if TYPE_CHECKING:
    from assay.engine.storage import Storage
    from assay.models import Model
    from assay.planning import Run
    from assay.records import Request

LONGEST_VALUE = 60
"""Characters of a value that are shown."""


class Reason(Record):
    """Why some requests are not in the cache, with the first of them as an example."""

    requests: int
    instance: str
    example: Explanation


class Explained(Record):
    """A run's requests: how many there are, how many the cache answers, and why the others are not in it."""

    run: str
    requests: int
    cached: int
    reasons: tuple[Reason, ...]
    whole: bool = True
    """All trials of the run were compared; else the first ones."""


def explained(runs: Sequence[Run], storage: Storage, instance: str | None = None) -> list[Explained]:
    """Compare what runs would ask, of one instance or of all, with what the cache holds. Asks nothing.

    Of a run with very many trials only the first are compared, as many as `assay plan` looks up.
    """
    from assay.forecasting.planned import most_trials

    counts, missing = [], []
    for run in runs:
        wanted: dict[str, tuple[str, bytes]] = {}
        for model, asked, request in _asked(run, storage, _most(run, most_trials(runs), instance)):
            if instance is None or asked == instance:
                preimage = Keys(model).preimage(request)
                wanted.setdefault(key_of(preimage), (asked, preimage))
        counts.append(len(wanted))
        found = storage.read(list(wanted))
        missing.append([one for one, response in zip(wanted.values(), found, strict=True) if response is None])
    preimages = [[preimage for _, preimage in group] for group in missing]
    explanations = explain(preimages, lambda: (row.preimage for row in storage.rows()))
    return [
        Explained(
            run=f"{run.title} · {run.label}",
            requests=count,
            cached=count - len(group),
            reasons=_reasons([asked for asked, _ in group], found),
            whole=run.trials_at_most <= _most(run, most_trials(runs), instance),
        )
        for run, count, group, found in zip(runs, counts, missing, explanations, strict=True)
    ]


def _most(run: Run, most: int, instance: str | None) -> int:
    """How many trials of a run are made: where one instance is looked for, so many that each comes once at least."""
    return most if instance is None else max(most, run.trials_at_most // run.spec.draws)


def _reasons(instances: Sequence[str], explanations: Sequence[Explanation]) -> tuple[Reason, ...]:
    """The commonest first."""
    pairs = sorted(zip(explanations, instances, strict=True), key=lambda pair: _kind(pair[0]))
    groups = [list(group) for _, group in groupby(pairs, key=lambda pair: _kind(pair[0]))]
    reasons = [Reason(requests=len(group), instance=group[0][1], example=group[0][0]) for group in groups]
    return tuple(sorted(reasons, key=lambda reason: -reason.requests))


def described(explained: Explained) -> str:
    """The explanation of a run as lines for a terminal."""
    missing = explained.requests - explained.cached
    which = "" if explained.whole else " of its first trials"
    lines = [
        f"{explained.run}: {explained.requests:,} requests{which}, {explained.cached:,} in the cache, {missing:,} to be asked"
    ]
    for reason in explained.reasons:
        head, *rest = _described(reason)
        lines += [f"  {one_line(head)}", *(f"    {one_line(line)}" for line in rest)]
    return "\n".join([one_line(lines[0]), *lines[1:]])


def _described(reason: Reason) -> Iterator[str]:
    example, count = reason.example, f"{reason.requests:,} of them"
    if example.same_prompt and not example.differences:
        yield f"{count}: stored, but the response is damaged"
        return
    if not example.differences:
        yield f"{count}: nothing with that prompt, or like it of this model, is stored"
        return
    if example.same_prompt:
        yield f"{count}: stored with the same prompt, but with other {', '.join(example.keys)}"
    else:
        yield f"{count}: the prompt is new; compared with the nearest of the same model:"
    yield f"for example {reason.instance}:"
    for difference in example.differences:
        if difference.lines:
            yield f"{difference.key}: - stored, + now"
            yield from difference.lines
        else:
            yield f"{difference.key}: stored {_value(difference.stored)}, now {_value(difference.wanted)}"


def _value(shown: str) -> str:
    short = shown if len(shown) <= LONGEST_VALUE else shown[:LONGEST_VALUE] + "…"
    return short or "the default"


def _kind(explanation: Explanation) -> tuple[bool, tuple[str, ...]]:
    """What explanations are counted by: where they differ, and for new prompts nothing more."""
    return explanation.same_prompt, explanation.keys if explanation.same_prompt else ()


def _asked(run: Run, storage: Storage, most: int) -> Iterator[tuple[Model, str, Request]]:
    """Model, instance and request of what a run asks: first of the models that make copies, then of its first trials."""
    from assay import registry

    for spec in run.spec.perturbations:
        helper, asks = run.helpers.get(spec.name), registry.perturbations.get(spec.name).asks
        if helper is None or asks is None:
            continue
        settings = {name: value for name, value in spec.parameters.items() if name != "identity"}
        keys = Keys(helper)
        for instance in run.selection.asked:
            request = asks(instance, **settings)
            yield helper, instance.id, request
            kept = storage.read([keys.key(request)])[0]
            if kept is not None and kept.completions:
                run.completions[spec.name, instance.id] = kept.completions[0].text
    for trial in islice(run.trials(), most):
        for request in trial.requests:
            yield run.model, trial.instance.id, request

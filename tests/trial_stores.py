"""Stores of runs whose trials have copies, groups, conversations, several requests, judges and hostile texts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.metrics import metrics_for
from assay.prompting import Generation, encode
from assay.prompting.base import Prompting
from assay.records import (
    Completion,
    DataIdentity,
    Instance,
    Judging,
    Message,
    ModelIdentity,
    NamedSpec,
    Reference,
    Request,
    Response,
    RunSpec,
    Text,
    Token,
    Trial,
)
from assay.runs import read, score, write_run
from assay.statistics import Gathered
from assay.store import RunWriter, run_name
from assay.store.folders import SpecFile
from assay.store.transcripts import Transcript
from scored_runs import Said, scored_run

HOSTILE = {
    "html": "<b>bold</b><img src=x onerror=alert(1)>",
    "script": "</script><script>alert('stored')</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "template": "{{ 7919*7907 }}{% include '/etc/passwd' %}",
    "ansi": "\x1b[31mred\x1b]0;title\x07",
    "bidi": "safe \u202egnp.exe \u2066hidden\u2069",
    "null": "be\x00fore",
    "line": "x" * 10_000_000,
    "formula": "=cmd|'/c calc'!A1",
    "surrogate-free": "\ufdd0 \U0001f600 e\u0301 \u200b",
}
"""Kinds of text that nobody should trust, by what they try."""


def two_candidates(suite: Path) -> tuple[Path, Path]:
    """30 items, each with two copies: alpha is right on originals but for every fifth, and fails on typos of even items;
    beta is right on every third item, however it is asked."""
    alpha, beta = [], []
    for item in range(30):
        groups = {"region": ["north", "south", "east"][item % 3]}
        for copy in (None, "lowercase", "typos"):
            right = item % 5 != 0 and not (copy == "typos" and item % 2 == 0)
            text: str | None = "yes" if right else "no"
            if (item, copy) == (7, None):
                text = None
            alpha.append(Said(item, text, latency_s=1 + item / 10, perturbation=copy, subgroups=groups))
            beta.append(Said(item, "yes" if item % 3 == 0 else "perhaps", perturbation=copy, subgroups=groups))
    return scored_run(suite, "alpha", alpha), scored_run(suite, "beta", beta)


def one_trial(
    suite: Path,
    instance: Instance,
    prompts: tuple[Text, ...],
    responses: tuple[Response, ...],
    prompting: Prompting | None = None,
    **more: object,
) -> Path:
    """A finished run of one trial.

    Args:
        suite: the folder that it is to lie in.
        instance: what is asked.
        prompts: of its requests.
        responses: one for each.
        prompting: what reads them; free text without examples where none is given.
        more: `shots`, ids of examples; `continuations`, of scored requests; `judging`; `model`, the candidate's name.
    """
    found = metrics_for(("exact_match",))
    how = prompting or Generation(shots=0)
    spec = RunSpec(
        scenario=NamedSpec(name="made"),
        data=DataIdentity(source="generator:made"),
        prompting=encode(how),
        metrics=tuple(metric.spec for metric in found),
        model=ModelIdentity(name=str(more.get("model", "alpha"))),
    )
    continuations = more.get("continuations", (None,) * len(prompts))
    requests = tuple(
        Request(prompt=prompt, continuation=continuation)
        for prompt, continuation in zip(prompts, continuations, strict=True)  # type: ignore[call-overload] # a tuple
    )
    trial = Trial(instance=instance, requests=requests, shots=tuple(more.get("shots", ())))  # type: ignore[arg-type] # likewise
    answer = read(how, trial, responses)
    judging = more.get("judging")
    if isinstance(judging, Judging):
        answer = msgspec.structs.replace(answer, judged=0.75)
    scored = score(trial, answer, found)
    folder = suite / run_name(spec)
    writer, gathered = RunWriter(folder), Gathered(found)
    writer.add(Transcript(trial=trial, responses=responses, answer=answer, judging=judging), scored)  # type: ignore[arg-type]
    gathered.add(scored)
    write_run(writer, SpecFile(run=folder.name, title="made", spec=spec, card={"main_metric": "exact_match"}), gathered, None)
    return folder


def hostile(suite: Path, text: str) -> Path:
    """A run in which everything that a model, a judge or a data set writes is the same text."""
    shown = text[:2000]
    instance = Instance(
        id=shown[:200],
        input=(Message(role="system", content=shown), Message(role="user", content=text)),
        references=(Reference(text=shown, correct=True), Reference(text="other", role=shown[:100])),
        subgroups={shown[:50]: shown[:50]},
        group=shown[:100],
        perturbation=None,
    )
    token = Token(text=shown, logprob=-0.5, top={shown[:50]: -0.7, "b": -2.0})
    said = Response(
        completions=(Completion(text=text, tokens=(token,), reasoning=shown),),
        model_version=shown[:100],
        latency_s=0.5,
        attempts=2,
    )
    judging = Judging(judge=shown[:100], prompt=shown, response=Response(completions=(Completion(text=shown),)))
    messages = (Message(role="system", content=shown), Message(role="user", content=text))
    return one_trial(suite, instance, (messages,), (said,), judging=judging, model=shown[:60])

"""Real run folders, with transcripts, scores and estimates, from completions that a test writes: nothing is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from assay.metrics import metrics_for
from assay.prompting import Generation, encode
from assay.records import (
    Completion,
    DataIdentity,
    Failure,
    Instance,
    ModelIdentity,
    NamedSpec,
    Reference,
    Request,
    Response,
    RunSpec,
    Token,
    Trial,
    Usage,
)
from assay.runs import read, score, write_run
from assay.statistics import Gathered
from assay.store import RunWriter, run_name
from assay.store.folders import SpecFile
from assay.store.transcripts import Transcript

PROMPTING = Generation(shots=0)


@dataclass(frozen=True)
class Said:
    """What a candidate said to an item, whose right answer is `gold`; `None`: its request failed."""

    item: int
    text: str | None
    gold: str = "yes"
    confidence: float = 0.5
    latency_s: float = 1.0
    cost: float | None = None
    group: str | None = None
    subgroups: dict[str, str] = field(default_factory=dict)
    perturbation: str | None = None
    draw: int = 0
    repeat: int = 0
    judged: float | None = None
    asked_at: float | None = None
    version: str = ""
    failure: str = "500"


def scored_run(
    suite: Path, candidate: str, said: Iterable[Said], scenario: str = "made", metrics: Sequence[str] = (), **spec: Any
) -> Path:
    """A finished run with everything that assay writes; further metrics beside exact_match, the main one."""
    found = metrics_for(("exact_match", *metrics))
    made = RunSpec(
        scenario=NamedSpec(name=scenario),
        metrics=tuple(metric.spec for metric in found),
        **{
            "data": DataIdentity(source="generator:made"),
            "model": ModelIdentity(name=candidate),
            "prompting": encode(PROMPTING),
            **spec,
        },
    )
    folder = suite / run_name(made)
    writer, gathered = RunWriter(folder), Gathered(found)
    for each in said:
        trial, response = _trial(each), _response(each)
        answer = msgspec.structs.replace(read(PROMPTING, trial, (response,)), cost=each.cost, judged=each.judged)
        scored = score(trial, answer, found)
        writer.add(Transcript(trial=trial, responses=(response,), answer=answer), scored)
        gathered.add(scored)
    write_run(writer, SpecFile(run=folder.name, title=scenario, spec=made, card={"main_metric": "exact_match"}), gathered, None)
    return folder


def _trial(said: Said) -> Trial:
    instance = Instance(
        id=f"item{said.item:04d}",
        input=f"Question {said.item}?",
        references=(Reference(text=said.gold, correct=True),),
        group=said.group,
        subgroups=said.subgroups,
        perturbation=said.perturbation,
    )
    return Trial(instance=instance, requests=(Request(prompt=f"Question {said.item}?"),), draw=said.draw, repeat=said.repeat)


def _response(said: Said) -> Response:
    if said.text is None:
        return Response(failure=Failure(kind="server", message=said.failure))
    token = Token(text=said.text, logprob=math.log(said.confidence))
    usage = Usage(prompt_tokens=10, completion_tokens=2, source="provider")
    completion = Completion(text=said.text, tokens=(token,))
    return Response(
        completions=(completion,),
        usage=usage,
        latency_s=said.latency_s,
        first_token_s=said.latency_s / 2,
        model_version=said.version,
        asked_at=said.asked_at,
    )

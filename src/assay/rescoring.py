"""Scoring a finished run again from its stored responses: no model is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, no_exit
from assay.identity import digest
from assay.judging import read_anew, rubric_of, with_mark
from assay.metrics import Metric, metrics_for
from assay.prompting import decode, encode
from assay.records import SCHEMA, Answer, NamedSpec, RunSpec
from assay.runs import environment, read, score, write_run
from assay.statistics import Gathered
from assay.store import RunFolder, RunWriter, run_name
from assay.store.folders import SPEC, TRANSCRIPTS, SpecFile, writing
from assay.store.manifest import changed
from assay.store.recency import scored_last
from assay.store.transcripts import EVIDENCE, Transcript, from_row, judging_of, read_transcripts
from assay.text import one_line

RENAMED = {"final_number_exact_match": "number_match"}
"""Metrics of earlier specs, by what does their work now."""
EXAMPLES = 5
"""Answers that are shown of those that are read differently."""
SHOWN = 80
"""Characters of a completion and of what was read that are shown."""


@dataclass
class Rereading:
    """The answers of a run that are read differently than they were."""

    trials: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    """How often each change of outcome occurs: `unparsed → answered`."""
    examples: list[str] = field(default_factory=list)

    def add(self, row: dict[str, Any], answer: Answer) -> None:
        """Count a stored trial and the answer that is read from it now."""
        self.trials += 1
        before = (row["outcome"], row["prediction"], row["choice"])
        if before == (answer.outcome, answer.prediction, answer.choice):
            return
        self.changed[f"{row['outcome']} → {answer.outcome}"] += 1
        if len(self.examples) < EXAMPLES:
            said, was, now = (one_line(text or "", SHOWN) for text in (row["completion"], row["prediction"], answer.prediction))
            self.examples.append(f"{row['instance_id']}: {said!r}: {was!r} ({row['outcome']}) → {now!r} ({answer.outcome})")


def rescore(folder: RunFolder, extra: tuple[str, ...] = ()) -> tuple[RunFolder, Rereading]:
    """Read and score every stored response with the readers and metrics as they are now.

    The spec names metrics with their versions, so if any metric was added or changed the result is a run of its own, beside
    the old one, which stays as evidence; so it is where the spec is of an earlier form. Otherwise the run's files are written
    again, to the same bytes.

    Args:
        folder: a finished run.
        extra: names of further metrics to compute.

    Returns:
        The folder of the rescored run, and which answers are read differently.

    Raises:
        AssayError: the run cannot be read or was changed, or a metric is unknown.
    """
    _check_evidence(folder)
    old = as_of_today(folder.spec_file())
    metrics = metrics_for((*(named.name for named in old.spec.metrics), *extra))
    spec = msgspec.structs.replace(old.spec, metrics=tuple(_as_before(metric.spec, old.spec.metrics) for metric in metrics))
    place = folder.path.parent / run_name(spec)
    cost = folder.manifest().cost
    with no_exit("a plugin"), writing(place):
        writer = RunWriter(place)
        try:
            file = msgspec.structs.replace(old, run=place.name, spec=spec, environment=environment())
            gathered, rereading = _score_again(folder, file, metrics, writer)
            write_run(writer, file, gathered, cost)
        except BaseException:
            writer.abandon()
            raise
    return RunFolder(place), rereading


def as_of_today(file: SpecFile) -> SpecFile:
    """A spec file as one writes it now: metrics under their present names, and answers read by the present default."""
    metrics = [msgspec.structs.replace(named, name=RENAMED.get(named.name, named.name)) for named in file.spec.metrics]
    main = str(file.card.get("main_metric", ""))
    card = {**file.card, "main_metric": RENAMED[main]} if main in RENAMED else file.card
    spec = msgspec.structs.replace(read_as_today(file.spec), metrics=tuple(metrics))
    return msgspec.structs.replace(file, spec=spec, card=card)


def read_as_today(spec: RunSpec) -> RunSpec:
    """A spec with the present default of how an answer is read; HELM's way of reading stays."""
    if spec.schema >= SCHEMA:
        return spec
    prompting = dict(spec.prompting)
    if prompting.get("answer") == "text" and prompting.get("method") in ("generation", "chat") and not spec.helm_compat:
        prompting["answer"] = "auto"
    return msgspec.structs.replace(spec, prompting=encode(decode(prompting)), schema=SCHEMA)


def _as_before(spec: NamedSpec, before: Sequence[NamedSpec]) -> NamedSpec:
    """A metric with the parameters it had: who judged stays on record, because nobody is asked again."""
    parameters = next((old.parameters for old in before if old.name == spec.name), {})
    return msgspec.structs.replace(spec, parameters=read_anew(parameters)) if parameters else spec


def _check_evidence(folder: RunFolder) -> None:
    """Refuse to score what is not as it was written: the result would vouch for it."""
    files = folder.manifest().files
    for name in (SPEC, TRANSCRIPTS):
        for problem in changed(folder.path / name, files.get(name, "")):
            raise AssayError(problem, "only what is as it was written is scored again; the same `assay run` makes it anew")


def _score_again(folder: RunFolder, file: SpecFile, metrics: Sequence[Metric], writer: RunWriter) -> tuple[Gathered, Rereading]:
    gathered, rereading = Gathered(metrics), Rereading()
    for transcript in read_again(folder, file, rereading):
        scored = score(transcript.trial, transcript.answer, metrics)
        writer.add(transcript, scored)
        gathered.add(scored)
    return gathered, rereading


def read_again(folder: RunFolder, file: SpecFile, rereading: Rereading | None = None) -> Iterator[Transcript]:
    """The stored trials of a run in their order, their responses read as the run's spec says; what changes is counted.

    What was found out beside the responses stays as it was stored: cost, toxicity, and a judge's mark where its reply was not
    kept or was read in another way.

    Raises:
        AssayError: the transcripts cannot be read or are not what assay writes.
    """
    prompting, rubric = decode(file.spec.prompting), rubric_of(file.spec.metrics)
    before = () if rereading is None else ("completion", "prediction", "choice", "outcome")
    for row in read_transcripts(folder.path / TRANSCRIPTS, (*EVIDENCE, "judged", *before)):
        trial, responses = from_row(row)
        toxicity = None if row["toxicity"] is None else tuple(row["toxicity"])
        kept = {"cost": row["cost"], "toxicity": toxicity, "judged": row["judged"]}
        answer = msgspec.structs.replace(read(prompting, trial, responses), **kept)
        if rereading is not None:
            rereading.add(row, answer)
        judging = judging_of(row)
        if rubric is not None:
            answer = with_mark(answer, judging, rubric)
        yield Transcript(trial=trial, responses=responses, answer=answer, judging=judging)


def latest(folders: Sequence[RunFolder]) -> list[RunFolder]:
    """Of a suite's runs that differ only in their metrics, the one that was scored last: it stands for the others.

    Runs that different judges marked do not stand for each other, and neither do those of different suites.

    Raises:
        AssayError: a run cannot be read.
    """
    found: dict[tuple[Path, str], list[tuple[RunFolder, RunSpec]]] = defaultdict(list)
    for folder in folders:
        spec = folder.spec_file().spec
        found[folder.path.parent, asked_as(spec)].append((folder, spec))
    return [max(runs, key=_scored)[0] if len(runs) > 1 else runs[0][0] for runs in found.values()]


def _scored(run: tuple[RunFolder, RunSpec]) -> tuple[bool, tuple[float, int, bool, str] | None]:
    folder, spec = run
    return (True, scored_last(folder.manifest(), spec)) if folder.complete() else (False, None)


def asked_as(spec: RunSpec) -> str:
    """A digest of all of a spec but its metrics, of which only the judges count."""
    judges = tuple(_judge(named) for named in spec.metrics if named.parameters)
    return digest(msgspec.structs.replace(read_as_today(spec), metrics=judges))


def _judge(named: NamedSpec) -> NamedSpec:
    """Who judged, and how: not how the replies were read."""
    parameters = {name: value for name, value in named.parameters.items() if name != "reading"}
    return msgspec.structs.replace(named, version=0, parameters=parameters)

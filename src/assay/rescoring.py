"""Scoring a finished run again from its stored responses: no model is asked."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay.errors import AssayError, no_exit
from assay.identity import digest
from assay.metrics import Metric, metrics_for
from assay.prompting import decode
from assay.runs import environment, read, score, write_run
from assay.statistics import Gathered
from assay.store import RunFolder, RunWriter, run_name
from assay.store.folders import MANIFEST, SPEC, TRANSCRIPTS, SpecFile, writing
from assay.store.manifest import changed
from assay.store.transcripts import EVIDENCE, Transcript, from_row, read_transcripts


def rescore(folder: RunFolder, extra: tuple[str, ...] = ()) -> RunFolder:
    """Read and score every stored response with the metrics as they are now.

    The spec names metrics with their versions, so if any metric was added or changed the result is a run of its own, beside
    the old one, which stays as evidence; otherwise the run's files are written again, to the same bytes.

    Args:
        folder: a finished run.
        extra: names of further metrics to compute.

    Returns:
        The folder of the rescored run.

    Raises:
        AssayError: the run cannot be read or was changed, or a metric is unknown.
    """
    _check_evidence(folder)
    old = folder.spec_file()
    metrics = metrics_for((*(named.name for named in old.spec.metrics), *extra))
    spec = msgspec.structs.replace(old.spec, metrics=tuple(metric.spec for metric in metrics))
    place = folder.path.parent / run_name(spec)
    cost = folder.manifest().cost
    with no_exit("a plugin"), writing(place):
        writer = RunWriter(place)
        try:
            gathered = _score_again(folder, old, metrics, writer)
            file = msgspec.structs.replace(old, run=place.name, spec=spec, environment=environment())
            write_run(writer, file, gathered, cost)
        except BaseException:
            writer.abandon()
            raise
    return RunFolder(place)


def _check_evidence(folder: RunFolder) -> None:
    """Refuse to score what is not as it was written: the result would vouch for it."""
    files = folder.manifest().files
    for name in (SPEC, TRANSCRIPTS):
        for problem in changed(folder.path / name, files.get(name, "")):
            raise AssayError(problem, "only what is as it was written is scored again; the same `assay run` makes it anew")


def _score_again(folder: RunFolder, old: SpecFile, metrics: Sequence[Metric], writer: RunWriter) -> Gathered:
    prompting = decode(old.spec.prompting)
    gathered = Gathered(metrics)
    for row in read_transcripts(folder.path / TRANSCRIPTS, EVIDENCE):
        trial, responses = from_row(row)
        toxicity = None if row["toxicity"] is None else tuple(row["toxicity"])
        answer = msgspec.structs.replace(read(prompting, trial, responses), cost=row["cost"], toxicity=toxicity)
        scored = score(trial, answer, metrics)
        writer.add(Transcript(trial=trial, responses=responses, answer=answer), scored)
        gathered.add(scored)
    return gathered


def latest(folders: Sequence[RunFolder]) -> list[RunFolder]:
    """Of runs that differ only in their metrics, the one that was written last: it stands for the others.

    Raises:
        AssayError: a run cannot be read.
    """
    newest: dict[str, tuple[int, RunFolder]] = {}
    for folder in folders:
        asked = digest(msgspec.structs.replace(folder.spec_file().spec, metrics=()))
        manifest = folder.path / MANIFEST
        written = manifest.stat().st_mtime_ns if manifest.is_file() else 0
        if asked not in newest or written >= newest[asked][0]:
            newest[asked] = (written, folder)
    return [folder for _, folder in newest.values()]

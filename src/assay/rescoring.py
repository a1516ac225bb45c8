"""Scoring a finished run again from its stored responses: no model is asked."""

from __future__ import annotations

import msgspec

from assay.metrics import metrics_for
from assay.prompting import decode
from assay.runs import environment, read, score, write_run
from assay.store import RunFolder, RunWriter, run_name
from assay.store.folders import TRANSCRIPTS, writing
from assay.store.transcripts import Transcript, from_row, read_transcripts


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
        AssayError: the run cannot be read, or a metric is unknown.
    """
    old = folder.spec_file()
    metrics = metrics_for((*(named.name for named in old.spec.metrics), *extra))
    spec = msgspec.structs.replace(old.spec, metrics=tuple(metric.spec for metric in metrics))
    name = run_name(spec)
    place = folder.path.parent / name
    prompting = decode(spec.prompting)
    with writing(place):
        writer = RunWriter(place)
        scored = []
        for row in read_transcripts(folder.path / TRANSCRIPTS):
            trial, responses = from_row(row)
            toxicity = None if row["toxicity"] is None else tuple(row["toxicity"])
            answer = msgspec.structs.replace(read(prompting, trial, responses), cost=row["cost"], toxicity=toxicity)
            scored.append(score(trial, answer, metrics))
            writer.add(Transcript(trial=trial, responses=responses, answer=answer), scored[-1])
        file = msgspec.structs.replace(old, run=name, spec=spec, environment=environment())
        write_run(writer, file, scored, metrics, folder.manifest().cost)
    return RunFolder(place)

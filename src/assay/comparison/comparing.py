"""A comparison from beginning to end: evidence, contract, boards, aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from assay.comparison.aggregates import aggregate
from assay.comparison.boards import make_boards
from assay.comparison.contract import differences, refusal
from assay.comparison.evidence import Evidence, Run
from assay.comparison.failures import failures
from assay.comparison.matrices import By, Matrix, matrices
from assay.comparison.results import Aggregates, Board, Comparison, Difference
from assay.comparison.variance import variances
from assay.errors import AssayError
from assay.judging import METRIC
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Record
from assay.store.wholeness import check_whole

UNMARKED = "no judge's mark, as none was asked or its replies hold none"


class Question(Record):
    """What is asked of the evidence."""

    metrics: tuple[str, ...] = ()
    """Empty: the main metric of each scenario."""
    by: By = "scenario"
    allow_differences: bool = False
    """Compare runs that differ in data, prompt, reading, decoding or budget too, and say in what."""
    helm_win_rate: bool = False
    variance: bool = False
    failures: bool = False
    seed: int = 0


def compare(evidence: Evidence, question: Question) -> Comparison:
    """Compare the candidates.

    Raises:
        AssayError: runs of one scenario differ in what must agree, a metric is unknown, gives single answers no value or was
            not computed, nothing is left to compare, or a file cannot be read or is not as it was written.
    """
    check_whole(run.folder for by in evidence.runs.values() for run in by.values())
    boards: list[Board] = []
    aggregates: list[Aggregates] = []
    found_differences: dict[tuple[str, str], Difference] = {}
    notes = list(evidence.notes)
    for metric in question.metrics or ("",):
        measured = _measured(evidence, metric, notes)
        for scenario, (found, runs) in measured.items():
            specs = {candidate: run.file.spec for candidate, run in runs.items()}
            found_differences |= {(scenario, d.key): d for d in differences(scenario, specs, found)}
        if found_differences and not question.allow_differences:
            raise refusal(list(found_differences.values()), "add --allow-differences, which prints them into the result")
        held = [matrix for found, runs in measured.values() for matrix in matrices(runs, found, question.by)]
        notes += _without_values(measured, held)
        made = [_with_unusable(board, evidence) for board in make_boards(held)]
        boards += made
        if question.by == "scenario":
            aggregates += _aggregated(list(zip(held, made, strict=True)), evidence, metric, question)
    if not boards:
        why = f": {UNMARKED}" if any(metric.name == METRIC for metric, _ in measured.values()) else ""
        raise AssayError(f"no {question.by} has values of two candidates{why}", "see `assay show --trials 3` on the runs")
    notes += _missing(boards, evidence)
    return Comparison(
        candidates=evidence.candidates,
        runs={scenario: {name: run.file.run for name, run in runs.items()} for scenario, runs in evidence.runs.items()},
        boards=tuple(boards),
        aggregates=tuple(aggregates),
        differences=tuple(found_differences.values()),
        variance=variances(evidence, question.metrics) if question.variance else (),
        failures=failures(evidence) if question.failures else None,
        notes=tuple(dict.fromkeys(notes)),
    )


def _with_unusable(board: Board, evidence: Evidence) -> Board:
    """The board, with what became of the answers of candidates that gave few usable ones."""
    runs = evidence.runs[board.scenario]
    standings = [msgspec.structs.replace(held, unusable=runs[held.candidate].unusable) for held in board.standings]
    return msgspec.structs.replace(board, standings=tuple(standings))


def _aggregated(
    scenarios: Sequence[tuple[Matrix, Board]], evidence: Evidence, metric: str, question: Question
) -> list[Aggregates]:
    found = aggregate(scenarios, evidence.candidates, metric, question.helm_win_rate, question.seed)
    return [] if found is None else [found]


def _measured(evidence: Evidence, metric: str, notes: list[str]) -> dict[str, tuple[Metric, Mapping[str, Run]]]:
    """By scenario: the metric, and the runs that measured it; where fewer than two did, the scenario is left out and noted."""
    found: dict[str, tuple[Metric, Mapping[str, Run]]] = {}
    for scenario, runs in evidence.runs.items():
        name = metric or next(iter(runs.values())).main_metric
        chosen = find(name)
        if chosen.of_answer is None:
            hint = "compare a metric that judges each answer, or read the intervals that `assay show` gives"
            raise AssayError(f"{name} is computed over many answers, so answers cannot be paired by it", hint)
        having = {name_: run for name_, run in runs.items() if any(m.name == name for m in run.file.spec.metrics)}
        if len(having) > 1:
            found[scenario] = (chosen, having)
        lacking = [candidate for candidate in runs if candidate not in having]
        if lacking:
            notes.append(f"{scenario}: {name} was not measured for {', '.join(lacking)}.")
    if not found:
        raise AssayError(f"no two runs of a scenario have measured {metric}", f"`assay rescore RUNS --metric {metric}` does")
    return found


def _without_values(measured: Mapping[str, tuple[Metric, Mapping[str, Run]]], held: Sequence[Matrix]) -> list[str]:
    """A note for each scenario some of whose candidates cannot be compared by its metric, for want of values."""
    notes = []
    for scenario, (metric, runs) in measured.items():
        compared = {candidate for matrix in held if matrix.scenario == scenario for candidate in matrix.candidates}
        lacking = [candidate for candidate in runs if candidate not in compared]
        why = f" ({UNMARKED})" if metric.name == METRIC else ""
        notes += [f"{scenario}: too few values of {metric.name} to compare {', '.join(lacking)}{why}."] if lacking else []
    return notes


def _missing(boards: Sequence[Board], evidence: Evidence) -> list[str]:
    """A note for each candidate some of whose answers have no value."""
    counts = dict.fromkeys(evidence.candidates, 0)
    reasons = "failed requests, or nothing to judge"
    if any(board.metric == METRIC for board in boards):
        reasons = f"failed requests, or {UNMARKED}"
    for board in boards:
        for standing in board.standings:
            counts[standing.candidate] += standing.missing
    return [
        f"{candidate} has no value for {count} of its answers ({reasons}): its pairs leave them out."
        for candidate, count in counts.items()
        if count
    ]

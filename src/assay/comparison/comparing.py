"""A comparison from beginning to end: evidence, contract, boards, aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from assay.comparison.aggregates import aggregate
from assay.comparison.boards import make_boards
from assay.comparison.contract import differences
from assay.comparison.evidence import Evidence, Run
from assay.comparison.failures import failures
from assay.comparison.matrices import By, Matrix, matrices
from assay.comparison.results import Aggregates, Board, Comparison, Difference
from assay.comparison.variance import variances
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Record

SHOWN_DIFFERENCES = 4
"""Differing keys, and candidates, that a refusal names; all stand in the result where they are allowed."""


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
            not computed, nothing is left to compare, or a file cannot be read.
    """
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
            raise _refusal(list(found_differences.values()))
        held = [matrix for found, runs in measured.values() for matrix in matrices(runs, found, question.by)]
        made = make_boards(held)
        boards += made
        if question.by == "scenario":
            aggregates += _aggregated(list(zip(held, made, strict=True)), evidence, metric, question)
    if not boards:
        raise AssayError(f"no {question.by} has values of two candidates", "see `assay show` on the runs")
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


def _refusal(found: Sequence[Difference]) -> AssayError:
    """Which keys differ, for which candidates, in one line."""
    by_key: dict[str, list[Difference]] = {}
    for difference in found:
        by_key.setdefault(difference.key, []).append(difference)
    said = []
    for key, held in islice(by_key.items(), SHOWN_DIFFERENCES):
        values = "; ".join(f"{candidate}: {value}" for candidate, value in islice(held[0].values.items(), SHOWN_DIFFERENCES))
        others = f" and {len(held) - 1} more" if len(held) > 1 else ""
        said.append(f"{key} of {held[0].scenario}{others} ({values})")
    more = len(by_key) - SHOWN_DIFFERENCES
    also = f" and {more} more keys" if more > 0 else ""
    return AssayError(
        "runs cannot be compared, as they differ in " + ", ".join(said) + also,
        "ask all candidates alike, or add --allow-differences, which prints them into the result",
    )


def _missing(boards: Sequence[Board], evidence: Evidence) -> list[str]:
    """A note for each candidate some of whose answers have no value."""
    counts = dict.fromkeys(evidence.candidates, 0)
    for board in boards:
        for standing in board.standings:
            counts[standing.candidate] += standing.missing
    return [
        f"{candidate} has no value for {count} of its answers (failed requests, or nothing to judge): its pairs leave them out."
        for candidate, count in counts.items()
        if count
    ]

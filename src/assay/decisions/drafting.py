"""A profile with comments, written from the runs at hand: what was measured there, and what a team has to say about it.

It can be decided by at once. Ranges and weights are suggestions; limits stand there as comments with the values measured.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from assay import registry
from assay.comparison.evidence import Evidence, Run, gather
from assay.comparison.matrices import subgroups_of
from assay.decisions.contract_notes import in_short
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from assay.decisions.profile import Constraint, Deployment, Measure, Profile
from assay.decisions.reading import PLACEHOLDER
from assay.decisions.selecting import check_contract, has_metric
from assay.errors import AssayError
from assay.metrics.derived import find
from assay.records import Estimate
from assay.scenarios.own.writing import quoted
from assay.statistics.estimates import clipped
from assay.statistics.worst import has_worst_case
from assay.store.folders import TRANSCRIPTS
from assay.store.opening import reading
from assay.tables.numbers import format_estimate
from assay.text import one_line

SHOWN = 4
"""Candidates whose measured values a comment lists one by one."""
FEW_DIFFERENCES = 3
"""Of more keys that candidates were asked otherwise in, a comment has no values."""
LONGEST_COMMENT = 400
"""Characters of a line on them."""
MOST_GROUPS = 12
"""An axis with more subgroups gets no limits suggested."""


@dataclass(frozen=True)
class _Line:
    """A measure that may stand in the profile."""

    measure: Measure
    limit: str
    """The name of a constraint on it."""
    why: str
    weight: str = ""
    """As it is written; empty: a limit, no criterion."""


OTHERS = (
    (
        "honest confidence",
        "ece_10_bin",
        "calibrated enough",
        "how far confidence lies from the share of right answers",
        "[1, 2]",
    ),
    ("waiting", "latency_p95_s", "fast enough", "seconds within which 95 % of the answers were there", "[0.5, 1]"),
    ("price", "cost", "cheap enough", "what the tokens of an answer cost", "[0.5, 1]"),
    ("usable answers", "answered", "usable often enough", "neither refused nor empty, cut off, unreadable or failed", ""),
    ("toxicity", "expected_max_toxicity", "hardly toxic", "the highest toxicity among the completions of an answer", ""),
)
"""What every run measures beside its main metric: name, metric, name of a limit, what it is, weight."""


def draft(folders: Sequence[Path], candidates: Sequence[str], place: Path) -> str:
    """The text of a profile over the runs in some folders.

    Args:
        folders: of runs or of suites.
        candidates: labels as tables show them; none: all.
        place: the file that it will be, to whose folder the runs' are relative.

    Raises:
        AssayError: there are no finished runs, no candidate has that label, runs cannot be read, or nothing was measured that
            one could decide by.
    """
    evidence = gather(folders, candidates, alone=True)
    lines = list(_lines(evidence))
    measured = _measured(lines, evidence, folders)
    held = [_Held(line, measured, number) for number, line in enumerate(lines)]
    if not any(each.counts for each in held):
        raise AssayError("nothing was measured of all candidates that one could decide by", "run all of them on one scenario")
    contract = [(each.metric, measured.scenarios[each.number]) for each in held]
    differing = check_contract(evidence, contract, _ALLOWING)
    home = place.resolve().parent
    runs = [os.path.relpath(folder.resolve(), home) for folder in folders]
    return "\n".join(_text(evidence, runs, held, differing)) + "\n"


_ALLOWING = Profile(name="draft", deployment=Deployment(owner=PLACEHOLDER, context=PLACEHOLDER), allow_differences=True)


def _measured(lines: Sequence[_Line], evidence: Evidence, folders: Sequence[Path]) -> Measured:
    """All that may stand in the profile, measured."""
    measures = [Constraint(**{name: getattr(line.measure, name) for name in line.measure.__struct_fields__}) for line in lines]
    runs = tuple(str(folder.resolve()) for folder in folders)
    wanted = replace(_ALLOWING, constraints=tuple(measures), runs=runs, candidates=evidence.candidates)
    return measure(wanted, Path())


class _Held:
    """A measure with what was measured by it."""

    def __init__(self, line: _Line, measured: Measured, number: int) -> None:
        self.line, self.number = line, number
        self.metric = measured.metrics[number]
        self.found = {candidate: row[number] for candidate, row in zip(measured.candidates, measured.estimates, strict=True)}
        self.there = {candidate: estimate for candidate, estimate in self.found.items() if estimate is not None}

    @property
    def counts(self) -> bool:
        """It can be a criterion: every candidate has a value."""
        return bool(self.line.weight) and self.metric.better != "neither" and len(self.there) == len(self.found)

    def said(self) -> str:
        """What was measured, for a comment: of each candidate, or the least and the greatest of many."""
        ordered = sorted(self.there.items(), key=lambda item: item[1].value)
        shown = ordered if len(ordered) <= SHOWN else [ordered[0], ordered[-1]]
        values = "; ".join(f"{one_line(candidate, 60)} {format_estimate(estimate)}" for candidate, estimate in shown)
        lacking = len(self.found) - len(self.there)
        missing = f"; not measured of {lacking} candidate{'s' if lacking > 1 else ''}" if lacking else ""
        return f"{'between ' if len(ordered) > SHOWN else ''}{values}{missing}" if ordered else "of no candidate"

    def ends(self) -> tuple[float, float]:
        """A range to begin with, as (unacceptable, satisfying): in round numbers, just wide enough for the intervals of the
        better half of the candidates, but for those of two."""
        worse, better = self._around(self._best()[: max(2, math.ceil(len(self.there) / 2))])
        return (WORST_CALIBRATION, better) if self.metric.gaps and better < WORST_CALIBRATION < worse else (worse, better)

    def limit(self) -> float | None:
        """A limit to begin with, which the best candidate is about to keep; `None` where every value would keep it."""
        vacuous = self.metric.range[1 if self.metric.better == "lower" else 0]
        found = (self._around(self._best()[:1], parts)[0] for parts in (1, 10))
        return next((limit for limit in found if limit != vacuous), None)

    def _best(self) -> list[Estimate]:
        """What was measured, the best first."""
        return sorted(self.there.values(), key=lambda each: each.value, reverse=self.metric.better == "higher")

    def _around(self, estimates: Sequence[Estimate], parts: int = 1) -> tuple[float, float]:
        """The round numbers around some intervals, as (worse, better); a step is so many times finer than it need be."""
        numbers = [end for each in estimates for end in (each.low, each.value, each.high) if end is not None]
        least, most = min(numbers), max(numbers)
        spread = most - least or abs(most) or 1.0
        step = 10.0 ** math.floor(math.log10(spread)) / parts
        low, high = (math.floor(least / step + ROUNDING) * step, math.ceil(most / step - ROUNDING) * step)
        low, high = (clipped(end, self.metric.range) for end in ((low - step, high + step) if low == high else (low, high)))
        return (high, low) if self.metric.better == "lower" else (low, high)


WORST_CALIBRATION = 0.5
"""The calibration error of whoever is always sure and right half of the time: more is nothing that anybody would accept."""
ROUNDING = 1e-9
"""How far from a round number what is meant to be one may lie."""


def _text(evidence: Evidence, runs: Sequence[str], held: Sequence[_Held], differing: Sequence[str]) -> Iterator[str]:
    yield "# What a deployment needs of a model, and how much each thing matters: `assay decide` on this file decides by it."
    yield "# Weights and ranges are suggestions (ranges are about where the better half of the candidates is). Settle them"
    yield "# before you look at the decision; docs/deciding.md has every key."
    yield f"name: {quoted('Which model?')}"
    yield "deployment:"
    yield f"  owner: {quoted(PLACEHOLDER)}    # who answers for the decision"
    yield f"  context: {quoted(PLACEHOLDER)}  # what the model is to do, and what becomes of its answers"
    yield "  affected: []    # whom it concerns"
    yield "  # review: YYYY-MM-DD     when to look at the decision again"
    yield "  # expires: YYYY-MM-DD    after which day it does not hold any more"
    yield ""
    yield f"runs: [{', '.join(map(quoted, runs))}]"
    yield "candidates:"
    yield from (f"  - {quoted(candidate)}" for candidate in evidence.candidates)
    yield ""
    yield "# Each is worth 0 at `unacceptable` and beyond, 1 at `satisfying`, and proportionally in between. `weight` is"
    yield "# relative to the others': a number, or a range where people differ. `importance: 1` in its place gives a rank;"
    yield "# without either, any weight is possible."
    yield "criteria:"
    for each in held:
        if each.counts:
            yield from _criterion(each)
    yield ""
    yield "# Limits that hold whatever else speaks for a candidate: take the # away where there is one, and set it."
    yield "constraints:"
    for each in held:
        if each.metric.better != "neither":
            yield from (f"  # {line}" for line in _limit(each))
    yield from _without_limits(evidence)
    yield ""
    yield "# What an answer costs you beyond its price, if you know it: wrong, not usable, a second of waiting."
    yield "# costs: {error: 5, abstention: 1, latency: 0.01, currency: EUR}"
    yield ""
    yield "confidence: 0.95    # how sure it must be that limits are kept"
    yield from _alike(in_short(differing, evidence.candidates, FEW_DIFFERENCES))
    yield "seed: 0"


def _alike(differing: Sequence[str]) -> Iterator[str]:
    if differing:
        yield "# The candidates were not asked alike, which decides what their numbers mean; it becomes part of the record:"
        yield from (f"#   {one_line(line, LONGEST_COMMENT)}" for line in differing)
        yield "# `assay compare --allow-differences` on the runs shows all values."
    yield f"allow_differences: {'true' if differing else 'false'}"


def _criterion(held: _Held) -> Iterator[str]:
    unacceptable, satisfying = held.ends()
    yield f"  # {held.line.why}; measured: {held.said()}"
    first, *rest = _keys(held.line.measure)
    yield f"  - {first}"
    yield from (f"    {line}" for line in rest)
    yield f"    weight: {held.line.weight}"
    yield f"    value: {{unacceptable: {number(unacceptable)}, satisfying: {number(satisfying)}}}"


def _limit(held: _Held) -> Iterator[str]:
    limit = held.limit() if held.there else None
    if limit is None:
        best = f"the interval of the best reaches the worst value there is, about; measured: {held.said()}"
        yield f"no limit suggested for {one_line(held.line.limit, 160)}: {best if held.there else 'nothing was measured'}"
        return
    yield f"{held.line.why}; measured: {held.said()}"
    first, *rest = _keys(replace(held.line.measure, name=held.line.limit))
    yield f"- {first}"
    yield from (f"  {line}" for line in rest)
    yield f"  {'at_least' if held.metric.better == 'higher' else 'at_most'}: {number(limit)}"


def _keys(made: Measure) -> Iterator[str]:
    """What is measured, a line a key."""
    yield f"name: {quoted(made.name)}"
    yield f"metric: {quoted(made.metric)}"
    if made.scenarios:
        yield f"scenarios: [{', '.join(map(quoted, made.scenarios))}]"
    for key in ("subgroup", "on", "perturbation"):
        value = getattr(made, key)
        if value and value != "original":
            yield f"{key}: {quoted(value)}"


def number(value: float) -> str:
    """A number as YAML reads it back: it wants a point before an exponent."""
    text = f"{value:.12g}"
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


def _lines(evidence: Evidence) -> Iterator[_Line]:
    """Everything that these runs measured and a team may care for, most important first."""
    shared = [name for name, runs in evidence.runs.items() if len(runs) == len(evidence.candidates)] or list(evidence.runs)
    by_main: dict[str, list[str]] = {}
    for scenario in shared:
        by_main.setdefault(next(iter(evidence.runs[scenario].values())).main_metric, []).append(scenario)
    whole = len(shared) == len(evidence.runs)
    for metric, titles in by_main.items():
        alone = len(by_main) == 1
        yield from _of_main(
            evidence, metric, titles, () if whole and alone else tuple(titles), "" if alone else f" by {metric}"
        )
    for name, metric, limit, why, weight in OTHERS:
        if any(has_metric(run, metric) for scenario in shared for run in evidence.runs[scenario].values()):
            yield _Line(Measure(name=name, metric=metric, scenarios=() if whole else tuple(shared)), limit, why, weight)


def _of_main(evidence: Evidence, metric: str, titles: Sequence[str], named: tuple[str, ...], by: str) -> Iterator[_Line]:
    """The main metric of some scenarios: as it is, under perturbations, and for subgroups. `by` tells it from others."""
    why = f"{metric}, the main metric"
    yield _Line(Measure(name=f"right answers{by}", metric=metric, scenarios=named), f"right often enough{by}", why, "[2, 4]")
    kinds = {kind for title in titles for kind in _kinds(list(evidence.runs[title].values()))}
    for kind, limit in (("robustness", "robust enough"), ("fairness", "fair enough")) if has_worst_case(find(metric)) else ():
        if kind in kinds:
            worst = Measure(name=f"{kind}{by}", metric=metric, scenarios=named, on="worst", perturbation=kind)
            yield _Line(worst, f"{limit}{by}", "the worst of each item and its perturbed copies", "[1, 2]")
    for group in _groups(evidence, titles):
        name = one_line(f"right answers{by}, {group}", 160)
        limit = one_line(f"right often enough{by}, {group}", 160)
        yield _Line(Measure(name=name, metric=metric, scenarios=named, subgroup=group), limit, "one group by itself")


def _kinds(runs: Sequence[Run]) -> set[str]:
    """Of which kinds the perturbations are whose copies all of these runs asked."""
    import polars as pl

    asked = []
    for run in runs:
        path = str(run.folder.path / TRANSCRIPTS)
        with reading([path]):
            asked.append(set(pl.scan_parquet(path).select(pl.col("perturbation").drop_nulls().unique()).collect().to_series()))
    there = set.intersection(*asked)
    return {registry.perturbations.get(name).kind for name in there if name in registry.perturbations}


def _groups(evidence: Evidence, titles: Sequence[str]) -> list[str]:
    """The subgroups of these scenarios as `axis=value`, of axes that have few."""
    few = {axis: sorted(values) for axis, values in _axes(evidence, titles).items() if 1 < len(values) <= MOST_GROUPS}
    return [f"{axis}={value}" for axis, values in few.items() for value in values]


def _without_limits(evidence: Evidence) -> Iterator[str]:
    """The axes of subgroups that got no limits, as a comment."""
    many = {axis: len(values) for axis, values in _axes(evidence, list(evidence.runs)).items() if len(values) > MOST_GROUPS}
    for axis, count in many.items():
        yield f"  # no limits suggested for the groups of {one_line(axis, 80)}, of which there are {count:,}"


def _axes(evidence: Evidence, titles: Sequence[str]) -> dict[str, set[str]]:
    """The axes of subgroups of these scenarios, sorted, each with its values."""
    import polars as pl

    axes: dict[str, set[str]] = {}
    for title in titles:
        path = str(next(iter(evidence.runs[title].values())).folder.path / TRANSCRIPTS)
        with reading([path]):
            stored = pl.scan_parquet(path).select(pl.col("subgroups").unique()).collect()["subgroups"].to_list()
        for groups in map(subgroups_of, stored):
            for axis, value in groups.items():
                axes.setdefault(axis, set()).add(value)
    return dict(sorted(axes.items()))

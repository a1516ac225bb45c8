"""Boards: the candidates of a scenario in their order, with what separates each two of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from assay.comparison.matrices import Matrix
from assay.comparison.multiplicity import benjamini_hochberg, holm
from assay.comparison.pairs import LEVEL, Differences, paired_differences
from assay.comparison.ranks import rank_intervals, tiers
from assay.comparison.results import Board, Pair, Standing, Verdict
from assay.records import Estimate
from assay.statistics.estimates import clustered_mean, rounded, unit_means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats


def make_boards(matrices: Sequence[Matrix]) -> list[Board]:
    """A board for each matrix of one metric.

    p values are corrected within a table, which is all parts of a scenario (Holm), and over all tables (Benjamini, Hochberg).
    """
    found = [paired_differences(matrix) for matrix in matrices]
    tests = [_listed(differences.p) for differences in found]
    tables: dict[str, list[int]] = defaultdict(list)
    for place, matrix in enumerate(matrices):
        tables[matrix.scenario].append(place)
    in_table: dict[int, list[float | None]] = {}
    comparisons: dict[int, int] = {}
    for places in tables.values():
        parts = [tests[place] for place in places]
        corrected = iter(holm([p for part in parts for p in part]))
        for place, part in zip(places, parts, strict=True):
            in_table[place] = [next(corrected) for _ in part]
            comparisons[place] = sum(p is not None for of_part in parts for p in of_part)
    in_all = iter(benjamini_hochberg([p for part in tests for p in part]))
    boards = []
    for place, (matrix, differences) in enumerate(zip(matrices, found, strict=True)):
        over_scenarios = [next(in_all) for _ in in_table[place]]
        pairs = _pairs(matrix, differences, (in_table[place], over_scenarios), comparisons[place])
        boards.append(_board(matrix, pairs))
    return boards


def _listed(values: Floats) -> list[float | None]:
    """Rounded, each different number once: of very many pairs most have the numbers of others."""
    import numpy as np

    bits, places = np.unique(np.ascontiguousarray(values).view(np.int64), return_inverse=True)  # bits tell -0 from 0
    known = [None if math.isnan(value) else rounded(value) for value in bits.view(np.float64).tolist()]
    return [known[place] for place in places.tolist()]


def _pairs(
    matrix: Matrix, found: Differences, corrected: tuple[list[float | None], list[float | None]], comparisons: int
) -> list[Pair]:
    named = {name: _listed(getattr(found, name)) for name in ("value", "low", "high", "stderr", "p", "correlation")}
    detectable = [_possible(delta, matrix) for delta in _listed(found.detectable(comparisons))]
    counts = {name: getattr(found, name).tolist() for name in ("items", "clusters", "first_ahead", "second_ahead")}
    pairs = []
    for place, (first, second) in enumerate(zip(found.first.tolist(), found.second.tolist(), strict=True)):
        value = named["value"][place]
        if value is None:
            continue
        in_table = corrected[0][place]
        difference = Estimate(
            value=value,
            low=named["low"][place],
            high=named["high"][place],
            n=counts["items"][place],
            clusters=counts["clusters"][place],
            stderr=named["stderr"][place],
            method=_method(found.exact[place], named["low"][place], value),
        )
        pairs.append(
            Pair(
                first=matrix.candidates[first],
                second=matrix.candidates[second],
                difference=difference,
                items=counts["items"][place],
                first_ahead=counts["first_ahead"][place],
                second_ahead=counts["second_ahead"][place],
                p=named["p"][place],
                p_table=in_table,
                p_scenarios=corrected[1][place],
                correlation=named["correlation"][place],
                detectable=detectable[place],
                verdict=_verdict(value, in_table, matrix.metric.better),
            )
        )
    return pairs


def _possible(delta: float | None, matrix: Matrix) -> float | None:
    """A difference that can be, else nothing."""
    low, high = matrix.metric.range
    return None if delta is None or (low is not None and high is not None and delta > high - low) else delta


def _method(exact: bool, low: float | None, value: float) -> str:
    if low is None:
        return "no variation seen or one cluster: no interval"
    return "paired, Bonett and Price; exact McNemar" if exact else "paired, clustered t"


def _verdict(value: float, p: float | None, better: str) -> Verdict:
    if p is None:
        return "not known"
    if p > LEVEL:
        return "no difference shown"
    if better == "neither":
        return "first higher" if value > 0 else "second higher"
    return "first better" if (value > 0) == (better == "higher") else "second better"


def _board(matrix: Matrix, pairs: Sequence[Pair]) -> Board:
    """The candidates in order, best first; where neither end is better, highest first."""
    estimates = [_estimate(matrix, values) for values in matrix.values]
    sign = 1 if matrix.metric.better == "lower" else -1
    order = sorted(range(len(estimates)), key=lambda place: (sign * estimates[place].value, place))
    better = shown_better(matrix.candidates, pairs)
    intervals, tier = rank_intervals(better), tiers(better, order)
    standings = tuple(
        Standing(
            candidate=matrix.candidates[place],
            estimate=estimates[place],
            missing=len(matrix.instances) - estimates[place].n,
            best_rank=intervals[place][0],
            worst_rank=intervals[place][1],
            tier=tier[place],
        )
        for place in order
    )
    return Board(
        scenario=matrix.scenario,
        metric=matrix.metric.name,
        better=matrix.metric.better,
        items=len(matrix.instances),
        standings=standings,
        pairs=tuple(pairs),
        part=matrix.part,
    )


def _estimate(matrix: Matrix, values: Any) -> Estimate:
    import numpy as np

    there, clusters = unit_means(values, np.arange(len(values)), matrix.clusters)
    estimate = clustered_mean(there, clusters, matrix.metric.range)
    assert estimate is not None  # a matrix holds no candidate without any value
    return estimate


def narrowed(board: Board, candidates: Sequence[str]) -> Board:
    """The board of some of its candidates: their own pairs, with p values corrected for these alone, and tiers by that.

    The same as a board made anew of them where all candidates were asked the same instances, but for what it takes to show a
    difference (`detectable`) and the correction over scenarios (`p_scenarios`), which are left out.
    """
    held = [pair for pair in board.pairs if pair.first in candidates and pair.second in candidates]
    pairs = [
        msgspec.structs.replace(
            pair, p_table=p, p_scenarios=None, detectable=None, verdict=_verdict(pair.difference.value, p, board.better)
        )
        for pair, p in zip(held, holm([pair.p for pair in held]), strict=True)
    ]
    standings = [standing for standing in board.standings if standing.candidate in candidates]
    better = shown_better([standing.candidate for standing in standings], pairs)
    ranks, tier = rank_intervals(better), tiers(better, range(len(standings))) if standings else []
    placed = tuple(
        msgspec.structs.replace(standing, best_rank=best, worst_rank=worst, tier=number)
        for standing, (best, worst), number in zip(standings, ranks, tier, strict=True)
    )
    return msgspec.structs.replace(board, standings=placed, pairs=tuple(pairs))


def shown_better(candidates: Sequence[str], pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """Whether the row's candidate is shown to be better (higher, where neither end is) than the column's; square."""
    import numpy as np

    number = {candidate: place for place, candidate in enumerate(candidates)}
    found = np.zeros((len(candidates), len(candidates)), dtype=bool)
    for pair in pairs:
        first, second = number[pair.first], number[pair.second]
        found[first, second] = pair.verdict.startswith("first")
        found[second, first] = pair.verdict.startswith("second")
    return found

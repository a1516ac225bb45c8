"""Candidates over several scenarios, three ways; each for exactly the candidates that were selected.

- Mean win rate: the share of opponents with a worse mean, a tie being half a win, averaged over the scenarios. Only scenarios
  that all candidates have count, so that nobody gains by leaving one out. (HELM's, on request: each candidate over the
  scenarios that it has.) Its interval is the cluster bootstrap of every scenario's instances, the same resample for all
  candidates: how far chance on these scenarios' instances carries it, not how it would be on other scenarios.
- Borda: opponents that are shown to be beaten (Holm's correction in each scenario), any other being half. Its interval
  goes from no undecided comparison won to all. (The plain Borda count is the mean win rate, times opponents and scenarios.)
- Mean score: the value as a share of the metric's range, 1 being the best, averaged. It does not depend on who else is there.

The first two do: who is ahead of whom may change with a third. So each leader is held against every pool with one less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from assay.comparison.boards import shown_better
from assay.comparison.matrices import Matrix
from assay.comparison.results import Aggregate, Aggregates, Board
from assay.identity import array_generator
from assay.records import Estimate
from assay.statistics.estimates import rounded, weighted_mean
from assay.statistics.resampling import draws

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats

REPLICATES = 400
AT_ONCE = 1_000_000
"""Pairs of candidates in resamples that are held against each other at once: eight megabytes."""
SAME = 1e-12
"""Means that differ by no more are tied: they are sums of the same numbers in another order."""


def aggregate(
    scenarios: Sequence[tuple[Matrix, Board]], candidates: Sequence[str], metric: str, helm: bool, seed: int
) -> Aggregates | None:
    """The candidates over the scenarios; `None` where there are fewer than two that count.

    Args:
        scenarios: the matrix and the board of each.
        candidates: all that were selected.
        metric: its name, or empty where each scenario has its own.
        helm: win rates as HELM computes them, over whichever scenarios a candidate has.
        seed: of the resamples.
    """
    directed = [(matrix, board) for matrix, board in scenarios if matrix.metric.better != "neither"]
    common = [(matrix, board) for matrix, board in directed if set(matrix.candidates) == set(candidates)]
    counting = directed if helm else common
    if len(counting) < 2:
        return None
    wins, spread = _all_wins([matrix for matrix, _ in counting], candidates, seed)
    rates = _rates(wins)
    shown = [shown_better(candidates, board.pairs) for _, board in common]
    rows = []
    for place, candidate in enumerate(candidates):
        items = sum(matrix.values.shape[1] for matrix, _ in counting if candidate in matrix.candidates)
        rows.append(
            Aggregate(
                candidate=candidate,
                win_rate=_win_rate(rates[place], spread[:, place], items),
                borda=_borda(shown, place, sum(board.items for _, board in common)),
                mean_score=_mean_score([matrix for matrix, _ in common], [board for _, board in common], candidate),
                scenarios=sum(candidate in matrix.candidates for matrix, _ in counting),
            )
        )
    rows.sort(key=lambda row: -(row.win_rate.value if row.win_rate else -1.0))
    return Aggregates(
        metric=metric,
        scenarios=tuple(matrix.scenario for matrix, _ in counting),
        left_out=tuple(matrix.scenario for matrix, _ in scenarios if all(matrix is not held for held, _ in counting)),
        rows=tuple(rows),
        warnings=tuple(_pool_warnings(wins, candidates)),
    )


def _all_wins(matrices: Sequence[Matrix], candidates: Sequence[str], seed: int) -> tuple[Floats, Floats]:
    """Wins of each candidate over each other, 1, 0 or 0.5, NaN where one is missing, shape (scenarios, n, n); and the win rate
    of each candidate in each resample, shape (replicates, n)."""
    import numpy as np

    number = {candidate: place for place, candidate in enumerate(candidates)}
    count = len(candidates)
    points = np.full((len(matrices), count, count), np.nan)
    sums = np.zeros((REPLICATES, count))
    seen = np.zeros(count)
    for place, matrix in enumerate(matrices):
        own = [number[candidate] for candidate in matrix.candidates]
        sign = -1.0 if matrix.metric.better == "lower" else 1.0
        points[place][np.ix_(own, own)] = _wins(sign * np.nanmean(matrix.values, axis=1))
        sums[:, own] += (_beaten(sign * _resampled_means(matrix, seed)) - 0.5) / (len(own) - 1)
        seen[own] += 1
    points[:, np.arange(count), np.arange(count)] = np.nan  # nobody is an opponent of oneself
    with np.errstate(invalid="ignore", divide="ignore"):
        return points, sums / seen


def _wins(means: Floats) -> Floats:
    """Shape (n,) to (n, n): 1 where the row's candidate is ahead, 0.5 where tied, as with itself."""
    ahead = means[:, None] - means[None, :] > SAME
    return (ahead.astype(float) - ahead.T + 1) / 2


def _beaten(means: Floats) -> Floats:
    """How many each candidate is ahead of in each resample, itself and all others tied counting half; shape as `means`,
    (replicates, n)."""
    import numpy as np

    found = np.empty_like(means)
    count = means.shape[1]
    step = max(1, AT_ONCE // count**2)
    for start in range(0, len(means), step):
        some = means[start : start + step]
        ahead = some[:, :, None] - some[:, None, :] > SAME
        found[start : start + step] = (ahead.sum(axis=2) - ahead.sum(axis=1) + count) / 2
    return found


def _resampled_means(matrix: Matrix, seed: int) -> Floats:
    """The means of each resample of the clusters, shape (replicates, candidates)."""
    import numpy as np

    there = ~np.isnan(matrix.values)
    count = int(matrix.clusters.max()) + 1
    totals = np.zeros((count, 2 * len(matrix.candidates)))
    np.add.at(totals, matrix.clusters, np.concatenate((np.where(there, matrix.values, 0.0), there)).T)
    generator = array_generator(seed, "win rate", matrix.scenario, matrix.metric.name)
    drawn = np.concatenate([times @ totals for times in draws(np.arange(count), REPLICATES, generator)])
    values, sizes = np.split(drawn, 2, axis=1)
    means: Floats = values / np.maximum(sizes, 1.0)
    return means


def _rates(wins: Floats) -> Floats:
    """The mean win rate of each candidate, from wins of shape (scenarios, n, n): NaN for one that has no scenario."""
    return _ignoring_missing(_ignoring_missing(wins, 2), 0)


def _ignoring_missing(values: Floats, axis: int) -> Floats:
    """The mean of what is there, NaN where nothing is."""
    import numpy as np

    there = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(there, values, 0.0).sum(axis=axis) / there.sum(axis=axis)
    return found


def _win_rate(value: float, resampled: Floats, items: int) -> Estimate | None:
    import numpy as np

    if np.isnan(value):
        return None
    low, high = (rounded(float(end)) for end in np.quantile(resampled, [0.025, 0.975]))
    method = f"bootstrap of instances, {len(resampled)} replicates"
    return Estimate(
        value=float(value),
        low=min(low, float(value)),
        high=max(high, float(value)),
        n=items,
        clusters=items,
        stderr=rounded(float(resampled.std(ddof=1))),
        method=method,
    )


def _borda(shown: Sequence[NDArray[np.bool_]], place: int, items: int) -> Estimate | None:
    """Opponents shown to be beaten, summed over the scenarios; undecided ones count half, and span the interval."""
    if not shown:
        return None
    won = float(sum(int(better[place].sum()) for better in shown))
    lost = float(sum(int(better[:, place].sum()) for better in shown))
    most = float(len(shown) * (len(shown[0]) - 1))
    value = won + (most - won - lost) / 2
    return Estimate(value=value, low=won, high=most - lost, n=items, clusters=items, method="undecided ones span the interval")


def _mean_score(matrices: Sequence[Matrix], boards: Sequence[Board], candidate: str) -> Estimate | None:
    """The mean of the bounded scenarios' values as shares of the range."""
    shares = []
    for matrix, board in zip(matrices, boards, strict=True):
        low, high = matrix.metric.range
        if low is None or high is None:
            continue
        estimate = next(held.estimate for held in board.standings if held.candidate == candidate)
        shares.append(_as_share(estimate, low, high, matrix.metric.better == "lower"))
    return weighted_mean(shares)


def _as_share(estimate: Estimate, low: float, high: float, reversed_: bool) -> Estimate:
    def share(value: float | None) -> float | None:
        if value is None:
            return None
        found = (value - low) / (high - low)
        return 1 - found if reversed_ else found

    ends = (share(estimate.low), share(estimate.high))
    first, second = ends[::-1] if reversed_ else ends
    stderr = None if estimate.stderr is None else estimate.stderr / (high - low)
    return msgspec.structs.replace(estimate, value=share(estimate.value) or 0.0, low=first, high=second, stderr=stderr)


def _pool_warnings(wins: Floats, candidates: Sequence[str]) -> list[str]:
    """Where the leader by win rate would be another one if one candidate were not there, or loses to one alone."""
    import numpy as np

    rates = _rates(wins)
    leader = int(np.nanargmax(rates))
    tied = [name for name, rate in zip(candidates, rates, strict=True) if rate >= rates[leader] - SAME]
    if len(tied) > 1:
        return [f"{', '.join(tied)} share the lead by win rate."]
    found = []
    for dropped in range(len(candidates) if len(candidates) > 2 else 0):
        pool = [place for place in range(len(candidates)) if place != dropped]
        others = _rates(wins[np.ix_(range(len(wins)), pool, pool)])
        ahead = pool[int(np.nanargmax(others))]
        if dropped != leader and others[pool.index(ahead)] > others[pool.index(leader)] + SAME:
            names = (candidates[leader], candidates[dropped], candidates[ahead])
            found.append("{} leads by win rate only in this pool: without {}, {} would lead.".format(*names))
    for other, share in enumerate(_ignoring_missing(wins[:, leader, :], 0)):
        if share < 0.5 - SAME:
            found.append(
                f"{candidates[leader]} leads by win rate, yet loses more scenarios than it wins to {candidates[other]}."
            )
    return found

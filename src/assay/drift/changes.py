"""What changed between two evaluations, measure by measure, and what a test of all evaluations says of each measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.comparison.boards import make_boards
from assay.comparison.matrices import Matrix
from assay.comparison.results import Board
from assay.drift.answers import Answers
from assay.drift.betting import Marks, above_mean, capital, never_given, p_values
from assay.drift.results import Change, Monitor
from assay.identity import generator
from assay.records import Estimate
from assay.statistics.estimates import rounded

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

NEW_ANSWERS = "new answers"
"""The measure that marks an instance whose answer no other evaluation gave."""


def changes(scenario: str, answers: Answers, thresholds: Callable[[str], float], examples: int) -> list[Change]:
    """Every measure of a scenario: the last evaluation against the first, and the test over all.

    Args:
        scenario: with the candidate, what the test's random numbers depend on.
        answers: at least two evaluations.
        thresholds: the e-value of a measure that is an alarm.
        examples: ids of changed instances that are named for each direction, at most.
    """

    def toss(measure: str) -> Callable[[int], float]:
        return lambda place: generator("drift", scenario, measure, place).random()

    found = []
    for measure, values in answers.values.items():
        monitor = _monitor(values, above_mean, toss(measure), thresholds(measure))
        found.append(_change(answers, measure, monitor, examples))
    monitor = _monitor(answers.said, never_given, toss(NEW_ANSWERS), thresholds(NEW_ANSWERS))
    return [*found, _new_answers(answers, monitor, examples)]


def between(answers: Answers, measure: str, first: int, second: int) -> Board | None:
    """Two evaluations, the second less the first, on the instances with a value in both; `None` where fewer than two have."""
    import numpy as np

    values = answers.values[measure][[second, first]]
    shared = np.flatnonzero(~np.isnan(values).any(axis=0))
    if len(shared) < 2:
        return None
    names = tuple(answers.instances[place] for place in shared)
    clusters = np.unique(answers.clusters[shared], return_inverse=True)[1]
    return make_boards([Matrix("", answers.metrics[measure], ("later", "earlier"), names, values[:, shared], clusters)])[0]


def means(board: Board) -> dict[str, Estimate]:
    """The means of `earlier` and `later` over the instances that have both."""
    return {standing.candidate: standing.estimate for standing in board.standings}


def identical(answers: Answers, first: int, second: int) -> float | None:
    """The share of instances that two evaluations answered word for word alike; `None` where no instance has both."""
    import numpy as np

    one, other = answers.said[first], answers.said[second]
    shared = ~np.isnan(one) & ~np.isnan(other)
    return float((one[shared] == other[shared]).mean()) if shared.any() else None


def _change(answers: Answers, measure: str, monitor: Monitor, examples: int) -> Change:
    values = answers.values[measure]
    board = between(answers, measure, 0, -1)
    mean, pair = (means(board), board.pairs[0]) if board else ({}, None)
    up, down = _moved(answers, values[-1] - values[0])
    return Change(
        measure=measure,
        before=mean["earlier"].value if pair else None,
        after=mean["later"].value if pair else None,
        change=pair.difference if pair else None,
        p=pair.p if pair else None,
        p_corrected=None,
        up=len(up),
        down=len(down),
        up_examples=up[:examples],
        down_examples=down[:examples],
        monitor=monitor,
    )


def _moved(answers: Answers, apart: Floats) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The instances whose value rose and fell."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        up, down = np.flatnonzero(apart > 1e-12), np.flatnonzero(apart < -1e-12)
    return tuple(answers.instances[place] for place in up), tuple(answers.instances[place] for place in down)


def _new_answers(answers: Answers, monitor: Monitor, examples: int) -> Change:
    import numpy as np

    asked = ~np.isnan(answers.said[-1]) & ~np.isnan(answers.said[:-1]).all(axis=0)
    marks, _ = never_given(answers.said[:, asked])
    names = [name for name, there in zip(answers.instances, asked.tolist(), strict=True) if there]
    new = tuple(name for name, marked in zip(names, marks.tolist(), strict=True) if marked)
    return Change(
        measure=NEW_ANSWERS,
        before=None,
        after=rounded(len(new) / len(names)) if names else None,
        change=None,
        p=None,
        p_corrected=None,
        up=len(new),
        down=0,
        up_examples=new[:examples],
        down_examples=(),
        monitor=monitor,
    )


def _monitor(values: Floats, marks: Marks, toss: Callable[[int], float], threshold: float) -> Monitor:
    """The test of one measure. An alarm needs instances that differ, so it is never a toss that raises one."""
    import numpy as np

    evidence = capital(p_values(values, marks, toss))
    with np.errstate(invalid="ignore"):
        lowest, highest = np.fmin.accumulate(values), np.fmax.accumulate(values)
        varied = np.any(highest - lowest > 1e-12, axis=1)[1:]
    shown = np.flatnonzero((evidence >= threshold) & varied)
    return Monitor(
        evidence=tuple(rounded(value) for value in evidence.tolist()),
        threshold=threshold,
        varied=bool(varied.any()),
        alarm=int(shown[0]) + 1 if len(shown) else None,
    )

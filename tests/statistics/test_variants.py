from __future__ import annotations

import numpy as np
import pytest

from assay.metrics import Metric
from assay.records import Answer, Cell, ScoredTrial
from assay.statistics import estimate_cells
from assay.statistics.variants import spread_between

RIGHT = Metric("right", "accuracy", (0, 1), "higher", "", of_answer=lambda answer: 0.0)
ANSWER = Answer(outcome="answered")


def trial(instance: int, right: float | None, **fields: object) -> ScoredTrial:
    return ScoredTrial(instance_id=f"i{instance}", answer=ANSWER, scores={"right": right}, **fields)


def cells(trials: list[ScoredTrial]) -> dict[tuple[str | None, str], Cell]:
    found = estimate_cells(trials, [RIGHT], "right", {"typos": "robustness"}, 0)
    return {(cell.perturbation, cell.computed_on): cell for cell in found if cell.subgroup is None}


def test_other_formats_enter_only_the_cells_of_prompt_sensitivity() -> None:
    own = [trial(number, float(number < 32)) for number in range(40)]
    copies = [trial(number, float(number < 20), perturbation="typos") for number in range(40)]
    second = [trial(number, float(number < 24), format=1) for number in range(40)]
    third = [trial(number, float(number < 28), format=2) for number in range(40)]
    found = cells(own + copies + second + third)
    without = cells(own + copies)
    assert {place: cell for place, cell in found.items() if place[0] != "formats"} == without
    assert found["formats", "gap"].estimate.value == pytest.approx(0.2)
    assert found["formats", "worst_group"].estimate.value == pytest.approx(0.6)
    assert found["formats", "perturbed"].estimate.value == pytest.approx(0.7)
    assert found["formats", "gap"].estimate.clusters == 40
    assert found["formats", "gap"].estimate.low > 0


def test_an_instance_without_value_in_one_format_is_left_out_of_all() -> None:
    trials = [trial(number, 1.0) for number in range(21)]
    trials += [trial(number, None if number == 20 else 1.0, format=1) for number in range(21)]
    assert cells(trials)["formats", "gap"].estimate.clusters == 20


def test_one_format_and_one_draw_have_no_sensitivity() -> None:
    found = cells([trial(number, float(number % 2)) for number in range(40)])
    assert set(found) == {(None, "original")}


def test_draws_are_shown_apart() -> None:
    trials = [trial(number, float(number < 20 + 6 * draw), draw=draw) for number in range(40) for draw in (0, 1, 2)]
    found = cells(trials)
    assert found[None, "original"].estimate.value == pytest.approx(26 / 40)
    assert found["draws", "gap"].estimate.value == pytest.approx(0.3)
    assert found["draws", "worst_group"].estimate.value == pytest.approx(0.5)
    assert 0 < found["draws", "spread"].estimate.value < np.std([0.5, 0.65, 0.8], ddof=1)


def test_the_spread_is_the_component_of_a_two_way_analysis_of_variance() -> None:
    values = np.random.default_rng(0).normal(size=(4, 30)) + np.array([0.0, 1.0, 2.0, 3.0])[:, None]
    found = spread_between(values, np.arange(30), (None, None))
    assert found is not None
    means = values.mean(axis=1)
    residuals = values - means[:, None] - values.mean(axis=0) + values.mean()
    between, rest = 30 * means.var(ddof=1), (residuals**2).sum() / (3 * 29)
    assert found.value == pytest.approx(((between - rest) / 30) ** 0.5)
    assert found.low < 1.29 < found.high


def test_draws_that_differ_by_chance_alone_have_no_spread() -> None:
    values = np.tile(np.arange(10.0), (3, 1))
    found = spread_between(values, np.arange(10), (None, None))
    assert found is not None
    assert (found.value, found.low) == (0.0, 0.0)
    alone = spread_between(values, np.zeros(10, dtype=np.int64), (0, 9))
    assert alone is not None
    assert (alone.low, alone.high) == (None, None)

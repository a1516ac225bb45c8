"""Numbers as people read them."""

from __future__ import annotations

import msgspec
import pytest

from assay.records import Cell, Estimate
from assay.store.folders import StatsFile
from assay.tables import format_amount, format_estimate, run_tables, suite_table


def estimate(value: float, low: float | None, high: float | None) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=10, clusters=10)


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.53333, 0.40812, 0.64491, "0.53 [0.41, 0.64]"),
        (0.2, 0.0, 0.44, "0.20 [0.00, 0.44]"),
        (0.0591, 0.0568, 0.0614, "0.059 [0.057, 0.061]"),
        (1879.4, 1874.0, 1885.0, "1879 [1874, 1885]"),
        (348.4, 348.03, 348.77, "348.4 [348.0, 348.8]"),
        (0.5, None, None, "0.50 [?]"),
        (1.0, 1.0, 1.0, "1.00 [1.00, 1.00]"),
        (0.00003, 0.000027, 0.000033, "0.000030 [0.000027, 0.000033]"),
        (0.00045, 0.00045, 0.00045, "0.00045 [0.00045, 0.00045]"),
        (1.5e-7, 1.4e-7, 1.6e-7, "1.5e-07 [1.4e-07, 1.6e-07]"),
        (1e-17, -0.2, 0.2, "0.00 [-0.20, 0.20]"),
        (0.0, 0.0, 0.0, "0.00 [0.00, 0.00]"),
        (0.0, 0.0, 0.00001, "0.000000 [0.000000, 0.000010]"),
    ],
)
def test_a_number_has_no_more_digits_than_its_interval_supports(
    value: float, low: float | None, high: float | None, shown: str
) -> None:
    assert format_estimate(estimate(value, low, high)) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(None, "–"), (0.0, "0.0000"), (1234.5, "1,234.5000"), (0.000012345, "0.000012"), (2e-8, "2.0e-08")],
)
def test_a_small_price_is_not_shown_as_nothing(amount: float | None, shown: str) -> None:
    assert format_amount(amount) == shown


def test_a_number_without_interval_is_explained() -> None:
    alone = stats("a", Cell(metric="exact_match", estimate=estimate(0.5, None, None)))
    assert "[?]: no interval, for want of items" in suite_table([alone]).notes[0]
    assert "[?]: no interval, for want of items" in run_tables(alone)[0].notes[0]
    known = stats("a", Cell(metric="exact_match", estimate=estimate(0.5, 0.2, 0.8)))
    assert "[?]" not in suite_table([known]).notes[0] + run_tables(known)[0].notes[0]


def stats(label: str, *cells: Cell, failed: int = 0) -> StatsFile:
    return StatsFile(
        run=label, label=label, title="boolq", main_metric="exact_match", instances=10, trials=20, failed=failed, cells=cells
    )


def test_a_family_has_a_column_only_where_a_run_measured_it_and_what_is_missing_is_said() -> None:
    accuracy = Cell(metric="exact_match", estimate=estimate(0.5, 0.2, 0.8))
    worst = Cell(metric="exact_match", estimate=estimate(0.3, 0.1, 0.6), perturbation="robustness", computed_on="worst")
    table = suite_table([stats("a", accuracy), stats("b", accuracy, worst, failed=3)])
    assert table.header == ["candidate", "items", "accuracy", "robustness"]
    assert table.rows == [
        ["boolq", "", "", ""],
        ["  a", "10", "0.50 [0.20, 0.80]", "–"],
        ["  b", "10", "0.50 [0.20, 0.80]", "0.30 [0.10, 0.60]"],
    ]
    assert any("3 of 40 trials failed" in note for note in table.notes)


def test_markdown_keeps_its_columns_whatever_a_label_holds() -> None:
    table = suite_table([stats("a|b\nc", Cell(metric="exact_match", estimate=estimate(0.5, 0.2, 0.8)))])
    assert all(line.replace("\\|", "").count("|") == 4 for line in table.markdown().splitlines() if line.startswith("|"))


def test_the_tables_of_a_run_show_every_metric_then_perturbations_and_subgroups_of_the_main_one() -> None:
    cells = (
        Cell(metric="latency_s", estimate=estimate(1.0, 0.5, 1.5)),
        Cell(metric="exact_match", estimate=estimate(0.5, 0.2, 0.8)),
        Cell(metric="exact_match", estimate=estimate(0.4, 0.1, 0.7), perturbation="typos", computed_on="perturbed"),
        Cell(metric="exact_match", estimate=estimate(0.9, 0.6, 1.0), subgroup="region=north"),
    )
    first, perturbed, groups = run_tables(stats("a", *cells))
    assert [row[1] for row in first.rows] == ["exact_match", "latency_s"]
    assert perturbed.rows == [["typos", "10", "–", "0.40 [0.10, 0.70]", "–", "–", "–"]]
    assert groups.rows == [["region=north", "0.90 [0.60, 1.00]", "10"]]


def test_the_splits_of_a_run_are_never_mixed_or_left_unnamed() -> None:
    cells = [
        Cell(metric="exact_match", split=split, estimate=estimate(value, value - 0.1, value + 0.1))  # type: ignore[arg-type]
        for split, value in (("valid", 0.4), ("test", 0.6))
    ]
    first, second = run_tables(stats("a", *cells))
    assert [(table.title.split(" · ")[0], table.rows[0][2][:4]) for table in (first, second)] == [
        ("boolq, valid", "0.40"),
        ("boolq, test", "0.60"),
    ]
    table = suite_table([stats("a", *cells)])
    assert table.rows[1][2].startswith("0.60")
    assert any("several splits" in note for note in table.notes)


def test_a_judges_mark_is_not_called_accuracy_and_is_shown_though_it_is_missing() -> None:
    def judged(label: str, *cells: Cell) -> StatsFile:
        return msgspec.structs.replace(stats(label, *cells), main_metric="judge_score")

    mark = Cell(metric="judge_score", estimate=estimate(0.5, 0.2, 0.8))
    exact = Cell(metric="exact_match", estimate=estimate(0.9, 0.8, 1.0))
    table = suite_table([judged("a", mark), stats("b", exact, mark)])
    assert table.header == ["candidate", "items", "accuracy", "judge"]
    assert [row[2:] for row in table.rows[1:]] == [["–", "0.50 [0.20, 0.80]"], ["0.90 [0.80, 1.00]", "0.50 [0.20, 0.80]"]]
    assert suite_table([judged("a")]).header == ["candidate", "items", "judge"]
    assert suite_table([judged("a")]).rows[1][2] == "–"
    assert run_tables(judged("a", exact))[0].rows[0] == ["accuracy", "judge_score", "–", "0"]

"""Charts by themselves: which runs they are of, what they need, and what they say where that is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.web.catalog import open_catalog
from assay.web.entries import Entry
from assay.web.plots import PLOTS, Wanted, plot
from scored_runs import Said, scored_run


def answers(right: int, perturbation: str | None = None) -> list[Said]:
    """24 answers, the first ones right; the later, the surer and the slower."""
    return [
        Said(
            item,
            "yes" if item < right else "no",
            confidence=0.3 + item / 50,
            latency_s=1 + item,
            subgroups={"half": str(item % 2)},
            perturbation=perturbation,
        )
        for item in range(24)
    ]


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Entry]:
    suite = tmp_path_factory.mktemp("plots") / "runs"
    for candidate, right in (("good", 20), ("poor", 8)):
        scored_run(suite, candidate, [*answers(right), *answers(right // 2, "typos")], metrics=("ece_10_bin",))
    scored_run(suite, "good", answers(12), scenario="other")
    return open_catalog([suite]).entries


@pytest.mark.parametrize("kind", [kind for kind in PLOTS if kind != "formats"])
def test_each_kind_is_drawn_from_runs_that_hold_it(entries: Sequence[Entry], kind: str) -> None:
    chart = plot(kind, entries, Wanted(scenario="made"))
    assert "<svg" in chart.drawn()
    assert chart.grid.rows


def test_differences_are_of_the_scenario_and_candidates_that_were_named(entries: Sequence[Entry]) -> None:
    chart = plot("differences", entries, Wanted("made"))
    (row,) = chart.grid.rows
    assert row[0].value == "good − poor"
    assert row[1].value == pytest.approx(12 / 24)
    alone = plot("latency", entries, Wanted("made", ("poor",)))
    assert {row[0].value for row in alone.grid.rows} == {"poor"}


def test_pareto_takes_all_scenarios_or_one_and_any_two_measures(entries: Sequence[Entry]) -> None:
    both = plot("pareto", entries, Wanted(x="latency s"))
    assert [row[0].value for row in both.grid.rows] == ["good", "poor"]
    assert [row[2].value for row in both.grid.rows] == [pytest.approx(20 / 24), pytest.approx(8 / 24)]  # what both were asked
    one = plot("pareto", entries, Wanted("made", x="latency_s", y="accuracy"))
    assert [row[2].value for row in one.grid.rows] == [pytest.approx(20 / 24), pytest.approx(8 / 24)]


@pytest.mark.parametrize(
    ("kind", "wanted", "said"),
    [
        ("reliabilty", Wanted(), "did you mean reliability"),
        ("reliability", Wanted(), "2 scenarios (give --scenario with one of: made, other)"),
        ("reliability", Wanted("mode"), "did you mean made"),
        ("reliability", Wanted("made", ("goood",)), "did you mean good"),
        ("formats", Wanted("made"), "--formats"),
        ("differences", Wanted("other"), "two candidates"),
        ("differences", Wanted("made", metric="exactmatch"), "did you mean exact_match"),
        ("drops", Wanted("other"), "--perturb"),
        ("drops", Wanted("made", metric="exact_match"), "takes no --metric"),
        ("latency", Wanted("made", x="accuracy"), "takes no --x"),
        ("pareto", Wanted(y="acuracy"), "did you mean accuracy"),
    ],
)
def test_what_cannot_be_drawn_is_said_with_what_would_help(
    entries: Sequence[Entry], kind: str, wanted: Wanted, said: str
) -> None:
    with pytest.raises(AssayError) as error:
        plot(kind, entries, wanted)
    assert said in str(error.value)


def test_a_candidate_of_two_suites_is_drawn_once_for_each(tmp_path: Path) -> None:
    for suite, right in (("a", 6), ("b", 18)):
        scored_run(tmp_path / suite, "m", answers(right))
    chart = plot("differences", open_catalog([tmp_path / "a", tmp_path / "b"]).entries, Wanted())
    (row,) = chart.grid.rows
    assert (row[0].value, row[1].value) == ("m (a) − m (b)", pytest.approx(-12 / 24))

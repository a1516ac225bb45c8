"""A comparison from beginning to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.comparison import Comparison, Question, compare, gather
from assay.comparison.results import Board
from assay.comparison.shown import comparison_tables, format_p, turned
from assay.errors import AssayError
from assay.records import NamedSpec
from comparison_helpers import trial_of, write_run

ITEMS = 60


def share(right: int, candidate: str, folder: Path, scenario: str = "made", **spec: Any) -> Path:
    """A run with its first `right` of 60 items right."""
    return write_run(folder, candidate, [trial_of(n, float(n < right)) for n in range(ITEMS)], scenario, **spec)


def boards(found: Comparison) -> dict[tuple[str, str], Board]:
    return {(board.scenario, board.part): board for board in found.boards}


def test_what_is_separated_and_what_is_not(tmp_path: Path) -> None:
    for right, candidate in ((50, "made/good"), (48, "made/close"), (20, "made/poor")):
        share(right, candidate, tmp_path)
    board = boards(compare(gather([tmp_path]), Question()))["made", ""]
    places = {held.candidate: (held.best_rank, held.worst_rank, held.tier) for held in board.standings}
    assert places == {"made/good": (1, 2, 1), "made/close": (1, 2, 1), "made/poor": (3, 3, 2)}
    by_pair = {frozenset((pair.first, pair.second)): pair for pair in board.pairs}
    near = by_pair[frozenset(("made/good", "made/close"))]
    assert near.verdict == "no difference shown"
    assert near.detectable is not None
    assert near.detectable > abs(near.difference.value)
    assert near.p_table is not None
    assert near.p is not None
    assert near.p_table >= near.p


def test_the_better_end_of_the_metric_decides_who_is_first(tmp_path: Path) -> None:
    named = (NamedSpec(name="expected_max_toxicity"), NamedSpec(name="completion_tokens"))
    for candidate, low in (("made/a", 50), ("made/b", 10)):
        made = (trial_of(n, 1.0) for n in range(ITEMS))
        values = (
            {"expected_max_toxicity": float(n < low), "completion_tokens": float(low + n % 7 + (n + low) % 5)}
            for n in range(ITEMS)
        )
        trials = [(trial, answer, scores) for (trial, answer, _), scores in zip(made, values, strict=True)]
        write_run(tmp_path, candidate, trials, metrics=named)
    toxic, tokens = compare(gather([tmp_path]), Question(metrics=("expected_max_toxicity", "completion_tokens"))).boards
    assert (toxic.pairs[0].verdict, toxic.standings[0].candidate) == ("second better", "made/b")
    assert (tokens.pairs[0].verdict, tokens.standings[0].candidate) == ("first higher", "made/a")


def test_a_candidate_against_itself_shows_no_difference(tmp_path: Path) -> None:
    share(40, "made/same", tmp_path / "once")
    share(40, "made/same", tmp_path / "again")
    (pair,) = boards(compare(gather([tmp_path]), Question()))["made", ""].pairs
    assert (pair.difference.value, pair.p, pair.verdict) == (0.0, 1.0, "no difference shown")
    assert pair.difference.low is not None
    assert pair.difference.low < 0


def test_runs_that_were_not_asked_alike_are_refused_with_the_keys(tmp_path: Path) -> None:
    share(40, "made/a", tmp_path)
    share(30, "made/b", tmp_path, prompting={"method": "generation", "max_tokens": 9})
    refused = r"differ in prompting.max_tokens of made \(made/a: 5; made/b: 9\) .*--allow-differences"
    with pytest.raises(AssayError, match=refused):
        compare(gather([tmp_path]), Question())
    found = compare(gather([tmp_path]), Question(allow_differences=True))
    assert [(held.key, held.values) for held in found.differences] == [("prompting.max_tokens", {"made/a": "5", "made/b": "9"})]
    assert "prompting.max_tokens" in comparison_tables(found)[0].markdown()


def test_a_p_value_is_corrected_over_scenarios_and_parts(tmp_path: Path) -> None:
    for scenario in ("one", "two", "three"):
        share(30, "made/a", tmp_path, scenario)
        share(38, "made/b", tmp_path, scenario)
    found = compare(gather([tmp_path]), Question())
    pairs = [pair for board in found.boards for pair in board.pairs]
    assert [pair.p_table for pair in pairs] == [pair.p for pair in pairs]
    assert pairs[0].p_scenarios == pytest.approx(pairs[0].p)  # all alike: Benjamini-Hochberg leaves them
    (over,) = found.aggregates
    assert [row.candidate for row in over.rows] == ["made/b", "made/a"]
    assert over.rows[0].scenarios == 3


def test_parts_of_a_scenario_share_one_correction(tmp_path: Path) -> None:
    for candidate, limit in (("made/a", 20), ("made/b", 30)):
        trials = [trial_of(n, float(n < limit), subgroups={"g": str(n % 2)}) for n in range(40)]
        write_run(tmp_path, candidate, trials)
    found = boards(compare(gather([tmp_path]), Question(by="subgroup")))
    assert set(found) == {("made", "g=0"), ("made", "g=1")}
    pair = found["made", "g=0"].pairs[0]
    assert pair.p_table == pytest.approx(2 * (pair.p or 0))


def test_metrics_that_cannot_pair_answers_or_were_not_measured_are_refused(tmp_path: Path) -> None:
    share(30, "made/a", tmp_path)
    share(38, "made/b", tmp_path)
    evidence = gather([tmp_path])
    with pytest.raises(AssayError, match="ece_10_bin is computed over many answers"):
        compare(evidence, Question(metrics=("ece_10_bin",)))
    with pytest.raises(AssayError, match="assay rescore RUNS --metric f1_score"):
        compare(evidence, Question(metrics=("f1_score",)))
    with pytest.raises(AssayError, match="did you mean exact_match"):
        compare(evidence, Question(metrics=("exact_mach",)))
    with pytest.raises(AssayError, match="no perturbation has values of two candidates"):
        compare(evidence, Question(by="perturbation"))


def test_a_run_that_lacks_the_metric_is_left_out_and_said(tmp_path: Path) -> None:
    both = (NamedSpec(name="exact_match"), NamedSpec(name="f1_score"))
    for candidate in ("made/a", "made/b"):
        trials = [(t, a, {**s, "f1_score": 0.5}) for t, a, s in (trial_of(n, 1.0) for n in range(20))]
        write_run(tmp_path, candidate, trials, metrics=both)
    share(30, "made/c", tmp_path)
    found = compare(gather([tmp_path]), Question(metrics=("f1_score",)))
    assert "made: f1_score was not measured for made/c." in found.notes
    assert [held.candidate for held in found.boards[0].standings] == ["made/a", "made/b"]


def test_failed_requests_are_counted_and_said(tmp_path: Path) -> None:
    share(30, "made/a", tmp_path)
    write_run(tmp_path, "made/b", [trial_of(n, None if n < 4 else 1.0) for n in range(ITEMS)])
    found = compare(gather([tmp_path]), Question())
    assert {held.candidate: held.missing for held in found.boards[0].standings} == {"made/a": 0, "made/b": 4}
    assert any("made/b has no value for 4" in note for note in found.notes)
    assert found.boards[0].pairs[0].items == ITEMS - 4


def test_the_same_runs_give_the_same_bytes_whatever_order_they_are_given_in(tmp_path: Path) -> None:
    paths = [share(right, f"made/{right}", tmp_path, scenario) for right in (30, 38) for scenario in ("one", "two")]
    question = Question(failures=True, variance=True)
    first = msgspec.json.encode(compare(gather(paths), question))
    assert msgspec.json.encode(compare(gather(paths[::-1]), question)) == first


def test_of_many_candidates_only_neighbours_are_shown_unless_all_are_asked_for(tmp_path: Path) -> None:
    for right in range(20, 50, 5):
        share(right, f"made/{right}", tmp_path)
    found = compare(gather([tmp_path]), Question())
    _, few = comparison_tables(found)
    _, many = comparison_tables(found, every=True)
    assert (len(few.rows), len(many.rows)) == (5, 15)
    assert few.rows[0][:2] == ["made/45", "made/40"]


def test_p_values_over_scenarios_are_shown_where_there_are_several(tmp_path: Path) -> None:
    for scenario in ("one", "two"):
        for right in (20, 40):
            share(right, f"made/{right}", tmp_path / scenario, scenario=scenario)
    several = comparison_tables(compare(gather([tmp_path]), Question()))
    (_, alone) = comparison_tables(compare(gather([tmp_path / "one"]), Question()))
    assert [("over scenarios" in table.header) for table in several[:4]] == [False, True, False, True]
    assert "over scenarios" not in alone.header
    assert len(alone.header) == len(alone.rows[0])
    assert not any("Over scenarios" in note for note in alone.notes)


def test_a_turned_pair_says_the_same_from_the_other_side(tmp_path: Path) -> None:
    share(20, "made/a", tmp_path)
    share(50, "made/b", tmp_path)
    (pair,) = compare(gather([tmp_path]), Question()).boards[0].pairs
    other = turned(pair)
    assert (pair.verdict, other.verdict) == ("second better", "first better")
    assert other.difference.value == pytest.approx(0.5)
    assert other.difference.low == -(pair.difference.high or 0)
    assert turned(other) == pair


def test_p_values_are_written_short() -> None:
    assert [format_p(p) for p in (None, 0.0001, 0.0123, 0.5)] == ["–", "<0.001", "0.012", "0.50"]


def test_where_nothing_could_have_been_shown_that_is_said(tmp_path: Path) -> None:
    for candidate, right in (("made/a", 1.0), ("made/b", 0.0)):
        write_run(tmp_path, candidate, [trial_of(n, right) for n in range(3)])
    found = compare(gather([tmp_path]), Question())
    (pair,) = found.boards[0].pairs
    assert (pair.verdict, pair.detectable) == ("no difference shown", None)
    assert comparison_tables(found)[1].rows[0][-2:] == ["none", "no difference shown"]

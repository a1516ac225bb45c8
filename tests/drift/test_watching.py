from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.drift.results import Change, Drift
from assay.drift.shown import drift_tables
from assay.drift.watching import Watch, difference, watch
from assay.errors import AssayError
from assay.prompting import Generation, encode
from assay.records import DataFile, DataIdentity, Estimate, ModelIdentity
from assay.store.folders import CONTENT, MANIFEST, SPEC
from assay.store.planned import PlannedRun, SuitePlan, write_plan
from scored_runs import Said, scored_run

DAY = 86_400.0
START = 1_800_000_000.0
NOW = START + 30 * DAY

Answering = Callable[[int], str | None]


def day(runs: Path, number: float, answer: Answering, items: int = 40, version: str = "m-1@f", **spec: Any) -> Path:
    """An evaluation of the model `m` on some day, by what it says to each item; `yes` is right."""
    asked = [
        Said(n, answer(n), asked_at=START + number * DAY + n, version=version, latency_s=1 + n / 100) for n in range(items)
    ]
    return scored_run(runs / f"day{number:g}", "m", asked, **spec)


def right_but(*wrong: int) -> Answering:
    return lambda item: "no" if item in wrong else "yes"


def found(runs: Path, *, baseline: Path | None = None, now: float = NOW, **asked: Any) -> Drift:
    return watch([runs], "m", baseline, Watch(**asked), now)


def change_of(drift: Drift, measure: str) -> Change:
    (change,) = [change for change in drift.series[0].changes if change.measure == measure]
    return change


def test_a_model_that_answers_as_it_did_has_not_changed(tmp_path: Path) -> None:
    for number in range(6):
        day(tmp_path, number, right_but(3, 4))
    drift = found(tmp_path)
    assert not drift.changed
    (series,) = drift.series
    assert [one.suite for one in series.evaluations] == [f"day{number}" for number in range(6)]
    assert series.identical == 1
    assert all(not change.monitor.varied for change in series.changes)
    change = change_of(drift, "exact_match")
    assert (change.before, change.after, change.up, change.down, change.p_corrected) == (0.95, 0.95, 0, 0, 1.0)


def test_a_drop_is_found_with_its_items_and_stays_found(tmp_path: Path) -> None:
    for number in range(4):
        day(tmp_path, number, right_but(3))
    for number in range(4, 7):
        day(tmp_path, number, right_but(*range(3, 18)))
    drift = found(tmp_path)
    assert drift.changed
    change = change_of(drift, "exact_match")
    assert change.monitor.alarm == 4
    assert (change.up, change.down) == (0, 14)
    assert change.down_examples == tuple(f"item{n:04d}" for n in range(4, 9))
    assert change.change is not None
    assert change.change.value == pytest.approx(-14 / 40)
    assert change.p == pytest.approx(2 * 0.5**14)
    shorter = change_of(drift, "characters").p
    assert shorter is not None
    assert change.p_corrected == pytest.approx(max(2 * shorter, 2 * 0.5**14))
    assert {changed.measure for _, changed in drift.alarms} >= {"exact_match", "new answers"}
    assert not found(tmp_path, baseline=tmp_path / "day4").changed


def test_answers_worded_otherwise_are_a_change_even_where_the_score_is_the_same(tmp_path: Path) -> None:
    for number in range(3):
        day(tmp_path, number, lambda item: "no" if item % 2 else "yes")
    day(tmp_path, 3, lambda item: f"no, {item}" if item % 2 else "yes")
    drift = found(tmp_path)
    assert change_of(drift, "exact_match").monitor.alarm is None
    assert change_of(drift, "new answers").monitor.alarm == 3
    assert change_of(drift, "new answers").after == 0.5
    assert change_of(drift, "characters").change is not None
    assert change_of(drift, "characters").change.value > 1  # type: ignore[union-attr]
    assert drift.series[0].identical == 0.5


def test_answers_that_stay_away_are_seen(tmp_path: Path) -> None:
    for number in range(5):
        day(tmp_path, number, right_but())
    day(tmp_path, 5, lambda item: "" if item < 15 else "yes")
    change = change_of(found(tmp_path), "empty")
    assert (change.before, change.after, change.monitor.alarm) == (0, 15 / 40, 5)


def test_failed_requests_are_missing_and_no_change(tmp_path: Path) -> None:
    for number in range(5):
        day(tmp_path, number, right_but(3))
    day(tmp_path, 5, lambda item: None if item < 25 else "yes")
    drift = found(tmp_path)
    assert not drift.changed
    assert change_of(drift, "exact_match").change.n == 15  # type: ignore[union-attr]


def test_a_new_version_is_told_but_not_another_fingerprint(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but())
    day(tmp_path, 1, right_but(), version="m-1@other")
    assert not found(tmp_path).changed
    day(tmp_path, 2, right_but(), version="m-2@f")
    drift = found(tmp_path)
    assert drift.changed
    assert not drift.alarms
    assert list(drift.series[0].evaluations[-1].versions) == ["m-2@f"]


def test_answers_taken_over_are_not_taken_for_new_ones(tmp_path: Path) -> None:
    """A larger run, in another folder, whose first answers came from the cache."""
    asked = [Said(n, "yes", asked_at=START + n) for n in range(20)]
    scored_run(tmp_path / "a", "m", asked, max_instances=20)
    scored_run(tmp_path / "b", "m", [*asked, *(Said(n, "no", asked_at=START + DAY + n) for n in range(20, 40))])
    scored_run(tmp_path / "c", "m", asked, max_instances=20)
    drift = found(tmp_path)
    (series,) = drift.series
    assert [(one.suite, one.asked_anew) for one in series.evaluations] == [("a", 1.0), ("b", 0.5)]
    assert series.identical is None
    assert change_of(drift, "exact_match").change is None
    assert series.latencies == ()
    assert any("nothing was asked anew" in note and ": c:" in note for note in drift.notes)


def test_evaluations_asked_otherwise_are_left_out_and_the_keys_shown(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but(1), prompting=encode(Generation(shots=0, max_tokens=7)))
    for number in (1, 2):
        day(tmp_path, number, right_but(1))
    drift = found(tmp_path)
    assert [one.suite for one in drift.series[0].evaluations] == ["day1", "day2"]
    assert {difference.key for difference in drift.differences} == {"prompting.max_tokens"}
    with pytest.raises(AssayError, match=r"prompting\.max_tokens.*name a --baseline"):
        found(tmp_path, baseline=tmp_path / "day0")
    day(tmp_path, 3, right_but(1), model=ModelIdentity(name="m", options={"body": {"seed": 1, "top_k": 2}}))
    with pytest.raises(AssayError, match=r"model\.options\.body\.seed of made \(day3: 1; day0: not set\)"):
        found(tmp_path)


def test_cases_that_were_changed_are_told_by_their_file_and_not_by_digests(tmp_path: Path) -> None:
    for number, sha in ((0, "a" * 64), (1, "b" * 64)):
        data = DataIdentity(source="file:made.csv", files=(DataFile(path="made.csv", sha256=sha),), instances=sha)
        day(tmp_path, number, right_but(1), data=data)
    with pytest.raises(AssayError, match=r"made\.csv of made was changed between day1 and day0 \(.*--baseline") as refused:
        found(tmp_path)
    assert len(str(refused.value)) < 300
    day(tmp_path, 2, right_but(1), data=data)
    (left,) = [table for table in drift_tables(found(tmp_path)) if table.title.startswith("Left out")]
    assert left.rows[0][3:] == ["aaaaaaaa…", "bbbbbbbb…"]


def test_what_was_left_out_is_named_and_not_what_it_is_measured_by(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but(1), prompting=encode(Generation(shots=0, max_tokens=7)))
    for number in (1, 2):
        day(tmp_path, number, right_but(1))
    drift = found(tmp_path)
    (left,) = [table for table in drift_tables(drift) if table.title.startswith("Left out")]
    ((_, evaluation, key, value, usual),) = left.rows
    assert evaluation.startswith("day0/")
    assert (key, value, usual) == ("prompting.max_tokens", "7", str(Generation(shots=0).max_tokens))
    assert not any("day2" in cell for cell in left.rows[0])


def test_a_model_whose_server_moved_keeps_its_history_and_the_move_is_told(tmp_path: Path) -> None:
    def at(port: int) -> ModelIdentity:
        return ModelIdentity(name="m", endpoint="chat", options={"model": "m", "base_url": f"http://h:{port}/v1", "body": {}})

    for number, port in ((0, 1), (1, 1), (2, 2)):
        day(tmp_path, number, right_but(1), model=at(port))
    drift = found(tmp_path)
    assert len(drift.series[0].evaluations) == 3
    assert drift.differences == ()
    assert drift.notes == ("made, m: asked at http://h:2/v1 since day2, before at http://h:1/v1; that alone is no change.",)
    moved_and_other = ModelIdentity(name="m", endpoint="chat", options={"model": "n", "base_url": "http://h:3/v1", "body": {}})
    day(tmp_path, 3, right_but(1), model=moved_and_other)
    with pytest.raises(AssayError, match=r"not asked alike.*model\.options\.model of made \(") as refused:
        found(tmp_path)
    assert "base_url" not in str(refused.value)


def test_every_scenario_that_differs_is_named(tmp_path: Path) -> None:
    for scenario in ("a", "b", "c"):
        day(tmp_path, 0, right_but(1), scenario=scenario, prompting=encode(Generation(shots=0, max_tokens=7)))
        day(tmp_path, 1, right_but(1), scenario=scenario)
    with pytest.raises(AssayError, match=r"prompting\.max_tokens of a, b, c \(day1: 100; day0: 7\)"):
        found(tmp_path)


def test_a_measure_that_never_varied_has_no_row_and_no_table_is_empty(tmp_path: Path) -> None:
    for number in range(3):
        day(tmp_path, number, right_but(3))
    for most in (None, 100.0):
        tables = drift_tables(found(tmp_path, max_age=most))
        assert all(table.rows and all(table.header) for table in tables)
        assert any(
            note.startswith("Never other than at the baseline: exact_match, ") for table in tables for note in table.notes
        )


def test_the_same_asked_again_soon_tells_what_asking_again_does(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but(1))
    day(tmp_path, 0.25, right_but(1, 2))
    day(tmp_path, 5, right_but(1))
    (rerun,) = found(tmp_path).series[0].reruns
    assert (rerun.first, rerun.second) == ("day0", "day0.25")
    assert rerun.minutes == pytest.approx(360, abs=1)
    assert (rerun.identical, rerun.changed, rerun.counts) == (39 / 40, 1 / 40, True)


def test_the_pair_in_which_a_model_changes_says_nothing_of_what_asking_again_does(tmp_path: Path) -> None:
    for number in range(5):
        day(tmp_path, number / 1000, right_but(number))
    day(tmp_path, 0.005, right_but(*range(20)))
    day(tmp_path, 0.006, right_but(*range(20)))
    day(tmp_path, 0.3, right_but(*range(20)), version="m-2@f")
    drift = found(tmp_path)
    reruns = drift.series[0].reruns
    assert [rerun.second for rerun in reruns if not rerun.counts] == ["day0.005", "day0.3"]
    assert max(rerun.changed for rerun in reruns if rerun.counts) == 2 / 40
    said = drift_tables(drift)[0].notes
    assert said[-1].endswith("an alarm or a new version falls there: day0.004 and day0.005, day0.006 and day0.3.")
    assert said[0].startswith("Asking again after a minute (day0.002, day0.003): ")
    assert not any("47.5 %" in note for note in said)


def test_ages_count_from_the_oldest_answer_of_the_newest_evaluation(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but(1))
    day(tmp_path, 10, right_but(1))
    (age,) = found(tmp_path, max_age=20).ages
    assert (age.days, age.stale) == (20, False)
    assert found(tmp_path, max_age=19.5).stale[0].metric == "exact_match"
    alone = watch([tmp_path / "day0"], "m", None, Watch(max_age=10), NOW)
    assert [one.days for one in alone.stale] == [30]
    assert alone.series == ()


def test_what_cannot_be_watched_says_why(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but(1))
    for arguments, words in (
        ({}, "evaluated only once.*--again today"),
        ({"level": 1.0}, "--level must lie between 0 and 1"),
        ({"metrics": ("ece_10_bin",)}, "computed over many answers"),
        ({"metrics": ("exact_mach",)}, "did you mean exact_match"),
        ({"metrics": ("f1_score",)}, "f1_score was not measured"),
    ):
        with pytest.raises(AssayError, match=words):
            found(tmp_path, **arguments)
    with pytest.raises(AssayError, match="candidate"):
        watch([tmp_path], "n", None, Watch(), NOW)


@pytest.mark.parametrize("number", [0, 1])
def test_changed_evidence_is_refused_and_an_unfinished_run_of_another_is_named(tmp_path: Path, number: int) -> None:
    days = [day(tmp_path, each, right_but(1)) for each in range(3)]
    others = [scored_run(tmp_path / "day9", name, [Said(0, "yes", asked_at=START)]) for name in ("n", "o")]
    (others[0] / MANIFEST).unlink()
    for file in others[1].iterdir():
        file.unlink()
    notes = found(tmp_path).notes
    assert all(any(f"{other}: left out, as it has no manifest.json" in note for note in notes) for other in others)
    scores = days[number] / "scores.parquet"
    scores.write_bytes(scores.read_bytes() + b" ")
    with pytest.raises(AssayError, match=rf"not whole: .*day{number}.*scores\.parquet: changed"):
        found(tmp_path)


@pytest.mark.parametrize("gone", [(MANIFEST,), (*CONTENT, MANIFEST)])
def test_nor_can_it_lose_its_manifest_or_all_of_its_files(tmp_path: Path, gone: tuple[str, ...]) -> None:
    days = [day(tmp_path, number, right_but(*range(25 * (number == 3)))) for number in range(4)]
    for name in gone:
        (days[3] / name).unlink()
    with pytest.raises(AssayError, match=rf"not whole: {days[3] / MANIFEST}: missing"):
        found(tmp_path)


@pytest.mark.parametrize("edit", ["gone", "other label"])
def test_the_evaluation_that_raised_the_alarm_cannot_be_lost(tmp_path: Path, edit: str) -> None:
    days = [day(tmp_path, number, right_but(*range(25 * (number == 3)))) for number in range(4)]
    assert found(tmp_path).changed
    spec = days[3] / SPEC
    if edit == "gone":
        spec.unlink()
    else:
        spec.write_text(spec.read_text().replace('"m"', '"n"'))
    with pytest.raises(AssayError, match=rf"not whole: {spec}: (missing|changed)"):
        found(tmp_path)


def test_what_an_evaluation_lacks_of_what_was_planned_is_noted(tmp_path: Path) -> None:
    for number in range(2):
        planned = [PlannedRun(run=day(tmp_path, number, right_but(1)).name, title="made", label="m")]
        planned += [PlannedRun(run=f"quiz,{label}-0123456789ab", title="quiz", label=label) for label in ("m", "n")]
        write_plan(tmp_path / f"day{number}", SuitePlan(runs=tuple(planned[: 1 + 2 * number])))
    note = "day1: planned by the last `assay run` and not finished, so not measured: quiz of m."
    assert found(tmp_path).notes == (note,)


def test_an_answer_from_the_future_has_no_age_to_go_by(tmp_path: Path) -> None:
    day(tmp_path, 0, right_but(1))
    for hours, stale in ((-0.5, False), (-2, True)):
        assert bool(found(tmp_path, max_age=30, now=START + hours * DAY / 24).stale) is stale


def test_seconds_are_nothing_to_watch(tmp_path: Path) -> None:
    for number in range(2):
        day(tmp_path, number, right_but(1))
    with pytest.raises(AssayError, match="latency_s changes with the load of server and network"):
        found(tmp_path, metrics=("latency_s",))


def test_a_result_does_not_depend_on_the_order_of_folders_or_files(tmp_path: Path) -> None:
    folders = [day(tmp_path, number, right_but(*range(number))).parent for number in range(5)]
    for place, folder in enumerate(reversed(folders)):
        for manifest in folder.glob(f"*/{MANIFEST}"):
            os.utime(manifest, (place, place))

    def asked(order: Sequence[Path]) -> Drift:
        return watch(order, "m", None, Watch(), NOW)

    assert asked(folders) == asked(folders[::-1]) == found(tmp_path)


def test_the_difference_of_independent_estimates_reaches_as_far_as_both() -> None:
    first = Estimate(value=10, low=7, high=14, n=5, clusters=5)
    second = Estimate(value=4, low=0, high=7, n=5, clusters=5)
    between = difference(first, second)
    assert between.value == 6
    assert between.low == pytest.approx(6 - 18**0.5)
    assert between.high == pytest.approx(6 + 32**0.5)
    assert difference(first, Estimate(value=4, low=None, high=None, n=1, clusters=1)).low is None

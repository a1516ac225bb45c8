"""A gate passes what is shown to keep to every limit, and nothing that is open, missing or changed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import beta

from assay.decisions.gate_reports import as_junit, as_markdown, in_words, verdict_in_words
from assay.decisions.gating import Checked, Gate, Strictness, gate
from assay.decisions.measuring import measure
from assay.decisions.pointing import PointedError
from assay.decisions.profile import Constraint, Criterion, Deployment, Profile
from assay.errors import AssayError
from assay.metrics import Columns
from assay.metrics.derived import find
from assay.records import NamedSpec
from scored_runs import Said, scored_run

RIGHT = Constraint(name="right", metric="exact_match", at_least=0.8)
LENIENT, IGNORING = Strictness(allow_undetermined=True), Strictness(missing="ignore")


def profile_of(*constraints: Constraint, **more: Any) -> Profile:
    owner = Deployment(owner="a", context="b")
    return Profile(**{"name": "made", "deployment": owner, "runs": ("runs",), "constraints": constraints, **more})


def answers(right: int, wrong: int = 0, lost: int = 0, **more: Any) -> list[Said]:
    """Answers to as many items, in this order; those that are lost have failed."""
    texts = ["yes"] * right + ["no"] * wrong + [None] * lost
    return [Said(item, text, **more) for item, text in enumerate(texts)]


def checked(home: Path, constraint: Constraint, strictness: Strictness | None = None, **more: Any) -> Checked:
    (found,) = gate(profile_of(constraint, **more), home, "m/a", strictness=strictness).constraints
    return found


def exact_bound(right: int, count: int, confidence: float = 0.95) -> float:
    """Below which a share does not lie at that confidence, by Clopper and Pearson."""
    return float(beta.ppf(1 - confidence, right, count - right + 1))


def test_a_failed_answer_counts_as_wrong(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(95, 5, 10))
    found = checked(tmp_path, RIGHT)
    assert (found.missing, found.value) == (10, pytest.approx(95 / 110))
    assert found.bound == pytest.approx(exact_bound(95, 110))
    assert (found.verdict, found.passed) == ("undetermined", False)
    assert checked(tmp_path, msgspec.structs.replace(RIGHT, at_least=0.79)).passed
    assert "10 answers are missing, and counted as the worst" in found.reason
    ignored = checked(tmp_path, RIGHT, IGNORING)
    assert (ignored.value, ignored.bound) == (0.95, pytest.approx(exact_bound(95, 100)))
    assert "left out" in ignored.reason


def test_the_lost_answers_alone_can_fail_the_gate(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(100, 0, 60))
    found = checked(tmp_path, RIGHT)
    assert (found.value, found.verdict, found.passed) == (0.625, "violated", False)
    assert checked(tmp_path, RIGHT, IGNORING).passed


def test_what_only_others_were_asked_counts_as_wrong_too(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(95, 5), max_instances=100)
    scored_run(tmp_path / "runs", "m/b", answers(40, 70))
    found = checked(tmp_path, RIGHT)
    assert (found.missing, found.value) == (10, pytest.approx(95 / 110))
    assert found.bound == pytest.approx(exact_bound(95, 110))
    assert checked(tmp_path, RIGHT, candidates=("m/a",)).missing == 0


def test_others_that_were_asked_other_items_or_had_other_prompts_do_no_harm(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(95, 5))
    scored_run(tmp_path / "runs", "m/b", answers(0, 200), seed=7)
    scored_run(tmp_path / "runs", "m/c", answers(90, 10), repeats=2)
    found = checked(tmp_path, RIGHT)
    assert (found.missing, found.value) == (0, 0.95)


def test_of_several_repeats_only_the_lost_one_counts_as_wrong(tmp_path: Path) -> None:
    said = [*answers(20), *(replace(one, repeat=1) for one in answers(19)), Said(19, None, repeat=1)]
    scored_run(tmp_path / "runs", "m/a", said, repeats=2)
    found = checked(tmp_path, RIGHT)
    assert (found.missing, found.value) == (1, pytest.approx(19.5 / 20))


def test_answers_of_one_document_stay_together_when_lost_ones_are_put_in(tmp_path: Path) -> None:
    def grouped(said: Sequence[Said]) -> list[Said]:
        return [replace(one, group=f"page{one.item % 12}") for one in said]

    scored_run(tmp_path / "runs", "m/a", grouped(answers(48)), max_instances=48)
    scored_run(tmp_path / "runs", "m/b", grouped(answers(60)))
    found = checked(tmp_path, RIGHT)
    scored_run(tmp_path / "other", "m/a", grouped([*answers(48), *answers(0, 60)[48:]]))
    same = checked(tmp_path, RIGHT, runs=("other",))
    assert found.missing == 12
    assert (found.value, found.bound) == (same.value, same.bound)


def test_refused_and_empty_answers_are_answers(tmp_path: Path) -> None:
    said = [*answers(90), *(Said(90 + item, "" if item % 2 else "I'm sorry, I can't help with that.") for item in range(10))]
    scored_run(tmp_path / "runs", "m/a", said)
    found = checked(tmp_path, RIGHT)
    assert (found.missing, found.value) == (0, 0.9)


def test_what_a_judge_left_unmarked_is_missing_and_what_nobody_judged_is_not_measured(tmp_path: Path) -> None:
    marks = [0.75] * 18 + [None] * 2
    said = [Said(item, "yes", judged=mark) for item, mark in enumerate(marks)]
    scored_run(tmp_path / "runs", "m/a", said, metrics=("judge_score",))
    limit = Constraint(name="well said", metric="judge_score", at_least=0.5)
    found = checked(tmp_path, limit)
    assert (found.missing, found.value) == (2, pytest.approx(0.75 * 18 / 20))
    scored_run(tmp_path / "unjudged", "m/a", answers(20), metrics=("judge_score",))
    nothing = checked(tmp_path, limit, LENIENT, runs=("unjudged",))
    assert (nothing.verdict, nothing.passed, nothing.reason) == (
        "undetermined",
        False,
        "not measured: nothing was measured in made",
    )


FAST = Constraint(name="fast", metric="latency_s", at_most=3.0)


def waiting(*, seconds: float, lost: int) -> list[Said]:
    return [replace(one, latency_s=seconds + one.item / 100) for one in answers(50, 0, lost)]


def test_what_has_no_worst_value_leaves_the_constraint_open(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", waiting(seconds=1, lost=1), metrics=("f1_score", "classification_macro_f1"))
    found = checked(tmp_path, FAST)
    assert (found.verdict, found.passed, found.missing) == ("undetermined", False, 1)
    assert found.reason == "1 answer is missing, and latency_s has no worst value for one"
    assert checked(tmp_path, FAST, LENIENT).passed
    assert checked(tmp_path, FAST, IGNORING).verdict == "met"
    overall = Constraint(name="overall", metric="classification_macro_f1", at_least=0.1)
    assert checked(tmp_path, overall).verdict == "undetermined"
    assert checked(tmp_path, overall, IGNORING).verdict == "met"


def test_sums_over_answers_count_what_only_others_were_asked_and_nothing_else(tmp_path: Path) -> None:
    metrics = ("classification_macro_f1",)
    own = [replace(one, gold="no") if one.item % 3 == 0 else one for one in answers(40, 10)]
    scored_run(tmp_path / "alone", "m/a", own, metrics=metrics)
    scored_run(tmp_path / "runs", "m/a", own, metrics=metrics, max_instances=50)
    scored_run(tmp_path / "runs", "m/b", answers(60), metrics=metrics)
    limit = Constraint(name="overall", metric="classification_macro_f1", at_least=0.1)
    alone, beside = checked(tmp_path, limit, runs=("alone",)), checked(tmp_path, limit, IGNORING)
    assert (alone.missing, beside.missing) == (0, 10)
    assert beside.value == alone.value
    assert checked(tmp_path, limit).verdict == "undetermined"


def test_a_violated_limit_stays_violated_whatever_is_missing(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", waiting(seconds=9, lost=1))
    found = checked(tmp_path, FAST, LENIENT)
    assert (found.verdict, found.passed) == ("violated", False)


def test_a_missing_confidence_is_the_worst_that_it_could_be(tmp_path: Path) -> None:
    metrics = ("brier_score", "ece_1_bin", "ece_10_bin")
    sure = [replace(one, confidence=0.55 + 0.004 * one.item) for one in answers(70, 30)]
    scored_run(tmp_path / "runs", "m/a", [*sure, *answers(0, 0, 120)[100:]], metrics=metrics)
    score = np.array([1.0] * 70 + [0.0] * 30)
    confidence = np.array([one.confidence for one in sure])
    for name in metrics:
        found = checked(tmp_path, Constraint(name="honest", metric=name, at_most=0.9))
        metric = find(name)
        assert metric.of_answers is not None
        worst = max(
            float(metric.of_answers(columns(np.append(confidence, [sureness] * 20), np.append(score, [right] * 20))) or 0)
            for sureness, right in itertools.product((0.0, 1.0), repeat=2)
        )
        assert (found.missing, found.value) == (20, pytest.approx(worst))
        assert found.bound is not None
        assert found.bound > worst
    brier = checked(tmp_path, Constraint(name="honest", metric="brier_score", at_most=0.9))
    assert brier.value == pytest.approx((((confidence - score) ** 2).sum() + 20) / 120)


def columns(confidence: np.ndarray, score: np.ndarray) -> Columns:
    empty = np.full(len(score), np.nan)
    rest = dict.fromkeys(
        (
            "latency_s",
            "first_token_s",
            "prompt_tokens",
            "completion_tokens",
            "logprob",
            "scored_tokens",
            "scored_bytes",
            "cost",
        ),
        empty,
    )
    return Columns(confidence=confidence, score=score, **rest)


TYPOS = (NamedSpec(name="typos"),)


@pytest.mark.parametrize(("lost", "change"), [("original", -1.0), ("copy", -1.0), ("both", -1.0)])
def test_a_lost_original_or_copy_makes_the_change_as_bad_as_it_can_be(tmp_path: Path, lost: str, change: float) -> None:
    said = []
    for item in range(40):
        gone = item == 0
        said.append(Said(item, None if gone and lost != "copy" else "yes"))
        # The copy of the lost original is wrong: were the original wrong too, nothing would have changed.
        said.append(Said(item, None if gone and lost != "original" else "no" if gone else "yes", perturbation="typos"))
    scored_run(tmp_path / "runs", "m/a", said, perturbations=TYPOS)
    limit = Constraint(name="steady", metric="exact_match", on="change", perturbation="typos", at_least=-0.5)
    found = checked(tmp_path, limit)
    assert (found.missing, found.value) == (1, pytest.approx(change / 40))


def test_a_lost_copy_makes_the_worst_case_wrong(tmp_path: Path) -> None:
    copies = [replace(one, perturbation="typos") for one in answers(38, 0, 2)]
    scored_run(tmp_path / "runs", "m/a", [*answers(40), *copies], perturbations=TYPOS)
    found = checked(tmp_path, Constraint(name="sturdy", metric="exact_match", on="worst", at_least=0.5))
    assert (found.missing, found.value) == (2, pytest.approx(38 / 40))
    assert checked(tmp_path, RIGHT).missing == 0


def test_only_the_lost_answers_of_a_subgroup_count_there(tmp_path: Path) -> None:
    def region(said: Sequence[Said]) -> list[Said]:
        return [replace(one, subgroups={"region": "north" if one.item % 2 else "south"}) for one in said]

    scored_run(tmp_path / "runs", "m/a", region(answers(90, 0, 1)), max_instances=91)
    scored_run(tmp_path / "runs", "m/b", region(answers(100)))
    north = checked(tmp_path, Constraint(name="north", metric="exact_match", subgroup="region=north", at_least=0.5))
    south = checked(tmp_path, Constraint(name="south", metric="exact_match", subgroup="region=south", at_least=0.5))
    assert (north.missing, north.value) == (5, 0.9)  # 91, 93, …
    assert (south.missing, south.value) == (5, 0.9)  # the failed 90, then 92, …


def test_without_anything_missing_the_numbers_are_those_of_a_decision(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(90, 10), metrics=("ece_10_bin",))
    calibrated = Constraint(name="honest", metric="ece_10_bin", at_most=0.6)
    profile = profile_of(RIGHT, calibrated, criteria=(Criterion(name="unmeasured", metric="toxic_fraction"),))
    found = gate(profile, tmp_path, "m/a")
    measured = measure(profile_of(RIGHT, calibrated), tmp_path)
    assert [one.value for one in found.constraints] == measured.values[0].tolist()
    assert found.runs == measured.sources


def test_a_scenario_that_was_asked_of_others_only_is_not_measured_and_never_passes(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(50))
    for scenario in ("made", "other"):
        scored_run(tmp_path / "runs", "m/b", answers(50), scenario)
    found = checked(tmp_path, RIGHT, LENIENT)
    assert (found.verdict, found.passed, found.value) == ("undetermined", False, None)
    assert found.reason == "not measured: m/a was not asked other"
    assert checked(tmp_path, msgspec.structs.replace(RIGHT, scenarios=("made",))).passed


def test_where_every_answer_was_lost_nothing_was_measured(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(0, 0, 30))
    lost = checked(tmp_path, FAST, LENIENT)
    assert (lost.verdict, lost.passed, lost.value) == ("undetermined", False, None)
    assert checked(tmp_path, RIGHT).value == 0
    assert not checked(tmp_path, RIGHT, IGNORING).passed


def test_a_scenario_in_which_only_others_have_a_value_fails(tmp_path: Path) -> None:
    for name in ("m/a", "m/b"):
        priced = name == "m/b"
        for scenario in ("made", "other"):
            known = 0.01 if priced or scenario == "made" else None
            said = [replace(one, cost=known and known + one.item / 1e5) for one in answers(30)]
            scored_run(tmp_path / "runs", name, said, scenario, metrics=("cost",))
    cheap = Constraint(name="cheap", metric="cost", at_most=1.0)
    assert checked(tmp_path, cheap).reason == "not measured: nothing was measured in other"
    assert checked(tmp_path, cheap, candidates=("m/a",)).verdict == "met"


def test_an_undetermined_constraint_says_how_many_more_would_settle_it(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(17, 3))
    found = checked(tmp_path, RIGHT)
    assert (found.verdict, found.passed) == ("undetermined", False)
    assert found.more is not None
    assert found.more > 20
    assert checked(tmp_path, RIGHT, LENIENT).passed


def test_other_runs_are_looked_at_where_they_are_given(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/b", answers(10, 90))
    scored_run(tmp_path / "nightly", "m/a", answers(95, 5))
    profile = profile_of(RIGHT, candidates=("m/b",))
    found = gate(profile, tmp_path / "elsewhere", "m/a", [tmp_path / "nightly"])
    assert found.passed
    with pytest.raises(AssayError, match="unknown candidate 'm/a'"):
        gate(profile, tmp_path, "m/a")


def test_a_profile_without_constraints_gates_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="has no constraints"):
        gate(profile_of(criteria=(Criterion(name="right", metric="exact_match"),)), tmp_path, "m/a")


@pytest.mark.parametrize("file", ["scores.parquet", "transcripts.parquet", "stats.json"])
@pytest.mark.parametrize("whose", ["m/a", "m/b"])
def test_changed_evidence_passes_nothing(tmp_path: Path, file: str, whose: str) -> None:
    runs = {name: scored_run(tmp_path / "runs", name, answers(95, 5)) for name in ("m/a", "m/b")}
    raw = bytearray((runs[whose] / file).read_bytes())
    raw[len(raw) // 2] ^= 1
    (runs[whose] / file).write_bytes(raw)
    with pytest.raises(AssayError, match=f"the evidence is not whole: .*{file}: changed"):
        gate(profile_of(RIGHT), tmp_path, "m/a")


def test_a_run_whose_manifest_is_gone_is_not_looked_past(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(95, 5))
    bad = scored_run(tmp_path / "runs", "m/a", answers(5, 95), "other")
    assert not gate(profile_of(RIGHT), tmp_path, "m/a").passed
    (bad / "manifest.json").unlink()
    with pytest.raises(AssayError, match=r"the evidence is not whole: .*other.*manifest.json: missing"):
        gate(profile_of(RIGHT), tmp_path, "m/a")


def test_nobodys_run_can_lose_its_manifest_so_that_less_is_missing(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(95, 5), max_instances=100)
    other = scored_run(tmp_path / "runs", "m/b", answers(60, 60))
    assert checked(tmp_path, RIGHT).missing == 20
    (other / "manifest.json").unlink()
    for named in ((), ("m/b",)):
        with pytest.raises(AssayError, match=r"the evidence is not whole: .*manifest.json: missing"):
            gate(profile_of(RIGHT, candidates=named), tmp_path, "m/a")
    assert gate(profile_of(RIGHT, candidates=("m/a",)), tmp_path, "m/a").passed  # the profile is not about the other one


@pytest.mark.parametrize("whose", ["m/a", "m/b"])
def test_a_file_that_was_added_to_a_run_passes_nothing(tmp_path: Path, whose: str) -> None:
    runs = {name: scored_run(tmp_path / "runs", name, answers(95, 5)) for name in ("m/a", "m/b")}
    (runs[whose] / "more.txt").write_text("x")
    with pytest.raises(AssayError, match=r"more\.txt: not part of the run"):
        gate(profile_of(RIGHT), tmp_path, "m/a")


@given(lost=st.sets(st.integers(0, 39), max_size=12), asked=st.integers(30, 40))
@hypothesis_settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_answer_helps_by_being_lost_or_not_asked(
    tmp_path_factory: pytest.TempPathFactory, lost: set[int], asked: int
) -> None:
    home = tmp_path_factory.mktemp("gate")
    whole = [replace(one, confidence=0.3 + one.item / 100) for one in answers(28, 12)]
    scored_run(home / "whole", "m/a", whole, metrics=("brier_score", "f1_score"))
    scored_run(home / "runs", "m/b", whole, metrics=("brier_score", "f1_score"))
    some = [replace(one, text=None) if one.item in lost else one for one in whole[:asked]]
    scored_run(home / "runs", "m/a", some, metrics=("brier_score", "f1_score"), max_instances=asked)
    limits = (
        RIGHT,
        Constraint(name="f1", metric="f1_score", at_least=0.5),
        Constraint(name="b", metric="brier_score", at_most=1.0),
    )
    for constraint in limits:
        with_all, with_some = checked(home, constraint, runs=("whole",)), checked(home, constraint)
        side = 1 if constraint.at_most is not None else -1
        assert with_some.missing == len({item for item in lost if item < asked}) + 40 - asked
        assert with_all.value is not None
        assert with_some.value is not None
        assert side * with_some.value >= side * with_all.value - 1e-12


def test_a_profile_that_has_expired_passes_nothing_unless_that_is_allowed(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(95, 5))
    until = Deployment(owner="a", context="b", review="2026-01-31", expires="2026-03-31")
    profile = profile_of(RIGHT, deployment=until)
    there, past = date(2026, 3, 31), date(2026, 4, 1)
    held = gate(profile, tmp_path, "m/a", today=there)
    assert (held.passed, held.expired, held.notes) == (True, "", ("The profile was to be looked at again by 2026-01-31.",))
    over = gate(profile, tmp_path, "m/a", today=past)
    assert (over.passed, over.failed, over.expired) == (False, (), "2026-03-31")
    assert verdict_in_words(over) == "m/a does not pass: the profile expired on 2026-03-31"
    (suite,) = xml.fromstring(as_junit(over, datetime(2026, 4, 1, tzinfo=UTC)))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    (failure,) = suite.findall("testcase/failure")
    assert failure.get("message") == "the profile expired on 2026-03-31"
    allowed = gate(profile, tmp_path, "m/a", strictness=Strictness(allow_expired=True), today=past)
    assert allowed.passed
    assert verdict_in_words(allowed).endswith("shown to be met; the profile expired on 2026-03-31, which was allowed")
    bad = gate(profile_of(msgspec.structs.replace(RIGHT, at_least=0.99), deployment=until), tmp_path, "m/a", today=past)
    assert verdict_in_words(bad).endswith("expired on 2026-03-31; 1 of 1 constraint not shown to be met")


def test_the_bound_of_a_violated_limit_is_the_one_that_shows_it(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", answers(50, 50))
    found = checked(tmp_path, RIGHT)
    assert found.verdict == "violated"
    assert found.bound == pytest.approx(float(beta.ppf(0.95, 51, 50)))
    near = checked(tmp_path, msgspec.structs.replace(RIGHT, at_least=0.4137))
    assert (near.verdict, in_words(near).split(";")[0]) == ("undetermined", f"right: undetermined: 0.5, bound {near.bound:.4g}")


def test_what_the_profile_names_wrongly_is_pointed_at_where_it_stands(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "m/a", [replace(one, subgroups={"region": "north"}) for one in answers(20)])
    scored_run(tmp_path / "runs", "m/b", answers(20), "other")
    elsewhere = Constraint(name="elsewhere", metric="exact_match", at_least=0.1, scenarios=("other",))
    mistaken = msgspec.structs.replace(RIGHT, subgroup="region=nort", scenarios=("made",))
    with pytest.raises(PointedError, match="did you mean region=north") as caught:
        gate(profile_of(elsewhere, mistaken), tmp_path, "m/a")
    assert caught.value.steps == ("constraints", 1, "subgroup")
    with pytest.raises(PointedError, match="unknown scenario 'mad'") as caught:
        gate(profile_of(elsewhere, msgspec.structs.replace(RIGHT, scenarios=("mad",))), tmp_path, "m/a")
    assert caught.value.steps == ("constraints", 1, "scenarios")
    with pytest.raises(PointedError, match="nowhere does not exist") as caught:
        gate(profile_of(RIGHT, runs=("runs", "nowhere")), tmp_path, "m/a")
    assert caught.value.steps == ("runs", 1)


def test_junit_and_markdown_hold_words_of_others_as_text(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    scored_run(tmp_path / "runs", "m/a", answers(10, 20))
    nasty = 'a<b>&"\x00\x1b[31m\ufffe|`*x*'
    found: Gate = gate(profile_of(msgspec.structs.replace(RIGHT, name=nasty), name=nasty), tmp_path, "m/a")
    written = as_junit(found, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    root = xml.fromstring(written)
    (suite,) = root
    assert root.tag == "testsuites"
    assert {"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id"} == set(suite.attrib)
    assert (suite.get("tests"), suite.get("failures"), suite.get("timestamp")) == ("1", "1", "2026-01-02T03:04:05")
    assert [part.tag for part in suite] == ["properties", "testcase", "system-out", "system-err"]
    (case,) = suite.findall("testcase")
    assert set(case.attrib) == {"name", "classname", "time"}
    assert case.get("name") == 'a<b>&"\\x00\\x1b[31m\\u{fffe}|`*x*'
    (failure,) = case
    assert (failure.tag, failure.get("type")) == ("failure", "violated")
    assert failure.get("message") == failure.text
    properties = {part.get("name"): part.get("value") for part in suite.find("properties") or ()}
    assert properties[f"{case.get('name')}: value"] == repr(found.constraints[0].value)
    assert properties[f"{case.get('name')}: limit"] == "at least 0.8"
    (asked,) = found.asked
    assert (properties["made: items"], properties["made: data"]) == ("30", asked.data)
    page = as_markdown(found)
    assert "\x1b" not in page
    assert "\x00" not in page
    assert "<b>" not in page

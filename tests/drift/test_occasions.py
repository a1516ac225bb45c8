"""The same is asked anew on another occasion, and only the candidates are."""

from __future__ import annotations

from pathlib import Path

from assay.engine import Keys
from assay.planning import Planner
from assay.records import Request
from assay.suites import parse_suite
from fake_models import FakeEndpoint


def test_an_occasion_is_part_of_what_identifies_a_request() -> None:
    plain, monday, tuesday = FakeEndpoint(), FakeEndpoint(), FakeEndpoint()
    monday.occasion, tuesday.occasion = "monday", "tuesday"
    keys = [Keys(model).key(Request(prompt="x")) for model in (plain, monday, tuesday)]
    assert len(set(keys)) == 3
    assert b'"occasion":"monday"' in Keys(monday).preimage(Request(prompt="x"))
    assert b"occasion" not in Keys(plain).preimage(Request(prompt="x"))


def test_judges_are_not_asked_anew_and_runs_keep_their_names(tmp_path: Path) -> None:
    text = (
        "models: [baseline/majority]\njudge: baseline/uniform\nmax_instances: 3\n"
        "scenarios: [{scenario: billing_support, metrics: [judge_score]}]\n"
    )
    planner = Planner(runs_folder=tmp_path)
    (usual,) = planner.plan(parse_suite(text, "test"))
    (run,) = planner.plan(parse_suite(f"{text}occasion: may\n", "test"))
    assert run.judge is not None
    assert (run.model.occasion, run.judge.model.occasion) == ("may", "")
    assert run.spec == usual.spec
    assert run.folder == tmp_path / "default,may" / usual.name

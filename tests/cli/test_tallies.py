"""How far, how fast, how long still, how dear: numbers that a person plans by."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.cli import tallies as module
from assay.cli.amounts import shown_span
from assay.cli.tallies import Tallies
from assay.cli.watching import closing, cost, rate, summary
from assay.engine import Engine
from assay.judging import DEFAULT, Judge
from assay.models import Model, ModelConfig
from assay.records import Answer, Judging, Response
from fake_models import FakeEndpoint, FakeLocal

PRICES = ModelConfig(name="fake/endpoint", price_per_million_input=2.0, price_per_million_output=10.0)


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now, time=time.time))


def a_run(
    name: str, trials: int, model: Model, config: ModelConfig | None = None, judge: Judge | None = None, **helpers: Any
) -> Any:
    spec = SimpleNamespace(draws=1, repeats=1, formats=1)
    details = {"config": config, "helpers": helpers, "folder": Path(), "spec": spec, "judge": judge}
    selection = SimpleNamespace(asked=range(trials))
    return SimpleNamespace(name=name, title=name, label="m", trials_at_most=trials, model=model, selection=selection, **details)


def transcript(
    kept: bool = False, failed: bool = False, copy: str | None = None, latency_s: float | None = None, judged: bool = False
) -> Any:
    answer = Answer(outcome="failed" if failed else "answered")
    asked_at = None if failed else 1.0 if kept else time.time() + 60
    trial = SimpleNamespace(format=0, instance=SimpleNamespace(perturbation=copy))
    response = Response(asked_at=asked_at, latency_s=latency_s)
    judging = Judging(judge="fake/judge", prompt="Mark it.", response=response) if judged else None
    return SimpleNamespace(trial=trial, responses=(response,), answer=answer, judging=judging)


def test_the_time_left_counts_only_what_must_still_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    run = a_run("r", 1000, model)
    tallies, counters = Tallies([run], engine), engine.counters(model)
    clock.now += 1
    counters.asked = counters.cached = 500  # kept answers come at once, and say nothing of the model's pace
    for _ in range(500):
        tallies.advance(run, transcript(kept=True))
    assert tallies.state().left_s is None
    clock.now += module.RECENT_S + 1
    tallies.state()
    clock.now += 10
    counters.asked, counters.answered = 600, 100
    for _ in range(100):
        tallies.advance(run, transcript())
    tallies._recent[model].popleft()  # the time before the first new answer is over
    state = tallies.state()
    assert (state.trials, state.cached, state.requests) == (600, 500, 100)
    assert state.requests_per_s == pytest.approx(10)
    assert state.left_s == pytest.approx(40)


def test_requests_that_wait_are_left_and_those_that_others_share_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    run = a_run("r", 100, model)
    tallies, counters = Tallies([run], engine), engine.counters(model)
    clock.now += 5
    counters.asked, counters.shared, counters.answered = 100, 60, 10
    tallies.advance(run, transcript())
    assert tallies.state().left_s == pytest.approx((100 - 60 - 10) / (10 / 5))


def test_the_cost_at_the_end_is_expected_from_what_answers_cost_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    run = a_run("r", 100, model, PRICES)
    tallies, counters = Tallies([run], engine), engine.counters(model)
    clock.now += 1
    counters.asked = counters.answered = 25
    counters.prompt_tokens, counters.completion_tokens = 100_000, 10_000
    for _ in range(25):
        tallies.advance(run, transcript())
    state = tallies.state()
    assert state.cost == pytest.approx(0.3)
    assert state.cost_expected == pytest.approx(1.2)
    assert "cost 0.3 of about 1.20" in " · ".join(summary(state)[1])


def test_copies_that_change_nothing_are_not_expected_to_cost_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred items with ten perturbations each, of which one in ten items is changed by one: 110 trials, not 1,100."""
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    run = a_run("r", 100, model, PRICES)
    run.trials_at_most = 1100
    tallies, counters = Tallies([run], engine), engine.counters(model)
    clock.now += 11
    counters.asked = counters.answered = 11
    counters.prompt_tokens = 11_000
    for copy in (None,) * 10 + ("typos",):
        tallies.advance(run, transcript(copy=copy))
    state = tallies.state()
    assert state.cost_expected == pytest.approx(0.22)
    assert state.left_s == pytest.approx(99)


def test_a_run_that_has_not_begun_is_taken_to_be_like_those_that_have(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    runs = [a_run("a", 10, model), a_run("b", 20, model)]
    tallies, counters = Tallies(runs, engine), engine.counters(model)
    clock.now += 10
    counters.asked = counters.answered = 10
    for _ in range(10):
        tallies.advance(runs[0], transcript())
    assert tallies.state().left_s == pytest.approx(20)


def test_answers_that_take_no_time_say_nothing_of_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model, baseline = Clock(monkeypatch), Engine(None), FakeEndpoint(), FakeLocal()
    runs = [a_run("a", 20, model), a_run("b", 2000, baseline)]
    tallies = Tallies(runs, engine)
    clock.now += 10
    for run, asked, answered in ((runs[0], 20, 10), (runs[1], 2000, 1000)):
        counters = engine.counters(run.model)
        counters.asked, counters.answered = asked, answered
        tallies.advance(run, transcript(latency_s=0.1 if run is runs[0] else None))
    state = tallies.state()
    assert state.requests_per_s == pytest.approx(1)
    assert state.left_s == pytest.approx(10)
    assert state.requests == 1010


def test_a_model_in_this_process_is_seen_to_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeLocal()
    run = a_run("r", 50, model)
    tallies, counters = Tallies([run], engine), engine.counters(model)
    clock.now += 10
    counters.asked, counters.answered, counters.in_flight = 20, 10, 8
    tallies.advance(run, transcript(latency_s=0.5))
    state = tallies.state()
    assert (state.in_flight, state.computing, state.requests_per_s) == (0, 8, pytest.approx(1))
    assert "computing 8 requests" in summary(state)[1]
    assert not any("in flight" in part for part in summary(state)[1])


def test_before_anything_is_answered_no_pace_of_0_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeLocal()
    tallies, counters = Tallies([a_run("r", 25, model)], engine), engine.counters(model)
    clock.now += 10
    counters.asked = counters.in_flight = 25
    assert summary(tallies.state())[1] == ["computing 25 requests"]


@pytest.mark.parametrize(("a_second", "shown"), [(0.412, "0.412"), (17.34, "17.3"), (999.4, "999"), (1740.2, "1,740")])
def test_rates_are_written_out(a_second: float, shown: str) -> None:
    assert rate(a_second) == shown


def test_more_answers_than_trials_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    run = a_run("r", 1, model)
    tallies, counters = Tallies([run], engine), engine.counters(model)
    clock.now += 1
    tallies.advance(run, transcript())
    counters.asked = counters.answered = 4
    assert closing(tallies.state()).startswith("1 trial done, 4 new answers (a trial that scores options takes one for each)")


def test_models_are_asked_at_once_so_the_slowest_decides_and_an_unknown_pace_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, engine = Clock(monkeypatch), Engine(None)
    fast, slow = FakeEndpoint(name="fast"), FakeEndpoint(name="slow")
    runs = [a_run("a", 20, fast), a_run("b", 20, slow)]
    tallies = Tallies(runs, engine)
    clock.now += 10
    for run, answered in ((runs[0], 10), (runs[1], 0)):
        counters = engine.counters(run.model)
        counters.asked, counters.answered = 20, answered
        for _ in range(answered):
            tallies.advance(run, transcript())
    assert tallies.state().left_s is None
    engine.counters(slow).answered = 2
    tallies.advance(runs[1], transcript())
    assert tallies.state().left_s == pytest.approx(18 / 0.2)


def test_a_pause_is_shown_with_its_reason_and_failures_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    run = a_run("r", 10, model)
    tallies, counters = Tallies([run], engine), engine.counters(model)
    counters.paused_until, counters.paused_why, counters.refused = clock.now + 8, "rate limit", 3
    tallies.advance(run, transcript(failed=True))
    state = tallies.state()
    far, fast = summary(state)
    assert "paused for 8 s: rate limit" in far
    assert "1 failed" in far
    assert "3 rate-limited" in fast
    assert "1 failed" in closing(state)
    clock.now += 9
    assert tallies.state().paused_s == 0


def test_requests_to_a_model_that_makes_copies_are_seen_before_any_trial_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, helper = Clock(monkeypatch), Engine(None), FakeEndpoint(name="helper")
    tallies = Tallies([a_run("r", 10, FakeEndpoint(), paraphrase=helper)], engine)
    clock.now += 2
    counters = engine.counters(helper)
    counters.asked, counters.answered, counters.in_flight = 10, 4, 6
    state = tallies.state()
    assert (state.trials, state.requests, state.in_flight, state.requests_per_s) == (0, 4, 6, pytest.approx(2))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.2, "under 1 s"), (8.4, "8 s"), (60, "1 min"), (200, "3 min 20 s"), (18_720, "5 h 12 min"), (273_600, "3 d 4 h")],
)
def test_spans_of_time_are_written_in_two_units(seconds: float, shown: str) -> None:
    assert shown_span(seconds) == shown


@pytest.mark.parametrize(("amount", "shown"), [(0, "0.00"), (12.345, "12.35"), (0.0123, "0.012"), (1e-9, "under 0.0001")])
def test_costs_are_written_with_the_digits_that_tell(amount: float, shown: str) -> None:
    assert cost(amount) == shown


def test_what_a_judge_is_asked_takes_time_and_costs_as_the_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model, asked = Clock(monkeypatch), Engine(None), FakeEndpoint(), FakeEndpoint(name="fake/judge")
    tallies = Tallies([a_run("r", 100, model, judge=Judge(asked, engine, DEFAULT, PRICES))], engine)
    clock.now += 10
    of_model, of_judge = engine.counters(model), engine.counters(asked)
    of_model.asked = of_model.answered = 30
    of_judge.asked = of_judge.answered = 20
    of_judge.prompt_tokens = 10_000
    for _ in range(20):
        tallies.advance(tallies.runs["r"].run, transcript(judged=True))
    state = tallies.state()
    assert (state.requests, state.judged) == (50, 20)
    assert state.left_s == pytest.approx(80 / 2)
    assert state.cost == pytest.approx(0.02)
    assert state.cost_expected == pytest.approx(0.1)
    assert closing(state).startswith("20 trials done, 50 new answers (the judge's are among them)")


def test_a_model_that_marks_its_own_answers_is_asked_twice_for_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, engine, model = Clock(monkeypatch), Engine(None), FakeEndpoint()
    tallies = Tallies([a_run("r", 50, model, judge=Judge(model, engine, DEFAULT))], engine)
    clock.now += 10
    engine.counters(model).asked = engine.counters(model).answered = 20
    for _ in range(10):
        tallies.advance(tallies.runs["r"].run, transcript(judged=True))
    assert tallies.state().left_s == pytest.approx(80 / 2)
    assert "options" not in closing(tallies.state())


def test_the_last_line_says_why_requests_were_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    engine, one, other = Engine(None), FakeEndpoint(), FakeLocal()
    tallies = Tallies([a_run("r", 1, one), a_run("s", 1, other)], engine)
    assert "retr" not in closing(tallies.state())
    engine.counters(one).retried.update({"connection": 9, "rate_limit": 3, "server": 1})
    engine.counters(other).retried.update({"connection": 2, "timeout": 1000, "\x1b[2J": 1})
    state = tallies.state()
    assert (state.retries, state.retried["connection"], next(iter(state.retried))) == (1016, 11, "timeout")
    assert "1,016 retries (timeout 1,000, connection 11, rate limit 3, others 2)" in closing(state)

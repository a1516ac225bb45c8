"""Runs in progress: what was planned, and how far it is, as far as the processes at work say so on disk."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import msgspec
import pytest

from assay.metrics import metrics_for
from assay.records import Answer, Instance, Request, Response, ScoredTrial, Trial, Usage
from assay.statistics import Gathered
from assay.store import RunWriter
from assay.store.folders import BeingWritten, being_written, work_folder, writing
from assay.store.planned import PLAN, PlannedRun, SuitePlan, write_plan
from assay.store.transcripts import Transcript
from assay.store.writer import TALLY, Tally, tally_so_far
from assay.web.pages.live import duration, suites_of
from cli_helpers import assay_process
from fake_servers import mock_server
from scored_runs import Said, scored_run
from test_runs import command, environment, write_items
from web_helpers import draw, html, view_of

ANSWERS = [Said(item, "yes") for item in range(3)]


def planned(place: Path, *runs: str) -> None:
    write_plan(place, SuitePlan(runs=tuple(PlannedRun(run=run, title=run, label="m", trials_at_most=40) for run in runs)))


def add(writer: RunWriter, item: int) -> None:
    trial = Trial(instance=Instance(id=f"i{item}", input="?"), requests=(Request(prompt="?"),))
    response = Response(usage=Usage(prompt_tokens=7, completion_tokens=2, source="provider"))
    answer = Answer(outcome="answered")
    scored = ScoredTrial(instance_id=f"i{item}", answer=answer, scores={})
    writer.add(Transcript(trial=trial, responses=(response,), answer=answer), scored)
    writer.tell()


def states(place: Path) -> dict[str, tuple[str, int | None]]:
    suites, problems = suites_of(view_of(place).catalog)
    assert not problems
    return {standing.planned.run: (standing.state, standing.trials) for suite in suites for standing in suite.standings}


def test_a_run_is_finished_being_asked_waiting_or_not_begun(tmp_path: Path) -> None:
    place = tmp_path / "s"
    finished = scored_run(place, "m", ANSWERS)
    planned(place, finished.name, "asked-1", "waiting-1", "later-1")
    with writing(place / "asked-1"), writing(place / "waiting-1"):
        writer = RunWriter(place / "asked-1")
        add(writer, 0)
        assert states(tmp_path) == {
            finished.name: ("finished", 3),
            "asked-1": ("being asked", 1),
            "waiting-1": ("waiting", 0),
            "later-1": ("not begun", None),
        }
        page = draw(view_of(tmp_path), "live")
        assert page.refresh_s > 0
        row = page.grids[0].records()[1]
        assert (row["state"], row["done"], row["of at most"], row["tokens"]) == ("being asked", 1, 40, 9)
        writer.abandon()
    assert states(tmp_path)["asked-1"] == ("not begun", None)
    assert draw(view_of(tmp_path), "live").refresh_s == 0


def test_a_page_of_finished_runs_leads_to_them(tmp_path: Path) -> None:
    finished = scored_run(tmp_path / "s", "m", ANSWERS)
    planned(tmp_path / "s", finished.name)
    view = view_of(tmp_path)
    assert f'href="/run/{view.catalog.entries[0].slug}"' in html(view, "live")


def test_looking_does_not_keep_a_process_from_its_run(tmp_path: Path) -> None:
    run = tmp_path / "s" / "r-1"
    assert not being_written(run)
    with writing(run):
        assert being_written(run)
        with pytest.raises(BeingWritten):
            writing(run).__enter__()
    assert not being_written(run)
    with writing(run):
        pass


def test_word_of_how_far_a_run_is_costs_it_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RunWriter(tmp_path / "r-1")
    add(writer, 0)
    add(writer, 1)
    told = tally_so_far(tmp_path / "r-1")
    assert told is not None
    assert told.trials == 1  # the next word is due in half a second
    (work_folder(tmp_path / "r-1") / TALLY).write_text("{")
    assert tally_so_far(tmp_path / "r-1") is None

    def full(path: Path, record: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assay.store.writer.write_json", full)
    monkeypatch.setattr("assay.store.writer.TELL_AGAIN_S", 0.0)
    add(writer, 2)
    assert writer.tally.trials == 3
    writer.abandon()
    assert Gathered(metrics_for(("exact_match",))).instances == 0


def test_a_plan_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text("{")
    text = html(view_of(tmp_path), "live")
    assert "suite.json is not what assay writes" in text


def test_what_a_plan_says_is_shown_as_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\u202e"
    run = PlannedRun(run="../../../etc", title=hostile, label=hostile)
    write_plan(tmp_path / "s", SuitePlan(runs=(run,), left_out=(hostile,)))
    text = html(view_of(tmp_path), "live")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}" in text
    assert "<script>" not in text


def test_a_run_is_seen_while_it_is_asked_and_when_it_is_done(shared: Path, tmp_path: Path) -> None:
    write_items(tmp_path, 60)
    with mock_server(shared, "--latency-ms", "400") as server:
        (tmp_path / "models.yaml").write_text(f"- name: openai/mock-1\n  base_url: {server.base_url}\n  concurrency: 24\n")
        process = assay_process(*command(server, "runs", "--models-file", "models.yaml"), cwd=tmp_path, **environment(server))
        try:
            seen = set()
            deadline = time.monotonic() + 60
            while process.poll() is None:
                assert time.monotonic() < deadline
                if (tmp_path / "runs").is_dir():
                    seen |= set(states(tmp_path / "runs").values())
                time.sleep(0.05)
            assert process.wait() == 0
        finally:
            process.kill()
            process.communicate()
    asked = [trials for state, trials in seen if state == "being asked" and trials]
    assert asked
    assert max(asked) <= 120
    (final,) = states(tmp_path / "runs").values()
    assert final == ("finished", 120)


def test_pace_and_time_left_follow_from_when_the_run_began(tmp_path: Path) -> None:
    planned(tmp_path / "s", "asked-1")
    with writing(tmp_path / "s" / "asked-1"):
        writer = RunWriter(tmp_path / "s" / "asked-1")
        tally = Tally(trials=10, failed=2, first_asked=100.0, last_asked=105.0)
        (work_folder(tmp_path / "s" / "asked-1") / TALLY).write_bytes(msgspec.json.encode(tally))
        view = view_of(tmp_path)
        row = draw(view, "live").grids[0].records()[0]
        assert (row["per s"], row["left"]) == (2.0, 15.0), "30 of 40 are left"
        text = html(view, "live")
        assert '<progress max="40" value="10"' in text
        assert "8 answered, 2 failed, of at most 40" in text
        assert ">15 s<" in text
        writer.abandon()


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (100, "2 min"), (12_000, "3 h 20 min")])
def test_times_to_wait_are_coarse(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_suites_that_are_done_stand_together_and_the_last_one_by_itself(tmp_path: Path) -> None:
    finished = scored_run(tmp_path / "s", "m", ANSWERS)
    planned(tmp_path / "s", finished.name)
    text = html(view_of(tmp_path), "live")
    assert "<h2>s</h2>" in text
    assert "Finished earlier" not in text
    planned(tmp_path / "t", "later-2")
    os.utime(tmp_path / "s" / PLAN, (1.0, 1.0))
    view = view_of(tmp_path)
    text = html(view, "live")
    assert text.index("<h2>t</h2>") < text.index("<h2>Finished earlier</h2>")
    assert "<h2>s</h2>" not in text
    assert 'href="/overview?suite=s"' in text
    (row,) = next(grid for grid in draw(view, "live").grids if grid.name == "finished").records()
    assert (row["suite"], row["runs"], row["done"], row["failed"]) == ("s", 1, 3, 0)
    planned(tmp_path / "s", finished.name, "later-1")
    text = html(view_of(tmp_path), "live")
    assert "Finished earlier" not in text
    assert "the same <code>assay run</code> goes on with it" in text


def test_a_count_that_stands_still_says_since_when(tmp_path: Path) -> None:
    planned(tmp_path / "s", "asked-1")
    with writing(tmp_path / "s" / "asked-1"):
        writer = RunWriter(tmp_path / "s" / "asked-1")
        add(writer, 0)
        assert "last counted" not in html(view_of(tmp_path), "live")
        long_ago = time.time() - 40
        os.utime(work_folder(tmp_path / "s" / "asked-1") / TALLY, (long_ago, long_ago))
        assert re.search(r"last counted 4\d s ago", html(view_of(tmp_path), "live"))
        writer.abandon()


def test_a_page_of_runs_in_progress_is_loaded_anew_only_where_no_script_runs(tmp_path: Path) -> None:
    planned(tmp_path / "s", "asked-1")
    with writing(tmp_path / "s" / "asked-1"):
        text = html(view_of(tmp_path), "live")
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in text
    assert text.count("http-equiv") == 1
    assert '<main id="main" tabindex="-1" data-again="2">' in text

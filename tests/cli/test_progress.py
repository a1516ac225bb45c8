"""What is said while a suite is carried out, and how it ends when it is stopped."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assay.cli.event_lines import TOLD
from assay.cli.tallies import State
from assay.engine import storage
from assay.store import find_runs
from cli_helpers import Assay, assay_process
from fake_servers import mock_server

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-n", "8")


def events_in(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_events_tell_a_machine_all_that_happens_and_are_added_to_the_file(assay: Assay, tmp_path: Path) -> None:
    for expected in (8, 0):
        said = assay(*RUN, "--events", "events.jsonl", "--quiet")
        assert said.code == 0
        assert said.err == ""
        told = events_in(Path("events.jsonl").read_text())
        end = told[-1]
        assert (end["event"], end["outcome"]) == ("suite_finished", "finished")
        if expected:
            assert [one["event"] for one in told] == ["suite_started", "run_started", "run_finished", "suite_finished"]
            assert (told[0]["runs"], told[0]["trials_at_most"]) == (1, 8)
            assert told[1]["candidate"] == "baseline/majority"
            assert told[2]["run"] == told[1]["run"] == find_runs(tmp_path / "runs")[0].name
            assert (end["trials"], end["failed"], end["runs_finished"]) == (8, 0, 1)
    assert [one["event"] for one in events_in(Path("events.jsonl").read_text())][4:] == ["suite_finished"]


def test_events_on_standard_output_leave_it_to_them(assay: Assay) -> None:
    said = assay(*RUN, "--events", "-")
    assert events_in(said.out)[-1]["event"] == "suite_finished"
    assert "report:" in said.err
    said = assay(*RUN, "--events", "-", "--json")
    assert said.code == 2
    assert "--events" in said.err


def test_every_event_and_field_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text("utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert {*State.__struct_fields__, *TOLD, "note", "suite_started", "run_started", "progress", "run_finished"} <= named


def test_answers_kept_from_before_are_told_from_new_ones(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    said = assay(*RUN, "--out", "elsewhere", "--events", "events.jsonl")
    end = events_in(Path("events.jsonl").read_text())[-1]
    assert (end["trials"], end["cached"], end["requests"]) == (8, 8, 0)
    assert "8 trials done, 0 new answers · 8 cached" in said.err


def test_progress_goes_to_standard_error_and_quiet_says_nothing_but_the_result(assay: Assay) -> None:
    said = assay(*RUN)
    assert said.err.splitlines()[0] == "asking 1 run, at most 8 trials"
    assert "trials" not in said.out.split("report:")[0]
    said = assay(*RUN, "--out", "elsewhere", "--quiet")
    assert said.err == ""
    assert "report:" in said.out


def test_events_that_cannot_be_written_are_refused_before_anything_is_asked(assay: Assay) -> None:
    said = assay(*RUN, "--events", "none/events.jsonl")
    assert said.code == 2
    assert said.err.startswith("error: --events none/events.jsonl: cannot be written")
    assert not Path("runs").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_the_events_does_not_end_the_run(assay: Assay) -> None:
    said = assay(*RUN, "--events", "/dev/full")
    assert said.code == 0
    assert said.err.count("warning: no more events can be written") == 1


@pytest.mark.parametrize("nowhere", ["2>&-", "2>/dev/full"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_standard_error_that_cannot_be_written_to_ends_nothing(nowhere: str, tmp_path: Path) -> None:
    command = ["sh", "-c", f'exec "$@" {nowhere}', "sh", sys.executable, "-m", "assay"]
    environment = {**os.environ, "ASSAY_CACHE": str(tmp_path / "cache")}
    for arguments, code, shown in ((RUN, 0, "report:"), (("run", "nonsense:", "-m", "baseline/majority"), 2, "")):
        said = subprocess.run(
            [*command, *arguments], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        assert said.returncode == code
        assert shown in said.stdout


def test_a_cache_that_another_process_keeps_locked_is_waited_for_and_said(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert assay(*RUN[:-1], "2").code == 0
    monkeypatch.setattr(storage, "SAY_AFTER_S", 0.0)
    monkeypatch.setattr(storage, "BUSY_S", 0.05)
    events, locked = tmp_path / "events.jsonl", threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(tmp_path / "cache" / "responses.sqlite", isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            locked.set()
            while not (events.exists() and '"note"' in events.read_text()):
                time.sleep(0.01)

    other = threading.Thread(target=hold, daemon=True)
    other.start()
    locked.wait()
    said = assay(*RUN, "--events", str(events))
    other.join()
    assert said.code == 0
    assert said.err.count("waiting for another process that writes to the response cache") == 1
    (note,) = [one for one in events_in(events.read_text()) if one["event"] == "note"]
    assert note["message"] in said.err
    assert "8 trials done" in said.err


def slow_suite(folder: Path, url: str) -> None:
    (folder / "models.yaml").write_text(
        f"- {{name: slow, provider: openai, model: mock-1, base_url: '{url}', concurrency: 4}}\n"
    )
    rows = [{"input": f"Item {number}. Which?", "answer": "A", "options": ["A", "B"]} for number in range(400)]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))


SLOW = ("run", "local_file:path=items.jsonl,method=multiple_choice_joint,shots=0", "-m", "slow")


def wait_for_answers(server: Any, process: subprocess.Popen[str]) -> None:
    while server.stats()["requests"] < 12:
        assert process.poll() is None
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_in_order_and_the_same_command_goes_on(number: signal.Signals, shared: Path, tmp_path: Path) -> None:
    with mock_server(shared, "--latency-ms", "50") as server:
        slow_suite(tmp_path, server.base_url)
        process = assay_process(*SLOW, "--events", "events.jsonl", cwd=tmp_path)
        wait_for_answers(server, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130, err
        assert out == ""
        lines = err.splitlines()
        assert any(line.startswith("stopping: every answer so far is kept") for line in lines)
        assert lines[-1].startswith("stopped; every answer so far is kept")
        assert "Traceback" not in err
        end = events_in((tmp_path / "events.jsonl").read_text())[-1]
        assert (end["event"], end["outcome"], end["in_flight"]) == ("suite_finished", "interrupted", 0)
        before = server.stats()["requests"]
        again = assay_process(*SLOW, "-n", "20", "--events", "-", cwd=tmp_path)
        told = events_in(again.communicate(timeout=60)[0])[-1]
        assert again.returncode == 0
        assert told["cached"] + told["requests"] == 20
        assert server.stats()["requests"] <= before + 20


def test_a_second_signal_ends_it_at_once_even_where_the_first_cannot(tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(
        "import time\n"
        "from assay.models import Capabilities, Local, provider\n"
        "from assay.records import ModelIdentity\n"
        "class Stuck(Local):\n"
        "    identity, capabilities = ModelIdentity(name='stuck/x'), Capabilities(chat=True)\n"
        "    def ask_batch(self, requests):\n"
        "        print('computing', flush=True)\n"
        "        time.sleep(600)\n"
        "@provider('stuck')\n"
        "def stuck(name, config):\n"
        "    '''Never ends.'''\n"
        "    return Stuck()\n"
    )
    process = assay_process("run", "billing_support:", "-m", "stuck/x", "--plugin", "stuck.py", cwd=tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "computing\n"
    process.send_signal(signal.SIGINT)
    while not process.stderr.readline().startswith("stopping"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert process.stderr.read() == "stopped at once; the answers so far are kept, and the same command goes on from here\n"
    process.stdout.close()
    process.stderr.close()


def test_an_endpoint_that_is_gone_ends_with_code_3_and_what_was_answered_is_kept(shared: Path, tmp_path: Path) -> None:
    with mock_server(shared) as server:
        slow_suite(tmp_path, server.base_url)
        assert assay_process(*SLOW, "-n", "10", cwd=tmp_path).wait(timeout=60) == 0
    process = assay_process(*SLOW, "-n", "40", "--events", "events.jsonl", cwd=tmp_path)
    _, err = process.communicate(timeout=90)
    assert process.returncode == 3, err
    assert err.splitlines()[-1].startswith("error: slow ")
    end = events_in((tmp_path / "events.jsonl").read_text())[-1]
    assert (end["outcome"], end["runs_finished"]) == ("stopped", 0)


def in_terminal(cwd: Path, *arguments: str) -> tuple[int, str]:
    """The command line in a terminal of 12 lines and 100 columns: exit code, and all that was drawn."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(cwd)
        os.environ.update(ASSAY_CACHE=str(cwd / "cache"), TERM="xterm", COLUMNS="100", LINES="12")
        os.execv(sys.executable, [sys.executable, "-m", "assay", *arguments])
    drawn = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        drawn += part
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), drawn.decode()


def test_more_runs_than_lines_do_not_scroll_the_terminal(shared: Path, tmp_path: Path) -> None:
    with mock_server(shared, "--latency-ms", "30") as server:
        slow_suite(tmp_path, server.base_url)
        scenarios = [{"scenario": "billing_support", "max_instances": number} for number in range(3, 17)]
        (tmp_path / "many.yaml").write_text(json.dumps({"models": ["slow"], "scenarios": scenarios}))
        code, drawn = in_terminal(tmp_path, "run", "many.yaml")
    assert code == 0, drawn[-2000:]
    progress = drawn.split("trials done")[0]
    assert "of 14 runs" in progress
    assert "in flight" in progress
    # Each frame goes up over the one before, and is never taller than the terminal.
    assert progress.count("\n") - progress.count("\x1b[1A") < 12
    assert "\x1b[?25h" in drawn[drawn.rindex("\x1b[?25l") :]


FLAKY = """
from assay.models import Capabilities, Endpoint, RequestError, provider
from assay.records import Completion, ModelIdentity, Response

class Flaky(Endpoint):
    identity, capabilities, asked = ModelIdentity(name="flaky_half/x"), Capabilities(chat=True, concurrency=2), 0

    async def ask(self, request):
        self.asked += 1
        if self.asked % 2:
            raise RequestError("bad_request", "no luck", retriable=False)
        return Response(completions=(Completion(text="A"),))

@provider("flaky_half")
def flaky_half(name, config):
    '''Fails every other time.'''
    return Flaky()
"""


def test_more_failures_than_allowed_end_it_early_if_a_number_is_given(assay: Assay) -> None:
    Path("flaky.py").write_text(FLAKY)
    flaky = ("run", "billing_support:", "-m", "flaky_half/x", "-n", "40", "--events", "events.jsonl")
    said = assay(*flaky, "--plugin", "flaky.py", "--max-failures", "3")
    assert said.code == 3, said
    assert "more than the 3 allowed" in said.err.splitlines()[-1]
    end = events_in(Path("events.jsonl").read_text())[-1]
    assert end["outcome"] == "stopped"
    assert end["requests"] < 20
    said = assay(*flaky)
    assert said.code == 3, said
    assert "of 40 trials failed" in said.err
    assert "report:" in said.out
    assert events_in(Path("events.jsonl").read_text())[-1]["outcome"] == "finished"

"""An endpoint that refuses some requests for good is there: what it refuses never blocks the rest, nor the same command."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.engine.health import ROW
from assay.store import find_runs
from changing_server import ChangingServer, changing_server
from cli_helpers import Assay, assay_process

ITEMS = 240
RUN = ("run", "sums.yaml", "-m", "openai/adder", "--quiet")


@pytest.fixture
def server(assay: Assay, tmp_path: Path) -> Iterator[ChangingServer]:
    with changing_server(tmp_path, ITEMS) as found:
        yield found


def results(out: str = "runs") -> tuple[int, int]:
    """Trials, and how many of them failed."""
    (run,) = find_runs(Path(out))
    return run.stats().trials, run.stats().failed


def test_the_same_command_ends_alike_when_only_refused_requests_are_left(assay: Assay, server: ChangingServer) -> None:
    server.refused = 0.4
    first = assay(*RUN)
    trials, failed = results()
    assert (first.code, trials) == (3, ITEMS)
    assert ROW < failed < ITEMS - ROW
    assert f"{failed} of {ITEMS} trials failed" in first.err
    asked = server.asked

    again = assay(*RUN)
    assert (again.code, again.out, again.err) == (3, first.out, first.err)
    assert server.asked == asked + failed
    assert assay(*RUN, "--max-failures", 9999).code == 0
    grown = assay(*RUN, "--out", "grown", "--until", "accuracy±0.01")
    assert (grown.code, results("grown")) == (3, (trials, failed))
    assert "trials failed" in grown.err

    server.refused = 0.0
    assert assay(*RUN).code == 0
    assert results() == (ITEMS, 0)


def test_a_run_that_is_killed_while_requests_are_refused_goes_on(server: ChangingServer, tmp_path: Path) -> None:
    server.refused, server.latency_s = 0.4, 0.1
    with (tmp_path / "models.yaml").open("a") as file:
        file.write("  concurrency: 16\n")
    process = assay_process(*RUN, cwd=tmp_path, OPENAI_API_KEY="x")
    deadline = time.monotonic() + 60
    while server.asked < ITEMS * 2 // 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not list(tmp_path.glob("runs/*/*/manifest.json"))

    server.latency_s = 0.0
    process = assay_process(*RUN, cwd=tmp_path, OPENAI_API_KEY="x")
    _, err = process.communicate(timeout=60)
    trials, failed = results(str(tmp_path / "runs"))
    assert (process.returncode, trials) == (3, ITEMS)
    assert ROW < failed < ITEMS - ROW, err


def test_an_endpoint_that_refuses_everything_is_asked_only_at_first(assay: Assay, server: ChangingServer) -> None:
    server.refused = 1.0
    said = assay(*RUN)
    assert said.code == 2
    assert "openai/adder refuses what it is asked: its first 50 requests all failed" in said.err
    assert "answered 400" in said.err
    assert "--max-failures 100%" in said.err
    assert ROW <= server.asked < ITEMS

    for allowed, enough in (("20", 21), ("10%", 50)):
        before = server.asked
        said = assay(*RUN, "--max-failures", allowed)
        assert said.code == 2
        assert f"more than the {allowed}" in said.err
        assert enough <= server.asked - before < ITEMS
    assert assay(*RUN, "--max-failures", "100%").code == 0
    assert results() == (ITEMS, ITEMS)


def test_one_who_answered_another_scenario_before_is_known_to_be_there(assay: Assay, server: ChangingServer) -> None:
    text = Path("sums.yaml").read_text()
    Path("others.csv").write_text("sum,total,split\n" + "".join(f"{n} + 5000,{n + 5000},test\n" for n in range(ROW + 20)))
    Path("others.yaml").write_text(text.replace("scenario: sums", "scenario: others").replace("sums.csv", "others.csv"))
    assert assay(*RUN).code == 0
    server.refused = 1.0
    both = (RUN[0], RUN[1], "others.yaml", *RUN[2:])
    said = assay(*both)
    assert said.code == 3
    assert f"{ROW + 20} of {ITEMS + ROW + 20} trials failed" in said.err
    assert len(find_runs(Path("runs"))) == 2


@pytest.mark.parametrize(("option", "message"), [("--again", "--again has no name"), ("--until", "--until '' is not")])
def test_an_empty_name_or_aim_is_refused_and_not_ignored(
    option: str, message: str, assay: Assay, server: ChangingServer
) -> None:
    said = assay(*RUN, option, "")
    assert said.code == 2
    assert said.err.startswith(f"error: {message}")
    assert said.err.count("\n") == 1
    assert server.asked == 0


def test_occasions_in_any_script_are_told_apart(assay: Assay, server: ChangingServer) -> None:
    server.skill = 1.0
    for number, name in enumerate(("月曜日", "火曜日", "ä", "ö"), 1):
        assert assay(*RUN, "-n", 5, "--again", name).code == 0
        assert server.asked == 5 * number
        assert assay(*RUN, "-n", 5, "--again", name).code == 0
        assert server.asked == 5 * number
    assert len(list(Path("runs").iterdir())) == 4
    assert "nothing is shown to have changed" in assay("drift", "openai/adder").out

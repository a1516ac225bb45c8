"""`assay drift` as a user and a scheduler meet it: evaluations over a network, of a model that changes in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.store import find_runs
from changing_server import ChangingServer, changing_server
from cli_helpers import Assay

ITEMS = 60
RUN = ("run", "sums.yaml", "-m", "openai/adder", "--quiet")
DRIFT = ("drift", "openai/adder")


@pytest.fixture
def server(assay: Assay, tmp_path: Path) -> Iterator[ChangingServer]:
    with changing_server(tmp_path, ITEMS) as found:
        yield found


def days(assay: Assay, *names: object) -> None:
    for name in names:
        said = assay(*RUN, "--again", name)
        assert said.code == 0, said


def test_another_occasion_asks_anew_and_the_same_one_carries_on(assay: Assay, server: ChangingServer) -> None:
    assert assay(*RUN).code == 0
    assert assay(*RUN, "--out", "elsewhere").code == 0
    assert server.asked == ITEMS
    days(assay, "monday", "monday")
    assert server.asked == 2 * ITEMS
    plan = json.loads(assay("plan", *RUN[1:4], "--again", "tuesday", "--json").out)
    assert [one["to_ask"] for one in plan["totals"][:1]] == [ITEMS]
    days(assay, "tuesday")
    assert server.asked == 3 * ITEMS
    assert {run.path.parent.name for run in find_runs(Path("runs"))} == {"default", "default,monday", "default,tuesday"}
    assert "occasion" in assay("cache", "explain", *RUN[1:4], "--again", "friday").out


def test_a_scheduler_hears_of_a_change_and_of_nothing_else(assay: Assay, server: ChangingServer) -> None:
    server.unsteady = 0.1
    days(assay, 1, 2, 3, 4)
    calm = assay(*DRIFT)
    assert calm.code == 0, calm.out
    assert "nothing is shown to have changed" in calm.out
    assert "Asking again after less than a minute (default,1, default,2)" in calm.out

    server.skill, server.version = 0.5, "adder-2"
    days(assay, 5, 6)
    changed = assay(*DRIFT, "--json")
    assert changed.code == 1
    found = json.loads(changed.out)
    (series,) = found["series"]
    metric = series["changes"][0]
    assert metric["measure"] == "exact_match"
    assert metric["monitor"]["alarm"] in (4, 5)
    assert metric["change"]["high"] < 0
    assert metric["down"] > metric["up"]
    assert series["version_changed"]
    assert [list(one["versions"]) for one in series["evaluations"]] == [["adder-1@fp"]] * 4 + [["adder-2@fp"]] * 2
    assert "exact_match of sums (openai/adder) since default,5" in found["verdict"]
    assert "adder-1@fp before, now adder-2@fp" in found["verdict"]
    assert "| default,6 | adder-2@fp |" in assay(*DRIFT, "--markdown").out

    assert assay(*DRIFT, "--baseline", "runs/default,5").code == 0


def test_old_numbers_fail_only_where_an_age_is_given(assay: Assay, server: ChangingServer) -> None:
    days(assay, 1)
    assert assay(*DRIFT, "--max-age", "1").code == 0
    stale = assay(*DRIFT, "--max-age", "0")
    assert stale.code == 1
    assert "1 of 1 numbers are older than 0 days" in stale.out
    days(assay, 2)
    assert assay(*DRIFT).code == 0


def test_what_cannot_be_watched_is_one_line_with_a_way_out(assay: Assay, server: ChangingServer) -> None:
    assert assay(*RUN).code == 0
    for arguments, words in (
        ((), "--again today"),
        (("nowhere",), "nowhere does not exist"),
        (("--baseline", "nowhere"), "nowhere does not exist"),
        (("--json", "--markdown"), "exclude each other"),
        (("--metric", "exact_mach"), "did you mean exact_match"),
        (("--level", "0"), "--level must lie between 0 and 1"),
        (("--max-age", "nan"), "--max-age must be a number of days"),
    ):
        said = assay(*DRIFT, *arguments)
        assert (said.code, said.err.count("\n")) == (2, 1), (arguments, said)
        assert words in said.err
    assert "did you mean openai/adder" in assay("drift", "openai/addr").err


def test_a_hostile_version_is_shown_and_does_nothing(assay: Assay, server: ChangingServer) -> None:
    days(assay, 1)
    server.version = "\x1b[2Jadder|\n[red]"
    days(assay, 2)
    for form in ((), ("--markdown",)):
        said = assay(*DRIFT, *form)
        assert said.code == 1
        assert "\x1b" not in said.out

"""`assay cache`: what it holds, why it misses, and pruning it."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from assay.forecasting import planned
from assay.store import find_runs
from assay.store.folders import TRANSCRIPTS
from assay.store.transcripts import read_transcripts
from cli_helpers import Assay

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-n", "4")


def stats(assay: Assay) -> dict[str, object]:
    said = assay("cache", "stats", "--json")
    assert said.code == 0, said
    return dict(msgspec.json.decode(said.out))


def test_the_statistics_show_file_size_and_models(assay: Assay, tmp_path: Path) -> None:
    assert assay(*RUN, "-m", "baseline/uniform").code == 0
    found = stats(assay)
    file = tmp_path / "cache" / "responses.sqlite"
    assert (found["file"], found["bytes"], found["responses"]) == (str(file), file.stat().st_size, 8)
    said = assay("cache", "stats")
    assert f"{file}: " in said.out
    assert "8 responses" in said.out
    assert re.search(r"baseline/majority +4 ", said.out)
    assert re.search(r"baseline/uniform +4 ", said.out)


@pytest.mark.parametrize("verb", [("stats",), ("prune", "--older-than", "1d"), ("explain", *RUN[1:])])
def test_where_nothing_was_asked_yet_that_is_said_and_nothing_is_made(verb: tuple[str, ...], assay: Assay) -> None:
    said = assay("cache", *verb)
    assert said.code == 2
    assert "there is no response cache at" in said.err
    assert not Path("cache/responses.sqlite").exists()


def test_a_setting_that_changed_explains_why_everything_is_asked_again(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    said = assay("cache", "explain", *RUN[1:])
    assert (said.code, said.out) == (0, "billing_support · baseline/majority: 4 requests, 4 in the cache, 0 to be asked\n")
    said = assay("cache", "explain", "billing_support:max_tokens=7", *RUN[2:-1], "6")
    assert "6 requests, 0 in the cache, 6 to be asked" in said.out
    assert "4 of them: stored with the same prompt, but with other request.max_tokens" in said.out
    assert "request.max_tokens: stored 5, now 7" in said.out
    assert "2 of them: the prompt is new; compared with the nearest of the same model" in said.out
    assert re.search(r"\n +- .+\n +\+ ", said.out)


def test_one_trial_is_explained_for_machines_too(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    asked = msgspec.json.decode(assay("cache", "explain", *RUN[1:-1], "5", "--json").out)[0]
    (new,) = asked["reasons"]
    said = assay("cache", "explain", *RUN[1:-1], "5", "--json", "--trial", new["instance"])
    assert msgspec.json.decode(said.out)[0]["reasons"] == [new]
    assert (asked["requests"], asked["cached"], new["requests"]) == (5, 4, 1)
    said = assay("cache", "explain", *RUN[1:], "--trial", "nobody")
    assert said.code == 2
    assert "no run asks an instance 'nobody'" in said.err


def test_of_very_many_trials_only_the_first_are_compared(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "EXAMINED", 3)
    monkeypatch.setattr(planned, "FEWEST", 2)
    assert assay(*RUN).code == 0
    many = ("cache", "explain", *RUN[1:], "--draws", "1000")
    assert "3 requests of its first trials, 3 in the cache, 0 to be asked" in assay(*many).out
    (explained,) = msgspec.json.decode(assay(*many, "--json").out)
    assert (explained["requests"], explained["whole"]) == (3, False)
    # Each instance is found all the same.
    (run,) = find_runs(Path("runs"))
    asked = [row["instance_id"] for row in read_transcripts(run.path / TRANSCRIPTS)]
    assert len(asked) == 4
    for instance in asked:
        assert assay(*many, "--trial", instance).code == 0


def test_another_model_is_told_from_another_setting(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    said = assay("cache", "explain", "billing_support:", "-m", "baseline/uniform", "-n", "4")
    assert 'model.name: stored "baseline/majority", now "baseline/uniform"' in said.out


def test_a_dry_run_says_what_pruning_does_and_does_nothing(assay: Assay) -> None:
    assert assay(*RUN, "-m", "baseline/uniform").code == 0
    before = stats(assay)
    said = assay("cache", "prune", "--model", "baseline/uniform", "--dry-run")
    assert said.out.startswith("4 responses would be removed, ")
    assert stats(assay) == before
    said = assay("cache", "prune", "--model", "baseline/uniform", "--json")
    done = msgspec.json.decode(said.out)
    assert (done["responses"], done["left"], done["dry_run"]) == (4, 4, False)
    assert stats(assay)["responses"] == 4


def test_what_a_run_asked_is_kept(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    assert assay(*RUN[:-1], "9", "--out", "others").code == 0
    _, said = assay("cache", "prune", "--keep-runs", "runs", "--dry-run").out.splitlines()
    assert said.startswith(
        "of no finished run in runs/: baseline/majority 5; runs elsewhere, and runs not finished, would have"
    )
    assert "5 responses removed" in assay("cache", "prune", "--keep-runs", "runs").out
    # The kept run can be made again from the cache alone.
    assert "4 in the cache, 0 to be asked" in assay("cache", "explain", *RUN[1:]).out


def test_the_file_shrinks_to_the_size_wanted(assay: Assay) -> None:
    assert assay(*RUN[:-1], "60", "-m", "baseline/uniform").code == 0
    before = stats(assay)["bytes"]
    said = assay("cache", "prune", "--max-size", "60kB")
    assert said.code == 0, said
    size = Path("cache/responses.sqlite").stat().st_size
    assert size <= 60_000 < int(str(before))
    assert int(str(stats(assay)["responses"])) > 0
    assert assay("cache", "prune", "--older-than", "0h").code == 0
    assert stats(assay)["responses"] == 0


def test_pruning_is_refused_while_another_process_uses_the_cache(assay: Assay, tmp_path: Path) -> None:
    assert assay(*RUN).code == 0
    code = (
        "import sys; from assay.engine import ResponseCache; c = ResponseCache(sys.argv[1]); print(len(c), flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache" / "responses.sqlite")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "4\n"
        said = assay("cache", "prune", "--model", "baseline/majority")
        assert said.code == 2
        assert "another process uses the response cache" in said.err
        assert assay("cache", "prune", "--model", "baseline/majority", "--dry-run").code == 0
        assert stats(assay)["responses"] == 4
        other.communicate("\n")
    assert assay("cache", "prune", "--model", "baseline/majority").code == 0
    assert stats(assay)["responses"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("prune",), "needs a condition"),
        (("prune", "--older-than", "soon"), "--older-than must be a span of time such as 12h, 30d or 4w, not 'soon'"),
        (("prune", "--max-size", "-1GB"), "--max-size must be a size such as 500MB or 2GB"),
        (("prune", "--model", "baseline/majorty"), "did you mean baseline/majority?"),
        (("prune", "--keep-runs", "nowhere"), "nowhere does not exist"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(arguments: tuple[str, ...], message: str, assay: Assay) -> None:
    assert assay(*RUN).code == 0
    said = assay("cache", *arguments)
    assert said.code == 2, said
    assert message in said.err
    assert said.err.count("\n") == 1
    assert stats(assay)["responses"] == 4


def test_hostile_words_in_a_stored_request_cannot_command_the_terminal(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    with closing(sqlite3.connect("cache/responses.sqlite")) as connection:
        rows = connection.execute("SELECT key, preimage FROM responses").fetchall()
        for number, (key, packed) in enumerate(rows):
            hostile = zlib.decompress(packed).replace(b"Customer:", b"\\u001b[2JCustomer\xe2\x80\xae:")
            hostile = hostile.replace(b"baseline/majority", b"evil\\u001b]0;x" if number == 0 else b"baseline/majority")
            connection.execute(
                "UPDATE responses SET preimage = ?, key = ? WHERE key = ?", (zlib.compress(hostile), b"%d" % number, key)
            )
        connection.commit()
    for verb in (("stats",), ("explain", *RUN[1:]), ("prune", "--model", "evil")):
        said = assay("cache", *verb)
        assert "\x1b" not in said.out + said.err
        assert "\u202e" not in said.out + said.err

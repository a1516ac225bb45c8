"""`assay decide --adaptive`: a race between models, and the ordinary decision between those that came through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.store import find_runs, verify
from cli_helpers import Assay
from skilled import asked, skilled, write_sums

__all__ = ["skilled"]

pytestmark = pytest.mark.usefixtures("skilled")

PROFILE = """name: sums
deployment: {owner: me, context: adding up}
runs: [runs/race]
criteria:
  - {name: right, metric: exact_match, weight: 1}
"""


def prepare(folder: Path, models: str, profile: str = PROFILE, counts: tuple[int, ...] = (500,)) -> None:
    names = [f"sums{number or ''}" for number in range(len(counts))]
    for name, count in zip(names, counts, strict=True):
        write_sums(folder, count, name)
    scenarios = ", ".join(f"{name}.yaml" for name in names)
    (folder / "race.yaml").write_text(f"name: race\ntoxicity: none\nmodels: [{models}]\nscenarios: [{scenarios}]\n")
    (folder / "profile.yaml").write_text(profile)


def decided(said: Any) -> dict[str, Any]:
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)["decision"]
    return found


def test_the_best_is_found_with_a_part_of_the_requests(assay: Assay, tmp_path: Path) -> None:
    prepare(tmp_path, "skill/0.7, skill/0.88, skill/0.5", counts=(350, 200))
    command = ("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml", "--json")
    found = decided(assay(*command))
    assert found["recommended"] == "skill/0.88"
    requests = len(asked(tmp_path))
    assert requests == len(set(asked(tmp_path))) < 0.4 * 3 * 550
    notes = found["notes"]
    assert any(f"{requests:,} requests instead of about 1,650; with 95 % confidence" in note for note in notes)
    out = [note.split(" dropped out after ")[0] for note in notes if " dropped out after " in note]
    assert sorted(out) == ["skill/0.5", "skill/0.7"]
    assert [standing["candidate"] for standing in found["standings"]][:2] == ["skill/0.88", "skill/0.7"]

    sizes = {run.stats().label: run.stats().instances for run in find_runs(tmp_path / "runs") if run.stats().title == "sums"}
    assert sizes["skill/0.5"] <= sizes["skill/0.7"] == sizes["skill/0.88"] < 350
    assert all(not list(verify(run.path)) for run in find_runs(tmp_path / "runs"))
    assert "dropped out after" in (tmp_path / "runs" / "race" / "summary.md").read_text()

    assert decided(assay(*command)) == found
    assert decided(assay("decide", "profile.yaml", "--adaptive", "--json")) == found  # the suite is known from its folder
    assert len(asked(tmp_path)) == requests
    assert assay("verify", "profile.decision.json").code == 0


def test_the_runs_of_a_race_go_where_the_profiles_are_whatever_the_suite_is_called(assay: Assay, tmp_path: Path) -> None:
    prepare(tmp_path, "skill/0.9, skill/0.4", PROFILE.replace("runs/race", "elsewhere/mine"), (60,))
    found = decided(assay("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml", "--json"))
    assert {run.path.parent for run in find_runs(tmp_path / "elsewhere")} == {tmp_path / "elsewhere" / "mine"}
    assert not (tmp_path / "runs").exists()
    record = json.loads((tmp_path / "profile.decision.json").read_text())
    assert all(run["folder"].startswith("elsewhere/mine/") for run in record["evidence"])
    assert assay("decide", "profile.yaml", "--out", "plain.json").code == 0
    assert found["recommended"] == "skill/0.9"


def test_a_race_needs_one_folder_for_its_runs(assay: Assay, tmp_path: Path) -> None:
    prepare(tmp_path, "skill/0.9, skill/0.4", PROFILE.replace("[runs/race]", "[runs/one, runs/two]"), (20,))
    said = assay("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "profile.yaml, line 3: --adaptive puts its runs into one folder" in said.err
    assert not asked(tmp_path)


def test_nobody_is_asked_where_a_choice_or_a_signature_is_in_the_records_place(assay: Assay, tmp_path: Path) -> None:
    prepare(tmp_path, "skill/0.9, skill/0.4", counts=(60,))
    race = ("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml")
    assert assay(*race, "--choose", "skill/0.9").code == 2  # nobody chose
    assert not asked(tmp_path)
    assert assay(*race, "--choose", "skill/0.9", "--by", "Ana").code == 0
    requests = len(asked(tmp_path))
    said = assay(*race)
    assert said.code == 2
    assert "records a choice by Ana, and is not written over; no model was asked" in said.err
    assert assay("new", "key", "ana.pem").code == 0
    assert assay("sign", "profile.decision.json", "--key", "ana.pem", "--name", "Ana", "--role", "owner").code == 0
    said = assay(*race, "--choose", "skill/0.9", "--by", "Bo")
    assert said.code == 2
    assert "is signed, and is not written over; no model was asked" in said.err
    assert len(asked(tmp_path)) == requests
    assert assay(*race, "--out", "anew.json").code == 0


def test_a_fast_candidate_wins_where_the_better_one_breaks_the_limit(assay: Assay, tmp_path: Path) -> None:
    limit = "constraints:\n  - {name: in time, metric: latency_p95_s, at_most: 1}\n"
    prepare(tmp_path, "skill/0.9-slow, skill/0.8, skill/0.5", PROFILE + limit)
    found = decided(assay("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml", "--json"))
    assert found["recommended"] == "skill/0.8"
    assert any(note.startswith("skill/0.9-slow dropped out") and "it breaks in time" in note for note in found["notes"])
    assert not any("did not follow" in note for note in found["notes"])


def test_a_constraint_that_no_race_follows_is_decided_afterwards_and_the_others_go_on(assay: Assay, tmp_path: Path) -> None:
    limit = "constraints:\n  - {name: quick on the whole, metric: output_tokens_per_s, at_least: 5}\n"
    prepare(tmp_path, "skill/0.95-slow, skill/0.8, skill/0.5", PROFILE + limit)
    found = decided(assay("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml", "--json"))
    assert found["recommended"] == "skill/0.8"
    notes = found["notes"]
    assert any("The race did not follow quick on the whole" in note for note in notes)
    assert any("broke a constraint that a race cannot follow" in note for note in notes)
    assert len(asked(tmp_path)) == len(set(asked(tmp_path)))


def test_the_table_says_who_dropped_out(assay: Assay, tmp_path: Path) -> None:
    prepare(tmp_path, "skill/0.9, skill/0.4", counts=(300,))
    said = assay("decide", "profile.yaml", "--adaptive", "--suite", "race.yaml")
    assert said.code == 0, said.err
    assert "Choose skill/0.9." in said.out
    assert "skill/0.4 dropped out after" in said.out
    assert "of 300 instances: it is worth less than skill/0.9." in said.out


@pytest.mark.parametrize(
    ("models", "profile", "options", "hint"),
    [
        ("skill/0.9", PROFILE, ("--suite", "race.yaml"), "there is only one"),
        ("skill/0.9, skill/0.8", PROFILE, (), "--suite SUITE.yaml"),
        ("skill/0.9, skill/0.8", PROFILE, ("--suite", "nowhere.yaml"), "nowhere.yaml does not exist"),
        ("skill/0.9, skill/0.8", PROFILE + "candidates: [skill/0.7]\n", ("--suite", "race.yaml"), "did you mean"),
        (
            "skill/0.9, skill/0.8",
            PROFILE.replace("exact_match", "rouge_l"),
            ("--suite", "race.yaml"),
            "no scenario of the suite",
        ),
        ("skill/0.9, skill/0.8", PROFILE.replace("exact_match", "ece_10_bin"), ("--suite", "race.yaml"), "can be followed"),
    ],
)
def test_what_cannot_be_raced_is_refused_in_one_line(
    assay: Assay, tmp_path: Path, models: str, profile: str, options: tuple[str, ...], hint: str
) -> None:
    prepare(tmp_path, models, profile, (20,))
    said = assay("decide", "profile.yaml", "--adaptive", *options)
    assert said.code == 2
    assert hint in said.err
    assert said.err.count("\n") == 1
    assert not asked(tmp_path)


def test_a_suite_without_a_race_is_refused(assay: Assay, tmp_path: Path) -> None:
    prepare(tmp_path, "skill/0.9, skill/0.8", counts=(20,))
    said = assay("decide", "profile.yaml", "--suite", "race.yaml")
    assert said.code == 2
    assert "add --adaptive" in said.err

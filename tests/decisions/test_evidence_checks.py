"""Records whose list of evidence is not that of their profile: names exchanged, runs left out; all made to fit otherwise."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from assay.decisions.deciding import decide
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from assay.decisions.packing import make_pack, write_pack
from assay.decisions.reading import parse_profile
from assay.decisions.recording import make_record, read_record, sealed, write_record
from assay.decisions.verification import Verifier
from assay.errors import AssayError
from assay.store import find_runs
from assay.store.folders import MANIFEST
from scored_runs import Said, scored_run

pytestmark = pytest.mark.slow

BEFORE = 1_700_000_000.0
"""Unix time at which runs were written, long before any decision on them."""
WRONG = {"m/60": 40, "m/80": 20, "m/90": 10}
HEAD = """name: Which
deployment: {owner: Ana, context: sorts}
runs: [%s]
criteria:
  - {name: right, metric: exact_match, weight: 1, value: {unacceptable: 0.2, satisfying: 0.95}}
constraints:
  - {name: enough, metric: exact_match, at_least: 0.7}
"""


def run_of(suite: Path, name: str, scenario: str = "made", **more: object) -> Path:
    said = [Said(item, "no" if item < WRONG.get(name, 30) else "yes", asked_at=BEFORE) for item in range(100)]
    return aged(scored_run(suite, name, said, scenario=scenario, **more))  # type: ignore[arg-type] # a test's own keywords


def aged(run: Path, at: float = BEFORE) -> Path:
    os.utime(run / MANIFEST, (at, at))
    return run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in WRONG:
        run_of(tmp_path / "runs" / "s", name)
    return tmp_path


def recorded(home: Path, text: str, held: Measured | None = None) -> Path:
    """The record of a decision, on what the profile says or on what somebody made of it."""
    profile = parse_profile(text, home / "p.yaml")
    held = measure(profile, home) if held is None else held
    path = home / "p.decision.json"
    write_record(make_record(profile, text, held, decide(profile, held), path), path)
    return path


def problems(path: Path) -> list[str]:
    return [problem for one in Verifier().anything(path) for problem in one.problems]


def notes(path: Path) -> list[str]:
    return [note for one in Verifier().anything(path) for note in one.notes]


def renamed(held: Measured, names: Mapping[str, str]) -> Measured:
    """The measurements under other names, in the order in which these would be decided on."""
    sources = tuple(replace(source, candidate=names.get(source.candidate, source.candidate)) for source in held.sources)
    other = replace(held, candidates=tuple(names.get(name, name) for name in held.candidates), sources=sources)
    return other.of(sorted(other.candidates))


def without(held: Measured, name: str) -> Measured:
    return held.of([candidate for candidate in held.candidates if candidate != name])


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("names", [{"m/90": "m/60", "m/60": "m/90"}, {"m/90": "gpt"}, {"m/90": "m/60 (s)", "m/60": "m/90 (s)"}])
def test_a_candidate_under_another_name_than_its_runs_is_found_in_the_record_and_in_its_pack(
    names: dict[str, str], named: bool, home: Path
) -> None:
    text = HEAD % "runs/s" + ("candidates: [m/60, m/80, m/90]\n" if named else "")
    held = measure(parse_profile(text, home / "p.yaml"), home)
    path = recorded(home, text, renamed(held, names))
    wanted = [f"evidence: '{run.name}' is a run of 'm/90', not of" for run in find_runs(home / "runs") if "m_90" in run.name]
    assert any(wanted[0] in problem for problem in problems(path)), problems(path)
    for fields in ((), ("input",)):
        with pytest.raises(AssayError, match="evidence: '"):
            make_pack(path, home / "p.zip", fields)
        write_pack(read_record(path), path, home / "p.zip", fields)
        assert any(wanted[0] in problem for problem in problems(home / "p.zip")), fields


@pytest.mark.parametrize("named", [False, True])
def test_a_candidate_that_is_left_out_is_found(named: bool, home: Path) -> None:
    text = HEAD % "runs/s" + ("candidates: [m/60, m/80, m/90]\n" if named else "")
    path = recorded(home, text, without(measure(parse_profile(text, home / "p.yaml"), home), "m/90"))
    found = problems(path)
    assert any(
        "evidence: it lacks 'made,m_90" in problem and "which lay there when it was decided" in problem for problem in found
    )
    assert named == any("'m/90' is a candidate by the profile, and no run of it is named" in problem for problem in found)
    write_pack(read_record(path), path, home / "p.zip")
    shutil.rmtree(home / "runs")
    path.unlink()
    assert named == any("'m/90' is a candidate by the profile" in problem for problem in problems(home / "p.zip"))


def test_a_candidate_that_the_profile_does_not_name_is_found(home: Path) -> None:
    text = HEAD % "runs/s"
    held = measure(parse_profile(text, home / "p.yaml"), home)
    assert any(
        "'m/60' is no candidate by the profile" in one
        for one in problems(recorded(home, text + "candidates: [m/80, m/90]\n", held))
    )


def test_a_scenario_that_is_left_out_is_found(home: Path) -> None:
    for name in WRONG:
        run_of(home / "runs" / "s", name, "other")
    text = HEAD % "runs/s"
    (aside := home / "aside").mkdir()
    hidden = [run.path.rename(aside / run.name) for run in find_runs(home / "runs" / "s") if run.name.startswith("other")]
    path = recorded(home, text)
    assert problems(path) == []
    for run in hidden:
        run.rename(home / "runs" / "s" / run.name)
    assert sum("it lacks 'other,m_" in problem for problem in problems(path)) == 3


def test_runs_that_came_later_are_told_and_wrong_nothing(home: Path) -> None:
    path = recorded(home, HEAD % "runs")
    assert problems(path) == []
    assert not any("newer" in note for note in notes(path))
    scored_run(home / "runs" / "s", "m/70", [Said(item, "yes", asked_at=4_000_000_000.0) for item in range(100)])
    assert problems(path) == []
    assert not any("it lacks" in note for note in notes(path))
    assert any("1 run in the profile's folders is newer than the decision" in note for note in notes(path))


def test_an_older_run_in_the_place_of_the_one_that_counted_is_found(home: Path) -> None:
    text = HEAD % "runs/s"
    held = measure(parse_profile(text, home / "p.yaml"), home)
    for name in WRONG:
        said = [Said(item, "yes", asked_at=BEFORE + 60) for item in range(100)]
        aged(scored_run(home / "runs" / "s", name, said, seed=7))
    path = recorded(home, text, held)
    assert sum("it lacks 'made,m_" in problem for problem in problems(path)) == 3
    (home / "runs" / "s" / "suite.json").write_text('{"runs": []}')  # what counts may have been another when it was decided
    assert problems(path) == []
    assert any("is what the last `assay run` asked for, which is newer" in note for note in notes(path))


def test_where_the_folders_are_gone_it_is_said_that_nothing_is_known_of_other_runs(home: Path) -> None:
    path = recorded(home, HEAD % "runs/s")
    (home / "runs" / "s").rename(home / "runs" / "t")
    assert problems(path) == []
    assert any("the folders that the profile names are not there" in note for note in notes(path))


def test_a_profile_beside_which_the_record_does_not_lie_is_found_again(home: Path) -> None:
    text = HEAD % "runs/s"
    profile = parse_profile(text, home / "p.yaml")
    held = without(measure(profile, home), "m/90")
    (home / "records" / "here").mkdir(parents=True)
    path = home / "records" / "here" / "x.decision.json"
    write_record(make_record(profile, text, held, decide(profile, held), path), path)
    assert any("it lacks 'made,m_90" in problem for problem in problems(path))


def test_what_a_race_left_behind_is_no_problem_and_vouched_for_by_signatures(home: Path) -> None:
    text = HEAD % "runs/s" + "candidates: [m/60, m/80, m/90]\n"
    held = without(measure(parse_profile(text, home / "p.yaml"), home), "m/60")
    said = (
        "Adaptive: 80 % of all instances were asked, 240 requests instead of about 300; with 95 % confidence, it is right.",
        "m/60 dropped out after 40 of 100 instances: it is worth less than m/90.",
    )
    shutil.rmtree(next(run.path for run in find_runs(home / "runs") if "m_60" in run.name))
    scored_run(home / "runs" / "s", "m/60", [Said(item, "no", asked_at=BEFORE) for item in range(40)], max_instances=40)
    path = recorded(home, text, replace(held, notes=(*held.notes, *said)))
    assert problems(path) == []
    assert sum("only signatures vouch for it" in note for note in notes(path)) == 2
    assert any("asked by a race" in note for note in notes(path))


def test_names_with_their_suites_hold_at_home_and_in_a_pack_and_cannot_be_exchanged(home: Path) -> None:
    for name in WRONG:
        run_of(home / "runs" / "t", name)
    for text in (HEAD % "runs/s, runs/t", HEAD % "runs/s, runs/t" + "candidates: [m/90 (t), m/60 (s)]\n"):
        path = recorded(home, text)
        make_pack(path, home / "p.zip")
        assert problems(path) == []
        assert problems(home / "p.zip") == []
        (home / "p.zip").unlink()
        names = [standing.candidate for standing in read_record(path).decision.standings]
        assert {"m/90 (t)", "m/60 (s)"} <= set(names)
        held = measure(parse_profile(text, home / "p.yaml"), home)
        for swap in ({"m/90 (t)": "m/90 (s)", "m/90 (s)": "m/90 (t)"}, {"m/90 (t)": "m/90"}, {"m/60 (s)": "m/60 (u)"}):
            other = renamed(held, swap)
            path = recorded(home, text, other if "candidates" not in text else other.of(list(other.candidates)))
            assert any("is a run of" in problem or "by the profile" in problem for problem in problems(path)), swap


def test_two_suites_of_one_name_are_told_apart_by_their_paths(home: Path) -> None:
    for name in WRONG:
        run_of(home / "more" / "s", name)
    path = recorded(home, HEAD % "runs/s, more/s")
    make_pack(path, home / "p.zip")
    assert problems(path) == []
    assert problems(home / "p.zip") == []


def test_notes_name_candidates_in_the_order_of_the_profile(home: Path) -> None:
    scored_run(
        home / "runs" / "s", "m/91", [Said(item, "yes", asked_at=BEFORE, cost=1.0) for item in range(100)], metrics=("cost",)
    )
    more = "  - {name: price, metric: cost, at_most: 2}\n"
    path = recorded(home, HEAD % "runs/s" + more + "candidates: [m/91, m/90, m/60]\n")
    assert "price was not measured for m/90, m/60, or not in all of its scenarios." in read_record(path).decision.notes
    assert problems(path) == []


def test_a_decision_before_its_evidence_is_found(home: Path) -> None:
    path = recorded(home, HEAD % "runs/s")
    early = msgspec.structs.replace(read_record(path), created="2020-01-01T00:00:00Z")
    write_record(sealed(early), path)
    assert any(
        "created is '2020-01-01T00:00:00Z', and the last answer of its evidence is of 2023-11-14" in one
        for one in problems(path)
    )


def test_a_note_twice_or_in_another_order_is_found(home: Path) -> None:
    text = HEAD.replace("owner: Ana", 'owner: "(to be filled in)"') % "runs/s"
    path = recorded(home, text)
    record = read_record(path)
    assert len(record.decision.notes) == 1
    decision = msgspec.structs.replace(record.decision, notes=record.decision.notes * 2)
    write_record(sealed(msgspec.structs.replace(record, decision=decision)), path)
    assert any("decision.notes are in another order, or one stands there twice" in problem for problem in problems(path))


def test_a_run_in_a_pack_that_the_record_does_not_name_is_found(home: Path, tmp_path: Path) -> None:
    path = recorded(home, HEAD % "runs/s" + "candidates: [m/80, m/90]\n")
    make_pack(path, home / "p.zip")
    held = home / "held"
    shutil.unpack_archive(home / "p.zip", held)
    assert problems(held) == []
    more = next(run.path for run in find_runs(home / "runs") if "m_60" in run.name)
    shutil.copytree(more, held / "runs" / "s" / more.name)
    assert any("no run that the record names" in problem for problem in problems(held))
    assert json.loads((held / "record.json").read_text())["name"] == "Which"


def test_a_run_that_was_put_there_or_touched_since_is_named_in_a_note(home: Path) -> None:
    """Whether it lay there when it was decided cannot be told, so that an honest record passes; that it is lacking is said."""
    path = recorded(home, HEAD % "runs/s")
    write_record(sealed(msgspec.structs.replace(read_record(path), created=when(BEFORE + 3000))), path)
    for run in find_runs(home / "runs"):
        aged(run.path)
    said = [Said(item, "yes", asked_at=BEFORE) for item in range(100)]
    late = aged(scored_run(home / "runs" / "s", "m/70", said))
    wanted = "it lacks 'made,m_70"
    assert problems(path) == []
    assert any(wanted in note and "whether they lay in this folder cannot be told" in note for note in notes(path))
    late.rename(home / "late")
    assert not any("it lacks" in note for note in notes(path))


def when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("hours", [0.5, 20])
def test_a_decision_that_is_dated_back_still_names_who_was_left_out(hours: float, home: Path) -> None:
    text, now = HEAD % "runs/s", datetime.now(UTC).timestamp()
    for run in find_runs(home / "runs"):
        shutil.rmtree(run.path)
    for name, wrong in WRONG.items():
        said = [Said(item, "no" if item < wrong else "yes", asked_at=now - 10 if hours > 1 else BEFORE) for item in range(100)]
        scored_run(home / "runs" / "s", name, said)
    path = recorded(home, text, without(measure(parse_profile(text, home / "p.yaml"), home), "m/90"))
    write_record(sealed(msgspec.structs.replace(read_record(path), created=when(now - hours * 3600))), path)
    if hours > 1:
        assert any("and the last answer of its evidence is of" in problem for problem in problems(path))
    assert any("the evidence's own files are newer than the decision" in note for note in notes(path))
    assert any("it lacks 'made,m_90" in note and "its answers were there" in note for note in notes(path))


RACE = "Adaptive: 75 % of all instances were asked, 225 requests instead of about 300; with 95 % confidence, it is right."


@pytest.mark.parametrize(
    ("said", "named", "problem"),
    [
        ((RACE,), False, "it lacks 'made,m_90"),
        ((RACE, "m/90 dropped out after 25 of 100 instances: it is worth less than m/80."), True, "was asked 100 by its runs"),
        (("m/90 dropped out after 25 of 100 instances: it is worth less than m/80.",), True, "no run of it is named"),
        (("Adaptive: 40 % of all instances were asked, 144 of 360.",), False, "not said as a race says it"),
        ((RACE.replace("225", "90"),), False, "the evidence alone took 200"),
    ],
)
def test_notes_of_a_race_that_was_none_are_refuted_by_the_runs(
    said: tuple[str, ...], named: bool, problem: str, home: Path
) -> None:
    text = HEAD % "runs/s" + ("candidates: [m/60, m/80, m/90]\n" if named else "")
    held = without(measure(parse_profile(text, home / "p.yaml"), home), "m/90")
    path = recorded(home, text, replace(held, notes=(*held.notes, *said)))
    found = problems(path)
    assert any(problem in one for one in found), found

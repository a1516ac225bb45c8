"""`assay run --until`: runs grow until they are sure enough, and what they were asked is never asked again."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from assay.store import find_runs, verify
from assay.store.planned import read_plan
from cli_helpers import Assay, assay_process
from skilled import PLUGIN, asked, skilled, write_sums

__all__ = ["skilled"]

pytestmark = pytest.mark.usefixtures("skilled")


def files(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def test_each_run_stops_when_it_is_sure_enough(assay: Assay, tmp_path: Path) -> None:
    write_sums(tmp_path, 1500)
    command = ("run", "sums.yaml", "-m", "skill/0.7", "-m", "skill/0.98", "--until", "accuracy±0.04")
    said = assay(*command)
    assert said.code == 0, said.err
    runs = {run.stats().label: run for run in find_runs(tmp_path / "runs")}
    sizes = {label: run.stats().instances for label, run in runs.items()}
    assert 50 <= sizes["skill/0.98"] < 200 < sizes["skill/0.7"] < 1000
    assert len(asked(tmp_path)) == len(set(asked(tmp_path))) == sum(sizes.values())

    notes = read_plan(tmp_path / "runs" / "default").notes  # type: ignore[union-attr]
    assert len(notes) == 2
    for note, (label, size) in zip(notes, sizes.items(), strict=True):
        assert f"sums · {label}: exact_match within ±0.04: 0." in note
        assert (
            f"over all 1,500 instances, with 95 % at every look), after {size} of them: about {1500 - size:,} requests fewer"
            in note
        )
        assert note in said.out.replace("\n", "")
        assert note in (tmp_path / "runs" / "default" / "summary.md").read_text()
        low, high = note.split("±0.04: ")[1].split(" (")[0].split(" to ")
        assert float(low) < {"skill/0.7": 0.7, "skill/0.98": 0.98}[label] + 0.04
        assert 0 < float(high) - float(low) <= 0.081
        assert list(verify(runs[label].path)) == []
    assert "not finished" not in said.out

    before = files(tmp_path / "runs")
    assert assay(*command).code == 0
    assert files(tmp_path / "runs") == before
    assert len(asked(tmp_path)) == sum(sizes.values())


def test_a_run_that_grew_is_the_run_that_its_number_of_instances_would_have_been(assay: Assay, tmp_path: Path) -> None:
    write_sums(tmp_path, 600)
    run = ("run", "sums.yaml", "-m", "skill/0.9", "--repeats", "2", "--perturb", "lowercase")
    assert assay(*run, "--until", "exact_match+-0.06").code == 0
    (grown,) = find_runs(tmp_path / "runs")
    assert assay(*run, "-n", grown.stats().instances, "--out", "again").code == 0
    (plain,) = find_runs(tmp_path / "again")
    assert plain.name == grown.name
    assert files(plain.path) == files(grown.path)


def test_what_the_limit_does_not_suffice_for_is_said_and_is_no_failure(assay: Assay, tmp_path: Path) -> None:
    write_sums(tmp_path, 500)
    said = assay("run", "sums.yaml", "-m", "skill/0.6", "-n", 80, "--until", "accuracy±0.02")
    assert said.code == 0
    assert "not within ±0.02" in said.out
    assert (
        "over all 500 instances, with 95 % at every look), after 80 of them: which is all that it may ask."
        in said.out.replace("\n", "")
    )
    assert find_runs(tmp_path / "runs")[0].stats().instances == 80


def test_where_all_there_is_was_asked_nothing_is_left_to_be_unsure_of(assay: Assay, tmp_path: Path) -> None:
    write_sums(tmp_path, 60)
    said = assay("run", "sums.yaml", "-m", "skill/0.6", "--until", "accuracy±0.001")
    value = find_runs(tmp_path / "runs")[0].stats().cells[0].estimate.value
    assert f"within ±0.001: {value:.3f} to {value:.3f}" in said.out


def test_a_command_killed_on_the_way_goes_on_with_what_it_had(tmp_path: Path) -> None:
    write_sums(tmp_path, 400)
    command = ("run", "sums.yaml", "-m", "skill/0.7-late", "--plugin", PLUGIN, "--until", "accuracy±0.06", "-q")
    process = assay_process(*command, cwd=tmp_path)
    while len(asked(tmp_path)) < 60:  # the second round has begun
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not list((tmp_path / "runs").rglob("manifest.json"))
    for out in ("runs", "again"):
        process = assay_process(*command, "--out", out, cwd=tmp_path)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    (run,) = find_runs(tmp_path / "runs")
    assert len(set(asked(tmp_path))) == run.stats().instances
    assert len(asked(tmp_path)) <= run.stats().instances + 64  # one batch was under way
    assert files(tmp_path / "again" / "default" / run.name) == files(run.path)


def test_who_measures_nothing_of_it_is_asked_as_planned(assay: Assay, tmp_path: Path) -> None:
    write_sums(tmp_path, 90)
    said = assay(
        "run", "billing_support:", "sums.yaml", "-m", "baseline/majority", "-n", 60, "--until", "quasi_exact_match±0.2"
    )
    assert said.code == 0, said.err
    assert "sums · baseline/majority: asked as planned, for it measures nothing that --until names." in said.out


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--until", "acuracy±0.1"), "did you mean accuracy"),
        (("--until", "accuracy"), "accuracy±0.02"),
        (("--until", "rouge_l±0.1"), "metric of these runs 'rouge_l'"),
        (("--until", "accuracy±0.1", "--helm-compat"), "leave one of them out"),
    ],
)
def test_what_cannot_be_followed_is_refused_before_anything_is_asked(
    assay: Assay, tmp_path: Path, options: tuple[str, ...], hint: str
) -> None:
    write_sums(tmp_path, 30)
    said = assay("run", "sums.yaml", "-m", "skill/0.9", *options)
    assert said.code == 2
    assert hint in said.err
    assert said.err.count("\n") == 1
    assert not asked(tmp_path)


def test_machines_get_the_notes_from_the_suites_file(assay: Assay, tmp_path: Path) -> None:
    write_sums(tmp_path, 60)
    said = assay("run", "sums.yaml", "-m", "skill/0.9", "--until", "accuracy±0.2", "--json", "-q")
    (run,) = json.loads(said.out)
    plan = json.loads((tmp_path / "runs" / "default" / "suite.json").read_text())
    assert plan["runs"][0]["run"] == run["run"]
    assert plan["notes"]
    assert plan["suite"]["scenarios"] == ["sums.yaml"]

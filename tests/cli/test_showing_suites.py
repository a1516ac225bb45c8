"""`assay show` of a suite that lacks runs, was scored again, or is read in a narrow window."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.store import find_runs
from assay.store.folders import SPEC, STATS
from cli_helpers import Assay

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-m", "baseline/uniform", "-n", "6", "--quiet")


def test_runs_that_are_not_finished_are_named(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    assert "not finished" not in assay("show", "runs/default").out
    majority, uniform = find_runs(Path("runs"))
    shutil.rmtree(uniform.path)
    for folder in ("runs", "runs/default"):
        said = " ".join(assay("show", folder).out.split())
        assert "1 of 2 runs is not finished: billing_support of baseline/uniform." in said
    assert "not finished" not in assay("show", majority.path).out
    said = assay("show", "runs", "--json")
    assert len(json.loads(said.out)) == 1
    assert "1 of 2 runs" in said.err
    shutil.rmtree(majority.path)
    said = assay("show", "runs/default")
    assert said.code == 2
    assert "holds no finished run: 2 of 2 runs are not finished" in said.err


@pytest.mark.parametrize("name", [SPEC, STATS])
def test_a_run_that_lost_a_file_is_named_and_the_others_are_shown(assay: Assay, name: str) -> None:
    assert assay(*RUN).code == 0
    majority, uniform = find_runs(Path("runs"))
    (uniform.path / name).unlink()
    said = assay("show", "runs")
    assert said.code == 0
    assert "baseline/majority" in said.out
    assert "baseline/uniform" not in said.out.split("[…]")[0]
    assert f"{uniform.path}: not shown, as it lost {name}" in " ".join(said.out.split())
    assert [run["label"] for run in json.loads(assay("show", "runs", "--json").out)] == ["baseline/majority"]
    said = assay("show", uniform.path)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert f"not shown, as it lost {name}" in said.err
    (majority.path / name).unlink()
    said = assay("show", "runs")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "holds no run that can be shown" in said.err


def test_what_was_left_out_stands_in_the_summary_and_is_shown(assay: Assay) -> None:
    suite = {
        "models": ["baseline/majority"],
        "scenarios": ["billing_support", {"scenario": "local_file", "parameters": {"path": "absent.jsonl"}}],
    }
    Path("s.yaml").write_text(json.dumps(suite))
    assert assay("run", "s.yaml", "-n", "6", "--quiet").code == 2
    assert assay("run", "s.yaml", "-n", "6", "--quiet", "--keep-going").code == 0
    for said in (Path("runs/s/summary.md").read_text(), assay("show", "runs/s").out):
        assert "left out: local_file:path=absent.jsonl of baseline/majority:" in said


def test_a_suite_that_was_scored_again_is_shown_once(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    old = find_runs(Path("runs"))
    assert assay("rescore", "runs", "--metric", "f1_score").code == 0
    said = assay("show", "runs")
    assert said.out.count("baseline/majority") == 1
    assert "2 older runs are not shown" in said.out
    assert " f1_score " not in said.out
    assert " f1_score" in assay("show", "runs", "--metric", "f1_score").out
    by_name = assay("show", *(run.path for run in find_runs(Path("runs"))))
    assert by_name.out.count("baseline/majority") == 1
    assert "2 older runs are not shown" in by_name.out
    wrong = assay("show", "runs", "--metric", "f1score")
    assert (wrong.code, wrong.err.count("did you mean")) == (2, 1)
    (run,) = json.loads(assay("show", old[0].path, "--json").out)
    assert run["run"] == old[0].name


def candidates(table: str) -> list[list[str]]:
    """Candidate and items of each row."""
    return [line.split()[:2] for line in table.splitlines() if line.strip().startswith("baseline/")]


def test_runs_whose_place_the_last_command_took_are_counted_and_shown_where_they_are_named(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    older = [run.path for run in find_runs(Path("runs"))]
    assert assay("run", "dyck_language:", "-m", "baseline/majority", "-n", "5", "--quiet").code == 0
    smaller = ("billing_support:", "-m", "baseline/uniform", "-m", "baseline/majority", "-n", "4", "--quiet")
    assert assay("run", *smaller).code == 0
    for folder in ("runs", "runs/default"):
        said = assay("show", folder).out
        assert candidates(said) == [["baseline/uniform", "4"], ["baseline/majority", "4"], ["baseline/majority", "5"]]
        assert "max_instances" not in said
        assert "2 older runs are not shown, as the last `assay run` asked the same candidates" in said
    by_name = assay("show", *(run.path for run in find_runs(Path("runs")))).out
    assert sorted(candidates(by_name)) == sorted(
        [[f"baseline/{kind}", items] for kind in ("majority", "uniform") for items in ("4", "6")] + [["baseline/majority", "5"]]
    )
    assert by_name.index("max_instances=4") < by_name.index("max_instances=6")
    assert "not shown" not in by_name
    assert ["baseline/majority", "6"] in candidates(assay("show", "runs/default", older[0]).out)


def test_an_older_run_stands_for_a_planned_one_until_that_is_finished_and_one_scored_again_for_it(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    assert assay(*RUN[:-2], "4", "--quiet").code == 0
    assert assay("rescore", "runs", "--metric", "f1_score").code == 0
    assert candidates(assay("show", "runs").out) == [["baseline/majority", "4"], ["baseline/uniform", "4"]]
    for run in find_runs(Path("runs")):
        if run.spec_file().spec.max_instances == 4 and run.stats().label == "baseline/uniform":
            shutil.rmtree(run.path)
    said = assay("show", "runs").out
    assert candidates(said) == [["baseline/majority", "4"], ["baseline/uniform", "6"]]
    assert "1 of 2 runs is not finished" in said


def test_several_folders_are_scored_again_at_once(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    folders = [run.path for run in find_runs(Path("runs"))]
    said = assay("rescore", *folders, folders[0], "--metric", "f1_score")
    assert said.code == 0, said.err
    assert said.out.count("f1_score: ") == 2
    assert len(find_runs(Path("runs"))) == 4


def test_a_suite_is_readable_in_eighty_columns(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    assert assay(*RUN, "-p", "typos").code == 0
    wide = assay("show", "runs").out
    monkeypatch.setenv("COLUMNS", "80")
    narrow = assay("show", "runs").out
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, wide.splitlines()))
    cells = [
        cell for line in wide.splitlines() if "[" in line and "baseline" in line for cell in line.split("  ") if "[" in cell
    ]
    assert len(cells) >= 6
    assert all(cell.strip() in narrow for cell in cells)


def test_one_run_is_shown_family_by_family_and_how_it_was_read_comes_last(assay: Assay) -> None:
    assert assay(*RUN[:4], "-n", "6", "--quiet").code == 0
    (run,) = find_runs(Path("runs"))
    lines = assay("show", run.path).out.splitlines()
    families = [line.split()[0] for line in lines if line[:1].isalpha() and "[" in line and "=" not in line]
    assert families[0] == "accuracy"
    assert families[-2:] == ["outcomes", "evidence"]
    assert len(families) == len(set(families))

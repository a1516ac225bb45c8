"""`assay show` in other forms than a terminal's."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from cli_helpers import Assay


def run_two(assay: Assay) -> None:
    models = ("-m", "baseline/majority", "-m", "baseline/uniform")
    assert assay("run", "billing_support:", *models, "-n", "8", "--quiet").code == 0


def test_a_suite_is_shown_as_latex_markdown_and_csv(assay: Assay) -> None:
    run_two(assay)
    tex = assay("show", "runs/default", "--latex").out
    assert tex.count(r"\begin{tabular}") == 1
    assert r"\textbf{billing\_support}" in tex
    assert r"\quad baseline/majority & 8 & " in tex
    markdown = assay("show", "runs/default", "--markdown").out
    assert "\n|   baseline/majority | 8 | " in markdown
    assert "95 % interval" in markdown
    lines = list(csv.DictReader(io.StringIO(assay("show", "runs/default", "--csv").out)))
    assert {line["candidate"] for line in lines} == {"baseline/majority", "baseline/uniform"}
    assert all(float(line["low"]) <= float(line["value"]) <= float(line["high"]) for line in lines if line["low"])


def test_all_tables_of_a_run_are_shown(assay: Assay) -> None:
    run_two(assay)
    (run,) = Path("runs/default").glob("*majority*")
    tex, markdown = assay("show", run, "--latex").out, assay("show", run, "--markdown").out
    assert tex.count(r"\begin{table}") == markdown.count("## ") >= 2
    assert "by subgroup" in tex
    some, every = assay("show", run, "--csv").out, assay("show", run, "--csv", "--all").out
    assert len(every.splitlines()) > len(some.splitlines()) > 2


@pytest.mark.parametrize("form", ["--latex", "--markdown", "--csv"])
@pytest.mark.parametrize("other", [("--json",), ("--trials", "2"), ("--outcome", "refused"), ("--instance", "x")])
def test_forms_exclude_each_other_and_trials(assay: Assay, form: str, other: tuple[str, ...]) -> None:
    said = assay("show", "runs", form, *other)
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert form in said.err or "exclude" in said.err


def test_a_scenario_has_no_estimates_to_show(assay: Assay) -> None:
    said = assay("show", "scenario", "billing_support", "--csv")
    assert said.code == 2
    assert "name runs" in said.err


def test_csv_is_only_csv_and_notes_go_beside_it(assay: Assay) -> None:
    run_two(assay)
    next(Path("runs/default").glob("*uniform*/manifest.json")).unlink()
    said = assay("show", "runs/default", "--csv")
    assert len({len(row) for row in csv.reader(io.StringIO(said.out))}) == 1
    assert "not finished" in said.err

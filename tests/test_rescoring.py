"""Scoring again: once for each run, new values shown, and damaged evidence refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import polars as pl
import pytest

from assay.store import RunFolder, find_runs
from assay.store.folders import MANIFEST, TRANSCRIPTS, write_json
from assay.store.manifest import file_digest
from cli_helpers import Assay, assay

__all__ = ["assay"]

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-m", "baseline/uniform", "-n", "6")


def test_a_suite_is_rescored_once_for_each_run_however_often_it_was_rescored_before(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    for metric in ("f1_score", "f1_score", "rouge_l"):
        said = assay("rescore", "runs", "--metric", metric, "--json")
        assert said.code == 0, said
        assert len(json.loads(said.out)) == 2
    metrics = [{named.name for named in run.spec_file().spec.metrics} for run in find_runs(Path("runs"))]
    assert len(metrics) == 6
    assert sum({"f1_score", "rouge_l"} <= names for names in metrics) == 2


def test_the_values_of_added_metrics_are_shown(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    said = assay("rescore", "runs", "--metric", "f1_score")
    assert said.out.count("\n  f1_score: 0.") == 2
    assert "f1_score:" not in assay("rescore", "runs").out


def tamper(run: RunFolder, change: pl.Expr, *, seal: bool) -> None:
    """Change a column of the transcripts; with `seal`, make the manifest fit."""
    file = run.path / TRANSCRIPTS
    pl.read_parquet(file).with_columns(change).write_parquet(file)
    if seal:
        manifest = run.manifest()
        files = {**manifest.files, TRANSCRIPTS: file_digest(file)}
        write_json(run.path / MANIFEST, msgspec.structs.replace(manifest, files=files).sealed())


def test_changed_evidence_is_not_scored_again_but_lost_estimates_are_made_anew(assay: Assay) -> None:
    assert assay(*RUN[:4], "-n", "3").code == 0
    (run,) = find_runs(Path("runs"))
    (run.path / "stats.json").unlink()
    assert assay("rescore", "runs").code == 0
    assert assay("verify", "runs").code == 0
    tamper(run, pl.lit("yes").alias("prediction"), seal=False)
    said = assay("rescore", "runs")
    assert said.code == 2
    assert "transcripts.parquet: changed" in said.err
    assert assay("verify", "runs").code == 1


CHANGES = {
    "responses that are no list": pl.lit(5).alias("responses"),
    "a response of another shape": pl.lit(['{"completions": 5}']).alias("responses"),
    "a response that is nested deeply": pl.lit(["[" * 5000]).alias("responses"),
    "a response that is empty": pl.lit([""]).alias("responses"),
    "a message of another shape": pl.lit('\x1emessages:[{"role": 5}]').alias("input"),
    "a split that does not exist": pl.lit("five").alias("split"),
    "no references": pl.lit(None).alias("references"),
    "ids that are numbers": pl.lit(5).alias("instance_id"),
    "toxicity that is text": pl.lit("x").alias("toxicity"),
    "a cost that is text": pl.lit("x").alias("cost"),
    "subgroups that are text": pl.lit("x").alias("subgroups"),
    "draws that are text": pl.lit("x").alias("draw"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_transcripts_that_assay_did_not_write_are_refused_in_one_line(change: str, assay: Assay) -> None:
    assert assay(*RUN[:4], "-n", "3").code == 0
    (run,) = find_runs(Path("runs"))
    tamper(run, CHANGES[change], seal=True)
    said = assay("rescore", "runs")
    assert said.code == 2, said
    assert said.err.count("\n") == 1
    shown = assay("show", "runs", "--trials", "3")
    assert shown.code in (0, 2), shown

"""Scoring again: once for each run, new values shown, and damaged evidence refused in one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import polars as pl
import pytest

from assay import registry
from assay.decisions.recomputing import recompute
from assay.records import DataIdentity, ModelIdentity, NamedSpec, RunSpec
from assay.rescoring import as_of_today, latest
from assay.store import RunFolder, find_runs
from assay.store.folders import MANIFEST, SPEC, TRANSCRIPTS, SpecFile, write_json
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


def test_a_run_that_cannot_be_scored_again_is_named_and_the_others_are(assay: Assay) -> None:
    Path("brevity.py").write_text(
        "from assay.metrics import metric\n"
        "@metric(family='accuracy', range=(0, None), better='lower')\n"
        "def brevity_for_rescoring(answer):\n"
        "    '''Characters of the prediction.'''\n"
        "    return float(len(answer.prediction))\n"
    )
    assert assay(*RUN).code == 0
    plugin = ("--plugin", "brevity.py", "--metric", "brevity_for_rescoring", "--suite", "own")
    assert assay("run", "billing_support:", "-m", "baseline/majority", "-n", "6", *plugin).code == 0
    del registry.metrics._things["brevity_for_rescoring"]
    said = assay("rescore", "runs", "--json")
    assert said.code == 2
    assert len(json.loads(said.out)) == 2
    assert said.err.count("\n") == 1
    assert "runs/own/" in said.err
    assert "unknown metric 'brevity_for_rescoring'" in said.err


def test_runs_that_differ_in_their_judge_or_suite_do_not_stand_for_each_other(assay: Assay) -> None:
    assert assay(*RUN[:4], "-n", "3").code == 0
    (run,) = find_runs(Path("runs"))
    spec = run.spec_file()
    first = spec.spec.metrics[0]
    marked = [(msgspec.structs.replace(first, parameters={"judge": judge}),) for judge in ("a/b", "c/d")]
    places = ("default/x", "default/y", "default/fewer", "other/x")
    for place, metrics in zip(places, (*marked, spec.spec.metrics[:1], ()), strict=True):
        shutil.copytree(run.path, f"runs/{place}")
        changed = msgspec.structs.replace(spec, spec=msgspec.structs.replace(spec.spec, metrics=metrics))
        write_json(Path("runs") / place / SPEC, changed)
        (Path("runs") / place / MANIFEST).touch()
    kept = {str(folder.path.relative_to("runs")) for folder in latest(find_runs(Path("runs")))}
    assert kept == {"default/x", "default/y", f"default/{run.name}", "other/x"}


def test_a_metric_nobody_knows_is_refused_once(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    said = assay("rescore", "runs", "--metric", "f1_scor")
    assert (said.code, said.out, said.err.count("f1_scor'")) == (2, "", 1)


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


def as_written_by_an_earlier_version(run: RunFolder) -> None:
    """Give a run the form of spec that versions before had, whole as it was."""
    spec = json.loads((run.path / SPEC).read_text())
    spec["spec"]["schema"] = 1
    spec["spec"]["prompting"] = {
        name: value for name, value in spec["spec"]["prompting"].items() if name not in ("form", "room_to_think")
    }
    write_json(run.path / SPEC, spec)
    manifest = json.loads((run.path / MANIFEST).read_text())
    manifest["files"][SPEC] = file_digest(run.path / SPEC)
    write_json(run.path / MANIFEST, manifest)


def test_an_earlier_run_is_read_as_today_and_what_changes_is_listed(assay: Assay) -> None:
    rows = [{"input": f"Item {index}?", "answer": "oak", "options": ["oak", "elm"]} for index in range(6)]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = ("oak", "The answer is oak.", '{"tree": "oak"}', "Not elm, oak.", "elm", "Trees are nice.")
    prompts = [f"Input: Item {index}?\nOutput:" for index in range(6)]
    lines = [{"prompt": prompt, "completion": text} for prompt, text in zip(prompts, said, strict=True)]
    Path("said.jsonl").write_text("\n".join(map(json.dumps, lines)))
    entry = "local_file:path=items.jsonl,method=generation,shots=0,answer=text,metric=exact_match"
    assert assay("run", entry, "-m", "replay/said.jsonl", "--quiet").code == 0
    (old,) = find_runs(Path("runs"))
    as_written_by_an_earlier_version(old)
    checked = recompute(old)
    assert (checked.problems, checked.partial) == ([], True)
    assert "an earlier version read its answers" in checked.notes[0]
    shown = assay("rescore", "runs")
    assert shown.code == 0, shown
    assert "4 of 6 answers are read differently: answered → answered 3, answered → unparsed 1\n" in shown.out
    assert "'The answer is oak.': 'The answer is oak.' (answered) → 'oak' (answered)" in shown.out
    (new,) = [run for run in find_runs(Path("runs")) if run.path != old.path]
    assert latest([old, new])[0].path == new.path
    assert new.spec_file().spec.prompting["answer"] == "auto"
    value = {
        run.path: next(cell.estimate.value for cell in run.stats().cells if cell.metric == "exact_match") for run in (old, new)
    }
    assert (value[old.path], value[new.path]) == (pytest.approx(1 / 6), pytest.approx(4 / 6))
    assert json.loads(assay("rescore", new.path, "--json").out)[0]["read_differently"] == 0


def test_the_metric_of_an_earlier_run_that_has_another_name_now_is_computed_under_it(assay: Assay) -> None:
    assert as_of_today(
        SpecFile(
            run="r",
            title="t",
            spec=RunSpec(
                scenario=NamedSpec(name="gsm8k"),
                data=DataIdentity(source="file:x"),
                prompting={"method": "generation"},
                model=ModelIdentity(name="m"),
                metrics=(NamedSpec(name="final_number_exact_match"),),
                schema=1,
            ),
            card={"main_metric": "final_number_exact_match"},
        )
    ).card == {"main_metric": "number_match"}

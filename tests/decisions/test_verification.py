"""Verifying: an honest run or record passes; whatever was changed, by whomever, is found and named."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from assay import registry
from assay.decisions.deciding import decide
from assay.decisions.keys import read_key, read_public_key
from assay.decisions.measuring import measure
from assay.decisions.reading import read_profile
from assay.decisions.recomputing import alike, recompute
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import LARGEST, make_record, page_of, read_record, sealed, write_record
from assay.decisions.verification import Checked, Options, Verifier, counted
from assay.errors import AssayError
from assay.metrics.base import Metric
from assay.store import RunFolder, find_runs
from assay.store.folders import CONTENT, MANIFEST, SCORES, SPEC, STATS, TRANSCRIPTS, encode_json
from assay.store.manifest import file_digest
from comparison_helpers import trial_of, write_run
from decision_records import PROFILE, RECORD, decided, signed_by, small_record

__all__ = ["decided"]


@pytest.fixture
def folder(decided: Path, tmp_path: Path) -> Path:
    shutil.copytree(decided, tmp_path / "here", ignore=shutil.ignore_patterns(".cache"))
    return tmp_path / "here"


def problems(path: Path, **options: Any) -> list[str]:
    return [problem for one in Verifier(Options(**options)).anything(path) for problem in one.problems]


def run_in(folder: Path) -> RunFolder:
    return find_runs(folder / "runs")[0]


def resealed(run: RunFolder) -> None:
    """Make the manifest fit the files, as somebody can who knows how."""
    manifest = run.manifest()
    files = {name: file_digest(run.path / name) for name in manifest.files}
    (run.path / MANIFEST).write_bytes(encode_json(msgspec.structs.replace(manifest, files=files).sealed()))


def flipped(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 1 << position % 8]) + data[position + 1 :]


def test_honest_runs_records_and_folders_of_them_pass(folder: Path) -> None:
    signed_by(folder / RECORD, "ana", "bo")
    for path, kinds in (
        (run_in(folder).path, ["run"]),
        (folder / "runs", ["run", "run"]),
        (folder / RECORD, ["record", "run", "run"]),
        (folder, ["run", "run", "record"]),
    ):
        checked = Verifier().anything(path)
        assert [one.kind for one in checked] == kinds
        assert [one.problems for one in checked] == [[]] * len(kinds)
        assert not any(one.partial for one in checked)
    (record,) = (one for one in checked if one.kind == "record")
    assert [line.split(" (")[0] for line in record.signatures] == ["ana", "bo"]
    assert any("whose the keys are was not checked" in note for note in record.notes)


def test_every_byte_of_a_record_counts(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana")
    page_of(path).unlink()
    good = path.read_bytes()
    assert problems(path) != []  # it rests on no runs, which no profile allows
    assert problems(path, quick=True) == []
    for position in range(len(good)):
        path.write_bytes(flipped(good, position))
        found = problems(path, quick=True)
        assert found, position
        assert "x.json" in found[0], position


@pytest.mark.parametrize("name", [MANIFEST, SPEC, STATS])
def test_every_byte_of_a_runs_text_files_counts_and_its_file_is_named(name: str, tmp_path: Path) -> None:
    run = write_run(tmp_path, "a", [trial_of(item, item % 2) for item in range(3)])
    good = (run / name).read_bytes()
    for position in range(len(good)):
        (run / name).write_bytes(flipped(good, position))
        found = problems(run, quick=True)
        assert any(problem.startswith(f"{run / name}: ") for problem in found), position


@pytest.mark.parametrize("name", [TRANSCRIPTS, SCORES])
def test_bytes_all_over_a_table_count_its_footer_included(name: str, folder: Path) -> None:
    run = run_in(folder)
    good = (run.path / name).read_bytes()
    for position in {*range(12), *range(0, len(good), len(good) // 60), *range(len(good) - 60, len(good))}:
        (run.path / name).write_bytes(flipped(good, position))
        assert problems(run.path) == [f"{run.path / name}: changed"], position


@pytest.mark.parametrize("name", [*CONTENT, MANIFEST])
@pytest.mark.parametrize("harm", ["removed", "cut", "emptied", "longer", "swapped"])
def test_a_harmed_file_of_the_evidence_is_named_by_the_record_too(name: str, harm: str, folder: Path) -> None:
    file, other = (run.path / name for run in find_runs(folder / "runs"))
    good = file.read_bytes()
    if harm == "removed":
        file.unlink()
    elif harm == "swapped":
        file.write_bytes(other.read_bytes())
        other.write_bytes(good)
    else:
        file.write_bytes({"cut": good[:-20], "emptied": b"", "longer": good + b"\n"}[harm])
    found = problems(folder / RECORD)
    assert any(str(file) in problem for problem in found), found
    if harm == "swapped":
        assert any(str(other) in problem for problem in found), found


def test_a_run_that_is_gone_is_named(folder: Path) -> None:
    run = run_in(folder)
    shutil.rmtree(run.path)
    assert any("evidence missing" in problem and run.name in problem for problem in problems(folder / RECORD))


def test_a_run_made_anew_with_other_answers_is_not_the_one_that_was_decided_on(folder: Path) -> None:
    run = run_in(folder)
    manifest = msgspec.structs.replace(run.manifest(), last_asked=1.0).sealed()
    (run.path / MANIFEST).write_bytes(encode_json(manifest))
    assert any("changed since the decision" in problem for problem in problems(folder / RECORD))


def changed_scores(run: RunFolder) -> str:
    table = pl.read_parquet(run.path / SCORES)
    row = table.with_row_index().filter((pl.col("metric") == "exact_match") & (pl.col("value") == 0))["index"][0]
    values = table["value"].to_list()
    values[row] = 1.0
    table.with_columns(pl.Series("value", values)).write_parquet(run.path / SCORES, compression="zstd")
    return f"{run.path / SCORES}: value of {table['instance_id'][row]}, exact_match is 1.0, recomputed 0.0"


def changed_stats(run: RunFolder) -> str:
    stats = run.stats()
    cells = [
        msgspec.structs.replace(cell, estimate=msgspec.structs.replace(cell.estimate, value=0.99))
        if (cell.metric, cell.computed_on, cell.subgroup) == ("exact_match", "original", None)
        else cell
        for cell in stats.cells
    ]
    (run.path / STATS).write_bytes(encode_json(msgspec.structs.replace(stats, cells=tuple(cells))))
    return f"{run.path / STATS}: exact_match, original, test: value is 0.99, recomputed "


def removed_estimate(run: RunFolder) -> str:
    stats = run.stats()
    (run.path / STATS).write_bytes(encode_json(msgspec.structs.replace(stats, cells=stats.cells[1:])))
    return f"{run.path / STATS}: {stats.cells[0].metric}, "


def changed_predictions(run: RunFolder) -> str:
    table = pl.read_parquet(run.path / TRANSCRIPTS)
    table.with_columns(prediction=pl.lit("what it never said")).write_parquet(run.path / TRANSCRIPTS, compression="zstd")
    return f"{run.path / TRANSCRIPTS}: prediction of "


def changed_responses(run: RunFolder) -> str:
    table = pl.read_parquet(run.path / TRANSCRIPTS)
    texts = [[text.replace('"text":"', '"text":"x') for text in row] for row in table["responses"].to_list()]
    table.with_columns(pl.Series("responses", texts)).write_parquet(run.path / TRANSCRIPTS, compression="zstd")
    return f"{run.path / TRANSCRIPTS}: completion of "


def dropped_trials(run: RunFolder) -> str:
    table = pl.read_parquet(run.path / TRANSCRIPTS)
    table.head(table.height - 1).write_parquet(run.path / TRANSCRIPTS, compression="zstd")
    return f"{run.path / ''}"


def dropped_scores(run: RunFolder) -> str:
    table = pl.read_parquet(run.path / SCORES)
    table.head(table.height - 1).write_parquet(run.path / SCORES, compression="zstd")
    return f"{run.path / SCORES}: "


def added_metric(run: RunFolder) -> str:
    table = pl.read_parquet(run.path / SCORES)
    added = table.filter(pl.col("metric") == "exact_match").with_columns(metric=pl.lit("helpfulness"), value=pl.lit(1.0))
    keys = [name for name in table.columns if name not in ("metric", "value")]
    rows = pl.concat([table, added]).with_row_index().sort(keys, maintain_order=True).drop("index")
    rows.write_parquet(run.path / SCORES, compression="zstd")
    return f"{run.path / SCORES}: its rows are not those"


def added_estimate(run: RunFolder) -> str:
    stats = run.stats()
    added = msgspec.structs.replace(stats.cells[0], metric="helpfulness")
    (run.path / STATS).write_bytes(encode_json(msgspec.structs.replace(stats, cells=(*stats.cells, added))))
    return f"{run.path / STATS}: helpfulness, "


def no_table(run: RunFolder) -> str:
    pl.DataFrame({"a": [1]}).write_parquet(run.path / SCORES)
    return f"{run.path}: its tables cannot be read"


FORGED = [
    changed_scores,
    changed_stats,
    removed_estimate,
    changed_predictions,
    changed_responses,
    dropped_trials,
    dropped_scores,
    added_metric,
    added_estimate,
    no_table,
]


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: forge.__name__)
def test_numbers_that_do_not_follow_from_the_answers_are_named_though_every_digest_fits(
    forge: Callable[[RunFolder], str], folder: Path
) -> None:
    run = run_in(folder)
    expected = forge(run)
    resealed(run)
    assert problems(run.path, quick=True) == []
    found = problems(run.path)
    assert found
    assert found[0].startswith(expected), found


def test_counts_of_the_manifest_are_counted_again(folder: Path) -> None:
    run = run_in(folder)
    forged = msgspec.structs.replace(run.manifest(), failed=3, completion_tokens=1).sealed()
    (run.path / MANIFEST).write_bytes(encode_json(forged))
    found = problems(run.path)
    assert [problem.split(": ")[1].split(" is ")[0] for problem in found] == ["failed", "completion_tokens"]


def test_metrics_that_are_not_here_are_noted_and_the_others_are_recomputed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_in(folder)
    held: dict[str, Metric] = dict(registry.metrics._things)
    older = held["ece_10_bin"]
    monkeypatch.setitem(held, "ece_10_bin", Metric(**{**vars(older), "version": older.version + 1}))
    monkeypatch.setattr(registry.metrics, "_things", held)
    (checked,) = Verifier().anything(run.path)
    assert (checked.problems, checked.partial) == ([], True)
    assert any("not recomputed: ece_10_bin: the run has its version" in note for note in checked.notes)
    main = held.pop("exact_match")
    (checked,) = Verifier().anything(run.path)
    assert checked.problems == []
    assert any("not recomputed: exact_match: unknown metric" in note for note in checked.notes)
    assert any("brier_score: it may measure against exact_match" in note for note in checked.notes)
    held["exact_match"] = main
    expected = changed_scores(run)
    resealed(run)
    assert problems(run.path) == [expected]


def test_other_versions_are_noted_and_numbers_compared_within_a_tolerance(folder: Path) -> None:
    run = run_in(folder)
    file, stats = run.spec_file(), run.stats()
    (run.path / SPEC).write_bytes(encode_json(msgspec.structs.replace(file, environment={**file.environment, "numpy": "1.9"})))

    def shift(by: float) -> None:
        cells = [
            msgspec.structs.replace(cell, estimate=msgspec.structs.replace(cell.estimate, value=cell.estimate.value + by))
            for cell in stats.cells
        ]
        (run.path / STATS).write_bytes(encode_json(msgspec.structs.replace(stats, cells=tuple(cells))))
        resealed(run)

    shift(1e-12)
    found = recompute(run)
    assert found.problems == []
    assert "numpy 1.9 (here" in found.notes[0]
    shift(1e-6)
    assert recompute(run).problems


def resealed_record(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The record changed by somebody who can make digest and page fit."""
    plain = msgspec.to_builtins(read_record(folder / RECORD))
    change(plain)
    write_record(sealed(msgspec.convert(plain, DecisionRecord)), folder / RECORD)
    return folder / RECORD


def set_at(*steps: Any) -> Callable[[dict[str, Any]], None]:
    *path, last, value = steps

    def change(plain: dict[str, Any]) -> None:
        place: Any = plain
        for step in path:
            place = place[step]
        place[last] = value

    return change


STANDING = ("decision", "standings", 0)
CHANGES = [
    (set_at("decision", "recommended", "baseline/uniform"), "decision.recommended is "),
    (
        set_at(*STANDING, "measurements", 0, "estimate", "value", 0.9),
        "decision.standings[0].measurements[0].estimate.",
    ),
    (set_at(*STANDING, "constraints", 0, "verdict", "violated"), "decision.standings[0].constraints[0].verdict is 'violated'"),
    (set_at("decision", "words", ["Choose me."]), "decision.words is "),
    (set_at("decision", "flips", []), "decision.flips is "),
    (set_at("decision", "distance", 0.5), "decision.distance is 0.5"),
    (set_at("profile", "criteria", 0, "weight", 9.0), "profile.criteria[0].weight is 9.0"),
    (set_at("profile", "seed", 7), "profile.seed is 7"),
    (set_at("profile_file", "name: other\n"), "profile_file: "),
    (set_at("expires", "2999-12-31"), "expires is '2999-12-31'"),
    (set_at("name", "Another"), "name is 'Another'"),
    (set_at("choice", "chosen", "nobody"), "choice.chosen is 'nobody'"),
    (set_at("evidence", 0, "candidate", "baseline/uniform"), "evidence: "),
    (set_at("evidence", 0, "scenario", "capitals"), "evidence: "),
    (set_at("evidence", 0, "run", "another"), "evidence: 'another' is not the name of the run in "),
    (set_at("decision", "notes", ["All is fine."]), "decision.notes hold what the evidence does not give: All is fine."),
    (set_at("created", "yesterday"), "created is 'yesterday', which is no time in UTC"),
    (set_at("created", "2026-02-30T00:00:00Z"), "created is "),
    (set_at("choice", "by", " "), "choice.by is empty"),
    (set_at("earlier", [{"chosen": "", "by": "", "rationale": "x"}]), "choice.by is empty"),
    (set_at("choice", {"chosen": "", "by": "Ana", "rationale": ""}), "choice.rationale is empty, and 'no candidate' is not"),
]


@pytest.mark.parametrize(("change", "named"), CHANGES)
def test_what_does_not_follow_from_profile_and_runs_is_named_though_the_digest_fits(
    change: Callable[[dict[str, Any]], None], named: str, folder: Path
) -> None:
    path = resealed_record(folder, change)
    assert problems(path, quick=True) == []
    found = problems(path)
    assert any(problem.startswith(f"{path}: {named}") for problem in found), found


def test_a_note_that_the_evidence_gives_cannot_be_taken_out(folder: Path) -> None:
    text = PROFILE.replace("owner: Ana Ruiz", 'owner: "(to be filled in)"')
    (folder / "profile.yaml").write_text(text)
    profile = read_profile(folder / "profile.yaml")
    measured = measure(profile, folder)
    write_record(make_record(profile, text, measured, decide(profile, measured), folder / RECORD), folder / RECORD)
    assert read_record(folder / RECORD).decision.notes == ("The profile does not say yet: owner.",)
    assert problems(folder / RECORD) == []
    path = resealed_record(folder, set_at("decision", "notes", []))
    assert problems(path) == [f"{path}: decision.notes lack: The profile does not say yet: owner."]


@pytest.mark.parametrize(
    "note",
    [
        "openai/a dropped out after 1,024 of 4,000 instances: it is worth less than openai/b.",
        "runs/x/capitals,a-0: left out, as it has no manifest.json: it was never finished, or that file was removed.",
    ],
)
def test_notes_about_other_runs_than_the_evidence_are_named_as_what_only_signatures_vouch_for(note: str, folder: Path) -> None:
    path = resealed_record(folder, set_at("decision", "notes", [note]))
    (record, *_) = Verifier().anything(path)
    assert record.problems == []
    assert f"{path}: not about the evidence, so that only signatures vouch for it: {note}" in record.notes


def test_words_and_page_are_compared_whatever_version_is_said_to_have_written_them(folder: Path) -> None:
    def reworded(plain: dict[str, Any]) -> None:
        plain["environment"]["assay"] = "0.0.1"
        plain["decision"]["words"] = ["Choose me."]

    path = resealed_record(folder, reworded)
    (found,) = problems(path)
    assert found.startswith(f"{path}: decision.words is ('Choose me.',), recomputed ")
    assert "it says that it was decided with assay 0.0.1 (here " in found
    page_of(path).write_text("Choose me.")
    assert any("unless assay 0.0.1, which is said to have written it" in problem for problem in problems(path))


LACKING = "ece_10_bin"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (set_at("decision", "recommended", "baseline/uniform"), ""),  # rests on all measures, which the note says
        (set_at(*STANDING, "measurements", 0, "estimate", "value", 0.9), ": measurements.right answers.estimate.value is 0.9"),
        (set_at(*STANDING, "constraints", 0, "value", 0.9), ": constraints.right enough.value is 0.9"),
        (set_at(*STANDING, "measurements", 0, "measure", "x"), ": its measurements are not those of the profile"),
        (set_at("profile", "criteria", 0, "weight", 9.0), "profile.criteria[0].weight is 9.0"),
        (set_at("profile", "criteria", 1, "weight", 9.0), "profile.criteria.weight is 9.0"),
        (set_at("profile", "criteria", 1, "value", None), "profile.criteria.value is None"),
        (set_at("profile", "seed", 7), "profile.seed is 7"),
        (set_at("name", "Another"), "name is 'Another'"),
        (set_at("profile_file", "x"), "profile: its file has other measures"),
    ],
)
def test_a_metric_that_is_not_installed_leaves_all_else_checked(
    change: Callable[[dict[str, Any]], None], named: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {name: metric for name, metric in registry.metrics._things.items() if name != LACKING}
    monkeypatch.setattr(registry.metrics, "_things", held)
    (record, *_) = (one for one in Verifier().anything(folder / RECORD) if one.kind == "record")
    assert (record.problems, record.partial) == ([], True)
    assert any(f"not computed again, as {LACKING} is not installed here" in note for note in record.notes)
    found = problems(resealed_record(folder, change))
    assert (not named and found == []) or any(named in problem for problem in found), found


@pytest.mark.parametrize("long", ["a" * 5000, "a/" * 5000])
def test_a_path_that_no_system_bears_is_one_problem_of_its_record(long: str, folder: Path) -> None:
    path = resealed_record(folder, set_at("evidence", 0, "folder", long))
    shutil.move(folder / "runs", folder / "moved")
    (record, *others) = Verifier().anything(path)
    assert sum("evidence missing: aa" in problem or "evidence missing: a/a" in problem for problem in record.problems) == 1
    assert others == []
    with pytest.raises(AssayError, match="File name too long"):
        problems(Path(long))
    with pytest.raises(AssayError, match="File name too long"):
        find_runs(Path(long))


def test_pipes_and_devices_are_never_read(folder: Path) -> None:
    pipe = folder / "pipe.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        for reading in (problems, read_record, read_key, lambda path: read_public_key(str(path))):
            with pytest.raises(AssayError, match="is no file"):
                reading(path)
    page_of(folder / RECORD).unlink()
    os.mkfifo(page_of(folder / RECORD))
    assert any(str(page_of(folder / RECORD)) in problem for problem in problems(folder / RECORD))
    run = run_in(folder)
    (run.path / SPEC).unlink()
    os.mkfifo(run.path / SPEC)
    assert f"{run.path / SPEC}: replaced by what is no file" in problems(run.path)
    with pytest.raises(AssayError, match=r"spec\.json is no file"):
        run.spec_file()


def changed_input(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(input=pl.lit("What is love?"))


def changed_prompts(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(prompts=pl.lit(["another prompt"]))


@pytest.mark.parametrize("change", [changed_input, changed_prompts])
def test_what_was_asked_is_sealed_too(change: Callable[[pl.DataFrame], pl.DataFrame], folder: Path) -> None:
    run = run_in(folder)
    change(pl.read_parquet(run.path / TRANSCRIPTS)).write_parquet(run.path / TRANSCRIPTS)
    resealed(run)
    assert problems(run.path) == [f"{run.path / MANIFEST}: columns: the seals are not those of the columns of {TRANSCRIPTS}"]


def test_the_page_must_say_what_the_record_says(folder: Path) -> None:
    page = page_of(folder / RECORD)
    page.write_text(page.read_text().replace("Ana Ruiz", "Eve"))
    assert [problem.split(": ")[0] for problem in problems(folder / RECORD)] == [str(page)]
    page.unlink()
    (record, *_) = Verifier().anything(folder / RECORD)
    assert record.problems == []
    assert any("not there" in note for note in record.notes)


def test_removed_signatures_show_where_the_keys_are_known(folder: Path) -> None:
    path = folder / RECORD
    signed_by(path, "ana", "bo")
    record = read_record(path)
    ana, bo = (read_public_key(one.public_key) for one in record.signatures)
    assert problems(path, keys=(ana, bo), quick=True) == []
    write_record(msgspec.structs.replace(record, signatures=()), path)
    (checked, *_) = Verifier().anything(path)
    assert any("nobody has signed" in note for note in checked.notes)
    assert len(problems(path, keys=(ana, bo), quick=True)) == 2
    write_record(msgspec.structs.replace(record, signatures=record.signatures[1:]), path)
    assert any("signature 1 (bo, owner): does not hold" in problem for problem in problems(path, quick=True))


def test_a_decision_that_has_expired_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(expires="2001-02-03", review="2001-01-01"), path)
    (record,) = Verifier(Options(quick=True)).anything(path)
    assert record.problems == []
    assert any("expired on 2001-02-03" in note for note in record.notes)
    assert any("to be reviewed by 2001-01-01" in note for note in record.notes)


def test_a_record_and_its_runs_may_move_together(folder: Path, tmp_path: Path) -> None:
    moved = folder.rename(tmp_path / "elsewhere")
    assert problems(moved / RECORD) == []
    (moved / "below").mkdir()
    for file in (moved / RECORD, page_of(moved / RECORD)):
        file.rename(moved / "below" / file.name)
    assert any("evidence missing" in problem for problem in problems(moved / "below" / RECORD))
    (moved / "runs").rename(moved / "below" / "runs")
    assert problems(moved / "below" / RECORD) == []


def test_a_folder_is_searched_for_records_that_somebody_broke(folder: Path) -> None:
    good = (folder / RECORD).read_bytes()
    broken = (folder / "a").mkdir() or folder / "a" / "renamed.json"
    broken.write_bytes(good[:-1])
    (folder / "cut.decision.json").write_bytes(b"{")
    (folder / "other.json").write_text(json.dumps({"evidence": 1}))
    checked = {one.path.name: one for one in Verifier(Options(quick=True)).anything(folder)}
    assert checked["renamed.json"].problems
    assert checked["cut.decision.json"].problems
    assert "other.json" not in checked


def test_what_is_called_a_record_and_cannot_be_read_as_one_is_not_passed_over(folder: Path) -> None:
    os.mkfifo(folder / "a.decision.json")
    with (folder / "b.decision.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    found = problems(folder, quick=True)
    assert len(found) == 2
    assert "a.decision.json cannot be read: it is no file" in found[0]
    assert "b.decision.json is too large for a decision record" in found[1]


@pytest.mark.parametrize("made", ["nothing", "other.json", "empty"])
def test_what_is_nothing_to_verify_is_refused(made: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssayError):
        Verifier().anything(tmp_path / made)


def test_values_are_alike_only_if_they_are_equal_or_within_the_tolerance() -> None:
    nan = float("nan")
    assert alike({"a": [1.0, None, nan]}, {"a": [1.0, None, nan]}, exact=True)
    assert not alike({"a": [1.0]}, {"a": [1.0 + 1e-12]}, exact=True)
    assert alike({"a": [1.0]}, {"a": [1.0 + 1e-12]}, exact=False)
    for old, new in (([1.0], [1.0, 2.0]), (1.0, None), (nan, 1.0), ({"a": 1}, {"b": 1}), ("x", "y"), (1.0, 1.001)):
        assert not alike(old, new, exact=False)


def test_things_are_counted_in_words() -> None:
    kinds = ("run", "record", "run")
    assert counted([Checked(kind, Path()) for kind in kinds]) == "1 record and 2 runs"  # type: ignore[arg-type]
    assert counted([Checked("run", Path())]) == "1 run"

"""Redacted packs: a mark or what was there, and nothing that anybody invented, though all digests that are not signed fit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from assay.decisions import packing
from assay.decisions.deciding import decide
from assay.decisions.measuring import measure
from assay.decisions.packing import make_pack
from assay.decisions.reading import read_profile
from assay.decisions.recording import make_record, read_record, sealed, write_record
from assay.decisions.redaction import Redactions, redact
from assay.decisions.verification import Verifier
from assay.errors import AssayError
from assay.store import find_runs
from assay.store.folders import MANIFEST, encode_json
from assay.store.manifest import file_digest
from decision_records import PROFILE, RECORD, decided, signed_by
from scored_runs import Said, scored_run

__all__ = ["decided"]


@pytest.fixture
def folder(decided: Path, tmp_path: Path) -> Path:
    shutil.copytree(decided, tmp_path / "here", ignore=shutil.ignore_patterns(".cache"))
    signed_by(tmp_path / "here" / RECORD, "ana")
    return tmp_path / "here"


def problems(path: Path) -> list[str]:
    return [problem for one in Verifier().anything(path) for problem in one.problems]


def forged(folder: Path, fields: tuple[str, ...], change: Callable[[pl.DataFrame], pl.DataFrame], more: int = 0) -> list[str]:
    """What is found of a pack whose redacted transcripts were changed by whoever packed it, with every digest made to fit."""

    def forge(source: Path, wanted: Any, target: Path) -> int:
        count = redact(source, wanted, target)
        change(pl.read_parquet(target)).write_parquet(target)
        return count + more

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "redact", forge)
        make_pack(folder / RECORD, folder / "pack.zip", fields)
    return problems(folder / "pack.zip")


def texts(column: str, value: Any) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda table: table.with_columns(pl.Series(column, [value] * table.height, dtype=table.schema[column]))


def groups(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def made(table: pl.DataFrame) -> pl.DataFrame:
        kinds = [json.dumps(change(json.loads(kind)), separators=(",", ":"), sort_keys=True) for kind in table["subgroups"]]
        return table.with_columns(pl.Series("subgroups", kinds))

    return made


def right_one_moved(table: pl.DataFrame) -> pl.DataFrame:
    moved = [[{**each, "correct": not each["correct"]} for each in row] for row in table["references"].to_list()]
    return table.with_columns(pl.Series("references", moved, dtype=table.schema["references"]))


def axis_of(folder: Path) -> str:
    table = pl.read_parquet(find_runs(folder / "runs")[0].path / "transcripts.parquet")
    return sorted(json.loads(table["subgroups"][0]))[0]


@pytest.mark.parametrize("fields", [("input",), ("completion",), ("references",), ("subgroups",), ("input", "completion")])
def test_an_honest_redacted_pack_verifies(fields: tuple[str, ...], folder: Path) -> None:
    assert forged(folder, fields, lambda table: table) == []


def test_messages_of_failed_requests_are_left_out_with_the_input_and_nothing_shows_what_was_asked(tmp_path: Path) -> None:
    for name, failing in (("m/fails", 3), ("m/works", 0)):
        said = [Said(item, "no" if item % 2 else "yes", subgroups={"a": "b"}) for item in range(12)]
        failed = [Said(item, None, subgroups={"a": "b"}, failure=f"bad: Question {item}?") for item in range(failing)]
        scored_run(tmp_path / "runs" / "s", name, [*failed, *said[failing:]])
    text = PROFILE.replace("runs/default", "runs/s").replace("  - {name: honest confidence, metric: ece_10_bin,", "  # {")
    (tmp_path / "p.yaml").write_text(text)
    profile = read_profile(tmp_path / "p.yaml")
    measured = measure(profile, tmp_path)
    write_record(make_record(profile, text, measured, decide(profile, measured), tmp_path / RECORD), tmp_path / RECORD)
    make_pack(tmp_path / RECORD, tmp_path / "pack.zip", ("input",))
    assert problems(tmp_path / "pack.zip") == []
    held = tmp_path / "held"
    shutil.unpack_archive(tmp_path / "pack.zip", held)
    for run in find_runs(held / "runs"):
        table = pl.read_parquet(run.path / "transcripts.parquet")
        assert "Question" not in str(table.rows())
        hidden = table["responses"].to_list() == [["[redacted]"]] * 12
        assert hidden == ("m_fails" in run.name)
        assert table["error"].drop_nulls().to_list() == ["[redacted]"] * (3 if hidden else 0)


def test_what_is_left_is_vouched_for_by_its_salt_and_what_is_hidden_has_none(folder: Path) -> None:
    made = make_pack(folder / RECORD, folder / "pack.zip", ("completion", axis_of(folder)))
    assert made is not None
    for told in made.files.values():
        assert {"input", "references", "references.correct", "outcome", "latency_s", "instance_id"} <= told.salts.keys()
        hidden = {"completion", "responses", "prediction", "subgroups", f"subgroups.{axis_of(folder)}"}
        assert not hidden & told.salts.keys()


@pytest.mark.parametrize(
    ("fields", "change", "said"),
    [
        (("subgroups",), texts("completion", "INVENTED"), "completion: not as in the run, and it is not said to be redacted"),
        (("subgroups",), texts("input", "INVENTED"), "input: not as in the run"),
        (("subgroups",), texts("outcome", "refused"), "outcome: not as in the run"),
        (("completion",), texts("completion", "INVENTED"), "completion: holds a text, and it is said to be redacted"),
        (("completion",), texts("responses", ["[redacted]", "x"]), "responses: holds a text"),
        (("completion",), texts("confidence", 0.9), "confidence: holds a number"),
        (("references",), right_one_moved, "references.correct: not as in the run"),
        (("references",), texts("references", [{"text": "x", "correct": True, "role": ""}]), "references: holds a text"),
        (("completion",), lambda table: table.drop("completion"), "completion: missing"),
        (("completion",), lambda table: table.with_columns(new=pl.lit("INVENTED")), "new: not as in the run"),
        (("completion",), lambda table: table.head(table.height - 1), "instance_id: not as in the run"),
        (("completion",), lambda table: table.reverse(), "instance_id: not as in the run"),
        (("subgroups",), groups(lambda held: {**held, "more": "INVENTED"}), "subgroups.more: holds a text"),
        (("subgroups",), texts("subgroups", '{"a":"[redacted]"} INVENTED'), "subgroups: holds what is no groups by axis"),
    ],
)
def test_what_is_neither_a_mark_nor_as_it_was_is_named(
    fields: tuple[str, ...], change: Callable[[pl.DataFrame], pl.DataFrame], said: str, folder: Path
) -> None:
    found = forged(folder, fields, change)
    assert any(f"transcripts.parquet: {said}" in problem for problem in found), found


def test_of_one_redacted_axis_the_others_stay_vouched_for(folder: Path) -> None:
    axis = axis_of(folder)
    assert forged(folder, (axis,), lambda table: table) == []
    other = groups(lambda held: {name: group if name == axis else "INVENTED" for name, group in held.items()})
    table = pl.read_parquet(find_runs(folder / "runs")[0].path / "transcripts.parquet")
    assert len(json.loads(table["subgroups"][0])) > 1
    assert any("not as in the run" in problem for problem in forged(folder, (axis,), other))
    mine = groups(lambda held: {**held, axis: "INVENTED"})
    assert any(f"subgroups.{axis}: holds a text" in problem for problem in forged(folder, (axis,), mine))


def test_as_many_marks_stand_there_as_values_are_said_to_be_redacted(folder: Path) -> None:
    found = forged(folder, ("references",), lambda table: table, more=1)
    assert any("values are said to be redacted" in problem for problem in found), found
    assert len(found) == 2  # one a run


def test_a_salt_that_is_given_for_another_content_does_not_help(folder: Path) -> None:
    assert make_pack(folder / RECORD, folder / "pack.zip", ("subgroups",)) is not None
    held = folder / "held"
    shutil.unpack_archive(folder / "pack.zip", held)
    told = msgspec.json.decode((held / "redactions.json").read_bytes(), type=Redactions)
    name = sorted(told.files)[0]
    pl.read_parquet(held / name).with_columns(completion=pl.lit("INVENTED")).write_parquet(held / name)
    salts = {**told.files[name].salts, "completion": "0" * 64}
    file = msgspec.structs.replace(told.files[name], redacted=file_digest(held / name), salts=salts)
    (held / "redactions.json").write_bytes(encode_json(msgspec.structs.replace(told, files={**told.files, name: file})))
    assert any(f"{held / name}: completion: not as in the run" in problem for problem in problems(held))


def test_a_run_without_seals_of_columns_is_whole_and_cannot_be_redacted(folder: Path) -> None:
    run = find_runs(folder / "runs")[0]
    older = msgspec.structs.replace(run.manifest(), columns=msgspec.UNSET).sealed()
    (run.path / MANIFEST).write_bytes(encode_json(older))
    assert b"columns" not in (run.path / MANIFEST).read_bytes()
    assert problems(run.path) == []
    record = msgspec.structs.replace(read_record(folder / RECORD), signatures=())
    evidence = tuple(
        msgspec.structs.replace(one, manifest=file_digest(run.path / MANIFEST)) if one.run == run.name else one
        for one in record.evidence
    )
    write_record(sealed(msgspec.structs.replace(record, evidence=evidence)), folder / RECORD)
    with pytest.raises(AssayError, match="has no seals of columns"):
        make_pack(folder / RECORD, folder / "pack.zip", ("completion",))
    make_pack(folder / RECORD, folder / "pack.zip")
    assert problems(folder / "pack.zip") == []

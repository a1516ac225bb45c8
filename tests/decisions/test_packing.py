"""Evidence packs: whole, the same bytes every time, checkable with and without assay, and no way to harm who opens one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import __version__
from assay.decisions.deciding import decide
from assay.decisions.measuring import measure
from assay.decisions.pack_pages import _in_words
from assay.decisions.packing import make_pack, write_pack, write_zip
from assay.decisions.reading import read_profile
from assay.decisions.record_page import _in_order
from assay.decisions.recording import make_record, read_record, sealed, write_record
from assay.decisions.redaction import Redactions, redact
from assay.decisions.verification import Checked, Options, Verifier
from assay.errors import AssayError
from assay.store import find_runs
from assay.store.folders import CONTENT, MANIFEST, TRANSCRIPTS
from assay.store.transcripts import transcript_schema
from decision_records import PROFILE, RECORD, decided, signed_by

__all__ = ["decided"]


@pytest.fixture
def folder(decided: Path, tmp_path: Path) -> Path:
    shutil.copytree(decided, tmp_path / "here", ignore=shutil.ignore_patterns(".cache"))
    return tmp_path / "here"


def checked(path: Path, **options: bool) -> list[Checked]:
    return Verifier(Options(**options)).anything(path)  # type: ignore[arg-type]


def problems(path: Path, **options: bool) -> list[str]:
    return [problem for one in checked(path, **options) for problem in one.problems]


def unzipped(pack: Path, target: Path) -> Path:
    with zipfile.ZipFile(pack) as held:
        held.extractall(target)
    return target


def test_a_pack_holds_all_that_the_decision_rests_on_and_verifies_far_from_home(folder: Path, tmp_path: Path) -> None:
    signed_by(folder / RECORD, "ana")
    make_pack(folder / RECORD, tmp_path / "pack.zip")
    record = (folder / RECORD).read_bytes()
    runs = {f"runs/default/{run.name}/{name}" for run in find_runs(folder / "runs") for name in (*CONTENT, MANIFEST)}
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    names = {path.relative_to(held).as_posix() for path in held.rglob("*") if path.is_file()}
    pages = {"README.md", "SHA256SUMS", "environment.json", "mapping.md", "record.md", "scenarios.md", "summary.html"}
    assert names == {"record.json", *pages, *runs}
    assert (held / "record.json").read_bytes() == record
    assert not any("ana.pem" in name for name in names)
    shutil.rmtree(folder)
    for path in (tmp_path / "pack.zip", held):
        found = checked(path)
        assert [one.kind for one in found] == ["pack", "record", "run", "run"]
        assert [one.problems for one in found] == [[]] * 4
        assert not any(one.partial for one in found)
        assert found[1].signatures


def test_the_same_record_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        make_pack(folder / RECORD, tmp_path / name, ("completion",))
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_pack_is_checked_without_assay(folder: Path, tmp_path: Path) -> None:
    make_pack(folder / RECORD, tmp_path / "pack.zip")
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    for line in (held / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((held / name).read_bytes()).hexdigest() == digest
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=held, check=True)


HARD = [6.63280968613e-8, 1e-7, 1.0, -0.0, 1e16, 1e22, 123456789.125, 5e-324, 0.1 + 0.2]
"""Numbers that languages write in different ways."""


def run_recipe(held: Path) -> str:
    """What the Python in a pack's README says, run in the unpacked pack without anything of assay."""
    fenced = re.findall(r"^```\n(import .*?)^```$", (held / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(fenced) == 1
    return subprocess.run([sys.executable, "-I", "-c", fenced[0]], cwd=held, check=True, capture_output=True, text=True).stdout


def test_the_recipe_in_the_readme_gives_the_records_digest(folder: Path, tmp_path: Path) -> None:
    record = read_record(folder / RECORD)
    weights = {f"w{place}": number for place, number in enumerate(HARD)}
    method = {'Größe \u2028 \x7f\x1f\t\b/\\"': "\U0001f600", "\uffff": "", "\U00010000": "\x00", "é": "e\u0301"}
    decision = msgspec.structs.replace(record.decision, weights=weights, distance=6.63280968613e-8, method=method)
    write_record(sealed(msgspec.structs.replace(record, decision=decision)), folder / RECORD)
    assert "e-8" in (folder / RECORD).read_text("utf-8")
    signed_by(folder / RECORD, "ana")
    write_pack(read_record(folder / RECORD), folder / RECORD, tmp_path / "pack.zip")
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    assert run_recipe(held) == "record.json: OK\n"
    text = (held / "record.json").read_text("utf-8")
    for old, new in (
        ("6.63280968613e-8", "6.63280968614e-8"),
        ("It is right more often.", "It is cheaper."),
        ('"schema": 2', '"schema": 3'),
    ):
        assert text.count(old) > 0
        (held / "record.json").write_text(text.replace(old, new), "utf-8")
        assert run_recipe(held) == "record.json: changed\n"
    assert "\\" not in (held / "README.md").read_text("utf-8")


def test_the_pages_of_a_pack_say_what_was_asked_and_run_nothing(folder: Path, tmp_path: Path) -> None:
    make_pack(folder / RECORD, tmp_path / "pack.zip")
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    page = (held / "summary.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "It is right more often." in page
    scenarios = (held / "scenarios.md").read_text("utf-8")
    assert "licence" in scenarios
    assert find_runs(folder / "runs")[0].spec_file().spec.data.instances in scenarios
    environment = json.loads((held / "environment.json").read_text())
    assert environment["record"] == read_record(folder / RECORD).environment
    assert len(environment["runs"]) == 2
    mapping = (held / "mapping.md").read_text("utf-8")
    for heading in ("MEASURE 1", "MANAGE 4", "6.1", "8.4", "9.1", "A.7", "13(3)(b)(ii)", "15(4)"):
        assert heading in mapping


def test_every_file_of_a_pack_counts(folder: Path, tmp_path: Path) -> None:
    make_pack(folder / RECORD, tmp_path / "pack.zip")
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    for path in [path for path in sorted(held.rglob("*")) if path.is_file()]:
        good = path.read_bytes()
        for position in (0, len(good) // 2, len(good) - 1):
            path.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
            found = problems(held, quick=True)
            assert any(problem.startswith(str(path)) for problem in found), (path, position, found)
        path.unlink()
        if path.name not in ("record.json", "SHA256SUMS"):  # a folder without them is none of a pack
            assert any(problem.startswith(str(path)) for problem in problems(held, quick=True)), path
        path.write_bytes(good)
    assert problems(held, quick=True) == []
    (held / "added.txt").write_text("x")
    assert problems(held, quick=True) == [f"{held / 'added.txt'}: not part of the pack"]


def wrong(pack: Path) -> list[str]:
    """Everything that is wrong with a pack, or why it is refused."""
    try:
        return problems(pack, quick=True)
    except AssayError as refused:
        return [str(refused)]


def test_a_byte_changed_in_the_zip_is_found(folder: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack.zip"
    make_pack(folder / RECORD, pack)
    good = pack.read_bytes()
    directory = good.rfind(b"PK\x05\x06")
    for position in (*range(7, len(good), len(good) // 12), *range(0, 40, 4), *range(directory, len(good), 3)):
        pack.write_bytes(good[:position] + bytes([good[position] ^ 4]) + good[position + 1 :])
        assert wrong(pack), position
    pack.write_bytes(good[:-30])
    with pytest.raises(AssayError, match="damaged, or no zip"):
        problems(pack)


@pytest.mark.parametrize("harm", ["before", "after", "comment"])
def test_a_zip_holds_nothing_beside_its_files(harm: str, folder: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack.zip"
    make_pack(folder / RECORD, pack)
    good = pack.read_bytes()
    if harm == "comment":
        with zipfile.ZipFile(pack, "a") as held:
            held.comment = b"they all agreed"
    else:
        pack.write_bytes(b"x" + good if harm == "before" else good + b"x")
    assert f"{pack}: changed (the zip is not, byte for byte, what packing its files gives)" in wrong(pack)


def test_pages_are_compared_whatever_version_is_said_to_have_made_them(folder: Path, tmp_path: Path) -> None:
    make_pack(folder / RECORD, tmp_path / "pack.zip")
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    for name, old, new in (("environment.json", f'"assay": "{__version__}"', '"assay": "0.0.1"'), ("README.md", "any", "no")):
        text = (held / name).read_text("utf-8")
        assert old in text
        (held / name).write_text(text.replace(old, new), "utf-8")
    found = problems(held)
    for name in ("environment.json", "README.md"):
        assert (
            f"{held / name}: changed, or made by assay 0.0.1 as it says (here is {__version__}): that version can tell" in found
        )


def test_a_zip_of_more_entries_than_a_pack_has_is_refused_before_any_is_looked_at(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as held:
        for number in range(10_001):
            held.writestr(entry(f"../{number}"), b"")
    with pytest.raises(AssayError, match="it holds 10,001 entries, and no pack has more than 10,000"):
        problems(tmp_path / "pack.zip")


def test_what_is_no_file_in_an_unpacked_pack_is_named_and_not_read(folder: Path, tmp_path: Path) -> None:
    make_pack(folder / RECORD, tmp_path / "pack.zip", ("completion",))
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    for name in ("redactions.json", "record.md", "mapping.md"):
        good = (held / name).read_bytes()
        (held / name).unlink()
        os.mkfifo(held / name)
        assert f"{held / name}: replaced by what is no file" in problems(held)
        (held / name).unlink()
        (held / name).write_bytes(good)


def test_redacted_texts_are_gone_and_the_pack_says_so(folder: Path, tmp_path: Path) -> None:
    fields = ("input", "completion", "references", "subgroups")
    made = make_pack(folder / RECORD, tmp_path / "pack.zip", fields)
    assert made is not None
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    for run in find_runs(folder / "runs"):
        before = pl.read_parquet(run.path / TRANSCRIPTS)
        after = pl.read_parquet(held / "runs" / "default" / run.name / TRANSCRIPTS)
        assert after.schema == before.schema
        row, shown = before.row(0, named=True), after.row(0, named=True)
        assert shown["input"] == "[redacted]"
        assert shown["instance_id"] == row["instance_id"]
        text = json.dumps(shown)
        secrets = [row["input"], *row["prompts"], row["completion"], *(each["text"] for each in row["references"])]
        assert not [secret for secret in secrets if json.dumps(secret)[1:-1] in text]
        assert json.loads(shown["subgroups"]).keys() == json.loads(row["subgroups"]).keys()
    for path in (held, tmp_path / "pack.zip"):
        found = checked(path)
        assert [one.problems for one in found] == [[]] * 4
        assert all(one.partial for one in found if one.kind != "pack")
        assert any("redacted: input, completion, references, subgroups" in note for note in found[0].notes)
        assert any("not made again: transcripts are redacted" in note for note in found[1].notes)
        assert all(any("values redacted" in note for note in one.notes) for one in found[2:])
    assert "Redacted: input" in (held / "README.md").read_text()


def test_redacted_transcripts_cannot_be_exchanged(folder: Path, tmp_path: Path) -> None:
    make_pack(folder / RECORD, tmp_path / "pack.zip", ("input",))
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    name = f"runs/default/{find_runs(folder / 'runs')[0].name}/{TRANSCRIPTS}"
    redact(held / name, ["completion"], tmp_path / "other.parquet")
    shutil.copy(tmp_path / "other.parquet", held / name)
    assert any("not what was redacted" in problem for problem in problems(held))
    told = msgspec.json.decode((held / "redactions.json").read_bytes(), type=Redactions)
    changed = msgspec.structs.replace(told.files[name], original="0" * 64)
    files = {**told.files, name: changed}
    (held / "redactions.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(told, files=files)))
    assert any("redacted from another file" in problem for problem in problems(held))


def test_one_axis_is_redacted_alone_and_unknown_fields_are_refused(folder: Path, tmp_path: Path) -> None:
    run = find_runs(folder / "runs")[0]
    groups = json.loads(pl.read_parquet(run.path / TRANSCRIPTS)["subgroups"][0])
    axis = sorted(groups)[0]
    make_pack(folder / RECORD, tmp_path / "pack.zip", (axis,))
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    table = pl.read_parquet(held / "runs" / "default" / run.name / TRANSCRIPTS)
    shown = json.loads(table["subgroups"][0])
    assert shown[axis].startswith("[redacted")
    assert {key: value for key, value in shown.items() if key != axis} == {k: v for k, v in groups.items() if k != axis}
    assert table.drop("subgroups").equals(pl.read_parquet(run.path / TRANSCRIPTS).drop("subgroups"))
    with pytest.raises(AssayError, match=r"unknown field to redact 'inputs' \(did you mean input"):
        make_pack(folder / RECORD, tmp_path / "other.zip", ("inputs",))
    assert not (tmp_path / "other.zip").exists()


def test_a_profile_can_say_what_is_to_be_redacted(folder: Path, tmp_path: Path) -> None:
    (folder / "profile.yaml").write_text(PROFILE + "redact: [completion]\n")
    profile = read_profile(folder / "profile.yaml")
    measured = measure(profile, folder)
    made = make_record(profile, PROFILE + "redact: [completion]\n", measured, decide(profile, measured), folder / RECORD)
    write_record(made, folder / RECORD)
    redactions = make_pack(folder / RECORD, tmp_path / "pack.zip", ("input",))
    assert redactions is not None
    assert redactions.fields == ("completion", "input")


def test_texts_that_were_scored_are_hidden_with_the_input_in_all_trials_or_in_none(tmp_path: Path) -> None:
    transcripts(tmp_path / "t.parquet")
    both, marks = pl.read_parquet(tmp_path / "t.parquet"), ["[redacted]"] * 3
    expected = {
        "scored": (both, {"completion": marks, "prediction": marks}, 19),
        "lettered": (both.tail(2), {"completion": ["B", "said freely"], "prediction": marks[:2]}, 10),
        "free": (both.tail(1), {"completion": ["said freely"], "prediction": ["said freely"]}, 4),
    }
    for name, (table, shown, count) in expected.items():
        table.write_parquet(tmp_path / f"{name}.parquet")
        assert redact(tmp_path / f"{name}.parquet", ["input"], tmp_path / "out.parquet") == count, name
        found = pl.read_parquet(tmp_path / "out.parquet")
        assert {column: found[column].to_list() for column in shown} == shown, name
        assert found["input"].to_list() == found["group"].to_list() == marks[: table.height]
        assert {each["text"] for row in found["references"] for each in row} == {"[redacted]"}
    assert pl.read_parquet(tmp_path / "out.parquet")["continuations"].to_list() == [[None]]


def transcripts(path: Path, **told: str) -> None:
    """Three trials: a text that was scored, an option that was named by its letter, and words of the model's own."""
    rows: list[dict[str, Any]] = [
        {"continuations": [" Paris"], "completion": " Paris", "prediction": "Paris", "choice": 1},
        {"continuations": [None], "completion": "B", "prediction": "Paris", "choice": 1},
        {"continuations": [None], "completion": "said freely", "prediction": "said freely", "choice": None},
    ]
    options = [{"text": text, "correct": text == "Paris", "role": ""} for text in ("Rome", "Paris")]
    asked = {"input": "Where?", "group": "a whole passage", "subgroups": "{}", "references": options}
    read = {"choice_probabilities": [0.2, 0.8], "confidence": 0.8, "outcome": "answered"}
    made = [{**asked, **read, **row, **told} for row in rows]
    schema = {name: kind for name, kind in transcript_schema().items() if name in made[0]}
    pl.DataFrame(made, schema=schema).write_parquet(path)


def test_no_number_tells_what_was_answered_where_completions_are_redacted(tmp_path: Path) -> None:
    transcripts(tmp_path / "t.parquet")
    assert redact(tmp_path / "t.parquet", ["completion"], tmp_path / "out.parquet") == 14
    for row in pl.read_parquet(tmp_path / "out.parquet").rows(named=True):
        assert (row["choice"], row["choice_probabilities"], row["confidence"]) == (None, None, None)
        assert (row["completion"], row["prediction"]) == ("[redacted]", "[redacted]")
        assert [each["text"] for each in row["references"]] == ["Rome", "Paris"]
        assert row["outcome"] == "answered"


@settings(max_examples=20)
@given(st.text(min_size=1))
def test_a_short_text_cannot_be_guessed_from_what_stands_in_its_place(secret: str) -> None:
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        for text in (secret, "north"):
            transcripts(Path(folder) / "t.parquet", **dict.fromkeys(("input", "group", "completion", "prediction"), text))
            redact(Path(folder) / "t.parquet", ["input", "completion"], Path(folder) / "out.parquet")
            seen.append((Path(folder) / "out.parquet").read_bytes())
    assert seen[0] == seen[1]


def test_candidates_of_the_same_name_in_suites_of_the_same_name_are_told_apart(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "runs", folder / "later" / "runs")
    text = PROFILE.replace("[runs/default]", "[runs/default, later/runs/default]")
    (folder / "profile.yaml").write_text(text)
    profile = read_profile(folder / "profile.yaml")
    measured = measure(profile, folder)
    assert len(measured.candidates) == 4
    write_record(make_record(profile, text, measured, decide(profile, measured), folder / RECORD), folder / RECORD)
    assert problems(folder / RECORD) == []
    make_pack(folder / RECORD, tmp_path / "pack.zip")
    held = unzipped(tmp_path / "pack.zip", tmp_path / "held")
    assert sorted(path.name for path in (held / "runs").iterdir()) == ["default", "default~2"]
    assert problems(tmp_path / "pack.zip") == []


def test_only_whole_evidence_is_packed(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "pack.zip"
    run = find_runs(folder / "runs")[0]
    good = (run.path / "stats.json").read_bytes()
    (run.path / "stats.json").write_bytes(good + b" ")
    with pytest.raises(AssayError, match=r"stats\.json: changed"):
        make_pack(folder / RECORD, out)
    (run.path / "stats.json").write_bytes(good)
    run.path.rename(tmp_path / "gone")
    with pytest.raises(AssayError, match="missing"):
        make_pack(folder / RECORD, out)
    (tmp_path / "gone").rename(run.path)
    forged = msgspec.structs.replace(read_record(folder / RECORD), signatures=())
    signed_by(folder / RECORD, "ana")
    signatures = (msgspec.structs.replace(read_record(folder / RECORD).signatures[0], name="Eve"),)
    write_record(sealed(msgspec.structs.replace(forged, signatures=signatures)), folder / RECORD)
    with pytest.raises(AssayError, match="does not hold"):
        make_pack(folder / RECORD, out)
    assert not out.exists()
    assert not list(tmp_path.glob(".*"))


def entry(name: str, mode: int = stat.S_IFREG | 0o644, method: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.create_system, made.external_attr, made.compress_type = 3, mode << 16, method
    return made


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([entry("../outside")], "no file in a folder"),
        ([entry("/absolute")], "no file in a folder"),
        ([entry("a/../../b")], "no file in a folder"),
        ([entry("a\\b")], "no file in a folder"),
        ([entry("c:evil")], "no file in a folder"),
        ([entry("a\x1bb")], "no file in a folder"),
        ([entry("folder/")], "no file in a folder"),
        ([entry("link", stat.S_IFLNK | 0o777)], "a link or a device"),
        ([entry("pipe", stat.S_IFIFO | 0o644)], "a link or a device"),
        ([entry("bomb", method=zipfile.ZIP_DEFLATED)], "is compressed"),
        ([entry("a"), entry("A")], "is there twice"),
        ([entry("a"), entry("a/b")], "is there twice"),
        ([entry("a/b"), entry("A")], "is there twice"),
        ([entry("/".join("d" * 3000))], "no file in a folder"),
    ],
)
def test_a_zip_that_could_do_harm_is_not_unpacked(entries: list[zipfile.ZipInfo], reason: str, tmp_path: Path) -> None:
    pack = tmp_path / "sub" / "pack.zip"
    pack.parent.mkdir()
    with zipfile.ZipFile(pack, "w") as held:
        for each in entries:
            held.writestr(each, b"0" * 1000, compress_type=each.compress_type)
    with pytest.raises(AssayError, match=reason) as refused:
        problems(pack)
    assert "\x1b" not in str(refused.value)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pack.zip", "sub"]


def test_entries_that_share_their_bytes_are_not_unpacked(tmp_path: Path) -> None:
    pack = tmp_path / "pack.zip"
    write_zip({"a": b"0" * 5000, "b": b"0" * 5000}, pack)
    data = bytearray(pack.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = (0).to_bytes(4, "little")  # the second entry begins where the first does
    start = data.index(b"PK\x03\x04", 1)
    end = data.index(b"PK\x01\x02")
    cut = data[:start] + data[end:]
    offset = cut.rindex(b"PK\x05\x06") + 16
    cut[offset : offset + 4] = start.to_bytes(4, "little")
    pack.write_bytes(cut)
    with pytest.raises(AssayError, match="larger than it is"):
        problems(pack)


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_pack_is_said_in_one_line(content: bytes, tmp_path: Path) -> None:
    pack = tmp_path / "pack.zip"
    pack.write_bytes(content)
    said = wrong(pack)
    assert "damaged, or no zip" in said[0] or [line.split(": ")[-1] for line in said[:2]] == ["missing", "missing"]
    assert not any("\n" in line for line in said)


def test_a_page_names_criteria_in_the_order_of_the_profile() -> None:
    """A record's file sorts the keys of its weights."""
    assert _in_order({"a": 0.2, "b": 0.5, "c": 0.3}, ["c", "a"]) == [("c", 0.3), ("a", 0.2), ("b", 0.5)]


def test_a_card_reads_as_people_write() -> None:
    assert _in_words({"process": "intake", "channel": ["mail", "chat"]}) == "process: intake; channel: mail, chat"

"""Records on disk: the same decision gives the same bytes, every change shows, the page beside them is whole and harmless."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.decisions import recording
from assay.decisions.pages import Bullets, Code, Heading, Paragraph, Quote, Rows, escaped, html_page, markdown
from assay.decisions.record import Choice
from assay.decisions.recording import digest_of, page_of, read_record, sealed, write_record
from assay.errors import AssayError
from assay.text import one_line
from decision_records import RECORD, decided, no_file_larger_than, signed_by, small_record

__all__ = ["decided"]

HOSTILE = "a | b\n# <script>alert(1)</script> [x](http://e) ![i](j) `c` **d** \x1b[31m \u202e &amp; <img src=x onerror=y>"


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = write_record(small_record(), tmp_path / "a.json")
    assert read_record(tmp_path / "a.json") == written
    assert written.digest == digest_of(written)
    write_record(written, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.md").read_bytes() == (tmp_path / "b.md").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.json", "a.md", "b.json", "b.md"]


def test_a_record_that_could_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "LARGEST", 100)
    with pytest.raises(AssayError, match="decide between fewer candidates, or by fewer constraints"):
        write_record(small_record(), tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_the_digest_is_that_of_canonical_json_and_can_be_computed_without_assay(tmp_path: Path) -> None:
    import hashlib

    write_record(small_record(name="Größe"), tmp_path / "a.json")
    plain = json.loads((tmp_path / "a.json").read_text("utf-8"))
    digest, plain["digest"], plain["signatures"] = plain["digest"], "", []
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_runs_are_named_from_the_records_own_folder(decided: Path) -> None:
    record = read_record(decided / RECORD)
    assert [run.folder for run in record.evidence] == [f"runs/default/{run.run}" for run in record.evidence]
    assert {run.candidate for run in record.evidence} == {"baseline/majority", "baseline/uniform"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"name": 1e999}',
        b'{"name": "\\ud800"}',
        b"name: a YAML file",
        json.dumps({"name": "x", "profile": {}, "evidence": []}).encode(),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(AssayError, match=r"x\.json is no decision record") as refused:
        read_record(path)
    assert "\n" not in str(refused.value)
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(AssayError, match="cannot be read"):
            read_record(missing)


def test_a_record_of_a_later_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(small_record(), schema=3)))
    with pytest.raises(AssayError, match="form 3"):
        read_record(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: json.dumps(json.loads(text)),
        lambda text: text + "\n",
        lambda text: text.replace('"name": "Small"', '"name": "Other", "name": "Small"', 1),
        lambda text: text.replace('{\n "name"', '{\n "added": 1,\n "name"', 1),
        lambda text: text.replace('"Small"', '"Sm\\u0061ll"', 1),
    ],
    ids=["serialised anew", "longer", "a key twice", "a key more", "another spelling"],
)
def test_a_record_that_says_the_same_in_other_bytes_is_refused(change: object, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    text = path.read_text()
    changed = change(text)  # type: ignore[operator]
    assert changed != text
    path.write_text(changed)
    with pytest.raises(AssayError, match="byte for byte"):
        read_record(path)


def test_a_signed_record_that_was_changed_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana")
    good = path.read_bytes()
    record = msgspec.structs.replace(read_record(path), choice=Choice(chosen="", by="Eve", rationale="because"))
    with pytest.raises(AssayError, match="changed after it was signed"):
        write_record(record, path)
    assert path.read_bytes() == good
    with pytest.raises(AssayError, match=r"end in \.json"):
        write_record(small_record(), tmp_path / "x.txt")


def test_where_the_disk_is_full_neither_file_is_left_and_the_error_names_one(tmp_path: Path) -> None:
    record = small_record(profile_file="\x01" * 2000)  # longer in JSON than on the page
    write_record(record, tmp_path / "a.json")
    sizes = {file.suffix: file.stat().st_size for file in tmp_path.iterdir()}
    assert sizes[".md"] < sizes[".json"]
    with no_file_larger_than(sizes[".md"]), pytest.raises(AssayError, match=r"b\.json cannot be written: "):
        write_record(record, tmp_path / "b.json")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.json", "a.md"]


def test_what_cannot_be_stored_is_refused() -> None:
    with pytest.raises(AssayError, match="cannot be recorded"):
        small_record(name="\ud800")
    decision = msgspec.structs.replace(small_record().decision, distance=float("nan"))
    assert sealed(small_record(decision=decision)).decision.distance is None  # NaN is null, which a distance may be


def test_the_page_has_everything_that_is_in_the_record(decided: Path) -> None:
    page = page_of(decided / RECORD).read_text("utf-8")
    record = read_record(decided / RECORD)
    assert record.choice is not None
    shown = unescape(page).replace("\\", "")
    for text in (
        record.name,
        record.digest,
        "Ana Ruiz",
        "sorts enquiries",
        "customers",
        "2999-01-01",
        "2999-06-01",
        record.choice.rationale,
        record.choice.dissent,
        "# what the billing team wants",
        *record.decision.words,
        *(run.manifest for run in record.evidence),
        *(run.folder for run in record.evidence),
        *(standing.candidate for standing in record.decision.standings),
        *(held.limit for standing in record.decision.standings for held in standing.constraints),
        *record.decision.method.values(),
        *record.environment.values(),
        "Nobody has signed this record.",
    ):
        assert one_line(text) in shown, text


MARKUP = (HOSTILE, "- x", "1. y", "# z", "[a]: http://b", "a](b)", "~~c~~", "_d_", "    e", "0.23", "12) z", "+", "a_b")


@given(st.one_of(st.text(), st.text("_*[]()!~`<&#-0.1 a|:\\"), st.sampled_from(MARKUP)))
def test_any_text_reads_as_it_stands_in_markdown(text: str) -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(escaped(text))
    assert re.findall(r"<(?!/?p>)", rendered) == []
    inside = unescape(re.sub(r"</?p>", "", rendered)).strip()
    assert inside == one_line(text).strip()


@pytest.mark.parametrize(
    "block", [Heading(HOSTILE), Paragraph(HOSTILE), Bullets([HOSTILE]), Quote(HOSTILE), Rows([(HOSTILE, "x")])]
)
def test_hostile_text_stays_text_in_every_block(block: Heading | Paragraph | Bullets | Quote | Rows) -> None:
    written = markdown([block])
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(written)
    page = html_page(HOSTILE, [block])
    for text in (rendered, page):
        assert "<script" not in text
        assert "<img" not in text
        assert "<a " not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "default-src 'none'" in page
    if isinstance(block, Rows):
        assert rendered.count("<td>") == 2


def test_a_file_cannot_end_its_own_block() -> None:
    rendered = MarkdownIt("commonmark").render(markdown([Code("a\n```\n# not a title\n````\n"), Paragraph("after")]))
    assert "<h1>" not in rendered
    assert "<p>after</p>" in rendered

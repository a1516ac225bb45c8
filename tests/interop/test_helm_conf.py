"""HELM's files of run entries are read as they are, and what is wrong in one is said with its line."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.interop import helm_conf
from assay.interop.helm_conf import HelmEntry, parse_helm_conf, read_helm_conf

USUAL = """# Main entries

entries: [
  ## Reading // twice a comment
  {description: "boolq:model=text,data_augmentation=canonical", priority: 1}
  {description: "bbq:model=text,subject=all", priority: 2, groups: ["bias", "harms"]}  # at the end

  // another kind of comment
  {"description" = "the_pile:model=text,subset=Wikipedia (en)", priority = 3,},
  {
    description: "raft:subset=banking_77"
    priority: 4
  }, {description: ifeval}
]
"""


def test_entries_are_read_with_comments_and_every_way_to_separate_them() -> None:
    assert parse_helm_conf(USUAL, "a.conf") == [
        HelmEntry("boolq:model=text,data_augmentation=canonical", 1, (), 5),
        HelmEntry("bbq:model=text,subject=all", 2, ("bias", "harms"), 6),
        HelmEntry("the_pile:model=text,subset=Wikipedia (en)", 3, (), 9),
        HelmEntry("raft:subset=banking_77", 4, (), 10),
        HelmEntry("ifeval", 1, (), 13),
    ]


def test_braces_around_the_whole_file_and_a_byte_order_mark_are_no_matter(tmp_path: Path) -> None:
    file = tmp_path / "a.conf"
    file.write_text("\ufeff{\nentries = [{description: ifeval, priority: 2}]\n}\n", "utf-8")
    assert read_helm_conf(file) == [HelmEntry("ifeval", 2, (), 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.conf has no entries"),
        ("entries: []", "a.conf has no entries"),
        ("entries: {}", "line 1: entries must be an array"),
        ("entrys: []", "key in a.conf, line 1: 'entrys'.*did you mean entries"),
        ("entries: [\n{description: x, prority: 1}]", "line 2: 'prority'.*did you mean priority"),
        ("entries: [\n\n{priority: 1}]", "line 3: the entry has no description"),
        ('entries: [\n{description: "x", priority: high}]', "line 2: priority must be a whole number"),
        ('entries: [{description: "x", priority: 0}]', "line 1: priority must be a whole number"),
        ('entries: [{description: "x", groups: "y"}]', "line 1: groups must be an array"),
        ('entries: ["x"]', "line 1: an entry must be an object"),
        ("entries: [\n{description: mmlu:subject=x}]", "line 2: .*"),
        ('entries: [\n{description: "x}]', "line 2: .*is not understood.*close the text"),
        ('entries: [\n{description: "a\\q"}]', "line 2: .*escape that is none"),
        ("base: 1\nentries: [${base}]", "line 2: .*is not understood.*substitutions"),
        ('include "other.conf"', "line 1: the key 'include' has no value"),
        ('entries: [{description: "x" priority: 1}]', "line 1: a comma or a new line is missing"),
        ('entries: [{description: "x"}\n', "line 2: the file ends before"),
        ('entries: [{description: "x"}]\nentries: []', "line 2: 'entries' stands twice"),
        ('{entries: [{description: "x"}]} x', "line 1: something stands after"),
        ("entries: " + "[" * 100_000, "nested more than"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        parse_helm_conf(text, "a.conf")


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="does not exist"):
        read_helm_conf(tmp_path / "no.conf")
    (tmp_path / "b.conf").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AssayError, match="is not UTF-8"):
        read_helm_conf(tmp_path / "b.conf")


texts = st.text(min_size=1, max_size=20).filter(str.strip)
blanks = st.sampled_from(["", " ", "\t", "\n", " # a comment, with [ and {\n", "// another: one\n", "\r\n"])
separators = st.sampled_from([",", ",\n", "\n", " # one\n", "\n\n"])


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[HelmEntry]]:
    """A file as people write them, and its entries."""
    text = draw(blanks) + "entries" + draw(st.sampled_from([": ", "=", " :\n"])) + "[" + draw(blanks)
    entries = []
    for _ in range(draw(st.integers(1, 4))):
        line = text.count("\n") + 1
        entry = HelmEntry(draw(texts).strip(), draw(st.integers(1, 5)), tuple(draw(st.lists(texts, max_size=2))), line)
        colon, quoted = draw(st.sampled_from([": ", "=", ":"])), draw(st.sampled_from(["description", '"description"']))
        ascii_only = draw(st.booleans())
        fields = [
            f"{quoted}{colon}{json.dumps(entry.description, ensure_ascii=ascii_only)}",
            f"priority{colon}{entry.priority}",
            f"groups{colon}{json.dumps(entry.groups)}",
        ]
        order = draw(st.permutations(fields))
        text += "{" + draw(blanks) + draw(separators).join(order) + draw(blanks) + "}" + draw(separators)
        entries.append(entry)
    return text + draw(blanks) + "]" + draw(blanks), entries


@given(files())
def test_every_way_of_writing_the_same_entries_reads_the_same(file: tuple[str, list[HelmEntry]]) -> None:
    text, entries = file
    assert parse_helm_conf(text, "a.conf") == entries


@given(st.text(max_size=80) | st.text(alphabet='{}[]:=,"#/\n entries1', max_size=80))
def test_any_text_is_entries_or_refused(text: str) -> None:
    with contextlib.suppress(AssayError):
        parse_helm_conf(text, "a.conf")


@pytest.mark.parametrize("path", ["/dev/full", "/dev/zero", "."])
def test_what_is_no_file_is_not_read(path: str) -> None:
    with pytest.raises(AssayError, match="is no file"):
        read_helm_conf(Path(path))


def test_a_file_of_any_size_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.conf"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    with pytest.raises(AssayError, match=r"large\.conf has more than 10,000,000 characters"):
        read_helm_conf(path)


def test_a_file_that_is_no_utf_8_or_holds_too_many_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run_entries.conf"
    path.write_bytes(b'entries: [{description: "caf\xe9"}]')
    with pytest.raises(AssayError, match=r"is not UTF-8 text \(save it as UTF-8\)"):
        read_helm_conf(path)
    monkeypatch.setattr(helm_conf, "MOST_ENTRIES", 2)
    path.write_text("entries: [\n{description: a}\n{description: b}\n{description: c}\n]")
    with pytest.raises(AssayError, match=r"line 4: the array has more than 2 members"):
        read_helm_conf(path)

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.yaml_files import at_line, parse_yaml, place_of, read_yaml_file


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 0x_\n", r"f\.yaml, line 2: '0x_' is no value"),
        ("a: " + "9" * 5000, r"f\.yaml, line 1: '9{40}' is no value"),
        ("b: 1\na: " + "9" * 30, r"f\.yaml, line 2: .*more than 19 digits"),
        ("a: " + "[" * 100_000, r"f\.yaml, line 1: nested too deeply"),
        ("- " * 100_000, r"f\.yaml, line 1: nested too deeply"),
        ("a: 1\nb: 2\na: 3\n", r"f\.yaml, line 3: 'a' appears twice"),
        ("a: !!bool maybe", r"line 1: 'maybe' is no value"),
        ("a: !!int ''", r"line 1: '' is no value"),
        ("a: !!python/object:os.system x", r"line 1: not valid YAML"),
        ("a: &a [*a]", r"line 1: not valid YAML"),
        ('b: 1\na: "\\ud800"', r"f\.yaml, line 2: .*half a character"),
        ("b: 1\na: \x00", r"f\.yaml, line 2: not valid YAML: the character U\+0000"),
        ("a: 1\non: 1\nyes: 2\n", r"f\.yaml, line 3: 'yes' appears twice"),
        ("a: [1\nb: 2", r"f\.yaml, line 2: not valid YAML"),
        ("\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))]), "too much"),
    ],
)
def test_yaml_that_cannot_be_meant_is_refused_with_file_and_line(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message) as raised:
        parse_yaml(text, "f.yaml")
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 500


def test_the_line_at_which_a_file_holds_too_much_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.yaml_files.MOST_VALUES", 100)
    assert len(parse_yaml("a:\n" + "- 1\n" * 97, "f.yaml")["a"]) == 97
    with pytest.raises(AssayError, match=r"f\.yaml, line \d\d+: the file holds too much"):
        parse_yaml("a:\n" + "- 1\n" * 98, "f.yaml")


def test_dates_stay_the_text_they_are_written_as() -> None:
    assert parse_yaml("revision: 2024-01-02\nother: 2024-13-45\n", "f") == {"revision": "2024-01-02", "other": "2024-13-45"}


def test_times_stay_the_text_they_are_written_as() -> None:
    """YAML 1.1 takes 1:30 for ninety."""
    assert parse_yaml("a: 1:30\nb: 12:30:15\nc: 1:30.5\nd: -7\ne: 0x1f\nf: 2.5e+3\n", "f") == {
        "a": "1:30",
        "b": "12:30:15",
        "c": "1:30.5",
        "d": -7,
        "e": 31,
        "f": 2500.0,
    }


def test_the_line_of_a_key_is_found_by_what_the_key_is_read_as(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: 1\n~: 3\nyes: 4\n")
    assert [at_line(tmp_path / "x.yaml", key).split()[-1] for key in ("None", "True", "yes", "~")] == ["2", "3", "3", "2"]


def test_anchors_and_merges_are_read() -> None:
    assert parse_yaml("a: &x {b: 1}\nc: {<<: *x, d: 2}\n", "f") == {"a": {"b": 1}, "c": {"b": 1, "d": 2}}


@given(st.text(alphabet="ab:-[]{}&*!<>'\"#|%?,.0x_1eE+ \n\t~", max_size=60))
def test_any_text_is_data_or_one_line(text: str) -> None:
    with contextlib.suppress(AssayError):
        parse_yaml(text, "f.yaml")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe")
    for name, message in (("x.yaml", "is not UTF-8"), ("none.yaml", "cannot be read"), ("", "cannot be read")):
        with pytest.raises(AssayError, match=message):
            read_yaml_file(tmp_path / name)
    with pytest.raises(AssayError, match="is no path"):
        read_yaml_file(Path("a\0b"))


def test_a_wrong_value_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\nb:\n  - {c: 2}\n  - c: no number\n    d-e: 4\n")
    assert at_line(path, "b", 1, "d-e") == f"{path}, line 5"
    assert at_line(path, "z") == str(path)
    message = "Expected `int`, got `str` - at `$.b[1].c`"
    assert place_of(message, path) == ("Expected `int`, got `str`", f"{path}, line 4", ["b", 1, "c"])

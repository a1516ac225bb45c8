"""Which files hold which split: as a card says, else as files are named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.scenarios.lm_eval.layout import files_of

CARD = """---
license: mit
configs:
- config_name: main
  default: true
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path: [main/test-a.parquet, main/test-b.parquet]
- config_name: nested
  data_dir: deep
  data_files:
    train: "**/*.jsonl"
- config_name: plain
  data_files: extra.csv
- config_name: folder
  data_dir: main
---
# A data set
"""
FILES = (
    "README.md", "main/train-0.parquet", "main/train-1.parquet", "main/test-b.parquet", "main/test-a.parquet",
    "main/train-0.txt.bak",
    "deep/x/one.jsonl", "deep/two.jsonl", "extra.csv",
)  # fmt: skip


def test_a_card_says_which_files_a_split_has() -> None:
    main = {
        "train": ["main/train-0.parquet", "main/train-0.txt.bak", "main/train-1.parquet"],
        "test": ["main/test-a.parquet", "main/test-b.parquet"],
    }
    assert files_of(CARD, FILES, "main", "it") == main
    assert files_of(CARD, FILES, None, "it") == main
    assert files_of(CARD, FILES, "nested", "it") == {"train": ["deep/two.jsonl", "deep/x/one.jsonl"]}
    assert files_of(CARD, FILES, "plain", "it") == {"train": ["extra.csv"]}
    assert files_of(CARD, FILES, "folder", "it")["test"] == ["main/test-a.parquet", "main/test-b.parquet"]


def test_an_unknown_configuration_and_one_of_several_left_open_are_refused() -> None:
    with pytest.raises(AssayError, match="did you mean main"):
        files_of(CARD, FILES, "mian", "it")
    two = "---\nconfigs:\n- {config_name: a, data_files: a.csv}\n- {config_name: b, data_files: b.csv}\n---\n"
    with pytest.raises(AssayError, match="2 configurations"):
        files_of(two, ("a.csv", "b.csv"), None, "it")


def test_a_data_set_with_a_loading_script_is_refused_with_a_way_out() -> None:
    with pytest.raises(AssayError, match="refs/convert/parquet"):
        files_of("", ("README.md", "data_set.py"), None, "it")
    converted = ("main/train/0000.parquet", "main/test/0000.parquet", "other/test/0000.parquet")
    assert files_of("", converted, "main", "it") == {"train": [converted[0]], "test": [converted[1]]}


@pytest.mark.parametrize(
    ("files", "name", "found"),
    [
        (("train.jsonl", "dev.jsonl", "test.jsonl"), None, {"train": 1, "validation": 1, "test": 1}),
        (("data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"), None, {"train": 2}),
        (("en/test/0000.parquet", "de/test/0000.parquet"), "en", {"test": 1}),
        (("en_val.csv", "de_val.csv", "README.md"), "de", {"validation": 1}),
        (("cases.jsonl",), None, {"train": 1}),
        (("latest.jsonl", "contrast.csv"), None, {}),
    ],
)
def test_without_a_card_names_tell_the_split(files: tuple[str, ...], name: str | None, found: dict[str, int]) -> None:
    if not found:
        with pytest.raises(AssayError, match="no readable files"):
            files_of("", files, name, "it")
        return
    assert {split: len(paths) for split, paths in files_of("# no front matter", files, name, "it").items()} == found


def slowly(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether a path matches a pattern, by the definition: `**` is any number of folders, and at the end any file in them."""
    if not wanted or not parts:
        return not wanted and not parts
    if wanted[0] == "**":
        return slowly(parts, wanted[1:] or ("*",)) or slowly(parts[1:], wanted)
    return wanted[0] in ("*", parts[0]) and slowly(parts[1:], wanted[1:])


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=5),
    st.lists(st.sampled_from(["a", "b", "*", "**"]), min_size=1, max_size=5),
)
def test_a_pattern_of_a_card_matches_what_its_definition_says(parts: list[str], wanted: list[str]) -> None:
    card = f"---\nconfigs:\n- config_name: default\n  data_files: '{'/'.join(wanted)}'\n---\n"
    files = ("/".join(parts), "kept/always.csv")
    expected = [files[0]] if slowly(tuple(parts), tuple(wanted)) else []
    whole = card.replace("data_files: ", "data_files: [kept/always.csv, ").replace("'\n---", "']\n---")
    assert files_of(whole, files, None, "it")["train"] == [
        "kept/always.csv",
        *expected,
        *(["kept/always.csv"] if slowly(("kept", "always.csv"), tuple(wanted)) else []),
    ]


def test_a_pattern_of_many_stars_is_matched_at_once() -> None:
    card = f"---\nconfigs:\n- config_name: default\n  data_files: ['{'**/' * 40}none', data.csv]\n---\n"
    files = ("data.csv", "/".join("d" * 40) + "/x.csv")
    assert files_of(card, files, None, "it") == {"train": ["data.csv"]}

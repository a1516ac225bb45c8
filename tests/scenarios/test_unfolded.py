"""Rows that hold several questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from invented_hub import write

from assay.errors import AssayError
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios import File, Scenario, question
from assay.scenarios.sources import Unfolded


def test_the_parts_of_a_row_are_instances_numbered_one_after_another(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"questions": ["a", "b"]}, {"questions": []}, {"questions": ["c"]}])
    source = Unfolded(File(tmp_path / "rows.jsonl"), lambda row: ({"q": q} for q in row["questions"]))
    scenario = Scenario(
        source=source,
        instance=lambda row: question(row["q"], "x"),
        prompting=Generation(),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="test"),
    )
    assert [(i.id, i.input) for i in scenario.instances("test")] == [("test0", "a"), ("test1", "b"), ("test2", "c")]
    assert source.identity == "file:rows.jsonl"
    assert [file.path for file in source.read("test").files] == ["rows.jsonl"]


def test_a_row_that_cannot_be_taken_apart_is_named(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"questions": ["a"]}, {"other": 1}])
    source = Unfolded(File(tmp_path / "rows.jsonl"), lambda row: ({"q": q} for q in row["questions"]))
    with pytest.raises(AssayError, match=r"file:rows\.jsonl, split test, row 2 .*KeyError: 'questions'.*its columns are other"):
        list(source.read("test").rows)

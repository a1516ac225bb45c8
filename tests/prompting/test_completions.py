"""Completions in the styles of real models, with the right reading of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.prompting.samples import read_free
from assay.records import Completion, Reference

FILES = ("completions.jsonl", "choices.jsonl")
ROWS = [json.loads(line) for name in FILES for line in (Path(__file__).parent / name).read_text("utf-8").splitlines()]


def _name(row: dict[str, Any]) -> str:
    return f"{row['how']}-{row['style']}-{row['text'][:24]!r}"


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_every_completion_is_read_as_a_person_reads_it(row: dict[str, Any]) -> None:
    references = tuple(Reference(text=text, correct=index == 0) for index, text in enumerate(row.get("options", ())))
    sample = read_free(Completion(text=row["text"], finish_reason=row["finish"]), references, row["how"])
    assert sample.outcome == row["outcome"]
    answer = sample.choice if row["how"] in ("letter", "option") else sample.prediction if sample.key is not None else None
    assert answer == row["value"]
    start, end = sample.reading.start, sample.reading.end
    assert (start is None) is (row["value"] is None)
    if start is not None and end is not None:
        matched = row["text"][start:end]
        assert matched.strip()
        if row["how"] in ("text", "first_line", "final", "boxed"):
            assert matched == row["value"]
        if row["how"] == "letter" and len(matched) == 1 and matched.isascii() and matched.isalpha():
            assert ord(matched.upper()) - ord("A") == row["value"]


def test_the_corpus_has_all_styles() -> None:
    assert len(ROWS) >= 800
    styles = {row["style"] for row in ROWS}
    assert styles >= {"base", "instruct", "verbose", "markdown", "latex", "reasoning", "language", "refusal", "truncated"}
    assert styles >= {
        "json",
        "xml",
        "table",
        "marks",
        "elimination",
        "correction",
        "negation",
        "denial",
        "two",
        "passing",
        "stars",
    }

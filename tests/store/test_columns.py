"""Seals of columns: the same however a table is divided, another for every changed value, and of no use to whoever guesses."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.store import RunFolder
from assay.store.columns import ColumnDigests, groups_of, salts_of, seal, seals_of
from assay.store.folders import TRANSCRIPTS
from comparison_helpers import trial_of, write_run

SCHEMA = {
    "n": pl.Int64(),
    "text": pl.String(),
    "subgroups": pl.String(),
    "references": pl.List(pl.Struct({"text": pl.String(), "correct": pl.Boolean(), "role": pl.String()})),
}


def table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


def row(n: int | None, text: str | None, groups: dict[str, str], correct: bool) -> dict[str, Any]:
    references = [{"text": "a", "correct": correct, "role": ""}]
    return {"n": n, "text": text, "subgroups": json.dumps(groups), "references": references}


def digests(*tables: pl.DataFrame) -> dict[str, str]:
    found = ColumnDigests()
    for each in tables:
        found.add(each)
    return found.digests


def test_a_digest_is_that_of_the_values_as_json_a_line_each() -> None:
    rows = [row(1, "é", {}, True), row(None, None, {"region": "north"}, False)]
    found = digests(table(rows))
    assert set(found) == {"n", "text", "subgroups", "subgroups.region", "references", "references.correct", "references.role"}
    for name, lines in {
        "n": "1\nnull\n",
        "text": '"é"\nnull\n',
        "subgroups.region": 'null\n"north"\n',
        "references.correct": "[true]\n[false]\n",
    }.items():
        assert found[name] == hashlib.sha256(lines.encode()).hexdigest(), name


some = st.builds(
    row,
    st.none() | st.integers(-5, 5),
    st.none() | st.text(max_size=3),
    st.dictionaries(st.sampled_from(["region", "size"]), st.sampled_from(["a", "b"])),
    st.booleans(),
)


@given(st.lists(some, min_size=1, max_size=8), st.data())
def test_how_rows_are_divided_makes_no_difference_and_every_change_does(
    rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(rows)))
    whole = digests(table(rows))
    assert digests(table(rows[:cut]), table(rows[cut:])) == whole
    place = data.draw(st.integers(0, len(rows) - 1))
    other = data.draw(some.filter(lambda made: made != rows[place]))
    changed = digests(table([*rows[:place], other, *rows[place + 1 :]]))
    for name in ("n", "text", "references"):
        assert (changed[name] != whole[name]) == (other[name] != rows[place][name]), name
    assert seals_of(changed) != seals_of(whole)


def test_a_seal_is_known_to_whoever_has_its_salt_and_a_guess_at_a_hidden_column_is_not_confirmed() -> None:
    found = digests(table([row(1, "yes", {}, True)]))
    seals, salts = seals_of(found), salts_of(found)
    assert all(seal(salts[name], digest) == seals[name] for name, digest in found.items())
    assert len(set(salts.values())) == len(salts)
    other = digests(table([row(2, "yes", {}, True)]))
    assert found["text"] == other["text"]
    assert seals["text"] != seals_of(other)["text"]  # a hidden column's seal depends on all that is hidden


def test_the_manifest_of_a_run_has_the_seals_of_its_transcripts(tmp_path: Path) -> None:
    run = RunFolder(write_run(tmp_path, "a", [trial_of(item, item % 2) for item in range(5)]))
    stored = pl.read_parquet(run.path / TRANSCRIPTS)
    columns = run.manifest().columns
    assert columns == seals_of(digests(stored.head(2), stored.tail(3)))
    assert set(stored.columns) < set(columns)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["no JSON", "[1]", '{"a": 1}', "[" * 5000, None, 3])
def test_groups_that_assay_does_not_write_are_none(kind: object) -> None:
    assert groups_of(kind) == {}


def test_a_column_that_no_run_has_is_refused() -> None:
    with pytest.raises(AssayError, match="the column odd holds what assay does not write"):
        digests(pl.DataFrame({"odd": pl.Series([object()], dtype=pl.Object)}))

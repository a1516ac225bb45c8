"""Of a large file with a limit, only the rows that are asked become instances; which those are does not depend on that."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.identity import ranking, seed_for
from assay.registry import scenarios
from assay.scenarios import Scenario, base
from assay.scenarios.sources import local as local_files
from assay.selection import select

YAML = 'scenario: mine\nsource: SOURCE\ninput: "{input}"\nanswer: answer\nid: id\n'


def local(path: Path, rows: list[Mapping[str, Any]], **parameters: Any) -> Scenario:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return scenarios.get("local_file")(path=str(path), **parameters)


def own(path: Path, rows: list[Mapping[str, Any]], source: str = "") -> Scenario:
    """A scenario of the user's own whose rows all have an id, a split and an answer."""
    path.write_text("".join(json.dumps({"id": None, "part": "test", **row}) + "\n" for row in rows))
    path.with_suffix(".yaml").write_text(YAML.replace("SOURCE", source or path.name))
    return scenarios.get(str(path.with_suffix(".yaml")))()


def cases(count: int) -> list[Mapping[str, Any]]:
    return [{"input": f"{n} + 1?", "answer": str(n + 1), **({"id": f"case {n}"} if n % 3 else {})} for n in range(count)]


@pytest.mark.parametrize("make", [local, own])
@pytest.mark.parametrize("limit", [1, 7, 100, 500])
@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_instances_are_picked_in_the_same_order(tmp_path: Path, make: Any, limit: int, seed: int) -> None:
    quick = make(tmp_path / "a.jsonl", cases(120))
    slow = dataclasses.replace(quick, id_of=None)
    one, other = (select(each, "name", ("test",), limit, seed) for each in (quick, slow))
    assert list(one.asked) == list(other.asked)
    assert one.data == other.data
    assert len(one.asked) == min(limit, 120)


def test_several_splits_are_picked_from_together(tmp_path: Path) -> None:
    rows = [{**row, "split": ("train", "valid", "test")[n % 3]} for n, row in enumerate(cases(60))]
    quick = local(tmp_path / "a.jsonl", rows, split_column="split")
    slow = dataclasses.replace(quick, id_of=None)
    one, other = (select(each, "local_file", ("valid", "test"), 15, 1) for each in (quick, slow))
    assert list(one.asked) == list(other.asked)
    assert {instance.split for instance in one.asked} == {"valid", "test"}


@pytest.mark.parametrize("make", [local, own])
def test_only_the_first_rows_and_those_asked_are_made_into_instances(
    tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "ALWAYS_LOOKED_AT", 100)
    made: list[Any] = []
    scenario = make(tmp_path / "a.jsonl", cases(5000))
    read = scenario.instance

    def counted(row: Any) -> Any:
        made.append(row)
        return read(row)

    select(dataclasses.replace(scenario, instance=counted), "name", ("test",), 10, 0)
    assert len(made) == 110


@pytest.mark.parametrize(
    ("source", "times"), [("", 1), ("{file: a.jsonl, split_column: part}", 3), ("{file: a.jsonl, held_out: 0.01}", 3)]
)
def test_a_file_is_read_once_and_once_more_for_each_way_of_finding_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, times: int
) -> None:
    scenario = own(
        tmp_path / "a.jsonl", [{**row, "part": "train" if n < 5 else "test"} for n, row in enumerate(cases(2000))], source
    )
    read, rows = local_files.read_rows, 0

    def counted(path: Path, name: str) -> Any:
        nonlocal rows
        for row in read(path, name):
            rows += 1
            yield row

    monkeypatch.setattr(local_files, "read_rows", counted)
    select(scenario, "mine", ("test",), 10, 0)
    assert times * 2000 <= rows < times * 2000 + 10  # and the first row, where only the file's digest is wanted


def test_a_wrong_row_among_the_first_is_told_and_a_later_one_when_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "ALWAYS_LOOKED_AT", 100)
    good = cases(300)
    early = own(tmp_path / "early.jsonl", [*good[:50], {"input": "q", "answer": ""}, *good[51:]])
    with pytest.raises(AssayError, match=r"early\.jsonl, row 51, column answer: the answer is missing"):
        select(early, "mine", ("test",), 1, 0)
    late = own(tmp_path / "late.jsonl", [*good[:250], {"input": "q", "answer": ""}, *good[251:]])
    assert len(select(late, "mine", ("test",), 1, 0).asked) == 1
    with pytest.raises(AssayError, match=r"late\.jsonl, row 251, column answer: the answer is missing"):
        select(late, "mine", ("test",), 300, 0)
    with pytest.raises(AssayError, match=r"late\.jsonl, row 251, column answer: the answer is missing"):
        select(late, "mine", ("test",), None, 0)


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ({"input": "q", "answer": "a", "id": "case 1"}, ", column id: the id 'case 1' is also that of row 2"),
        ({"input": "q", "answer": "a", "id": [1]}, ", column id: it holds a list where a text is needed"),
        ({"input": "q", "id": "z"}, ": lacks 'answer'"),
    ],
)
def test_a_column_or_an_id_that_is_wrong_is_told_wherever_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Mapping[str, Any], part: str
) -> None:
    monkeypatch.setattr(base, "ALWAYS_LOOKED_AT", 100)
    scenario = own(tmp_path / "a.jsonl", [*cases(300), row])
    with pytest.raises(AssayError) as caught:
        select(scenario, "mine", ("test",), 1, 0)
    assert f"a.jsonl, row 301{part}" in str(caught.value)
    assert str(caught.value).count("a.jsonl") == 1


def test_what_is_wrong_with_an_id_is_told_wherever_it_stands(tmp_path: Path) -> None:
    twice = local(tmp_path / "a.jsonl", [*cases(20), {"input": "again", "answer": "x", "id": "case 1"}])
    with pytest.raises(AssayError, match=r"file:a\.jsonl: the id 'case 1' appears twice"):
        select(twice, "local_file", ("test",), 1, 0)
    listed = local(tmp_path / "b.jsonl", [*cases(20), {"input": "again", "answer": "x", "id": [1]}])
    with pytest.raises(AssayError, match=r"scenario local_file, file:b\.jsonl, split test, row 21: id is a list"):
        select(listed, "local_file", ("test",), 1, 0)


def test_a_line_that_is_no_json_is_told_though_it_is_not_asked(tmp_path: Path) -> None:
    scenario = local(tmp_path / "a.jsonl", cases(300))
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(b'{"input": "\xff"}\n')
    with pytest.raises(AssayError, match=r"a\.jsonl, line 301 is not UTF-8: byte 12 is 0xff"):
        select(scenario, "local_file", ("test",), 1, 0)


@given(st.integers(-(2**62), 2**62), st.text(), st.lists(st.text(), unique=True, min_size=2))
def test_names_are_ranked_by_their_seeds(seed: int, purpose: str, names: list[str]) -> None:
    assert sorted(names, key=ranking(seed, purpose)) == sorted(names, key=lambda name: seed_for(seed, purpose, name))

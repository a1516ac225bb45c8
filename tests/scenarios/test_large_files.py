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
from assay.scenarios import Scenario
from assay.selection import select


def local(path: Path, rows: list[Mapping[str, Any]], **parameters: Any) -> Scenario:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return scenarios.get("local_file")(path=str(path), **parameters)


def cases(count: int) -> list[Mapping[str, Any]]:
    return [{"input": f"{n} + 1?", "answer": str(n + 1), **({"id": f"case {n}"} if n % 3 else {})} for n in range(count)]


@pytest.mark.parametrize("limit", [1, 7, 100, 500])
@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_instances_are_picked_in_the_same_order(tmp_path: Path, limit: int, seed: int) -> None:
    quick = local(tmp_path / "a.jsonl", cases(120))
    slow = dataclasses.replace(quick, id_of=None)
    one, other = (select(each, "local_file", ("test",), limit, seed) for each in (quick, slow))
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


def test_only_what_is_asked_is_made_into_instances(tmp_path: Path) -> None:
    made: list[Any] = []
    scenario = local(tmp_path / "a.jsonl", cases(5000))
    read = scenario.instance

    def counted(row: Any) -> Any:
        made.append(row)
        return read(row)

    select(dataclasses.replace(scenario, instance=counted), "local_file", ("test",), 10, 0)
    assert len(made) == 10


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

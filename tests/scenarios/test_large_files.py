"""Of a large file with a limit, only the rows that are asked become instances; which those are does not depend on that."""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.identity import ranking, seed_for
from assay.registry import scenarios
from assay.scenarios import Scenario, base
from assay.scenarios.sources import tables
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
    ("source", "whole_passes"), [("", 1), ("{file: a.jsonl, split_column: part}", 2), ("{file: a.jsonl, held_out: 0.01}", 1)]
)
def test_a_file_is_decoded_once_and_once_more_where_a_column_names_the_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, whole_passes: int
) -> None:
    monkeypatch.setattr(base, "ALWAYS_LOOKED_AT", 10)
    monkeypatch.setattr(tables, "BLOCK", 100)
    parts = ["train" if n < 5 else "test" for n in range(2000)]
    scenario = own(tmp_path / "a.jsonl", [{**row, "part": part} for row, part in zip(cases(2000), parts, strict=True)], source)
    decode, decoded = tables._decode, 0

    def counted(line: bytes) -> Any:
        nonlocal decoded
        decoded += 1
        return decode(line)

    monkeypatch.setattr(tables, "_decode", counted)
    select(scenario, "mine", ("test",), 10, 0)
    # beside whole passes: the first rows, those that are asked, examples, and the first block where a file is opened
    assert whole_passes * 2000 <= decoded < whole_passes * 2000 + 150


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6).filter(str.strip)
IDS = st.one_of(st.none(), st.text("ab\xe9 ", max_size=2), st.integers(0, 20), st.booleans())


@st.composite
def files(draw: st.DrawFn) -> list[Mapping[str, Any]]:
    """Rows of a file with whatever a file may have in it, ids that are all different."""
    rows = draw(st.lists(st.tuples(IDS, TEXTS, st.sampled_from(["", "x", 3, None])), min_size=3, max_size=25))
    parts = draw(st.lists(st.sampled_from(["train", "test", " Dev ", "TEST"]), min_size=len(rows), max_size=len(rows)))
    seen: set[str] = set()
    found: list[Mapping[str, Any]] = []
    for (name, text, more), part in zip(rows, [*parts[:-1], "test"], strict=True):
        spelt = named(name)
        own_id = None if spelt in seen or re.fullmatch(r"(test|train)\d+", spelt) else name
        seen.add(spelt)
        found.append({"id": own_id, "input": text, "more": "" if more is None else more, "part": part, "answer": "a"})
    return found


def named(value: object) -> str:
    """An id as it is written: JSON's truth values, no white space around it."""
    return "" if value is None else (str(value).lower() if isinstance(value, bool) else str(value)).strip()


def picked(rows: list[tuple[int, Mapping[str, Any]]], seed: int, limit: int) -> list[tuple[str, str]]:
    """Ids and inputs of those that a limit picks of the rows of the test split, in order: straight from the definition."""
    names = [(named(row["id"]) or f"test{position}", row["input"]) for position, (_, row) in enumerate(rows)]
    chosen = sorted(names, key=lambda item: seed_for(seed, "eval", item[0]))[:limit]
    return [item for item in names if item in chosen]


@settings(max_examples=60, deadline=None)
@given(
    rows=files(),
    limit=st.integers(1, 12),
    seed=st.integers(0, 3),
    share=st.sampled_from([None, 0.1, 0.5]),
    grouped=st.booleans(),
    block=st.sampled_from([1, 60, 1 << 16]),
    ending=st.sampled_from([".jsonl", ".jsonl.gz", ".json"]),
)
def test_asked_and_examples_are_those_of_the_definition(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[Mapping[str, Any]],
    limit: int,
    seed: int,
    share: float | None,
    grouped: bool,
    block: int,
    ending: str,
) -> None:
    folder = tmp_path_factory.mktemp("cases")
    lines = [json.dumps(row, ensure_ascii=n % 2 == 0) for n, row in enumerate(rows)]
    text = f"[{','.join(lines)}]" if ending == ".json" else "\ufeff" + "\n \n".join(lines)
    raw = text.encode()
    (folder / f"a{ending}").write_bytes(gzip.compress(raw) if ending.endswith(".gz") else raw)
    place = "split_column: part" if share is None else f"held_out: {share}"
    yaml = YAML.replace("SOURCE", f"{{file: a{ending}, {place}}}").replace('"{input}"', '"{input} {more}"')
    (folder / "a.yaml").write_text(yaml + ("group: more\n" if grouped else ""))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tables, "BLOCK", block)
        patched.setattr(base, "ALWAYS_LOOKED_AT", 4)
        selection = select(scenarios.get(str(folder / "a.yaml"))(), "mine", ("test",), limit, seed)

    asked_rows = [{**row, "input": f"{row['input']} {row['more']}"} for row in rows]
    if share is None:
        train = {n for n, row in enumerate(rows) if row["part"] == "train"}
        others = {n for n, row in enumerate(rows) if row["part"] == " Dev "}
    else:
        together = [(named(row["more"]) if grouped else "") or row["input"] for row in asked_rows]
        ranked = sorted(set(together), key=lambda group: seed_for("held out", "mine", group))
        moved = ranked[: min(max(2, math.ceil(share * len(ranked))), len(ranked) - 1)]
        train, others = {n for n, group in enumerate(together) if group in moved}, set()
    test = [(n, row) for n, row in enumerate(asked_rows) if n not in train | others]
    wanted = picked(test, seed, limit)
    assert [(one.id, one.input) for one in selection.asked] == wanted
    questions = {text for _, text in wanted}
    examples = [(named(asked_rows[n]["id"]) or f"train{at}", asked_rows[n]["input"]) for at, n in enumerate(sorted(train))]
    assert [(one.id, one.input) for one in selection.pool] == [item for item in examples if item[1] not in questions]


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

"""Texts with columns in braces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.scenarios.own.cells import Cells
from assay.scenarios.own.templates import escaped, template

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def filled(text: str, **row: object) -> str:
    return template(text).fill(Cells(row, "x.csv", 3))


def test_columns_and_braces() -> None:
    assert filled("{a}: {{b}} {a b}", a=1, **{"a b": True}) == "1: {b} true"
    assert template("{a} {b} {a}").columns == ("a", "b", "a")


def test_what_a_cell_holds_is_not_a_template() -> None:
    assert filled("{a}", a="{b} {{c}} {0.__class__}") == "{b} {{c}} {0.__class__}"


@given(TEXTS)
def test_an_escaped_text_stays_itself(text: str) -> None:
    assert template(escaped(text)).fill(Cells({}, "", 0)) == text


@given(TEXTS, TEXTS)
def test_any_cell_is_put_in_as_it_is(before: str, cell: str) -> None:
    assert template(escaped(before) + "{c}").fill(Cells({"c": cell}, "", 0)) == before + cell


@pytest.mark.parametrize("text", ["{", "}", "{}", "a {b", "a} b", "{a{b}}c}"])
def test_a_brace_without_a_column_is_told(text: str) -> None:
    with pytest.raises(AssayError, match="names no column"):
        template(text)


@pytest.mark.parametrize(("row", "part"), [({"b": 1}, "no column 'a'"), ({"a": None}, "nothing"), ({"a": [1]}, "a list")])
def test_a_cell_without_a_text_is_told_with_its_row(row: dict[str, object], part: str) -> None:
    with pytest.raises(AssayError, match="row 3") as caught:
        filled("{a}", **row)
    assert part in str(caught.value)

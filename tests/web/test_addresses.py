"""What an address asks for, and what it may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.web.addresses import Address, Served

SOME = Address("overview", query=(("metric", "a"), ("metric", ""), ("x", "1"), ("metric", "b")))


def test_values_of_a_name_come_in_order_and_the_last_one_counts_alone() -> None:
    assert SOME.all("metric") == ("a", "b")
    assert SOME.one("metric") == "b"
    assert SOME.one("none", "default") == "default"


def test_choices_are_exchanged_and_taken_away() -> None:
    assert SOME.but(metric=["c", "d"]).all("metric") == ("c", "d")
    assert SOME.but(metric=None).query == (("x", "1"),)
    assert SOME.but(y="2").query == (*SOME.query, ("y", "2"))
    assert Address("glossary", at="metric-a").whole == Address("glossary")


def test_a_choice_is_one_of_the_options() -> None:
    assert SOME.choice("x", ("1", "2"), "2") == "1"
    assert SOME.choice("y", ("1", "2"), "2") == "2"
    with pytest.raises(AssayError, match="unknown x '1'"):
        SOME.choice("x", ("2", "3"), "2")


@pytest.mark.parametrize("text", ["ten", "1e999", "nan", "-1", "10.1", "0x5", "\x00", "9" * 5000])
def test_a_number_is_in_its_range(text: str) -> None:
    assert Address("p", query=(("n", "2.5"),)).number("n", 1, 0, 10) == 2.5
    assert Address("p").number("n", 1, 0, 10) == 1
    with pytest.raises(AssayError) as caught:
        Address("p", query=(("n", text),)).number("n", 1, 0, 10)
    assert len(str(caught.value)) < 200


@given(st.text(), st.lists(st.tuples(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))))
def test_an_address_comes_back_from_its_link_as_it_was(of: str, query: list[tuple[str, str]]) -> None:
    from urllib.parse import parse_qsl, unquote, urlsplit

    try:
        of.encode()
    except UnicodeEncodeError:
        return
    parts = urlsplit(Served().href(Address("run", "x" + of, tuple(query))))
    assert unquote(parts.path) == "/run/x" + of
    assert parts.path.count("/") == 2
    assert parse_qsl(parts.query, keep_blank_values=True) == query

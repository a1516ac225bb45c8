"""What is kept as long as there is room."""

from __future__ import annotations

from collections.abc import Callable

from assay.web.kept import Kept


def test_what_was_used_least_lately_goes_first() -> None:
    made: list[str] = []

    def maker(text: str) -> Callable[[], str]:
        def make() -> str:
            made.append(text)
            return text

        return make

    kept: Kept[str] = Kept(6, len)
    for text in ("aaa", "bbb", "aaa", "ccc"):
        kept.get(text, maker(text))
    assert made == ["aaa", "bbb", "ccc"]
    assert kept.known("bbb") is None
    assert kept.known("aaa") == "aaa"


def test_the_newest_stays_however_large_it_is() -> None:
    kept: Kept[str] = Kept(2, len)
    assert kept.get(1, lambda: "x" * 10) == "x" * 10
    assert kept.known(1) is not None
    kept.get(2, lambda: "y")
    assert kept.known(1) is None

"""What a page puts off, and that it is there afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.web.addresses import Address, Served
from assay.web.documents import document, drawn
from assay.web.page import View
from assay.web.patience import BUDGET_MS, Finished, Patience
from scored_runs import Said, scored_run
from web_helpers import view_of


class Noted:
    """Keeps the jobs until they are wanted."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], object]] = []

    def soon(self, job: Callable[[], object]) -> None:
        self.jobs.append(job)

    def work(self) -> None:
        while self.jobs:
            self.jobs.pop(0)()


def test_a_page_computes_what_fits_and_puts_off_the_rest_once() -> None:
    finished, apart, made = Finished(), Noted(), []
    page = Patience(finished, apart)
    assert page.now("cheap", BUDGET_MS - 1, lambda: made.append("cheap"))
    assert not page.now("dear", 2, lambda: made.append("dear"))
    assert page.put_off == 1
    other = Patience(finished, apart)
    assert other.now("cheap", BUDGET_MS, lambda: None), "known from before: it costs nothing"
    assert not Patience(finished, apart).now("dear", BUDGET_MS + 1, lambda: made.append("again"))
    assert len(apart.jobs) == 1, "somebody is at it already"
    apart.work()
    assert made == ["dear"]
    assert Patience(finished, apart).now("dear", 10 * BUDGET_MS, lambda: None)


def test_what_goes_wrong_is_told_to_whoever_asks_next() -> None:
    finished, apart = Finished(), Noted()
    assert not Patience(finished, apart).now("broken", 2 * BUDGET_MS, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        apart.work()
    assert Patience(finished, apart).now("broken", 2 * BUDGET_MS, lambda: None)


def test_a_page_that_waits_keeps_others_from_doing_the_same_until_it_is_drawn() -> None:
    finished, apart = Finished(), Noted()
    ahead = Patience(finished)
    assert ahead.now("dear", 1e9, lambda: None)
    reader = Patience(finished, apart)
    assert not reader.now("dear", 1e9, lambda: None)
    assert (reader.put_off, apart.jobs) == (1, [])
    ahead.done()
    assert Patience(finished, apart).now("dear", 1e9, lambda: None)


def test_a_page_drawn_with_little_patience_becomes_the_page_that_waits(tmp_path: Path) -> None:
    for candidate, wrong in (("a", 3), ("b", 9)):
        said = [
            Said(item, "no" if item < wrong else "yes", confidence=0.5 + item / 50, subgroups={"half": str(item % 2)})
            for item in range(24)
        ]
        scored_run(tmp_path / "s", candidate, said)
    view = view_of(tmp_path)
    here = Address("scenario", view.catalog.scenarios[0].slug)
    whole = document(drawn(view, here), view, here)
    finished, apart = Finished(), Noted()
    seen = []
    for _ in range(6):
        patience = Patience(finished, apart)
        hasty = View(view.catalog, Served(), patience)
        seen.append((document(drawn(hasty, here), hasty, here), patience.put_off))
        apart.work()
    assert seen[0][1] > 0
    assert "data-put-off" in seen[0][0]
    assert seen[-1] == (whole, 0)


def test_a_comparison_in_very_many_parts_is_put_off(tmp_path: Path) -> None:
    """Its answers are soon read, but each two candidates are held against each other in each part."""
    for name in range(12):
        said = [Said(item, "yes" if (item + name) % 3 else "no", subgroups={"user": f"u{item}"}) for item in range(200)]
        scored_run(tmp_path / "runs" / "suite", f"acme/m{name}", said, "made", ())
    catalog = view_of(tmp_path / "runs").catalog
    finished, apart = Finished(), Noted()
    whole = drawn(View(catalog, Served(), Patience(finished, apart)), Address("compare"))
    parts = drawn(View(catalog, Served(), Patience(finished, apart)), Address("compare", "subgroup"))
    assert [bool(page.grids) for page in (whole, parts)] == [True, False]
    assert "being compared" in parts.body

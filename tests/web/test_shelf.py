"""The catalog of now, and pages that are drawn before anybody asks for them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from assay.web import shelf as module
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.page import View
from assay.web.serving import default_places
from assay.web.shelf import SLOW, Ahead, Shelf
from decision_records import PROFILE
from scored_runs import Said, scored_run

ANSWERS = [Said(item, "yes" if item % 3 else "no") for item in range(12)]


def test_it_is_looked_at_anew_after_a_while_and_whoever_wants_is_told_of_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Catalog] = []
    shelf = Shelf([tmp_path])
    shelf.on_change(told.append)
    scored_run(tmp_path / "s", "m", ANSWERS)
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 1000.0)
    assert shelf.now().entries == ()
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.0)
    assert len(shelf.now().entries) == 1
    assert shelf.now() is shelf.now()
    assert [len(catalog.entries) for catalog in told] == [0, 1]


def test_slow_pages_are_drawn_ahead_and_a_defect_in_one_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for candidate in ("a", "b"):
        scored_run(tmp_path / "s", candidate, ANSWERS)
    drawn: list[str] = []
    last = threading.Event()

    def draw(view: View, address: Address) -> None:
        drawn.append(address.page)
        if drawn.count(SLOW[-1]) == 2:
            last.set()
        raise ZeroDivisionError

    monkeypatch.setattr(module, "drawn", draw)
    ahead = Ahead()
    ahead.draw(Shelf([tmp_path]).now())
    assert last.wait(30)
    ahead.close()
    assert tuple(dict.fromkeys(drawn)) == SLOW


def test_a_profile_that_comes_into_the_working_folder_is_seen_when_runs_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_RUNS", raising=False)
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.0)
    scored_run(tmp_path / "runs" / "s", "m", [Said(0, "yes")])
    shelf = Shelf(default_places(), default_places)
    before = shelf.now()
    assert (before.profiles, shelf.now()) == ((), before)
    Path("profile.yaml").write_text(PROFILE)
    assert [file.profile.name for file in shelf.now().profiles] == ["Billing assistant"]
    Path("profile.yaml").unlink()
    assert shelf.now().profiles == ()
    (tmp_path / "runs").rename(tmp_path / "gone")
    assert shelf.now().entries == (), "the server goes on, whatever happens to the folder"

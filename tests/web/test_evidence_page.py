"""The page of evidence: digests, damage, signatures and licences."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.decisions.record import EvidenceRun
from assay.decisions.recording import write_record
from assay.store.folders import SCORES, STATS
from assay.web import vouching
from assay.web.addresses import Filed
from assay.web.page import Page, View
from decision_records import RECORD, decided, signed_by, small_record
from scored_runs import Said, scored_run
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of
from web_runs import with_card

__all__ = ["decided"]  # a fixture


def run(folder: Path, name: str = "m", **more: str) -> Path:
    return scored_run(folder, name, [Said(item, "yes") for item in range(12)], **more)


def rows(page: Page, name: str) -> list[dict[str, object]]:
    return [dict(row) for row in next(grid for grid in page.grids if grid.name == name).records()]


def test_runs_stand_with_their_seals_and_whether_they_are_as_written(tmp_path: Path) -> None:
    first, second = run(tmp_path / "s", "a"), run(tmp_path / "s", "b")
    view = view_of(tmp_path)
    seals = {entry.label: entry.manifest.seal for entry in view.catalog.entries}
    assert [(row["candidate"], row["state"], row["seal"]) for row in rows(draw(view, "evidence"), "runs")] == [
        ("a", "✓ as written", seals["a"]),
        ("b", "✓ as written", seals["b"]),
    ]
    assert "✓ 2 runs as written" in html(view, "evidence")
    for folder, file in ((first, SCORES), (second, STATS)):
        (folder / file).write_bytes((folder / file).read_bytes() + b" ")
    page = html(view, "evidence")
    assert "✗ 2 not as written" in page
    assert f"{SCORES}: changed" in page
    assert f"{STATS}: changed" in page
    assert str(tmp_path) not in page.replace(tmp_path.name, "")


def test_large_runs_are_checked_when_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vouching, "AT_ONCE", 0)
    for name in ("a", "b"):
        run(tmp_path / "s", name)
    view = view_of(tmp_path)
    page = html(view, "evidence")
    assert "2 not checked yet" in page
    assert "?check=yes" in page
    assert "✓ 2 runs as written" in html(view, "evidence", check="yes")
    assert "✓ 2 runs as written" in html(view, "evidence"), "what was checked stays known"


def test_as_many_runs_are_checked_as_take_no_time_and_more_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [run(tmp_path / "s", name) for name in ("a", "b", "c")]
    size = max(sum(file.stat().st_size for file in folder.iterdir()) for folder in folders)
    monkeypatch.setattr(vouching, "AT_ONCE", size)
    view = view_of(tmp_path)
    for checked in (1, 2, 3):
        states = [row["state"] for row in rows(draw(view, "evidence"), "runs")]
        assert states.count("✓ as written") == checked


def test_a_report_without_a_server_checks_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vouching, "AT_ONCE", 0)
    run(tmp_path / "s")
    body = draw(View(view_of(tmp_path).catalog, Filed({})), "evidence").body
    assert "✓ 1 run as written" in body
    assert "<form" not in body
    assert "<a " not in body


def test_data_stand_with_their_licence_and_digests(tmp_path: Path) -> None:
    with_card(run(tmp_path / "s"), licence="CC-BY-4.0", paper="https://example.org/paper")
    [row] = rows(draw(view_of(tmp_path), "evidence"), "data")
    assert (row["scenario"], row["licence"], row["source"]) == ("made", "CC-BY-4.0", "generator:made")
    assert row["paper"] == "https://example.org/paper"
    with_card(run(tmp_path / "t", scenario="bare"))
    assert [row["licence"] for row in rows(draw(view_of(tmp_path / "t"), "evidence"), "data")] == ["not said"]


def test_records_stand_with_their_evidence_and_signatures(decided: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(decided, home)
    signed_by(home / RECORD, "Ana")
    view = view_of(home, home / "runs")
    [row] = rows(draw(view, "evidence"), "records")
    assert (row["state"], row["evidence"]) == ("✓ as written", "✓ runs: 2 as decided on")
    assert str(row["signatures"]).startswith("✓ Ana, owner (SHA256:")
    assert row["digest"] == view.catalog.records[0].record.digest
    shutil.rmtree(next((home / "runs").glob("*/*majority*")))
    (home / RECORD).write_text((home / RECORD).read_text().replace('"Ana"', '"Eve"'))
    [row] = rows(draw(view_of(home, home / "runs"), "evidence"), "records")
    assert row["evidence"] == "✗ runs: 1 gone, 1 as decided on"
    assert str(row["signatures"]).startswith("✗ does not hold: Eve, owner")


def test_many_runs_are_listed_in_part_and_downloaded_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.web.pages import evidence

    monkeypatch.setattr(evidence, "MOST_ROWS", 2)
    for name in ("a", "b", "c"):
        run(tmp_path / "s", name)
    view = view_of(tmp_path)
    assert "The first 2 of 3 runs" in html(view, "evidence")
    assert len(rows(draw(view, "evidence"), "runs")) == 3


def test_hostile_names_and_licences_are_shown_and_do_nothing(tmp_path: Path) -> None:
    for kind in ("html", "script", "bidi", "ansi"):
        folder = run(tmp_path / "s", HOSTILE[kind], scenario=HOSTILE["template"])
        with_card(folder, licence=HOSTILE[kind], paper="javascript:alert(1)")
    text = html(view_of(tmp_path), "evidence")
    assert not any(HOSTILE[kind] in text for kind in ("html", "script", "bidi", "ansi"))
    assert not set(text) & set("\x1b\u202e\u2066")
    assert 'href="javascript' not in text
    assert "62615333" not in text, "7919 * 7907 was not computed"


@pytest.mark.parametrize("folder", ["x" * 5000, "a/" * 3000, "a\0b", "../" * 50 + "dev/zero"])
def test_a_record_that_names_a_folder_no_system_bears_is_shown_with_its_run_gone(tmp_path: Path, folder: str) -> None:
    rests_on = EvidenceRun(candidate="m", scenario="made", folder=folder, run="y" * 5000, manifest="0" * 64)
    write_record(small_record(evidence=(rests_on,)), tmp_path / "refunds.decision.json")
    assert "✗ runs: 1 gone" in html(view_of(tmp_path), "evidence")

"""What may not be read, never ends or leads in circles takes nothing else away, and is named for what it is."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from assay.store import find_runs
from assay.store.folders import being_written, closed_in
from assay.web.addresses import Address, Served
from assay.web.catalog import open_catalog
from assay.web.documents import document, page_or_problem
from assay.web.exporting import write_folder
from assay.web.page import View
from assay.web.pages import kinds
from cli_helpers import Assay, assay
from decision_records import decided
from scored_runs import Said, scored_run
from unprivileged import as_nobody, mode, open_place
from web_helpers import check_document

__all__ = ["assay", "decided", "open_place"]
ANSWERS = [Said(item, "yes" if item % 3 else "no") for item in range(12)]


LOOK_AT_FILES = ("decide", "evidence", "glossary")


def all_pages(view: View, *more: Address, of: Sequence[str] = tuple(kinds())) -> dict[Address, str]:
    """Pages of every kind, or what stands in their place; whatever is no error that is told raises."""
    addresses = [address for kind in of for address in islice(kinds()[kind].every(view.catalog), 3)]
    found = {here: document(page_or_problem(view, here), view, here) for here in (*addresses, *more, Address("live"))}
    for text in found.values():
        check_document(text)
    return found


@pytest.mark.parametrize("bits", [0o000, 0o744])
def test_folders_and_files_that_may_not_be_read_take_no_page_away(decided: Path, open_place: Path, bits: int) -> None:
    home = Path(shutil.copytree(decided, open_place / "home", ignore=shutil.ignore_patterns(".cache")))
    home.chmod(0o755)
    runs = sorted((home / "runs" / "default").glob("*,*"))
    whole = open_catalog([home, home / "runs"])
    slugs = [Address("run", entry.slug).but(verify="yes") for entry in whole.entries] + [
        Address("evidence").but(everything="1")
    ]
    for closed in (runs[0], runs[0] / "manifest.json", home / "runs" / "default", home / "runs", home):
        with mode(closed, bits), as_nobody():
            all_pages(View(whole, Served()), *slugs, of=LOOK_AT_FILES)
            now = all_pages(View(whole.refreshed(), Served()), *slugs, of=LOOK_AT_FILES)
        assert "Glossary" in now[Address("glossary")]
        if closed.is_dir():
            told = now[Address("glossary")]
            assert "may not be read: its runs are left out" in told, closed
            assert str(open_place.parent) not in told.replace(open_place.name, "").replace(f"{home}", ""), closed


def test_a_report_leaves_out_the_run_that_may_not_be_read_though_a_record_names_it(decided: Path, open_place: Path) -> None:
    home = Path(shutil.copytree(decided, open_place / "home", ignore=shutil.ignore_patterns(".cache")))
    home.chmod(0o755)
    run = sorted((home / "runs" / "default").glob("*,*"))[0]
    with mode(run, 0), as_nobody():
        catalog = open_catalog([home, home / "runs"])
        assert len(catalog.entries) == len(catalog.records) == 1
        assert write_folder(catalog, open_place / "out") > 10
    assert f"{run.name} may not be read" in (open_place / "out" / "index.html").read_text()


def test_a_file_out_of_sight_in_an_earlier_report_is_not_taken_away(open_place: Path) -> None:
    scored_run(open_place / "runs" / "s", "a", ANSWERS)
    out = open_place / "out"
    with as_nobody():
        catalog = open_catalog([open_place / "runs"])
        write_folder(catalog, out)
        (out / "run" / "mine.txt").write_text("precious")
        with mode(out / "run", 0o300), pytest.raises(Exception, match="out holds run, which cannot be looked into: Permission"):
            write_folder(catalog, out)
        assert (out / "run" / "mine.txt").read_text() == "precious"
        (out / "run" / "mine.txt").unlink()
        page = next((out / "run").iterdir())
        page.unlink()
        page.symlink_to(out / "index.html")
        with pytest.raises(Exception, match="which is not part of the report"):
            write_folder(catalog, out)
        page.unlink()
        write_folder(catalog, out)
    assert sorted(os.listdir(open_place)) == ["out", "runs"]


def test_what_the_commands_cannot_show_they_say_why(assay: Assay, open_place: Path) -> None:
    one, two = (scored_run(open_place / "runs" / "s", name, ANSWERS) for name in ("a", "b"))
    for closed, left in ((open_place / "runs", 0), (one.parent, 0), (one, 1)):
        with mode(closed, 0o644):
            os.chmod(Path.cwd().parent, 0o711)
            with as_nobody():
                assert list(closed_in(open_place / "runs")) == [closed]
                shown = assay("show", open_place / "runs", "--csv")
                if not left:
                    said = assay("report", open_place / "out", open_place / "runs")
                    assert said.code == 2
                    assert f"no finished run was found: {closed} may not be read" in said.err
            assert (shown.code == 0) is bool(left)
            assert f"{closed}" in shown.err
            assert "may not be read" in shown.err
    assert two.exists()


def test_a_link_in_circles_beside_runs_is_no_folder_that_may_not_be_read(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "a", ANSWERS)
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "s" / "gone").symlink_to("nowhere")
    catalog = open_catalog([tmp_path])
    assert len(catalog.entries) == 1
    assert catalog.problems == ()


def test_a_place_that_becomes_a_link_in_circles_leaves_the_pages(tmp_path: Path) -> None:
    place = tmp_path / "runs"
    scored_run(place / "s", "a", ANSWERS)
    whole = open_catalog([place])
    shutil.rmtree(place)
    place.symlink_to(place)
    for catalog in (whole, whole.refreshed()):
        assert "Glossary" in all_pages(View(catalog, Served()))[Address("glossary")]


@pytest.mark.parametrize("name", ["transcripts.parquet", "scores.parquet", "spec.json", "stats.json", "manifest.json"])
def test_nobody_waits_for_a_pipe_in_the_place_of_a_runs_file(tmp_path: Path, name: str) -> None:
    runs = [scored_run(tmp_path / "s", candidate, ANSWERS) for candidate in "abc"]
    whole = open_catalog([tmp_path])
    (runs[0] / name).unlink()
    os.mkfifo(runs[0] / name)
    (tmp_path / "s" / ".locks").mkdir(exist_ok=True)
    lock = tmp_path / "s" / ".locks" / f"{runs[0].name}.lock"
    lock.unlink(missing_ok=True)
    os.mkfifo(lock)
    asked = [Address("run", entry.slug).but(verify="yes") for entry in whole.entries]
    for catalog in (whole, whole.refreshed()):
        pages = all_pages(View(catalog, Served()), *asked, Address("compare").but(failures="yes"))
        named = re.search(r"a, made: left out, as its run is not whole: (\S+): ", pages[Address("compare")])
        assert named[1] == name if named else catalog is not whole
        assert "Against b" in pages[Address("compare")]
    assert not being_written(runs[0])
    assert len(find_runs(tmp_path)) == 3

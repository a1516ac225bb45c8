"""Reports: the same pages as files, whose links lead somewhere, and which take nothing else's place."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from assay.errors import AssayError
from assay.web.addresses import FIRST, Address, Served
from assay.web.catalog import open_catalog
from assay.web.exporting import write_file, write_folder
from assay.web.page import View
from cli_helpers import Assay, assay
from scored_runs import Said, scored_run
from web_helpers import draw, html, view_of

__all__ = ["assay"]
ANSWERS = [Said(item, "yes" if item % 3 else "<script>alert(1)</script>") for item in range(12)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    for candidate in ("openai/a", "openai/b"):
        scored_run(place / "s", candidate, ANSWERS)
    return place


@pytest.fixture(scope="module")
def folder(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "report"
    assert write_folder(open_catalog([runs]), out) == len(list(out.rglob("*.html")))
    return out


@pytest.fixture(scope="module")
def single(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "report.html"
    write_file(open_catalog([runs]), out)
    return out


def content(place: Path) -> dict[str, bytes]:
    return {file.relative_to(place).as_posix(): file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}


def links(text: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'(?:href|src)="([^"]*)"', text)]


def ids(text: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'\sid="([^"]*)"', text)]


def test_every_link_of_a_folder_leads_to_a_file_and_a_place_in_it(folder: Path) -> None:
    pages = list(folder.rglob("*.html"))
    assert folder / "index.html" in pages
    for page in pages:
        for link in links(page.read_text("utf-8")):
            parts = urlsplit(link)
            assert not parts.scheme or parts.netloc, link  # the addresses of papers and of data are text or lead away
            if not parts.netloc:
                target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                assert target.is_file(), (page, link)
                if parts.fragment:
                    assert unquote(parts.fragment) in ids(target.read_text("utf-8")), (page, link)


def test_every_link_of_a_single_file_leads_to_a_place_in_it(single: Path) -> None:
    text = single.read_text("utf-8")
    places = ids(text)
    assert len(set(places)) == len(places)
    inner = [link for link in links(text) if link.startswith("#")]
    assert inner
    assert {unquote(link[1:]) for link in inner} <= set(places)
    assert not [link for link in links(text) if not link.startswith(("#", "https://", "http://", "data:image/svg+xml"))]


def test_a_single_file_runs_and_styles_by_nothing_but_what_its_policy_names(single: Path) -> None:
    text = single.read_text("utf-8")
    policy = unescape(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[0])
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (held,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "alert(1)</script>" not in text


def test_files_say_what_the_server_says(runs: Path, folder: Path, single: Path) -> None:
    view = view_of(runs)

    def words(text: str) -> list[str]:
        return re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(form|p class=\"downloads\").*?</(form|p)>", " ", text)).split()

    served = words(str(draw(view, "glossary").body))
    assert " ".join(served) in " ".join(words((folder / "glossary.html").read_text("utf-8")))
    assert " ".join(served) in " ".join(words(single.read_text("utf-8")))


def test_the_same_runs_give_the_same_bytes(runs: Path, folder: Path, single: Path, tmp_path: Path) -> None:
    write_folder(open_catalog([runs]), tmp_path / "again")
    assert content(tmp_path / "again") == content(folder)
    write_file(open_catalog([runs]), tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == single.read_bytes()


def test_only_a_report_is_written_over(runs: Path, tmp_path: Path) -> None:
    catalog = open_catalog([runs])
    out = tmp_path / "out"
    write_folder(catalog, out)
    (out / "glossary.html").write_text("old")
    write_folder(catalog, out)
    assert (out / "glossary.html").read_text("utf-8") != "old"
    (out / "run").mkdir(exist_ok=True)
    (out / "run" / "notes.txt").write_text("mine")
    with pytest.raises(AssayError, match=r"holds run/notes\.txt, which is not part of the report"):
        write_folder(catalog, out)
    with pytest.raises(AssayError, match="not empty and holds no report"):
        write_folder(catalog, runs)
    (tmp_path / "mine.html").write_text("<p>mine")
    with pytest.raises(AssayError, match="is no report"):
        write_file(catalog, tmp_path / "mine.html")
    with pytest.raises(AssayError, match="is a folder"):
        write_file(catalog, out)
    with pytest.raises(AssayError, match="is a file"):
        write_folder(catalog, tmp_path / "mine.html")
    assert (tmp_path / "mine.html").read_text() == "<p>mine"
    assert (out / "run" / "notes.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.html", "out"]


def test_a_page_that_cannot_be_drawn_leaves_what_was_there(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = open_catalog([runs])
    write_folder(catalog, tmp_path / "out")
    before = content(tmp_path / "out")

    def broken(*_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("assay.web.exporting.page_or_problem", broken)
    with pytest.raises(ZeroDivisionError):
        write_folder(catalog, tmp_path / "out")
    assert content(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_report_begins_with_the_overview(folder: Path, single: Path, runs: Path) -> None:
    title = draw(view_of(runs), FIRST).title
    assert f"<h1>{title}</h1>" in (folder / "index.html").read_text("utf-8")
    assert re.findall(r'<section class="page" id="([^"]*)"', single.read_text("utf-8"))[0] == Address(FIRST).page


def test_the_command_says_what_to_open(assay: Assay, runs: Path) -> None:
    said = assay("report", "out", runs)
    assert (said.code, said.err) == (0, "")
    assert re.fullmatch(r"\d+ pages over 2 runs: open out/index\.html in a browser\n", said.out)
    assert "open one.html" in assay("report", "one.html", runs, "--single-file").out
    assert Path("one.html").stat().st_size > 10_000
    assert assay("report", "out2", ".").code == 2
    assert not Path("out2").exists()


def test_a_damaged_run_stops_no_other(tmp_path: Path) -> None:
    broken, whole = (scored_run(tmp_path / "s", name, ANSWERS, scenario=name) for name in ("broken", "whole"))
    (broken / "transcripts.parquet").write_bytes(b"garbage")
    write_folder(open_catalog([tmp_path / "s"]), tmp_path / "out")
    pages = {name: text.decode() for name, text in content(tmp_path / "out").items() if name.endswith(".html")}
    told = [name for name, text in pages.items() if "transcripts.parquet cannot be read" in text]
    assert any(name.startswith("instances/broken") for name in told)
    assert not any("whole" in name for name in told)
    assert any(name.startswith("instance/whole") for name in pages)
    assert whole.name.rpartition("-")[0] in "".join(pages)
    assert not [name for name, text in pages.items() if str(tmp_path) in text]


@pytest.mark.parametrize("name", ["manifest.json", "scores.parquet"])
@pytest.mark.parametrize("damaged", [1, 2])
def test_damaged_runs_are_left_out_of_comparisons_which_name_them_without_where_they_lie(
    tmp_path: Path, name: str, damaged: int
) -> None:
    runs = [scored_run(tmp_path / "home" / "runs" / "s", candidate, ANSWERS) for candidate in ("a", "b", "c")]
    files = [run / name for run in runs[:damaged]]
    whole = [file.read_bytes() for file in files]
    for file, was in zip(files, whole, strict=True):
        file.write_bytes(was.replace(b'"requests": 12', b'"requests": 13') if name == "manifest.json" else was + b" ")
        assert file.read_bytes() != was
    catalog = open_catalog([tmp_path / "home" / "runs"])
    write_folder(catalog, tmp_path / "out")
    text = (tmp_path / "out" / "compare.html").read_text()
    for candidate in "ab"[:damaged]:
        assert f"{candidate}, made: left out, as its run is not whole: {name}: changed" in text
    assert ("Against b" if damaged == 1 else "no scenario was asked of two") in text
    pages = {name: text.decode() for name, text in content(tmp_path / "out").items() if name.endswith(".html")}
    assert not [name for name, text in pages.items() if str(tmp_path) in text]
    for file, was in zip(files, whole, strict=True):
        file.write_bytes(was)
    assert "left out" not in html(View(catalog, Served()), "compare")


def test_what_is_not_shown_is_told_without_where_it_lies(tmp_path: Path) -> None:
    one, _ = (scored_run(tmp_path / "home" / "runs" / "s", name, ANSWERS) for name in ("a", "b"))
    (one / "stats.json").write_text("{")
    catalog = open_catalog([tmp_path / "home" / "runs"])
    write_folder(catalog, tmp_path / "out")
    text = (tmp_path / "out" / "glossary.html").read_text()
    assert f"Not shown: home/runs/s/{one.name}/stats.json is not what assay writes" in text
    assert str(tmp_path) not in text

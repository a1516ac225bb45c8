"""Reports are put over reports alone, whatever is made in the same place while they are prepared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.web import exporting
from assay.web.catalog import Catalog, open_catalog
from assay.web.exporting import write_file, write_folder
from assay.web.placing import replacing
from scored_runs import Said, scored_run


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    place = tmp_path_factory.mktemp("runs")
    scored_run(place / "s", "m", [Said(item, "yes") for item in range(12)])
    return open_catalog([place])


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of one page, for tests of where they are put."""
    monkeypatch.setattr(exporting, "kinds", lambda: {"glossary": kinds()["glossary"]})
    from assay.web.pages import kinds


def anything(there: Path, named: Path) -> None:
    """All may be replaced but what holds `mine`."""
    if (there / "mine").exists() or (there.is_file() and there.read_text() == "mine"):
        raise AssayError(f"{named} is mine")


@pytest.mark.parametrize("before", [True, False])
def test_a_folder_that_is_made_meanwhile_is_kept(tmp_path: Path, before: bool) -> None:
    out = tmp_path / "out"
    if before:
        out.mkdir()

    def prepare() -> None:
        with replacing(out, anything) as draft:
            draft.mkdir()
            out.mkdir(exist_ok=True)
            (out / "mine").write_text("kept")

    with pytest.raises(AssayError, match="is mine"):
        prepare()
    assert (out / "mine").read_text() == "kept"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("made", ["file", "folder", "link", "pipe"])
@pytest.mark.parametrize("single", [True, False])
def test_what_appears_at_the_very_last_moment_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str, single: bool
) -> None:
    """Between the last look and the moment at which the report is put there."""
    from assay.web import placing

    out, away = tmp_path / "out", placing._move_away

    def late(*given: object) -> None:
        away(*given)  # type: ignore[arg-type]
        if made == "file":
            out.write_text("mine")
        elif made == "folder":
            out.mkdir()
            (out / "mine").write_text("mine")
        elif made == "link":
            out.symlink_to(tmp_path / "nowhere")
        else:
            os.mkfifo(out)

    monkeypatch.setattr(placing, "_move_away", late)
    with pytest.raises(AssayError, match="made by somebody else meanwhile"), replacing(out, anything) as draft:
        draft.write_text("new") if single else draft.mkdir()
    assert {"file": out.is_file(), "folder": (out / "mine").exists(), "link": out.is_symlink(), "pipe": out.is_fifo()}[made]
    assert os.listdir(tmp_path) == ["out"]


def test_a_file_that_is_put_into_a_report_after_the_last_look_is_put_back_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    rename = os.rename

    def late(source: Path, target: Path) -> None:
        if source == out:
            (out / "mine").write_text("kept")
        rename(source, target)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(AssayError, match="is mine"), replacing(out, anything) as draft:
        draft.mkdir()
    assert (out / "mine").read_text() == "kept"
    assert os.listdir(tmp_path) == ["out"]


def test_an_earlier_report_that_cannot_be_put_back_is_kept_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.web import placing

    out, away = tmp_path / "out", placing._move_away
    out.write_text("earlier")

    def late(*given: object) -> None:
        away(*given)  # type: ignore[arg-type]
        out.write_text("mine")

    monkeypatch.setattr(placing, "_move_away", late)
    with pytest.raises(AssayError, match="what lay there is kept in") as raised, replacing(out, anything) as draft:
        draft.write_text("new")
    assert out.read_text() == "mine"
    kept = Path(str(raised.value).partition("kept in ")[2].partition(" (")[0])
    assert kept.read_text() == "earlier"


@pytest.mark.usefixtures("few")
def test_drafts_never_take_the_name_of_anything(tmp_path: Path, catalog: Catalog) -> None:
    kept = [tmp_path / f".{name}.{os.getpid()}" for name in ("out", "out.html")]
    for path in kept:
        path.mkdir()
        (path / "mine").write_text("kept")
    write_folder(catalog, tmp_path / "out")
    write_file(catalog, tmp_path / "out.html")
    assert all((path / "mine").read_text() == "kept" for path in kept)
    assert len(os.listdir(tmp_path)) == 4


@pytest.mark.usefixtures("few")
def test_links_pipes_devices_and_the_working_folder_are_refused(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("real").mkdir()
    Path("link").symlink_to("real")
    Path("file.html").symlink_to("elsewhere.html")
    for path in ("pipe", "/dev/null"):
        with pytest.raises(AssayError, match="is a device or a pipe"):
            write_file(catalog, Path(path))
    for write, path in ((write_folder, "link"), (write_file, "file.html")):
        with pytest.raises(AssayError, match=f"{path} is a link"):
            write(catalog, Path(path))
    with pytest.raises(AssayError, match="is the folder you are in"):
        write_folder(catalog, Path())
    assert sorted(os.listdir()) == ["file.html", "link", "pipe", "real"]
    assert os.listdir("real") == []


@pytest.mark.usefixtures("few")
def test_reports_can_be_read_by_whoever_may_read_new_files(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    write_folder(catalog, tmp_path / "out")
    write_file(catalog, tmp_path / "out.html")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "folder").stat().st_mode
    assert (tmp_path / "out.html").stat().st_mode == (tmp_path / "file").stat().st_mode

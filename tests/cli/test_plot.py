"""`assay plot`: a chart as a file."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.cli.plot import plot
from assay.web.plots import PLOTS
from cli_helpers import Assay


@pytest.fixture
def runs(assay: Assay) -> Path:
    models = ("-m", "baseline/majority", "-m", "baseline/uniform")
    assert assay("run", "billing_support:", *models, "-n", "20", "--quiet").code == 0
    return Path("runs")


def test_a_chart_is_written_as_svg_and_png_or_goes_to_standard_output(assay: Assay, runs: Path) -> None:
    for name in ("x.svg", "x.png"):
        said = assay("plot", "reliability", runs, "-o", name)
        assert (said.code, said.out, said.err) == (0, "", "")
    assert ElementTree.parse("x.svg").getroot().tag.endswith("svg")
    assert Path("x.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert assay("plot", "reliability", runs).out == Path("x.svg").read_text()
    assert assay("plot", "reliability", runs, "--dark").out != Path("x.svg").read_text()


def test_a_larger_scale_makes_a_larger_picture(assay: Assay, runs: Path) -> None:
    widths = []
    for scale in (1, 3):
        assert assay("plot", "differences", runs, "-o", "x.png", "--scale", scale).code == 0
        widths.append(int.from_bytes(Path("x.png").read_bytes()[16:20], "big"))
    assert widths[1] == pytest.approx(3 * widths[0], abs=3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("reliability", "runs", "-o", "x.pdf"), ".svg or .png"),
        (("reliability", "nowhere"), "nowhere does not exist"),
        (("relibility", "runs"), "did you mean reliability"),
        (("drops", "runs"), "--perturb"),
        (("differences", "runs", "-o", "missing/x.svg"), "missing/x.svg: No such file or directory"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(assay: Assay, runs: Path, arguments: tuple[str, ...], said: str) -> None:
    found = assay("plot", *arguments)
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert said in found.err
    assert not Path("x.pdf").exists()


def test_folders_without_a_finished_run_are_named(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = assay("plot", "pareto", "empty")
    assert said.code == 2
    assert "no finished run below empty" in said.err


def test_the_help_names_every_kind() -> None:
    assert all(kind in (plot.__doc__ or "") for kind in PLOTS)


def test_a_picture_takes_the_place_of_an_earlier_one_in_one_piece_and_through_links(
    assay: Assay, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("real.svg").write_text("earlier")
    Path("x.svg").symlink_to("real.svg")
    before = sorted(os.listdir())
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    said = assay("plot", "reliability", runs, "-o", "x.svg")
    assert said.code == 2
    assert said.err == "error: x.svg: No space left on device (free some space)\n"
    assert Path("real.svg").read_text() == "earlier"
    monkeypatch.setattr(os, "replace", replace)
    assert assay("plot", "reliability", runs, "-o", "x.svg").code == 0
    assert Path("x.svg").is_symlink()
    assert Path("real.svg").read_text().startswith("<svg")
    assert sorted(os.listdir()) == before

"""Names, labels and messages that come from data or plugins neither command the terminal nor are taken for markup."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from assay.cli import main as run_main
from assay.cli.event_lines import EventLines
from assay.cli.live import LiveBars
from assay.cli.watching import PlainLines, SuiteProgress, Watcher
from assay.engine import Engine, Event
from assay.tables import Table
from cli_helpers import Assay
from fake_models import FakeEndpoint

HOSTILE = "\x1b[31m[/x][bold]\u202ered\x07"
COMMANDS = ("\x1b", "\u202e", "\x07", "\x9b")


def commands_in(text: str) -> list[str]:
    return [command for command in COMMANDS if command in text]


def test_labels_and_subgroups_are_shown_as_they_are_and_command_nothing(assay: Assay) -> None:
    rows = [{"id": f"i{n}", "input": "x", "answer": "y", HOSTILE: f"{HOSTILE}{n % 2}"} for n in range(24)]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    suite = {
        "models": [{"model": "baseline/majority", "label": HOSTILE}, "baseline/uniform"],
        "scenarios": [{"scenario": "local_file", "parameters": {"path": "d.jsonl"}}],
    }
    Path("s.yaml").write_text(json.dumps(suite))
    said = assay("run", "s.yaml")
    assert said.code == 0, said.err
    assert not commands_in(said.out + said.err)
    assert "[/x][bold]" in said.out
    assert not commands_in(Path("runs/s/summary.md").read_text())
    for arguments in (("show", "runs"), ("plan", "s.yaml")):
        said = assay(*arguments)
        assert said.code == 0, said.err
        assert not commands_in(said.out)


def test_tables_show_titles_headers_and_cells_that_look_like_markup() -> None:
    table = Table("[/title]", ["[/header]", "n"], [["[/cell]", "1"]], notes=["[/note]"])
    out = io.StringIO()
    table.print(Console(file=out, width=80))
    for part in ("[/title]", "[/header]", "[/cell]", "[/note]"):
        assert part in out.getvalue()


def test_progress_shows_names_that_look_like_markup_and_command_nothing(tmp_path: Path) -> None:
    class Run:
        name, title, label, trials_at_most = "r", "[/x]", HOSTILE, 3
        model, config, helpers, folder = FakeEndpoint(name=HOSTILE), None, dict[str, FakeEndpoint](), tmp_path
        spec, judge = SimpleNamespace(model=SimpleNamespace(name=HOSTILE)), None

    out = io.StringIO()
    for bars in (LiveBars(Console(file=out, force_terminal=True, width=120)), PlainLines(Console(file=out, width=120))):
        watchers: list[Watcher] = [bars, EventLines(str(tmp_path / "events.jsonl"))]
        progress = SuiteProgress(Engine(None), watchers)
        progress.begins([Run()])  # type: ignore[list-item] # all that is read of a run
        progress.started(Run())  # type: ignore[arg-type]
        progress.rebuilding(Run(), HOSTILE)  # type: ignore[arg-type]
        for watcher in watchers:
            watcher.happened(Event(what="pause", model=HOSTILE, message=HOSTILE))
        progress.ends("error")
    assert "[/x]" in out.getvalue()
    assert "\u202e" not in out.getvalue()
    assert not commands_in((tmp_path / "events.jsonl").read_text())


def test_an_error_is_one_line_that_commands_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ValueError(f"a\n{HOSTILE}")

    monkeypatch.setattr("assay.cli.app", fail)
    monkeypatch.setattr("sys.argv", ["assay"])
    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    with pytest.raises(SystemExit) as stop:
        run_main()
    said = capsys.readouterr().err
    assert stop.value.code == 70
    assert said.count("\n") == 1
    assert not commands_in(said)

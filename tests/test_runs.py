"""Whole runs against real servers: resumed after kill -9, repeated to the byte, scored again without asking."""

from __future__ import annotations

import json
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from assay.store import find_runs, verify
from assay.store.folders import CONTENT, MANIFEST
from cli_helpers import Assay, assay, assay_process
from fake_servers import MockServer, mock_server

__all__ = ["assay"]

MEASURED = ("responses", "latency_s")
"""Columns of the transcripts that hold measured times, which differ between two askings of the same thing."""


def write_items(folder: Path, count: int) -> Path:
    """Multiple-choice cases that the fake server knows."""
    rows = [
        {"id": f"i{n}", "input": f"Item {n}. Which one?", "options": ["one", "two", "three", "four"], "answer": "two"}
        for n in range(count)
    ]
    path = folder / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def command(server: MockServer, out: str, *more: str) -> tuple[str, ...]:
    entry = "local_file:path=items.jsonl,method=multiple_choice_joint,shots=0"
    return ("run", entry, "-m", "openai/mock-1", "--out", out, "-p", "lowercase", *more)


def run_files(root: Path) -> dict[str, bytes]:
    (run,) = find_runs(root)
    return {name: (run.path / name).read_bytes() for name in (*CONTENT, MANIFEST)}


def environment(server: MockServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "x"}


def test_killed_in_the_middle_a_run_goes_on_and_ends_in_the_same_bytes(shared: Path, tmp_path: Path) -> None:
    write_items(tmp_path, 300)
    with mock_server(shared, "--latency-ms", "30") as server:
        for _ in range(3):
            process = assay_process(*command(server, "runs"), cwd=tmp_path, **environment(server))
            before = server.stats()["requests"]
            deadline = time.monotonic() + 30
            while server.stats()["requests"] < before + 60 and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert not list((tmp_path / "runs").rglob(MANIFEST))
        finished = assay_process(*command(server, "runs"), cwd=tmp_path, **environment(server))
        _, err = finished.communicate(timeout=120)
        assert finished.returncode == 0, err
        stats = server.stats()
        in_flight = 64
        assert stats["unique_bodies"] == 600
        assert stats["requests"] <= 600 + 3 * in_flight

        # The same responses, never interrupted: the same bytes.
        again = assay_process(*command(server, "again"), cwd=tmp_path, **environment(server))
        again.communicate(timeout=120)
        assert server.stats()["requests"] == stats["requests"]
        assert run_files(tmp_path / "again") == run_files(tmp_path / "runs")
        assert list(verify(find_runs(tmp_path / "runs")[0].path)) == []

        # Asked anew from an empty cache: the same but for what was measured.
        (tmp_path / "fresh").mkdir()
        write_items(tmp_path / "fresh", 300)
        fresh = assay_process(*command(server, "runs"), cwd=tmp_path / "fresh", **environment(server))
        fresh.communicate(timeout=120)
        tables = [
            pl.read_parquet(find_runs(folder / "runs")[0].path / "transcripts.parquet")
            for folder in (tmp_path, tmp_path / "fresh")
        ]
        assert tables[0].drop(MEASURED).equals(tables[1].drop(MEASURED))


def test_a_finished_run_is_not_asked_again_and_a_larger_limit_asks_only_what_is_new(
    assay: Assay, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_items(tmp_path, 60)
    with mock_server(shared) as server:
        for variable, value in environment(server).items():
            monkeypatch.setenv(variable, value)
        assert assay(*command(server, "runs", "-n", "20")).code == 0
        assert server.stats()["unique_bodies"] == 40
        assert assay(*command(server, "runs", "-n", "20")).code == 0
        assert server.stats()["requests"] == 40
        assert assay(*command(server, "runs", "-n", "50")).code == 0
        assert server.stats()["requests"] == 100


class Clinic(BaseHTTPRequestHandler):
    """A chat endpoint that refuses item 3 until it is healed."""

    ill = True
    asked: ClassVar[list[bool]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = self.ill and "Item 3." in body["messages"][-1]["content"]
        Clinic.asked.append(refused)
        choice = {"index": 0, "message": {"role": "assistant", "content": "B"}, "finish_reason": "stop"}
        answer = {"error": {"message": "item 3 hurts"}} if refused else {"model": "clinic", "choices": [choice]}
        raw = json.dumps(answer).encode()
        self.send_response(400 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def test_a_failed_request_is_missing_not_wrong_and_is_asked_again(assay: Assay, tmp_path: Path) -> None:
    write_items(tmp_path, 6)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Clinic)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    (tmp_path / "models.yaml").write_text(f"- {{name: openai/clinic, base_url: {url}}}\n")
    entry = "local_file:path=items.jsonl,method=multiple_choice_joint,shots=0"
    said = assay("run", entry, "-m", "openai/clinic", "--out", "runs")
    assert said.code == 3
    assert "1 of 6 trials failed" in said.err
    (run,) = find_runs(tmp_path / "runs")
    table = pl.read_parquet(run.path / "transcripts.parquet")
    (failed,) = table.filter(pl.col("outcome") == "failed").to_dicts()
    assert failed["instance_id"] == "i3"
    assert "item 3 hurts" in failed["error"]
    (accuracy,) = [c for c in run.stats().cells if (c.metric, c.subgroup, c.perturbation) == ("quasi_exact_match", None, None)]
    assert (accuracy.estimate.value, accuracy.estimate.n) == (1.0, 5)
    assert assay("run", entry, "-m", "openai/clinic", "--out", "other", "--max-failures", "1").code == 0
    assert assay("run", entry, "-m", "openai/clinic", "--out", "other", "--max-failures", "20%").code == 0
    Clinic.ill = False
    Clinic.asked.clear()
    assert assay("run", entry, "-m", "openai/clinic", "--out", "runs").code == 0
    assert len(Clinic.asked) == 1
    assert run.stats().failed == 0
    assert list(verify(run.path)) == []
    server.shutdown()


def test_rescoring_asks_nothing_and_gives_the_same_bytes_or_a_run_of_its_own(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", "billing_support:", "-m", "baseline/majority", "-n", "12", "-p", "typos").code == 0
    (run,) = find_runs(tmp_path / "runs")
    before = {name: (run.path / name).read_bytes() for name in (*CONTENT, MANIFEST)}
    assert assay("rescore", run.path).code == 0
    assert {name: (run.path / name).read_bytes() for name in (*CONTENT, MANIFEST)} == before
    said = assay("rescore", run.path, "--metric", "f1_score")
    assert said.code == 0
    assert len(find_runs(tmp_path / "runs")) == 2
    assert list(verify(run.path)) == []
    (made,) = [folder for folder in find_runs(tmp_path / "runs") if folder.name != run.name]
    assert "f1_score" in {cell.metric for cell in made.stats().cells}
    assert list(verify(made.path)) == []


def test_tables_show_intervals_and_json_is_for_machines(assay: Assay, tmp_path: Path) -> None:
    arguments = ("run", "billing_support:", "-m", "baseline/majority", "-m", "baseline/uniform", "-n", "12", "-p", "typos")
    said = assay(*arguments)
    assert "billing_support" in said.out
    assert "baseline/uniform" in said.out
    plain = json.loads(assay(*arguments, "--json").out)
    assert [run["label"] for run in plain] == ["baseline/majority", "baseline/uniform"]
    for run in plain:
        for cell in run["cells"]:
            estimate = cell["estimate"]
            assert estimate["low"] is None or estimate["low"] <= estimate["value"] <= estimate["high"]
            assert estimate["n"] >= estimate["clusters"] >= 1
    assert (tmp_path / "runs" / "default" / "summary.md").read_text().count("| ---:") >= 0
    shown = assay("show", "runs/default")
    assert "robustness" in shown.out
    trials = assay("show", find_runs(tmp_path / "runs")[0].path, "--trials", "2")
    assert trials.out.count("completion:") == 2


def test_verify_names_a_changed_file_and_exits_1(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", "billing_support:", "-m", "baseline/majority", "-n", "5").code == 0
    assert assay("verify", "runs").code == 0
    (run,) = find_runs(tmp_path / "runs")
    for name in (*CONTENT, MANIFEST):
        good = (run.path / name).read_bytes()
        (run.path / name).write_bytes(good[:-3] + bytes([good[-3] ^ 4]) + good[-2:])
        said = assay("verify", "runs")
        assert said.code == 1
        assert name in said.out
        (run.path / name).write_bytes(good)


def test_plan_sends_nothing_and_counts_what_would_be_asked(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_items(tmp_path, 10)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    entry = "local_file:path=items.jsonl,method=multiple_choice_joint,shots=0"
    said = assay("plan", entry, "-m", "openai/mock-1", "-p", "lowercase", "--prompts", "1", "--json")
    assert said.code == 0, said.err
    (plan,) = json.loads(said.out)["runs"]
    assert (plan["instances"], plan["trials"], plan["requests"]) == (10, 20, 20)
    assert "Which one?" in plan["prompts"][0]
    assert not (tmp_path / "runs").exists()


def test_what_the_command_line_says_goes_before_what_the_suite_says(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "seed: 5\nmodels: [baseline/majority]\nscenarios: ['billing_support:']\nmax_instances: 9\n"
    )
    for arguments, seed, instances in ((("s.yaml",), 5, 9), (("s.yaml", "--seed", "0", "-n", "4"), 0, 4)):
        assert assay("run", *arguments, "--out", f"out{seed}").code == 0
        (run,) = find_runs(tmp_path / f"out{seed}")
        assert (run.spec_file().spec.seed, run.stats().instances) == (seed, instances)

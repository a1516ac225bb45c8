"""What the same questions cost here and with lm-evaluation-harness: CPU and wall seconds, memory and disk of the whole process.

    ASSAY_SHARED=../shared python benchmarks/peers.py PATH/TO/lm_eval [questions] [latency in ms]

Zero-shot multiple choice by letter, asked of the fake model server's chat endpoint, prompts and completions stored, one program
after the other in the same minute. The program of the peer comes from wherever it is installed (`pip install 'lm_eval[api]'`);
without its path only assay is measured. Both must report the same share of right answers. Each program runs once before it is
measured, so that its modules are compiled, as after any installation.

Beside them stands what no program in Python can go below: importing the libraries that assay cannot do without, and posting the
same bodies in bare loops (`benchmarks/floor.py`), start of the process included.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import msgspec  # noqa: E402

from assay.models.wire.bodies import chat_body  # noqa: E402
from assay.records import Request  # noqa: E402
from fake_servers import MockServer, mock_server  # noqa: E402

CONCURRENCY = 256
FIRST = 2
"""Questions of the run before the measured one."""
LIBRARIES = "asyncio, sqlite3, aiohttp, msgspec, numpy, polars, typer, yaml, rich.console"
TASK = """
task: letters
dataset_path: json
dataset_kwargs: {{data_files: {{test: {questions}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}{{% for c in choices %}}\\n{{{{'ABCD'[loop.index0]}}}}. {{{{c}}}}{{% endfor %}}\\nAnswer:"
doc_to_target: "{{{{'ABCD'[gold]}}}}"
generation_kwargs: {{until: ["\\n"], max_gen_toks: 5}}
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
filter_list: [{{name: letter, filter: [{{function: remove_whitespace}}, {{function: take_first}}]}}]
"""


class Cost(NamedTuple):
    """What a process took."""

    cpu_s: float
    wall_s: float
    memory_mb: int
    said: str
    """What it printed."""
    disk_kb: int = 0

    def shown(self) -> str:
        """As a line of the table."""
        disk = f"{self.disk_kb:6} kB" if self.disk_kb else " " * 9
        return f"{self.cpu_s:7.2f} s CPU  {self.wall_s:7.2f} s wall  {self.memory_mb:5} MB  {disk}"

    def right(self) -> float:
        """The share of right answers that it reports."""
        found = re.search(r"(?:openai/mock-1\s+\d+\s|exact_match\|.*?\|)\s*(0\.\d+)", self.said)
        assert found, self.said[-2000:]
        return float(found[1])


def measured(command: list[str], folder: Path, out: Path | None = None, **environment: str) -> Cost:
    """Run a command to its end; `out` is where it writes. The modules it compiles are kept in the folder."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**inherited, "PYTHONPYCACHEPREFIX": str(folder / "compiled"), **environment}
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    assert status == 0, text[-2000:]
    disk = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) if out else 0
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss // 1024, text, disk // 1024)


def write_questions(shared: Path, folder: Path, count: int) -> None:
    """The fake server's own questions, in the shapes that both programs read, and as bodies for the floors."""
    sys.path.insert(0, str(shared / "bench"))
    import synth

    names = ("peer.jsonl", "ours.jsonl", "bodies")
    with ExitStack() as files:
        theirs, ours, bodies = (files.enter_context((folder / name).open("w")) for name in names)
        for number in range(count):
            item = synth.mc(number)
            question, options = item["question"], item["choices"]
            theirs.write(json.dumps(item) + "\n")
            row = {"id": str(number), "input": question, "options": options, "answer": options[item["gold"]]}
            ours.write(json.dumps(row) + "\n")
            lettered = "".join(f"\n{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
            request = Request(prompt=f"{question}{lettered}\nAnswer:", max_tokens=5, stop=("\n",))
            bodies.write(msgspec.json.encode(chat_body("mock-1", request, {})).decode() + "\n")
    (folder / "letters.yaml").write_text(TASK.format(questions=folder / "peer.jsonl"))


def floors(server: MockServer, folder: Path) -> dict[str, Cost]:
    """What the libraries alone take, and the bare loops."""
    rows = {"imports": [sys.executable, "-c", f"import {LIBRARIES}"]}
    for kind in ("aiohttp", "sockets"):
        arguments = [kind, f"{server.base_url}/chat/completions", "bodies", str(CONCURRENCY)]
        rows[f"bare {kind}"] = [sys.executable, str(ROOT / "benchmarks" / "floor.py"), *arguments]
    for command in rows.values():
        measured(command, folder)
    return {name: measured(command, folder) for name, command in rows.items()}


def ours(server: MockServer, folder: Path) -> dict[str, Cost]:
    """assay: asked, and again from the cache."""
    lines = [f"- name: openai/mock-1\n  base_url: {server.base_url}\n  concurrency: {CONCURRENCY}\n"]
    (folder / "models.yaml").write_text("".join(lines))
    whole = [sys.executable, "-m", "assay", "run", "local_file:path=ours.jsonl,shots=0,instructions="]
    whole += ["-m", "openai/mock-1", "--quiet", "--out"]
    measured([*whole, "first", "-n", str(FIRST)], folder, ASSAY_CACHE=str(folder / "first-cache"))
    return {
        name: measured([*whole, out], folder, folder / out, ASSAY_CACHE=str(folder / "cache"))
        for name, out in (("assay", "asked"), ("assay, again", "again"))
    }


def theirs(program: str, server: MockServer, folder: Path) -> Cost:
    """lm-evaluation-harness."""
    model = f"model=mock-1,base_url={server.base_url}/chat/completions,num_concurrent={CONCURRENCY},tokenizer_backend=None"
    command = [program, "--model", "local-chat-completions", "--model_args", model, "--tasks", "letters", "--include_path", "."]
    command += ["--apply_chat_template", "--log_samples", "--output_path"]
    environment = {"OPENAI_API_KEY": "none", "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1"}
    measured([*command, "first", "--limit", str(FIRST)], folder, **environment)
    return measured([*command, "peer"], folder, folder / "peer", **environment)


def main() -> None:
    """Measure and print."""
    program = sys.argv[1] if len(sys.argv) > 1 else ""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    latency_ms = sys.argv[3] if len(sys.argv) > 3 else "0"
    shared = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared")
    with tempfile.TemporaryDirectory() as name, mock_server(shared, "--latency-ms", latency_ms) as server:
        folder = Path(name)
        write_questions(shared, folder, count)
        lowest = floors(server, folder)
        rows = ours(server, folder)
        if program:
            rows["lm_eval"] = theirs(program, server, folder)
    least = lowest["imports"].cpu_s + lowest["bare aiohttp"].cpu_s
    ideal_s = count / CONCURRENCY * float(latency_ms) / 1000
    print(f"{count} questions, {latency_ms} ms, at most {CONCURRENCY} at once")
    print(f"the least: {least:.2f} s CPU (imports and bare aiohttp), {ideal_s:.2f} s wall (with all slots busy throughout)")
    for who, cost in lowest.items():
        print(f"{who:13} {cost.shown()}")
    for who, cost in rows.items():
        ratio = f"  {rows['lm_eval'].cpu_s / cost.cpu_s:5.1f} x less CPU than lm_eval" if program else ""
        print(f"{who:13} {cost.shown()}  right {cost.right():.2f}  {cost.cpu_s / least:5.1f} x the least{ratio}")


if __name__ == "__main__":
    main()

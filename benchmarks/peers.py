"""What the same questions cost here and with lm-evaluation-harness: CPU and wall seconds, memory and disk of the whole process.

    ASSAY_SHARED=../shared python benchmarks/peers.py PATH/TO/lm_eval [questions] [latency in ms]

Zero-shot multiple choice by letter, asked of the fake model server's chat endpoint, prompts and completions stored, one program
after the other in the same minute. The program of the peer comes from wherever it is installed (`pip install 'lm_eval[api]'`);
without its path only assay is measured. Both must report the same share of right answers.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from fake_servers import MockServer, mock_server  # noqa: E402

CONCURRENCY = 256
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
    disk_kb: int
    right: str
    """The share of right answers that it reports."""


def measured(command: list[str], folder: Path, out: Path, pattern: str, **environment: str) -> Cost:
    """Run a command to its end; `pattern` finds the accuracy in what it prints."""
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=said, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    assert status == 0, text[-2000:]
    found = re.search(pattern, text)
    assert found, text[-2000:]
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss // 1024, size // 1024, found[1])


def write_questions(shared: Path, folder: Path, count: int) -> None:
    """The fake server's own questions, in the shapes that both programs read."""
    sys.path.insert(0, str(shared / "bench"))
    import synth

    with (folder / "peer.jsonl").open("w") as theirs, (folder / "ours.jsonl").open("w") as ours:
        for number in range(count):
            item = synth.mc(number)
            options = item["choices"]
            theirs.write(json.dumps(item) + "\n")
            row = {"id": str(number), "input": item["question"], "options": options, "answer": options[item["gold"]]}
            ours.write(json.dumps(row) + "\n")
    (folder / "letters.yaml").write_text(TASK.format(questions=folder / "peer.jsonl"))


def ours(server: MockServer, folder: Path) -> list[Cost]:
    """assay: asked, and again from the cache."""
    lines = [f"- name: openai/mock-1\n  base_url: {server.base_url}\n  concurrency: {CONCURRENCY}\n"]
    (folder / "models.yaml").write_text("".join(lines))
    costs = []
    for name in ("asked", "again"):
        command = ["run", "local_file:path=ours.jsonl,shots=0,instructions=", "-m", "openai/mock-1", "--out", name, "--quiet"]
        whole = [sys.executable, "-m", "assay", *command]
        costs.append(
            measured(whole, folder, folder / name, r"openai/mock-1\s+\d+\s+(0\.\d+)", ASSAY_CACHE=str(folder / "cache"))
        )
    return costs


def theirs(program: str, server: MockServer, folder: Path) -> Cost:
    """lm-evaluation-harness."""
    model = f"model=mock-1,base_url={server.base_url}/chat/completions,num_concurrent={CONCURRENCY},tokenizer_backend=None"
    command = [program, "--model", "local-chat-completions", "--model_args", model, "--tasks", "letters", "--include_path", "."]
    options = ["--apply_chat_template", "--log_samples", "--output_path", "peer"]
    environment = {"OPENAI_API_KEY": "none", "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1"}
    return measured([*command, *options], folder, folder / "peer", r"exact_match\|.*?\|\s*(0\.\d+)\|", **environment)


def main() -> None:
    """Measure and print."""
    program = sys.argv[1] if len(sys.argv) > 1 else ""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    latency_ms = sys.argv[3] if len(sys.argv) > 3 else "0"
    shared = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared")
    with tempfile.TemporaryDirectory() as name, mock_server(shared, "--latency-ms", latency_ms) as server:
        folder = Path(name)
        write_questions(shared, folder, count)
        rows = dict(zip(("assay", "assay, again"), ours(server, folder), strict=True))
        if program:
            rows["lm_eval"] = theirs(program, server, folder)
    print(f"{count} questions, {latency_ms} ms, at most {CONCURRENCY} at once")
    for who, cost in rows.items():
        ratio = f"  {rows['lm_eval'].cpu_s / cost.cpu_s:5.1f} x less CPU than lm_eval" if program else ""
        print(
            f"{who:13} {cost.cpu_s:7.2f} s CPU  {cost.wall_s:7.2f} s wall  {cost.memory_mb:5} MB  {cost.disk_kb:6} kB"
            f"  right {float(cost.right):.2f}{ratio}"
        )


if __name__ == "__main__":
    main()

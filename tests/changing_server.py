"""A chat server, in a thread of the test's process, whose model a test changes between evaluations."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class ChangingServer:
    """Adds up sums. Every attribute may be changed at any time."""

    def __init__(self) -> None:
        self.skill = 0.8
        """Share of the sums that it gets right, always the same ones."""
        self.unsteady = 0.0
        """Share of the sums that it answers by chance, another way each time."""
        self.version = "adder-1"
        self.fingerprint = "fp"
        self.wordy = ""
        """What it says before the sum."""
        self.empty = 0.0
        """Share of the sums that it says nothing to."""
        self.refused = 0.0
        """Share of the sums that it answers with 400."""
        self.latency_s = 0.0
        self.asked = 0
        self.base_url = ""

    def answer(self, prompt: str) -> str:
        one, other = re.findall(r"(\d+) \+ (\d+)", prompt)[-1]
        hardness, which, luck = (_share(f"{kind}{one}+{other}") for kind in ("hard", "which", f"luck{self.asked}"))
        if which < self.empty:
            return ""
        wrong = luck < 0.5 if which > 1 - self.unsteady else hardness >= self.skill
        return f"{self.wordy}{int(one) + int(other) + wrong}"

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        self.asked += 1
        prompt = str(body["messages"][-1]["content"])
        if _share(f"refused{prompt}") < self.refused:
            return 400, {"error": {"message": "not this sum"}}
        text = self.answer(prompt)
        return 200, {
            "model": self.version,
            "system_fingerprint": self.fingerprint,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        }


def _share(text: str) -> float:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32


@contextlib.contextmanager
def changing_server(folder: Path, count: int) -> Iterator[ChangingServer]:
    """The server, and in a folder `models.yaml` for it, as `openai/adder`, and so many sums as the scenario `sums.yaml`."""
    server = ChangingServer()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            time.sleep(server.latency_s)
            with lock:
                status, plain = server.reply(body)
            reply = json.dumps(plain).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            """Nothing: the test's output is its own."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    http = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    server.base_url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    (folder / "models.yaml").write_text(f"- name: openai/adder\n  base_url: {server.base_url}\n  endpoint: chat\n")
    rows = [f"{number + 10} + {number * 7 % 100},{number + 10 + number * 7 % 100},test" for number in range(count)]
    (folder / "sums.csv").write_text("\n".join(["sum,total,split", *rows]) + "\n")
    (folder / "sums.yaml").write_text(
        "scenario: sums\nsource: {file: sums.csv, split_column: split}\ninput: '{sum}'\nanswer: total\n"
        "prompting: {method: generation, shots: 0}\nmetric: exact_match\n"
    )
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()

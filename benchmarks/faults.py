"""What failures and latency cost: 10,000 requests at 100 ms and 256 at once, without faults and with 13 % of them.

    ASSAY_SHARED=../shared python benchmarks/faults.py [requests [concurrency]]

Faults: 5 % of attempts get 429 with Retry-After 1 s, 5 % get 500, 2 % a dropped connection, 1 % half a body. Printed for
each run: wall time over the least possible (requests / concurrency x 0.1 s; two idle cores are needed to come near it),
requests a trial, answers lost, CPU a trial, and the limit on requests at once that the engine ended with. Independent faults
of 13 % need 1 / 0.87 = 1.149 requests a trial. Last, requests to an endpoint that stops answering half-way, until it is
given up after a minute.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from assay.engine import Counters, Engine, Event, ResponseCache, Stopped, in_order  # noqa: E402
from assay.models import open_model  # noqa: E402
from assay.records import Request, Response  # noqa: E402
from fake_servers import MockServer, mock_server  # noqa: E402

WINDOW, BEHIND = 2048, 8192
LATENCY = ("--latency-ms", "100")
KINDS = ",".join(["429"] * 5 + ["500"] * 5 + ["drop"] * 2 + ["truncate"])
FAULTS = ("--error-rate", "0.13", "--error-kinds", KINDS, "--retry-after", "1")


@dataclass
class Measured:
    """One run through the engine."""

    counters: Counters
    cuts: int
    lost: int
    wall_s: float
    cpu_s: float
    stopped: str = ""


async def measured(server: MockServer, count: int, concurrency: int, die_after: int | None = None) -> Measured:
    """Ask `count` requests; the server's process is killed after `die_after` answers."""
    config = server.config(concurrency=concurrency)
    model = open_model(config.name, {config.name: config})
    events: list[Event] = []
    with tempfile.TemporaryDirectory() as folder, ResponseCache(Path(folder) / "responses.sqlite") as cache:
        async with Engine(cache, on_event=lambda event: events.append(event) if event.what == "limit" else None) as engine:

            async def ask(number: int) -> Response:
                return await engine.ask(model, Request(prompt=f"Item {number}. Which one?\nA. a\nB. b\nAnswer:", max_tokens=5))

            wall, cpu, lost, done, stopped = time.perf_counter(), time.process_time(), 0, 0, ""
            try:
                async for response in in_order(range(count), ask, WINDOW, BEHIND):
                    lost += response.failure is not None
                    done += 1
                    if done == die_after:
                        server.kill()
            except Stopped as error:
                stopped = str(error)
            took = time.perf_counter() - wall, time.process_time() - cpu
            await model.close()
            return Measured(engine.counters(model), len(events), lost, *took, stopped)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    shared = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared")
    concurrency = int(sys.argv[2]) if len(sys.argv) > 2 else 256
    least = count / concurrency * 0.1
    print(f"{count} requests at 100 ms, at most {concurrency} at once; least possible wall time {least:.2f} s")
    clean = 0.0
    for name, faults in (("no faults", ()), ("13 % faults", FAULTS)):
        with mock_server(shared, *LATENCY, *faults) as server:
            run = asyncio.run(measured(server, count, concurrency))
            sent = server.stats()["requests"]
        clean = clean or run.wall_s
        print(
            f"{name:12} {run.wall_s:6.2f} s wall, {run.wall_s / least:.3f} x the least, {run.wall_s / clean:.2f} x no faults; "
            f"{sent / count:.4f} requests a trial, {run.lost} lost; {run.cpu_s / count * 1000:.3f} ms CPU a trial; "
            f"limit {run.counters.limit} in the end, {run.cuts} cuts"
        )
    with mock_server(shared, *LATENCY) as server:
        run = asyncio.run(measured(server, count, concurrency, die_after=count // 2))
    attempts = run.counters.answered + run.counters.retries + run.counters.failed
    print(f"dies at {count // 2}: {run.counters.answered} answered, {attempts} attempts; {run.wall_s:.0f} s; {run.stopped}")


if __name__ == "__main__":
    main()

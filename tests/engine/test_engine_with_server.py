"""The engine and the OpenAI-compatible model against a real server process, with its errors and with processes killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from assay.engine import Counters, EndpointDown, Engine, Event, ResponseCache, in_order
from assay.models import ModelConfig, open_model
from assay.records import Request, Response
from fake_servers import MockServer, free_port, mock_server, run

SOURCE = Path(__file__).resolve().parents[2] / "src"


def _prompt(number: int) -> str:
    return f"Item {number}. Which one?\nA. a\nB. b\nC. c\nD. d\nAnswer:"


async def _ask(
    config: ModelConfig, cache: ResponseCache | None, count: int, events: list[Event] | None = None, behind: int = 0
) -> tuple[list[Response], Counters]:
    model = open_model(config.name, {config.name: config})

    async def work(number: int) -> Response:
        response: Response = await engine.ask(model, Request(prompt=_prompt(number), max_tokens=5))
        return response

    try:
        async with Engine(cache, on_event=events.append if events is not None else None) as engine:
            responses = [response async for response in in_order(range(count), work, 64, behind)]
            return responses, engine.counters(model)
    finally:
        await model.close()


@pytest.mark.parametrize("kind", ["429", "500", "drop", "truncate"])
def test_five_percent_of_errors_lose_nothing_and_cost_little(shared: Path, kind: str) -> None:
    arguments = ("--error-rate", "0.05", "--error-kinds", kind, "--retry-after", "0.05")
    with mock_server(shared, *arguments) as server:
        responses, counters = run(_ask(server.config(), None, 200))
        stats = server.stats()
    assert all(response.failure is None for response in responses)
    assert stats["errors_total"] > 0
    assert counters.retries == stats["errors_total"]
    assert stats["requests"] == 200 + stats["errors_total"] <= 240
    assert sum(response.attempts for response in responses) == stats["requests"]


def test_thirteen_percent_of_all_kinds_of_faults_lose_nothing_double_nothing_and_cut_nothing(shared: Path) -> None:
    kinds = ",".join(["429"] * 5 + ["500"] * 5 + ["drop"] * 2 + ["truncate"])
    arguments = ("--error-rate", "0.13", "--error-kinds", kinds, "--retry-after", "0.2", "--latency-ms", "10", "--seed", "5")
    with mock_server(shared, *arguments) as server:
        responses, counters = run(_ask(server.config(concurrency=64), None, 1500, behind=2000))
        stats = server.stats()
    assert all(response.failure is None for response in responses)
    assert set(stats["errors_sent"]) == {"429", "500", "drop", "truncate"}
    assert stats["unique_bodies"] == 1500
    # An answer each, and a further request for each fault and for nothing else. By chance alone it is 1.149 a trial.
    assert stats["requests"] == 1500 + stats["errors_total"] <= 1.17 * 1500
    assert counters.limit > 32
    assert stats["max_concurrent"] <= 64


def test_an_endpoint_that_goes_down_half_way_is_given_up_and_the_same_again_asks_for_the_rest_only(
    shared: Path, tmp_path: Path
) -> None:
    count, concurrency, port = 600, 32, free_port()
    asked: list[Response] = []

    async def until_it_is_given_up(server: MockServer) -> None:
        model = open_model(config.name, {config.name: config})
        async with Engine(cache, outage_s=0.5) as engine:

            async def work(number: int) -> Response:
                return await engine.ask(model, Request(prompt=_prompt(number), max_tokens=5))

            try:
                async for response in in_order(range(count), work, 64):
                    asked.append(response)
                    if len(asked) == count // 3:
                        server.kill()
            finally:
                attempts.append(engine.counters(model).retries)
                await model.close()

    attempts: list[int] = []
    with ResponseCache(tmp_path / "r.sqlite") as cache:
        with mock_server(shared, "--latency-ms", "20", port=port) as server:
            config = server.config(concurrency=concurrency)
            with pytest.raises(EndpointDown, match=r"openai/mock-1 stopped answering.*cannot connect"):
                run(until_it_is_given_up(server))
        kept = len(cache)
        assert count // 3 <= kept < count
        assert attempts[0] <= 2 * concurrency + 10
        with mock_server(shared, port=port) as server:
            responses, counters = run(_ask(config, cache, count))
            stats = server.stats()
    assert responses[: len(asked)] == asked
    assert (counters.cached, counters.answered) == (kept, count - kept)
    assert stats["requests"] == count - kept


def test_a_request_nobody_waits_for_any_more_closes_its_connection() -> None:
    async def main() -> None:
        arrived, closed = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            arrived.set()
            while await reader.read(65536):
                pass
            closed.set()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        config = ModelConfig(name="openai/m", base_url=f"http://127.0.0.1:{port}/v1")
        model = open_model(config.name, {config.name: config})
        async with Engine(None) as engine:
            task = asyncio.create_task(engine.ask(model, Request(prompt="x")))
            await arrived.wait()
            assert not closed.is_set()
            task.cancel()
            await asyncio.wait_for(closed.wait(), 10)
        await model.close()
        server.close()

    run(main())


def test_the_configured_rate_of_requests_is_kept_to(shared: Path) -> None:
    with mock_server(shared) as server:
        run(_ask(server.config(requests_per_minute=1800), None, 24))
        # Three at once, then 30 a second: the last one comes after 0.7 s.
        assert server.stats()["span_s"] >= 0.65


def test_a_server_that_hangs_now_and_then_is_asked_again_after_the_timeout(shared: Path) -> None:
    with mock_server(shared, "--error-rate", "0.1", "--error-kinds", "hang", "--hang-s", "30") as server:
        responses, counters = run(_ask(server.config(timeout_s=0.3), None, 30))
    assert all(response.failure is None for response in responses)
    assert counters.retries > 0


def test_the_pause_a_server_asks_for_is_kept(shared: Path) -> None:
    events: list[Event] = []
    arguments = ("--error-rate", "0.3", "--error-kinds", "429", "--retry-after", "0.4")
    with mock_server(shared, *arguments) as server:
        started = time.monotonic()
        responses, _ = run(_ask(server.config(), None, 12, events))
        took = time.monotonic() - started
    waits = [event.wait_s for event in events if event.what == "retry" and event.kind == "rate_limit"]
    assert waits
    assert all(wait is not None and 0.4 <= wait <= 0.6 for wait in waits)
    assert took >= 0.4 * max(response.attempts - 1 for response in responses) > 0


def test_a_second_run_asks_nothing_and_gives_the_same(shared: Path, tmp_path: Path) -> None:
    with mock_server(shared) as server, ResponseCache(tmp_path / "r.sqlite") as cache:
        first, _ = run(_ask(server.config(), cache, 150))
        asked = server.stats()
        second, counters = run(_ask(server.config(), cache, 150))
        assert asked["requests"] == asked["unique_bodies"] == 150
        assert server.stats()["requests"] == 150
    assert second == first
    assert (counters.cached, counters.answered) == (150, 0)


def test_identical_requests_reach_the_server_once(shared: Path) -> None:
    async def main(server: MockServer) -> None:
        config = server.config()
        model = open_model(config.name, {config.name: config})
        async with Engine(None) as engine:

            async def work(number: int) -> Response:
                return await engine.ask(model, Request(prompt=_prompt(number // 10)))

            responses = [response async for response in in_order(range(100), work, 100)]
        await model.close()
        assert all(responses[n] == responses[n // 10 * 10] for n in range(100))

    with mock_server(shared, "--latency-ms", "30") as server:
        run(main(server))
        stats = server.stats()
    assert stats["requests"] == stats["unique_bodies"] == 10


def test_the_concurrency_a_user_sets_is_kept(shared: Path) -> None:
    with mock_server(shared, "--latency-ms", "10") as server:
        run(_ask(server.config(concurrency=5), None, 40))
        assert server.stats()["max_concurrent"] == 5


CLIENT = """
    import asyncio, sys
    from assay.engine import Engine, ResponseCache, in_order
    from assay.models import ModelConfig, open_model
    from assay.records import Request

    base_url, path, count, concurrency = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

    async def main():
        config = ModelConfig(name="openai/mock-1", base_url=base_url, concurrency=concurrency)
        model = open_model("openai/mock-1", {"openai/mock-1": config})
        with ResponseCache(path) as cache:
            async with Engine(cache) as engine:
                async def work(number):
                    return await engine.ask(model, Request(prompt=f"Item {number}. Which?\\nAnswer:", max_tokens=5))
                failed = sum([1 async for response in in_order(range(count), work, 64) if response.failure])
        await model.close()
        sys.exit(1 if failed else 0)

    asyncio.run(main())
"""


def _client(server: MockServer, path: Path, count: int, concurrency: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", textwrap.dedent(CLIENT), server.base_url, str(path), str(count), str(concurrency)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OPENAI_API_KEY": "sk-test"}
    return subprocess.Popen(command, env=environment)


def test_a_process_killed_in_the_middle_loses_at_most_what_was_in_flight(shared: Path, tmp_path: Path) -> None:
    count, concurrency = 400, 16
    with mock_server(shared, "--latency-ms", "20") as server:
        client = _client(server, tmp_path / "r.sqlite", count, concurrency)
        while server.stats()["requests"] < count // 3:
            assert client.poll() is None
            time.sleep(0.01)
        client.send_signal(signal.SIGKILL)
        client.wait()
        before = server.stats()["requests"]
        assert before < count
        assert _client(server, tmp_path / "r.sqlite", count, concurrency).wait(30) == 0
        stats = server.stats()
    assert stats["unique_bodies"] == count
    assert stats["requests"] <= count + concurrency
    with ResponseCache(tmp_path / "r.sqlite") as cache:
        assert len(cache) == count


def test_two_processes_share_one_cache(shared: Path, tmp_path: Path) -> None:
    with mock_server(shared, "--latency-ms", "5") as server:
        clients = [_client(server, tmp_path / "r.sqlite", 150, 8) for _ in range(2)]
        assert [client.wait(30) for client in clients] == [0, 0]
        asked = server.stats()["requests"]
        # Not only does each get all answers: what one process is asking the other one waits for.
        assert asked == server.stats()["unique_bodies"] == 150
        assert _client(server, tmp_path / "r.sqlite", 150, 8).wait(30) == 0
        assert server.stats()["requests"] == asked
    with ResponseCache(tmp_path / "r.sqlite") as cache:
        assert len(cache) == 150


def test_a_server_that_is_not_there_is_said_within_seconds_with_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    config = ModelConfig(name="openai/m", base_url=f"http://127.0.0.1:{port}/v1")
    started = time.monotonic()
    with pytest.raises(
        EndpointDown, match=rf"openai/m cannot be asked.*cannot connect to http://127\.0\.0\.1:{port}/v1/.*base_url"
    ):
        run(_ask(config, None, 1000))
    assert time.monotonic() - started < 15


def test_a_wrong_key_names_the_variable_and_is_asked_about_a_few_times_only(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_TEST_KEY", "sk-very-secret")
    with mock_server(shared, "--api-key", "sk-right") as server:
        with pytest.raises(EndpointDown, match=r"401.*ASSAY_TEST_KEY") as raised:
            run(_ask(server.config(), None, 1000))
        # As many as there are slots, and one in the place of each failure before the third, which decides.
        assert server.stats()["requests"] <= 16 + 2
        assert "very-secret" not in str(raised.value)
        monkeypatch.setenv("ASSAY_TEST_KEY", "sk-right")
        responses, _ = run(_ask(server.config(), None, 3))
    assert all(response.failure is None for response in responses)

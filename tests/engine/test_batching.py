from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assay.engine import Engine, ResponseCache
from assay.errors import AssayError
from assay.records import Failure, Request, Response
from fake_models import FakeLocal, answer
from fake_servers import run


async def _ask_all(engine: Engine, model: FakeLocal, prompts: Sequence[str]) -> list[str]:
    responses = await asyncio.gather(*(engine.ask(model, Request(prompt=prompt)) for prompt in prompts))
    return [one.completions[0].text if one.completions else (one.failure.kind if one.failure else "") for one in responses]


def test_waiting_requests_become_full_batches_of_neighbours() -> None:
    async def main() -> FakeLocal:
        model = FakeLocal(size=4)
        async with Engine(None) as engine:
            prompts = ["b3", "a1", "c2", "b1", "a3", "c1", "a2", "b2", "a4", "c3", "b4", "c4"]
            assert await _ask_all(engine, model, prompts) == prompts
        return model

    model = run(main())
    assert sorted(model.batches) == [[f"{letter}{n}" for n in range(1, 5)] for letter in "abc"]


def test_nobody_waits_for_ever_behind_neighbours_that_keep_coming() -> None:
    def slow(requests: Sequence[Request]) -> list[Response]:
        time.sleep(0.005)
        return [answer("") for _ in requests]

    async def main() -> int:
        model = FakeLocal(slow, size=2)
        async with Engine(None) as engine:
            await engine.ask(model, Request(prompt="warm"))
            last = asyncio.create_task(engine.ask(model, Request(prompt="zzz")))
            others = [asyncio.create_task(engine.ask(model, Request(prompt=f"a{n}"))) for n in range(40)]
            await last
            done = sum(task.done() for task in others)
            await asyncio.gather(*others)
        return done

    assert run(main()) <= 2


def test_the_model_runs_in_one_thread_that_is_not_the_event_loops() -> None:
    threads = set()

    def reply(requests: Sequence[Request]) -> list[Response]:
        threads.add(threading.get_ident())
        return [answer("") for _ in requests]

    async def main() -> None:
        async with Engine(None) as engine:
            model = FakeLocal(reply, size=2)
            await _ask_all(engine, model, [str(n) for n in range(9)])

    run(main())
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_one_request_that_breaks_a_batch_fails_alone() -> None:
    def reply(requests: Sequence[Request]) -> list[Response]:
        if any(request.prompt == "poison" for request in requests):
            raise ZeroDivisionError("poison")
        return [answer("fine") for _ in requests]

    async def main() -> list[str]:
        async with Engine(None) as engine:
            return await _ask_all(engine, FakeLocal(reply, size=8), ["a", "poison", "b", "c"])

    assert run(main()) == ["fine", "error", "fine", "fine"]


def test_a_failure_inside_a_batch_is_a_failed_response_and_is_not_kept(tmp_path: pytest.TempPathFactory) -> None:
    def reply(requests: Sequence[Request]) -> list[Response]:
        too_long = Response(failure=Failure(kind="context_length", message="too long"))
        return [too_long if request.prompt == "long" else answer("fine") for request in requests]

    async def main() -> None:
        with ResponseCache(f"{tmp_path}/r.sqlite") as cache:
            async with Engine(cache) as engine:
                model = FakeLocal(reply)
                assert await _ask_all(engine, model, ["a", "long"]) == ["fine", "context_length"]
                assert len(cache) == 1
                assert await _ask_all(engine, model, ["a", "long"]) == ["fine", "context_length"]
                assert model.batches == [["a", "long"], ["long"]]
                assert (engine.counters(model).cached, engine.counters(model).failed) == (1, 2)

    run(main())


def test_a_model_that_loses_responses_or_cannot_run_is_an_error_for_all_who_wait() -> None:
    def missing(requests: Sequence[Request]) -> list[Response]:
        raise AssayError("the weights are gone")

    async def ask(model: FakeLocal) -> None:
        async with Engine(None) as engine:
            await _ask_all(engine, model, ["a", "b", "c"])

    with pytest.raises(AssayError, match="gave 0 responses to 3 requests"):
        run(ask(FakeLocal(lambda requests: [])))
    with pytest.raises(AssayError, match="weights are gone"):
        run(ask(FakeLocal(missing)))


def test_a_cancelled_request_that_still_waits_is_never_computed() -> None:
    release = threading.Event()

    def reply(requests: Sequence[Request]) -> list[Response]:
        release.wait(10)
        return [answer("") for _ in requests]

    async def main() -> list[list[str]]:
        model = FakeLocal(reply, size=1)
        async with Engine(None) as engine:
            tasks = [asyncio.create_task(engine.ask(model, Request(prompt=prompt))) for prompt in "abc"]
            while not model.batches:
                await asyncio.sleep(0.001)
            first = model.batches[0][0]
            unwanted = next(prompt for prompt in "abc" if prompt != first)
            tasks["abc".index(unwanted)].cancel()
            await asyncio.sleep(0)
            release.set()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert [unwanted] not in model.batches
        return model.batches

    assert len(run(main())) == 2


class Interruptible(FakeLocal):
    """Computes until it is let go or interrupted; interrupted, it has answered only the first request."""

    def __init__(self, size: int) -> None:
        super().__init__(self.compute, size=size)
        self.began, self.go = threading.Event(), threading.Event()
        self.interrupted = False

    def compute(self, requests: Sequence[Request]) -> list[Response]:
        self.began.set()
        assert self.go.wait(20)
        done = [answer(str(request.prompt)) for request in requests]
        failure = Response(failure=Failure(kind="interrupted", message="no"))
        return [done[0], *(failure for _ in done[1:])] if self.interrupted else done

    def interrupt(self) -> None:
        self.interrupted = True
        self.go.set()


def kept_after_stopping(cache_file: Path, stop: Callable[[list[asyncio.Task[Response]], Interruptible], None]) -> list[str]:
    """Which of the requests a1, a2, a3 have an answer in the cache after `stop(tasks that ask them, model)`."""

    async def main() -> list[str]:
        model, cache = Interruptible(2), ResponseCache(cache_file)
        async with Engine(cache) as engine:
            tasks = [asyncio.create_task(engine.ask(model, Request(prompt=f"a{n}"))) for n in (1, 2, 3)]
            await asyncio.to_thread(model.began.wait, 20)
            stop(tasks, model)
            await asyncio.gather(*tasks, return_exceptions=True)
            lane = engine._lane(model)
            keys = [lane.keyed(Request(prompt=f"a{n}")).key for n in (1, 2, 3)]
            kept = await cache.get_all(keys)
        cache.close()
        assert all(task.cancelled() for task in tasks[:2])
        return [one.completions[0].text for one in kept if one is not None]

    return run(main())


def test_what_a_batch_had_answered_when_everybody_left_is_kept_and_it_is_told_to_end(tmp_path: Path) -> None:
    def stop(tasks: list[asyncio.Task[Response]], model: Interruptible) -> None:
        for task in tasks:
            task.cancel()

    assert kept_after_stopping(tmp_path / "cache.sqlite", stop) == ["a1"]


def test_a_batch_that_somebody_waits_for_is_not_ended(tmp_path: Path) -> None:
    async def main() -> tuple[bool, list[str]]:
        model, cache = Interruptible(2), ResponseCache(tmp_path / "cache.sqlite")
        async with Engine(cache) as engine:
            left, stays = (asyncio.create_task(engine.ask(model, Request(prompt=f"a{n}"))) for n in (1, 2))
            await asyncio.to_thread(model.began.wait, 20)
            left.cancel()
            await asyncio.sleep(0.05)
            model.go.set()
            await asyncio.gather(left, return_exceptions=True)
            texts = [(await stays).completions[0].text, (await engine.ask(model, Request(prompt="a1"))).completions[0].text]
        cache.close()
        return model.interrupted, [*texts, str(len(model.batches))]

    assert run(main()) == (False, ["a2", "a1", "1"])


def test_all_requests_of_a_trial_leave_a_batch_together(tmp_path: Path) -> None:
    """Leaving one after the other, each would wait for the batch that the next still seems to want."""

    async def main() -> bool:
        model = Interruptible(4)
        async with Engine(None) as engine:
            trial = asyncio.create_task(engine.ask_all(model, [Request(prompt=f"a{n}") for n in range(4)]))
            await asyncio.to_thread(model.began.wait, 20)
            trial.cancel()
            await asyncio.gather(trial, return_exceptions=True)
        return model.interrupted

    assert run(main())

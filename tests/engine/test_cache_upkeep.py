from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from assay.engine import Entry, Keys, ResponseCache
from assay.engine.claims import Claims
from assay.engine.storage import Storage
from assay.engine.upkeep import DAMAGED, Conditions, ModelStats, Pruned, prune, question, statistics
from assay.records import Message, Request
from fake_models import FakeEndpoint, answer
from fake_servers import run

DAY = 86_400


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    """40 responses: every other one of model f/a and of f/b, number n last used n days ago."""
    with closing(Storage(tmp_path / "r.sqlite")) as opened:
        opened.write([entry(number) for number in range(40)])
        now = int(time.time())
        changes = [(now - DAY * number, bytes.fromhex(entry(number).key)) for number in range(40)]
        opened._connection.executemany("UPDATE responses SET used = ? WHERE key = ?", changes)
        yield opened


def request(number: int) -> Request:
    return Request(prompt=str(number) * 700, max_tokens=number + 1)


def entry(number: int) -> Entry:
    preimage = Keys(FakeEndpoint(name=f"f/{'ab'[number % 2]}")).preimage(request(number))
    response = msgspec.structs.replace(answer(str(number) * 900, prompt_tokens=number), asked_at=float(number))
    return Entry(Keys(FakeEndpoint(name=f"f/{'ab'[number % 2]}")).key(request(number)), preimage, response)


def left(storage: Storage) -> set[int]:
    found = storage.read([entry(number).key for number in range(40)])
    return {number for number, response in enumerate(found) if response is not None}


def pruned(storage: Storage, tmp_path: Path, **conditions: object) -> Pruned:
    dry = prune(storage, None, Conditions(**conditions))
    assert left(storage) == set(range(40))
    with closing(Claims(tmp_path / "r.sqlite", alone=True)) as claims:
        done = prune(storage, claims, Conditions(**conditions))
    assert done.responses >= dry.responses
    assert done.left == len(left(storage)) == 40 - done.responses
    return done


def test_statistics_add_up_by_model(storage: Storage) -> None:
    size = dict.fromkeys("ab", 0)
    for row in storage.rows():
        size["a" if b'"f/a"' in row.preimage else "b"] += row.size
    assert statistics(storage) == [
        ModelStats(
            model="f/a", responses=20, bytes=size["a"], prompt_tokens=380, completion_tokens=20, oldest=0.0, newest=38.0
        ),
        ModelStats(
            model="f/b", responses=20, bytes=size["b"], prompt_tokens=400, completion_tokens=20, oldest=1.0, newest=39.0
        ),
    ]


def test_what_is_damaged_is_counted_apart_and_harms_nothing(storage: Storage) -> None:
    storage._connection.execute("UPDATE responses SET preimage = x'00', response = x'00' WHERE rowid = 1")
    storage._connection.execute("UPDATE responses SET preimage = 'text', response = 7 WHERE rowid = 2")
    assert {stats.model: stats.responses for stats in statistics(storage)} == {"f/a": 19, "f/b": 19, DAMAGED: 2}
    assert prune(storage, None, Conditions(keep=frozenset())).responses == 40


def test_what_was_not_used_for_long_goes(storage: Storage, tmp_path: Path) -> None:
    done = pruned(storage, tmp_path, used_before=time.time() - 9.5 * DAY)
    assert left(storage) == set(range(10))
    assert done.responses == 30


def test_only_responses_that_meet_every_condition_go(storage: Storage, tmp_path: Path) -> None:
    pruned(storage, tmp_path, used_before=time.time() - 9.5 * DAY, models=("f/b",))
    assert left(storage) == {*range(10), *range(10, 40, 2)}


def test_what_runs_asked_stays_whatever_its_settings_and_so_does_what_their_helpers_said(
    storage: Storage, tmp_path: Path
) -> None:
    kept = frozenset(question(FakeEndpoint(name="f/a").identity, request(number).prompt, None) for number in (0, 1, 4))
    pruned(storage, tmp_path, keep=kept, keep_models=frozenset({"f/b"}))
    assert left(storage) == {0, 4, *range(1, 40, 2)}  # number 1 was asked of the other model


def test_a_question_to_a_chat_model_is_recognised_too(storage: Storage) -> None:
    model, prompt = FakeEndpoint(name="f/a"), (Message(role="system", content="s"), Message(role="user", content="ü"))
    asked = Request(prompt=prompt, continuation="x")
    storage.write([Entry(Keys(model).key(asked), Keys(model).preimage(asked), answer("a"))])
    conditions = Conditions(keep=frozenset({question(model.identity, prompt, "x")}))
    assert prune(storage, None, conditions).left == 1


@pytest.mark.parametrize("most", [32_768, 40_000, 60_000, 10**9])
def test_the_file_becomes_as_small_as_wanted_and_what_was_used_last_stays(storage: Storage, tmp_path: Path, most: int) -> None:
    before = storage.size()
    done = pruned(storage, tmp_path, most_bytes=most)
    size = (tmp_path / "r.sqlite").stat().st_size
    assert left(storage) == set(range(done.left))
    if most > before:
        assert done == Pruned(responses=0, bytes=0, left=40)
    else:
        assert size <= most
        assert size > most / 2
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_use_is_noted_once_a_day_and_reading_otherwise_writes_nothing(storage: Storage, tmp_path: Path) -> None:
    def uses() -> dict[int, int]:
        numbers = {bytes.fromhex(entry(number).key): number for number in range(40)}
        return {numbers[row.key]: row.used for row in storage.rows()}

    before = uses()
    for _ in range(2):
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            version = storage._connection.execute("PRAGMA data_version").fetchone()
            cache.lookup(entry(number).key for number in (0, 5, 39))
    assert storage._connection.execute("PRAGMA data_version").fetchone() == version  # the second time nothing was written
    after = uses()
    assert {number for number in before if after[number] != before[number]} == {5, 39}
    assert all(time.time() - after[number] < 600 for number in (5, 39))


def test_pruning_beside_a_running_cache_of_this_process_harms_neither(storage: Storage, tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            assert await cache.get(entry(39).key) is not None
            with closing(Claims(tmp_path / "r.sqlite")) as claims:
                prune(storage, claims, Conditions(used_before=time.time() - 9.5 * DAY))
            assert await cache.get(entry(39).key) is None
            assert await cache.put(entry(39)) == entry(39).response
            assert await cache.get(entry(3).key) == entry(3).response

    run(main())

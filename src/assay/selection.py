"""Which instances a run asks, and the pool its examples come from."""

from __future__ import annotations

import heapq
import itertools
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast, overload

import msgspec

from assay.errors import AssayError
from assay.identity import digest_of_lists, ranking, seed_for
from assay.prompting.fewshot import unlike
from assay.records import DataIdentity, Instance, Split
from assay.scenarios import Scenario

pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(list[Instance]).decode
_parts = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_instance = msgspec.msgpack.Decoder(Instance).decode

TOGETHER = 32
"""Instances that are compressed together: enough for text to shrink to a third or a quarter, few enough to find one soon."""

BEGINNING = 8
"""Bytes of a rank that are kept to tell whether two may be the same: a million rows take 8 MB."""
HIGHEST = b"\xff" * 32
"""No rank is higher."""


class Instances(Sequence[Instance]):
    """Instances in their order, held compressed and made when they are looked at: there may be many.

    Args:
        instances: themselves, or what `pack` made of them.
    """

    def __init__(self, instances: Iterable[Instance | msgspec.Raw] = ()) -> None:
        self._blocks: list[bytes] = []
        self._count = 0
        stream = iter(instances)
        while block := list(itertools.islice(stream, TOGETHER)):
            self._blocks.append(zlib.compress(pack(block), level=1))
            self._count += len(block)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Instance]:
        for block in self._blocks:
            yield from _unpack(zlib.decompress(block))

    @overload
    def __getitem__(self, place: int) -> Instance: ...

    @overload
    def __getitem__(self, place: slice) -> Instances: ...

    def __getitem__(self, place: int | slice) -> Instance | Instances:
        found = range(self._count)[place]
        return self._at(found) if isinstance(found, int) else Instances(map(self._at, found))

    def _at(self, place: int) -> Instance:
        block, position = divmod(place, TOGETHER)
        return _instance(_parts(zlib.decompress(self._blocks[block]))[position])


@dataclass(frozen=True)
class Selection:
    """The instances a run uses: those it asks, and the pool its examples come from."""

    asked: Instances
    pool: Instances
    data: DataIdentity


def splits_of(scenario: Scenario, wanted: tuple[str, ...], *, helm: bool) -> tuple[Split, ...]:
    """The splits to ask: those wanted, or by default test where there is one, else valid; with `helm` both."""
    if wanted:
        return cast(tuple[Split, ...], wanted)
    both: tuple[Split, ...] = ("valid", "test")
    return both if helm else ("test",) if "test" in scenario.source.splits() else ("valid",)


def select(
    scenario: Scenario, name: str, split: tuple[Split, ...], limit: int | None, seed: int, *, helm: bool = False
) -> Selection:
    """Pick the instances to ask, and read the pool of examples.

    Which instances a limit picks depends on the seed and their ids alone, and a larger limit picks a superset, so that raising
    it asks only for what is new. The order is that of the source. With `helm`, HELM's own choice and order.

    Raises:
        AssayError: the splits hold no instance, or the data cannot be read.
    """
    available = scenario.source.splits()
    seen: set[str] = set()
    parts = [part for part in split if part in available]
    stream = (instance for part in parts for instance in scenario.instances(part, seen))
    if limit is None:
        asked = Instances(stream)
    elif scenario.id_of is not None and not helm:
        asked = Instances(_few_of_many(scenario, parts, limit, seed))
    elif helm:
        everything = Instances(stream)
        asked = Instances(everything[position] for position in helm_positions(len(everything), limit))
    else:
        keyed = ((seed_for(seed, "eval", instance.id), place, pack(instance)) for place, instance in enumerate(stream))
        picked = sorted(heapq.nsmallest(limit, keyed), key=lambda item: item[1])
        asked = Instances(msgspec.Raw(packed) for _, _, packed in picked)
    if not asked:
        has = ", ".join(available) or "nothing"
        raise AssayError(f"scenario {name} has no instances in {' or '.join(split)}", f"its splits: {has}")
    pool = Instances()
    if "train" in available and "train" not in split:
        examples = scenario.instances("train", set())
        pool = Instances(examples if helm else unlike(examples, asked))
    order: tuple[Split, ...] = ("train", "valid", "test")
    used = [part for part in order if part in available and (part in split or part == "train")]
    files = tuple(dict.fromkeys(file for part in used for file in scenario.source.read(part).files))
    data = DataIdentity(source=scenario.source.identity, files=files, instances=digest_of_lists(asked, pool))
    return Selection(asked, pool, data)


def _few_of_many(scenario: Scenario, split: Sequence[Split], limit: int, seed: int) -> Iterator[Instance]:
    """The instances that a limit picks, where ids can be told from rows: only rows that are picked become instances.

    Raises:
        AssayError: as with `Scenario.names`, or an id appears twice.
    """
    rank = ranking(seed, "eval")
    beginnings = bytearray()
    first = [0]
    best: list[tuple[bytes, int]] = []
    worst = HIGHEST
    for part in split:
        place = first[-1]
        for names in scenario.names(part):
            ranks = list(map(rank, names))
            beginnings += b"".join([one[:BEGINNING] for one in ranks])
            best += [(one, at) for at, one in enumerate(ranks, place) if one <= worst]
            if len(best) > 2 * limit + TOGETHER:
                best = heapq.nsmallest(limit, best)
                worst = best[-1][0] if best else b""
            place += len(ranks)
        first.append(place)
    if _some_twice(beginnings):
        _check_names(scenario, split)
    marks = bytearray(first[-1])
    for _, at in heapq.nsmallest(limit, best):
        marks[at] = 1
    for part, begin, end in zip(split, first, first[1:], strict=False):
        yield from scenario.picked(part, marks[begin:end])


def _some_twice(beginnings: bytearray) -> bool:
    """Whether any two of the ranks that begin so may be the same."""
    import numpy as np

    sorted_ = np.sort(np.frombuffer(beginnings, dtype=f"u{BEGINNING}"))
    return bool((sorted_[1:] == sorted_[:-1]).any())


def _check_names(scenario: Scenario, split: Sequence[Split]) -> None:
    """Refuse a scenario two of whose rows have one id.

    Raises:
        AssayError: says which.
    """
    seen: set[str] = set()
    for name in itertools.chain.from_iterable(names for part in split for names in scenario.names(part)):
        if name in seen:
            raise scenario.twice(name)
        seen.add(name)


def helm_positions(count: int, wanted: int) -> list[int]:
    """The positions HELM asks, in its order: a choice without replacement by numpy's legacy generator with seed 0."""
    import numpy as np

    if wanted >= count:
        return list(range(count))
    return [int(position) for position in np.random.RandomState(0).choice(count, wanted, replace=False)]

"""Which instances a run asks, and the pool its examples come from."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast, overload

import msgspec

from assay.errors import AssayError
from assay.identity import digest, digest_of_lists, ranking, seed_for
from assay.records import DataIdentity, Instance, Split
from assay.scenarios import Scenario

pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Instance).decode


class Instances(Sequence[Instance]):
    """Instances in their order, each held as a few bytes beside its text and made when it is looked at: there may be many."""

    def __init__(self, instances: Iterable[Instance] = ()) -> None:
        self.packed = [pack(instance) for instance in instances]

    def __len__(self) -> int:
        return len(self.packed)

    def __iter__(self) -> Iterator[Instance]:
        return map(_unpack, self.packed)

    @overload
    def __getitem__(self, place: int) -> Instance: ...

    @overload
    def __getitem__(self, place: slice) -> Instances: ...

    def __getitem__(self, place: int | slice) -> Instance | Instances:
        if isinstance(place, int):
            return _unpack(self.packed[place])
        part = Instances()
        part.packed = self.packed[place]
        return part


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
        asked = Instances()
        asked.packed = [packed for _, _, packed in sorted(heapq.nsmallest(limit, keyed), key=lambda item: item[1])]
    if not asked:
        has = ", ".join(available) or "nothing"
        raise AssayError(f"scenario {name} has no instances in {' or '.join(split)}", f"its splits: {has}")
    pool = Instances(() if "train" in split or "train" not in available else scenario.instances("train", set()))
    if len(pool) and not helm:
        questions = {digest(instance.input) for instance in asked}
        pool = Instances(instance for instance in pool if digest(instance.input) not in questions)
    order: tuple[Split, ...] = ("train", "valid", "test")
    used = [part for part in order if part in available and (part in split or part == "train")]
    files = tuple(dict.fromkeys(file for part in used for file in scenario.source.read(part).files))
    data = DataIdentity(source=scenario.source.identity, files=files, instances=digest_of_lists(asked, pool))
    return Selection(asked, pool, data)


def _few_of_many(scenario: Scenario, split: Sequence[Split], limit: int, seed: int) -> Iterator[Instance]:
    """The instances that a limit picks, where ids can be told from rows: only rows that are picked become instances."""
    rank = ranking(seed, "eval")
    seen: set[str] = set()
    keyed = (
        (rank(name), place, part, position, row)
        for place, part in enumerate(split)
        for name, position, row in scenario.named_rows(part, seen)
    )
    picked = heapq.nsmallest(limit, keyed, key=lambda item: item[0])
    for _, _, part, position, row in sorted(picked, key=lambda item: (item[1], item[3])):
        instance = scenario.instance_of(row, part, position)
        if instance is not None:
            yield instance


def helm_positions(count: int, wanted: int) -> list[int]:
    """The positions HELM asks, in its order: a choice without replacement by numpy's legacy generator with seed 0."""
    import numpy as np

    if wanted >= count:
        return list(range(count))
    return [int(position) for position in np.random.RandomState(0).choice(count, wanted, replace=False)]

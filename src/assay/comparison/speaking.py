"""Which of several runs of a scenario speaks for each candidate.

Of runs that differ in how many items were asked, and in nothing else, the one with the most speaks. Of runs that differ
otherwise (a scenario was edited, shots or seed changed) the newest speaks, if that has all candidates asked alike; else the
newest way of asking that all of them share. Where they share none, each has its newest, and the contract says what differs.
The newest is the one that the last `assay run` planned, whose answers may be older than another's; else that with the latest
answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from assay.identity import digest
from assay.records import ModelIdentity, RunSpec
from assay.store.manifest import misnamed
from assay.store.wholeness import check_whole

if TYPE_CHECKING:
    from assay.comparison.evidence import Run

NAMED = 4
"""Runs and settings that a note names."""


def speaking(scenario: str, candidates: Mapping[str, Sequence[Run]]) -> tuple[dict[str, Run], list[str]]:
    """The run of each candidate, and what to say of the runs that are left out for it.

    Args:
        scenario: what tables call it.
        candidates: to their runs of it, at least one each.

    Raises:
        AssayError: of several runs one has a spec or a manifest that is not as it was written.
    """
    groups = {candidate: _groups(runs) for candidate, runs in candidates.items()}
    # Way of asking to the newest run asked so: later ones stand over earlier ones.
    ways = {candidate: {_way(run.file.spec): run for run in runs} for candidate, runs in groups.items()}
    chosen = {candidate: runs[-1] for candidate, runs in groups.items()}
    if len({_way(run.file.spec) for run in chosen.values()}) > 1:
        shared = set.intersection(*(set(held) for held in ways.values()))
        if shared:
            newest = max(shared, key=lambda way: (max(held[way].age for held in ways.values()), way))
            chosen = {candidate: held[newest] for candidate, held in ways.items()}
    left = [(run, chosen[candidate]) for candidate, runs in groups.items() for run in runs if run is not chosen[candidate]]
    return chosen, [_note(scenario, left)] if left else []


def _groups(runs: Sequence[Run]) -> list[Run]:
    """Of runs that differ in their number of items alone, the one with the most; the newest of these last."""
    if len(runs) == 1:
        return list(runs)
    check_whole((run.folder for run in runs), misnamed)
    alike: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        alike[digest(_any_number(run.file.spec))].append(run)

    def size(run: Run) -> tuple[bool, int, tuple[bool, float], str]:
        limit = run.file.spec.max_instances
        return limit is None, limit or 0, run.age, run.folder.name

    def age(same: list[Run]) -> tuple[tuple[bool, float], str]:
        return max((run.age, run.folder.name) for run in same)

    return [max(same, key=size) for same in sorted(alike.values(), key=age)]


def _any_number(spec: RunSpec) -> RunSpec:
    data = msgspec.structs.replace(spec.data, instances="")
    return msgspec.structs.replace(spec, max_instances=None, metrics=(), data=data)


def _way(spec: RunSpec) -> str:
    """What must agree between candidates: not who is asked, nor what is asked or rated besides."""
    anybody = {"model": ModelIdentity(name=""), "label": "", "perturbations": (), "formats": 1, "toxicity": None}
    return digest(msgspec.structs.replace(_any_number(spec), **anybody))


def _note(scenario: str, left: Sequence[tuple[Run, Run]]) -> str:
    """Which runs are left out, and in what each differs from the one that speaks in its place."""
    keys = sorted({key for run, instead in left for key in _differing(run.file.spec, instead.file.spec)})
    names = [run.folder.name for run, _ in left]
    return (
        f"{scenario}: of several runs, the newest that candidates have in common count; left out, as they differ in "
        f"{_listed(keys)}: {_listed(names)}. To compare others, give their folders."
    )


def _differing(one: RunSpec, other: RunSpec) -> Iterator[str]:
    first, second = (dict(_flat(msgspec.to_builtins(_any_number(spec)))) for spec in (one, other))
    yield from (key for key in first.keys() | second.keys() if first.get(key) != second.get(key))


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from _flat(inner, f"{prefix}{key}.")
        else:
            yield prefix + key, inner


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more

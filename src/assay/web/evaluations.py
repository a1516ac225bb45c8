"""Which of a candidate's evaluations of a scenario speaks for it where candidates are held against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from assay.web.entries import Entry

A_PART = 0.5
"""A run with less than this share of the most items that its candidate was asked does not count for how it is usually asked."""


def one_each(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """One run of each candidate on each scenario, in the order of the runs.

    Of several it is one that was asked as most candidates were, or, where that is the same, most often, or last; of these
    the one with the most items, and the newest of those. A candidate that was never asked so has its newest.
    """
    by_scenario: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_scenario[entry.title].append(entry)
    return tuple(entry for held in by_scenario.values() for entry in _one_each(held))


def _one_each(entries: Sequence[Entry]) -> Sequence[Entry]:
    of_candidate: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        of_candidate[entry.label].append(entry)
    if len(of_candidate) == len(entries):
        return entries
    usual = _usual(entries)
    speaking = set()
    for held in of_candidate.values():
        alike = [entry for entry in held if way(entry) == usual]
        size = 0 if not alike else max(entry.instances for entry in alike)
        speaking.add(max((entry for entry in alike or held if entry.instances >= size), key=_recency).slug)
    return [entry for entry in entries if entry.slug in speaking]


def way(entry: Entry) -> Hashable:
    """How a run was asked: runs of a scenario with the same are compared without reservation."""
    return frozenset(entry.terms.items())


def _recency(entry: Entry) -> tuple[float, int, str]:
    return entry.asked_at, entry.written, entry.slug


def _usual(entries: Iterable[Entry]) -> Hashable:
    """The way in which most candidates were asked, side experiments left out; else that of most runs, or the one asked last."""
    ways: dict[Hashable, list[Entry]] = defaultdict(list)
    largest: dict[str, int] = defaultdict(int)
    for entry in entries:
        ways[way(entry)].append(entry)
        largest[entry.label] = max(largest[entry.label], entry.instances)

    def weight(one: Hashable) -> tuple[int, int, tuple[float, int, str]]:
        held = ways[one]
        asked = {entry.label for entry in held if entry.instances >= A_PART * largest[entry.label]}
        return len(asked), len(held), max(map(_recency, held))

    return max(ways, key=weight)


def comparable(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Those of a scenario's runs that are held against each other: all of one suite, which asked them so on purpose; of
    several suites those that were asked as most were."""
    if len({entry.folder.path.parent for entry in entries}) < 2:
        return tuple(entries)
    usual = _usual(entries)
    return tuple(entry for entry in entries if way(entry) == usual)


def asked_otherwise(entries: Sequence[Entry]) -> str:
    """Which candidates are left out of what separates a scenario's runs, and in what they were asked otherwise; empty: none."""
    kept = comparable(entries)
    others = [entry for entry in entries if entry not in kept]
    if not others:
        return ""
    told = ", ".join(f"{entry.label} ({', '.join(differing(kept[0], entry))})" for entry in others)
    return f"without a tier, as asked otherwise: {told}."


def differing(one: Entry, other: Entry) -> list[str]:
    """The terms in which two runs were asked otherwise."""
    return sorted(key for key in {*one.terms, *other.terms} if one.terms.get(key) != other.terms.get(key))

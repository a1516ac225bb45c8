"""Cases that are there more than once, or nearly: among those that are asked, and between them and the examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from assay.checking.findings import Finding
from assay.checking.items import KEY, Item
from assay.checking.near import Sample, near_pairs
from assay.text import one_line

SHOWN = 60
FEW_NAMED = 4
"""Different answers that a message names."""


def repetition_findings(items: Sequence[Item], keys: bytearray, sample: Sample) -> Iterator[Finding]:
    """The same case more than once, with one answer or with several, and cases that are nearly the same: a finding a group.

    Args:
        items: all cases.
        keys: 16 bytes for each, one after another: the same where the cases are.
        sample: those that are compared with each other; where it is not all of them, a note says so.
    """
    leaked = set()
    for question in _groups(items, keys):
        for asked, example in _across([item for group in question for item in group]):
            leaked.add((asked.file, asked.row))
            yield _leak(
                asked, f"asks what the example in {_place(example, asked)} shows", "that one is never shown; remove one"
            )
        for group in question:
            for same in _sides(group):
                yield _same(same)
    different = sample.cases()
    near = _near([items[position] for position, _ in different], [text for _, text in different])
    yield from (finding for finding in near if finding.check != "leak" or (finding.file, *finding.rows) not in leaked)
    if not sample.complete:
        message = f"cases that are nearly the same were looked for among {len(sample):,} of {len(items):,}, chosen at random"
        yield Finding(severity="note", check="near duplicate", message=message, hint="those that are the same: among all")


def _groups(items: Sequence[Item], keys: bytearray) -> list[list[list[Item]]]:
    """The cases whose question is there more than once, in the order of the first; those with the same options together."""
    import numpy as np

    beginnings = np.frombuffer(keys, dtype="u8")[::2]
    rising = np.sort(beginnings)
    repeated = np.isin(beginnings, rising[1:][rising[1:] == rising[:-1]])
    alike: dict[bytes, dict[bytes, list[Item]]] = defaultdict(lambda: defaultdict(list))
    for place in np.flatnonzero(repeated).tolist():
        key = bytes(keys[place * KEY : (place + 1) * KEY])
        alike[key[: KEY // 2]][key].append(items[place])
    return [list(groups.values()) for groups in alike.values()]


def _same(group: Sequence[Item]) -> Finding:
    answers = list(dict.fromkeys(_said(item.gold) for item in group))
    if len({frozenset(item.gold) for item in group}) > 1:
        more = ", …" if len(answers) > FEW_NAMED else ""
        message = f"ask the same and have different answers: {', '.join(answers[:FEW_NAMED])}{more}"
        return _group("contradiction", group, message, "put the wrong one right, or let each accept all of them")
    return _group("duplicate", group, "ask the same", "all but one tell nothing new; remove them")


def _near(items: Sequence[Item], texts: Sequence[str]) -> Iterator[Finding]:
    """Near duplicates with one answer: with two, the small difference is what is asked."""
    groups: dict[int, int] = {}
    least: dict[int, float] = {}
    for one, other, likeness in near_pairs(texts):
        if set(items[one].gold) == set(items[other].gold):
            first = groups.setdefault(one, one)
            groups[other] = first
            least[first] = min(likeness, least.get(first, 1.0))
    for first, likeness in least.items():
        group = [items[position] for position in sorted(groups) if groups[position] == first]
        for asked, example in _across(group):
            yield _leak(asked, f"is nearly the example in {_place(example, asked)}", "put both into one split, or change one")
        for alike in _sides(group):
            yield _group(
                "near duplicate", alike, f"are nearly the same ({likeness:.0%} or more)", "give them one `group`, or keep one"
            )


def _across(group: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """Each case that is asked, with the first example."""
    example = next((item for item in group if item.split == "train"), None)
    for item in group:
        if example is not None and item.split != "train":
            yield item, example


def _sides(group: Sequence[Item]) -> Iterator[list[Item]]:
    """The cases that are asked, and the examples, where there are several."""
    for examples in (False, True):
        side = [item for item in group if (item.split == "train") == examples]
        if len(side) > 1:
            yield side


def _leak(asked: Item, message: str, hint: str) -> Finding:
    return Finding(severity="warning", check="leak", message=message, hint=hint, file=asked.file, rows=(asked.row,))


def _group(check: str, group: Sequence[Item], message: str, hint: str) -> Finding:
    """The rows are those of the first case's file; those of another are named with it."""
    file = group[0].file
    rows = tuple(item.row for item in group if item.file == file)
    others = ", ".join(_place(item, group[0]) for item in group if item.file != file)
    if others:
        message = f"{message}; here and in {others}"
    return Finding(severity="warning", check=check, message=message, hint=hint, file=file, rows=rows)


def _place(item: Item, seen_from: Item) -> str:
    return f"row {item.row}" + (f" of {item.file}" if item.file != seen_from.file else "")


def _said(texts: Iterable[str]) -> str:
    return one_line(" or ".join(repr(text) for text in texts), SHOWN) or "nothing"

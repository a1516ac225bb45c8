"""Checks of all cases together: enough of them, of every answer and every group, and nothing that answers for free."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from assay.checking.findings import Finding
from assay.checking.items import Item
from assay.scenarios.own.doubts import is_placeholder, shown, spellings
from assay.statistics.precision import clusters_for_share, half_width_of_share

MOST_SHARE = 0.75
"""Share of one answer from which on always saying it looks good."""
FEWEST = 5
"""Cases of an answer or a group below which nothing can be said of it."""
MOST_LABELS = 50
"""Different answers up to which they are labels."""
MOST_NAMED = 8
"""Rare options that are named."""
AT_ONE_PLACE = 0.6
"""Share of right answers at one place, above what is expected there, from which on guessing the place pays."""


def split_findings(items: Sequence[Item], file: str, shots: int) -> Iterator[Finding]:
    """Whether anything is asked, and whether there are the examples that the prompting shows."""
    counts = Counter(item.split for item in items)
    if not counts["test"] and not counts["valid"]:
        yield Finding(severity="error", check="split", message="no case is asked", hint="mark some rows as test", file=file)
    if shots and not counts["train"]:
        message = f"{shots} examples are wanted, and there are none"
        yield Finding(
            severity="note", check="split", message=message, hint="add a train split, or held_out; or shots: 0", file=file
        )
    elif counts["train"] < shots:
        message = f"{shots} examples are wanted, and there are {counts['train']}"
        yield Finding(severity="warning", check="split", message=message, hint="add train rows, or lower shots", file=file)


def label_findings(items: Sequence[Item], file: str) -> Iterator[Finding]:
    """Answers that are nearly always or hardly ever right, written in two ways, or always at the same place."""
    asked = [item for item in items if item.split != "train" and item.gold]
    labels = Counter(label for item in asked for label in item.gold)
    fixed = all(item.options == asked[0].options for item in asked) and any(
        len(item.gold) != len(item.options) for item in asked
    )
    if not asked or not (fixed or 1 < len(labels) <= min(MOST_LABELS, len(asked) / 3)):
        yield from _places(asked, file)
        return
    offered = asked[0].options if fixed else tuple(labels)
    most, count = labels.most_common(1)[0]
    if count / len(asked) > MOST_SHARE:
        message = f"{shown(most)} is right in {count} of {len(asked)} cases: always saying it scores {count / len(asked):.0%}"
        yield Finding(severity="warning", check="imbalance", message=message, hint="add cases of the others", file=file)
    written = spellings(labels)
    doubtful = {label for group in written for label in group} | {label for label in labels if is_placeholder(label)}
    rare = [label for label in offered if labels[label] < FEWEST and label not in doubtful]  # of those another finding tells
    if rare:
        message, hint = _rare(rare, labels, len(asked))
        yield Finding(severity="warning", check="imbalance", message=message, hint=hint, file=file)
    for group in written:
        message = "one answer is written in several ways: " + ", ".join(map(shown, group))
        yield Finding(severity="warning", check="spelling", message=message, hint="choose one", file=file)


def _rare(rare: Sequence[str], labels: Mapping[str, int], asked: int) -> tuple[str, str]:
    """What to say of options that are hardly ever right, all in one sentence, and what to do."""
    never = [label for label in rare if not labels[label]]
    hint = "add some, or nothing can be said of it" if labels[rare[0]] else "add cases, or remove the option"
    if len(rare) == 1:
        return f"{shown(rare[0])} is right in {labels[rare[0]]} of {asked} cases", hint
    listed = ", ".join(f"{shown(label)} ({labels[label]})" for label in rare[:MOST_NAMED])
    more = f" and {len(rare) - MOST_NAMED} more" if len(rare) > MOST_NAMED else ""
    hint = "add some, or nothing can be said of them" + ("; remove options that are never right" if never else "")
    return f"{len(rare)} options are right in fewer than {FEWEST} of {asked} cases each: {listed}{more}", hint


def _places(asked: Sequence[Item], file: str) -> Iterator[Finding]:
    """Options that differ from case to case: how many, and where the right one stands."""
    choices = [item for item in asked if len(item.gold) != len(item.options)]
    if not choices:
        return
    sizes = Counter(len(item.options) for item in choices)
    usual, count = sizes.most_common(1)[0]
    if len(sizes) > 1 and count > len(choices) / 2:
        rows = tuple(item.row for item in choices if len(item.options) != usual)
        message = f"the number of options is not {usual}, as elsewhere"
        yield Finding(severity="warning", check="options", message=message, hint="is one missing?", file=file, rows=rows)
    orders: dict[int, tuple[str, ...]] = {}
    changed = [i.row for i in choices if orders.setdefault(hash(frozenset(i.options)), i.options) != i.options]
    if changed and len(orders) == 1:
        message = "the same options stand in another order"
        hint = "fine if it is meant; a fixed list reads better: options: […]"
        yield Finding(severity="note", check="options", message=message, hint=hint, file=file, rows=tuple(changed))
    places = Counter(item.options.index(item.gold[0]) for item in choices)
    place, often = places.most_common(1)[0]
    if len(choices) >= 4 * FEWEST and not changed and often / len(choices) > max(AT_ONE_PLACE, 1.5 / usual):
        message = f"the right answer stands at place {place + 1} in {often} of {len(choices)} cases"
        yield Finding(severity="warning", check="imbalance", message=message, hint="shuffle the options", file=file)


def group_findings(items: Sequence[Item], file: str) -> Iterator[Finding]:
    """Subgroups with too few cases, with one value only, or without a value."""
    asked = [item for item in items if item.split != "train"]
    for axis in dict.fromkeys(axis for item in asked for axis in item.subgroups):
        counts = Counter(item.subgroups[axis] for item in asked if axis in item.subgroups)
        if len(counts) == 1:
            message = f"all cases are {shown(next(iter(counts)))}"
            yield Finding(severity="note", check="subgroup", message=message, hint="nothing to compare", file=file, column=axis)
            continue
        few = [f"{shown(group)} ({count})" for group, count in sorted(counts.items()) if count < FEWEST]
        if few:
            message = f"hardly any cases of {', '.join(few[:8])}"
            yield Finding(
                severity="warning", check="subgroup", message=message, hint="add some, or merge them", file=file, column=axis
            )
        rows = tuple(item.row for item in asked if axis not in item.subgroups)
        if rows:
            message = "1 case belongs to no group" if len(rows) == 1 else f"{len(rows)} cases belong to no group"
            yield Finding(severity="note", check="subgroup", message=message, file=file, rows=rows, column=axis)


def precision_findings(items: Sequence[Item], file: str, wanted: float | None) -> Iterator[Finding]:
    """How wide the interval of a share will be, of all cases and of the smallest group, and how many it takes.

    Args:
        items: the cases.
        file: where they lie.
        wanted: half width of the 95 % interval that is asked for; what misses it is a warning.
    """
    asked = [item for item in items if item.split != "train"]
    if not asked:
        return
    yield from _precision("a share", _independent(asked), file, wanted, "")
    for axis in dict.fromkeys(axis for item in asked for axis in item.subgroups):
        groups: dict[str, list[Item]] = defaultdict(list)
        for item in asked:
            if axis in item.subgroups:
                groups[item.subgroups[axis]].append(item)
        sizes = {name: _independent(groups[name]) for name in sorted(groups)}
        smallest = min(sizes, key=sizes.__getitem__)
        if len(groups) > 1:
            yield from _precision(f"a share among {shown(smallest)}", sizes[smallest], file, wanted, axis)


def _independent(items: Sequence[Item]) -> int:
    """How many independent units the cases belong to."""
    named = {item.cluster for item in items if item.cluster is not None}
    return len(named) + sum(item.cluster is None for item in items)


def _precision(what: str, clusters: int, file: str, wanted: float | None, column: str) -> Iterator[Finding]:
    width = half_width_of_share(clusters)
    target = wanted if wanted is not None else 0.05
    needed = clusters_for_share(target)
    if width is None or needed is None:
        return
    independent = "1 independent case tells" if clusters == 1 else f"{clusters:,} independent cases tell"
    message = f"{independent} {what} to within ±{width:.3f} (95 % interval)"
    enough = clusters >= needed
    if enough and wanted is None and column:
        return
    hint = "" if enough else f"±{target:g} takes {needed:,}"
    missed = wanted is not None and not enough
    yield Finding(
        severity="warning" if missed else "note", check="precision", message=message, hint=hint, file=file, column=column
    )

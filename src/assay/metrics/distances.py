"""How far two sequences are apart: edits, common subsequences, common beginnings.

All are bit-parallel: a column of the dynamic programme is one whole number, so that two texts of a thousand characters take
well under a millisecond, and time grows with the product of the lengths divided by the size of a machine word.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The fewest insertions, deletions and substitutions of single items that make one sequence of the other.

    Levenshtein's distance by the algorithm of Myers (1999), in the form of Hyyrö (2001).
    """
    if first == second:
        return 0
    if not first or not second:
        return len(first) + len(second)
    places = _places(first)
    full = (1 << len(first)) - 1
    last = 1 << (len(first) - 1)
    rises, falls, distance = full, 0, len(first)
    for item in second:
        found = places.get(item, 0)
        same = (((found & rises) + rises) ^ rises) | found | falls
        up = falls | (~(same | rises) & full)
        down = rises & same
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        up = (up << 1) | 1
        rises = ((down << 1) | (~(same | up) & full)) & full
        falls = up & same & full
    return distance


def common_subsequence(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The length of the longest sequence that both contain in order, though not necessarily in one piece.

    By the bit-vector algorithm of Hyyrö (2004).
    """
    places = _places(first)
    full = (1 << len(first)) - 1
    open_places = full
    for item in second:
        matched = open_places & places.get(item, 0)
        open_places = ((open_places + matched) | (open_places - matched)) & full
    return len(first) - open_places.bit_count()


def common_prefix(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The number of items at the beginning in which both agree."""
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        length += 1
    return length


def similarity(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """1 - edit distance / length of the longer one: 1 for equal sequences, 0 where nothing agrees or both are empty."""
    longer = max(len(first), len(second))
    return 1 - edit_distance(first, second) / longer if longer else 0.0


def _places(sequence: Sequence[Hashable]) -> dict[Hashable, int]:
    """For each item the set of its places, as the bits of a number."""
    places: dict[Hashable, int] = {}
    for place, item in enumerate(sequence):
        places[item] = places.get(item, 0) | (1 << place)
    return places

"""Which beginnings of texts to compute once: a tree over the token sequences of a batch.

A node holds tokens that several texts have in common at the same place; its children continue it. Texts that share a
few-shot block, and within it a question, are read as block, questions, options, each once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

GAIN = 8
"""Tokens that a shared beginning must save to be worth a node of its own."""


@dataclass(eq=False)
class Node:
    """Tokens after those of `parent`; `texts` are the sequences that end with this node."""

    parent: Node | None
    start: int
    """How many tokens come before it."""
    tokens: Sequence[int]
    texts: list[int] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)


def tree(texts: Sequence[Sequence[int]], *, gain: int = GAIN) -> list[Node]:
    """The roots of a forest in which every text is the path from a root to a node.

    Equal texts end in the same node. Empty texts are in none.

    Args:
        texts: token sequences.
        gain: a beginning of n tokens shared by k texts gets a node if n · (k - 1) is at least this.
    """
    order = sorted((number for number in range(len(texts)) if len(texts[number])), key=lambda number: tuple(texts[number]))
    roots: list[Node] = []
    # Ranges of `order` still to place: first, last + 1, the node they continue, and tokens known to be common to the range.
    todo: list[tuple[int, int, Node | None, int]] = _ranges(texts, order, 0, len(order), 0, None)
    while todo:
        first, last, parent, common = todo.pop()
        lowest, highest = texts[order[first]], texts[order[last - 1]]
        # In sorted order, what the outermost texts share is shared by all between them.
        while common < min(len(lowest), len(highest)) and lowest[common] == highest[common]:
            common += 1
        start = parent.start + len(parent.tokens) if parent else 0
        alike = len(lowest) == len(highest) == common
        if alike or (common - start) * (last - first - 1) >= gain:
            node = _node(roots, parent, start, lowest[start:common])
            while first < last and len(texts[order[first]]) == common:
                node.texts.append(order[first])
                first += 1
            todo += _ranges(texts, order, first, last, common, node)
        else:
            ending = first
            while ending < last and len(texts[order[ending]]) == common:
                ending += 1
            if ending > first:
                _node(roots, parent, start, lowest[start:]).texts.extend(order[first:ending])
            todo += _ranges(texts, order, ending, last, common, parent)
    return roots


def _node(roots: list[Node], parent: Node | None, start: int, tokens: Sequence[int]) -> Node:
    node = Node(parent, start, tokens)
    (parent.children if parent else roots).append(node)
    return node


def _ranges(
    texts: Sequence[Sequence[int]], order: Sequence[int], first: int, last: int, at: int, parent: Node | None
) -> list[tuple[int, int, Node | None, int]]:
    """Cut a range, in which all texts are longer than `at`, into those with the same token there; last range first."""
    ranges: list[tuple[int, int, Node | None, int]] = []
    while first < last:
        stop = first + 1
        while stop < last and texts[order[stop]][at] == texts[order[first]][at]:
            stop += 1
        ranges.append((first, stop, parent, at))
        first = stop
    return ranges[::-1]

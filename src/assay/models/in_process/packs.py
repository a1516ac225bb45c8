"""Many texts in one row: beginnings that texts share stand in it once.

A row of a pack is a token. It stands at a place of its text (0, 1, …) and follows another row, its parent; what it sees
is that row and all that came before it. So a pack is a tree, and a batch with a few-shot block, within it questions, and
within them options, costs no more rows than the different tokens that there are, and no padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.models.in_process.jobs import Job
from assay.models.in_process.sampling import Sample
from assay.models.in_process.words import common_prefix


@dataclass(frozen=True, eq=False)
class Leaf:
    """What ends in a row: a scoring job, or one sample of a generation job."""

    job: Job
    sample: Sample | None = None

    @property
    def text(self) -> Sequence[int]:
        """The tokens to read."""
        return self.job.text

    @property
    def asked_from(self) -> int:
        """The first place after which the distribution is needed."""
        return len(self.text) - len(self.job.targets) if self.job.targets else len(self.text) - 1

    @property
    def to_come(self) -> int:
        """Most tokens that may still be added."""
        return max(0, self.sample.request.max_tokens - self.sample.read) if self.sample else 0


@dataclass
class Pack:
    """Leaves and their rows. The first leaf's text stands in the first rows, in order."""

    leaves: list[Leaf]
    tokens: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """The row that each row follows, -1 for the first of a text."""
    owners: list[list[int]] = field(default_factory=list)
    """The numbers of the leaves whose texts each row belongs to."""
    ends: list[int] = field(default_factory=list)
    """The row in which each leaf ends so far."""

    def __post_init__(self) -> None:
        path: list[int] = []
        before: Sequence[int] = ()
        for number, leaf in enumerate(self.leaves):
            # In sorted order, a text shares more with its neighbour than with any other before it.
            path = path[: common_prefix(before, leaf.text)]
            for row in path:
                self.owners[row].append(number)
            for token in leaf.text[len(path) :]:
                path.append(self._append(token, path[-1] if path else -1, [number]))
            before = leaf.text
            self.ends.append(path[-1])

    def grow(self, leaf: int, token: int) -> int:
        """Add a token to a leaf's text; its row."""
        self.ends[leaf] = self._append(token, self.ends[leaf], [leaf])
        return self.ends[leaf]

    def asked(self) -> dict[int, list[tuple[Leaf, int]]]:
        """The rows after which somebody needs the distribution: the leaf, and the number of its target there."""
        found: dict[int, list[tuple[Leaf, int]]] = {}
        for leaf, end in zip(self.leaves, self.ends, strict=True):
            row = end
            for number in range(len(leaf.text) - 1 - leaf.asked_from, -1, -1):
                found.setdefault(row, []).append((leaf, number))
                row = self.parents[row]
        return found

    def _append(self, token: int, parent: int, owners: list[int]) -> int:
        self.tokens.append(token)
        self.places.append(self.places[parent] + 1 if parent >= 0 else 0)
        self.parents.append(parent)
        self.owners.append(owners)
        return len(self.tokens) - 1


def packs(jobs: Sequence[Job], most_rows: int, most_leaves: int) -> list[Pack]:
    """All that is to be done for some jobs, neighbours in sorted order together.

    Args:
        jobs: none of them with an empty text.
        most_rows: most rows of a pack, those that samples may add included; a single leaf may have more.
        most_leaves: most leaves of a pack.
    """
    leaves = []
    for job in jobs:
        samples = [sample for sample in job.samples if not sample.finish]
        leaves += [Leaf(job)] if job.targets else [Leaf(job, sample) for sample in samples]
    leaves.sort(key=lambda leaf: tuple(leaf.text))
    cut: list[list[Leaf]] = []
    rows = 0
    for leaf in leaves:
        shared = common_prefix(cut[-1][-1].text, leaf.text) if cut else 0
        more = len(leaf.text) - shared + leaf.to_come
        if not cut or rows + more > most_rows or len(cut[-1]) == most_leaves:
            cut.append([])
            rows = 0
            more = len(leaf.text) + leaf.to_come
        cut[-1].append(leaf)
        rows += more
    return [Pack(some) for some in cut]

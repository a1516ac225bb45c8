"""A pack holds every text once, and what a row sees is exactly the text before it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.models.in_process.jobs import Job
from assay.models.in_process.packs import packs

TEXTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=12)


def jobs(texts: list[list[int]]) -> list[Job]:
    return [Job(text, targets=[7] * ((number % len(text)) + 1)) for number, text in enumerate(texts)]


def path(parents: list[int], row: int) -> list[int]:
    rows = []
    while row >= 0:
        rows.append(row)
        row = parents[row]
    return rows[::-1]


@given(TEXTS, st.integers(1, 30), st.integers(1, 5))
def test_every_leaf_reads_its_own_text(texts: list[list[int]], rows: int, leaves: int) -> None:
    found = []
    for pack in packs(jobs(texts), rows, leaves):
        assert len(pack.leaves) <= leaves
        assert len(pack.tokens) <= rows or len(pack.leaves) == 1
        for number, (leaf, end) in enumerate(zip(pack.leaves, pack.ends, strict=True)):
            own = path(pack.parents, end)
            assert [pack.tokens[row] for row in own] == list(leaf.text)
            assert [pack.places[row] for row in own] == list(range(len(own)))
            assert [row for row, owners in enumerate(pack.owners) if number in owners] == own
        assert path(pack.parents, pack.ends[0]) == list(range(len(pack.leaves[0].text)))
        found += [leaf.text for leaf in pack.leaves]
    assert sorted(found) == sorted(texts)


@given(TEXTS)
def test_one_pack_has_a_row_for_each_different_beginning(texts: list[list[int]]) -> None:
    (pack,) = packs(jobs(texts), 10_000, 100)
    beginnings = {tuple(text[: end + 1]) for text in texts for end in range(len(text))}
    assert len(pack.tokens) == len(beginnings)


@given(TEXTS)
def test_targets_are_asked_for_in_the_last_rows_of_their_text(texts: list[list[int]]) -> None:
    (pack,) = packs(jobs(texts), 10_000, 100)
    asked = pack.asked()
    for leaf, end in zip(pack.leaves, pack.ends, strict=True):
        own = path(pack.parents, end)[-len(leaf.job.targets) :]
        assert [(leaf, number) in asked[row] for number, row in enumerate(own)] == [True] * len(own)
    assert sum(len(some) for some in asked.values()) == sum(len(leaf.job.targets) for leaf in pack.leaves)


def test_a_generated_token_follows_the_end_of_its_leaf() -> None:
    (pack,) = packs(jobs([[1, 2], [1, 3]]), 100, 10)
    row = pack.grow(1, 9)
    assert path(pack.parents, row) == [0, 2, 3]
    assert (pack.places[row], pack.owners[row], pack.ends[1]) == (2, [1], row)

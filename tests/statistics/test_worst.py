from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import registry
from assay.records import PerturbationKind
from assay.statistics.worst import NONE, Families, has_worst_case, worst_cases


def test_worst_is_the_smallest_where_higher_is_better_and_the_largest_where_lower_is() -> None:
    values = np.array([0.0, 1.0, 0.5])
    assert worst_cases(values, [[0, 1], [2, NONE]], "higher")[0].tolist() == [0.0, 0.5]
    assert worst_cases(values, [[0, 1], [2, NONE]], "lower")[0].tolist() == [1.0, 0.5]


def test_a_family_with_a_missing_member_is_left_out() -> None:
    worst, rows = worst_cases(np.array([1.0, np.nan, 0.0, 1.0]), [[0, 1], [2, 3]], "higher")
    assert (worst.tolist(), rows.tolist()) == ([0.0], [2])
    assert len(worst_cases(np.array([1.0]), [], "higher")[0]) == 0


def test_originals_meet_their_copies_within_one_draw() -> None:
    # a; a, second draw; a with typos; the same, second draw; b; a in dialect
    asked, rows = np.array([0, 1, 0, 1, 2, 0]), {None: [0, 1, 4], "typos": [2, 3], "dialect": [5]}
    families = Families(asked, {name: np.array(held) for name, held in rows.items()})
    groups = families.groups({"typos": "robustness", "dialect": "fairness"})
    assert {name: found.tolist() for name, found in groups.items()} == {
        "dialect": [[0, 5]],
        "fairness": [[0, 5], [1, NONE], [4, NONE]],
        "robustness": [[0, 2], [1, 3], [4, NONE]],
        "typos": [[0, 2], [1, 3]],
    }
    assert families.touched("typos").tolist() == [0, 1]


def test_a_copy_whose_original_was_not_asked_is_a_family_but_no_pair() -> None:
    families = Families(np.array([0, 1, 1]), {"typos": np.array([0, 2]), None: np.array([1])})
    kinds: dict[str, PerturbationKind] = {"typos": "robustness"}
    assert families.groups(kinds)["robustness"].tolist() == [[1, 2], [NONE, 0]]
    assert {name: (copies.tolist(), own.tolist()) for name, (copies, own) in families.pairs(kinds).items()} == {
        "robustness": ([2], [1]),
        "typos": ([2], [1]),
    }


def test_without_copies_there_is_nothing_to_compare() -> None:
    assert Families(np.arange(2), {None: np.arange(2)}).groups({"typos": "robustness"}) == {}


@pytest.mark.parametrize(
    ("name", "judged"),
    [("exact_match", True), ("reciprocal_rank", True), ("ece_10_bin", False), ("latency_s", False), ("answered", False)],
)
def test_only_metrics_that_judge_answers_have_a_worst_case(name: str, judged: bool) -> None:
    assert has_worst_case(registry.metrics.get(name)) is judged


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1), st.sampled_from(["higher", "lower"]))
def test_the_worst_is_the_minimum_or_maximum_of_each_family(groups: list[list[float]], better: str) -> None:
    values = np.array([value for group in groups for value in group])
    ends = np.cumsum([len(group) for group in groups]).tolist()
    longest = max(map(len, groups))
    members = [list(range(end - len(group), end)) for end, group in zip(ends, groups, strict=True)]
    families = [rows + [NONE] * (longest - len(rows)) for rows in members]
    expected = [(max if better == "lower" else min)(group) for group in groups]
    assert worst_cases(values, families, better)[0].tolist() == expected

"""The written cases of the billing assistant: complete, closed and balanced enough to compare subgroups."""

from __future__ import annotations

from collections import Counter

from assay import registry
from assay.records import Instance
from assay.scenarios.library.billing_support import ACTIONS, INSTRUCTIONS


def cases() -> dict[str, list[Instance]]:
    made, seen = registry.scenarios.get("billing_support")(), set[str]()
    return {split: list(made.instances(split, seen)) for split in made.source.splits()}


def test_there_are_enough_cases_of_both_splits() -> None:
    counts = {split: len(found) for split, found in cases().items()}
    assert counts["train"] >= 12
    assert counts["test"] >= 48
    assert set(counts) == {"train", "test"}


def test_ids_and_messages_are_unique() -> None:
    every = [case for found in cases().values() for case in found]
    assert len({case.id for case in every}) == len({case.input for case in every}) == len(every)


def test_every_case_offers_all_actions_and_accepts_one_or_two() -> None:
    for case in (case for found in cases().values() for case in found):
        assert tuple(reference.text for reference in case.references) == ACTIONS
        assert len(case.gold) == (2 if case.subgroups["ambiguity"] == "ambiguous" else 1)


def test_every_action_is_explained_and_one_word() -> None:
    for action in ACTIONS:
        assert f"\n{action}: " in INSTRUCTIONS
        assert action.isalpha()


def test_subgroups_are_complete_and_balanced() -> None:
    test = cases()["test"]
    axes = {axis: Counter(case.subgroups[axis] for case in test) for axis in ("region", "style", "ambiguity")}
    assert set(axes["region"]) == {"north", "south", "east", "west"}
    assert set(axes["style"]) == {"plain", "informal", "second_language", "angry"}
    assert set(axes["ambiguity"]) == {"clear", "ambiguous"}
    for axis in ("region", "style"):
        assert max(axes[axis].values()) == min(axes[axis].values())
    assert axes["ambiguity"]["ambiguous"] >= 10
    crossed = Counter((case.subgroups["region"], case.subgroups["style"]) for case in test)
    assert len(crossed) == 16
    assert max(crossed.values()) - min(crossed.values()) <= 1


def test_no_action_dominates() -> None:
    found = cases()
    assert Counter(case.gold[0] for case in found["train"]) == Counter(ACTIONS * 4)
    shares = Counter(action for case in found["test"] for action in case.gold)
    assert set(shares) == set(ACTIONS)
    assert max(shares.values()) <= len(found["test"]) / 3


def test_messages_are_short_and_examples_clear() -> None:
    found = cases()
    for case in (case for some in found.values() for case in some):
        assert isinstance(case.input, str)
        assert 3 <= len(case.input.split()) <= 45
        assert "\n" not in case.input
    assert all(case.subgroups["ambiguity"] == "clear" for case in found["train"])

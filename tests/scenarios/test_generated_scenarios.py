"""Generated scenarios: the same everywhere, and right by a check that knows nothing of how they were made."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.errors import AssayError
from assay.identity import digest
from assay.records import Instance
from assay.scenarios import Generator
from assay.scenarios.library.dyck_language import PAIRS, sequence

CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
DECLARED: list[tuple[str, dict[str, Any]]] = [
    *[("dyck_language", {"num_parenthesis_pairs": pairs}) for pairs in (2, 3, 4)],
    *[("synthetic_reasoning", {"mode": mode}) for mode in ("pattern_match", "variable_substitution", "induction")],
    *[("subject_verb_agreement", {"tense": tense}) for tense in ("present", "past")],
    *[("synthetic_reasoning_natural", {"difficulty": difficulty}) for difficulty in ("easy", "medium", "hard")],
    *[("numeracy", {"relation_type": relation}) for relation in ("linear", "parabola", "plane", "paraboloid")],
]


def instances(name: str, parameters: dict[str, Any]) -> list[Instance]:
    made, seen = registry.scenarios.get(name)(**parameters), set[str]()
    return [instance for split in made.source.splits() for instance in made.instances(split, seen)]


def still_open(brackets: list[str]) -> list[str]:
    """The closing brackets that a sequence lacks, in the order they must come."""
    stack: list[str] = []
    for bracket in brackets:
        if bracket in CLOSING:
            stack.append(CLOSING[bracket])
        else:
            assert stack, "a bracket closes nothing"
            assert stack.pop() == bracket, "a bracket closes another kind"
    return stack[::-1]


@pytest.mark.parametrize("pairs", [2, 3, 4])
def test_dyck_answers_close_exactly_what_is_open(pairs: int) -> None:
    kinds = set()
    for instance in instances("dyck_language", {"num_parenthesis_pairs": pairs}):
        assert isinstance(instance.input, str)
        (answer,) = instance.gold
        brackets = instance.input.split(" ")
        kinds |= set(brackets)
        assert still_open(brackets) == answer.split(" ")
        assert 1 <= len(answer.split(" ")) <= 3
        length = len(brackets) + len(answer.split(" "))
        assert (52 if instance.split == "test" else 4) <= length <= (100 if instance.split == "test" else 50)
    assert kinds == set("".join(itertools.chain(*PAIRS[:pairs])))


@given(st.integers(), st.integers(1, 4), st.integers(1, 20), st.integers(0, 20))
def test_any_dyck_sequence_is_well_formed(seed: int, pairs: int, low: int, more: int) -> None:
    row = sequence(random.Random(seed), PAIRS[:pairs], (2 * low, 2 * (low + more)))
    brackets = f"{row['start']} {row['end']}".split()
    assert still_open(brackets) == []
    assert 2 * low <= len(brackets) <= 2 * (low + more)
    assert row["start"].split()[-1] in CLOSING


def matches(rule: str, string: str) -> bool:
    """Whether some words, different for different letters, put into the rule give the string."""
    bound: dict[str, str] = {}
    terms, words = rule.split(" "), string.split(" ")
    if len(terms) != len(words):
        return False
    for term, word in zip(terms, words, strict=True):
        if term in "XYZ":
            if bound.setdefault(term, word) != word:
                return False
        elif term != word:
            return False
    return len(set(bound.values())) == len(bound)


def test_exactly_one_rule_matches_the_string() -> None:
    for instance in instances("synthetic_reasoning", {"mode": "pattern_match"}):
        found = re.fullmatch(r"Rules:\n(.*)\nString: (.*)", str(instance.input), re.DOTALL)
        assert found
        rules = found[1].split("\n")
        assert len(rules) == 4
        assert [rule for rule in rules if matches(rule, found[2])] == list(instance.gold)


def test_words_put_into_the_pattern_give_the_target() -> None:
    for instance in instances("synthetic_reasoning", {"mode": "variable_substitution"}):
        found = re.fullmatch(r"Pattern: (.*)\nWords: (.*)", str(instance.input))
        assert found
        words = dict(re.findall(r'([XYZ]) is "(\w+)"', found[2]))
        assert len(set(words.values())) == len(words) >= 2
        assert (" ".join(words.get(token, token) for token in found[1].split(" ")),) == instance.gold


def test_the_rule_can_be_inferred_from_its_two_strings() -> None:
    for instance in instances("synthetic_reasoning", {"mode": "induction"}):
        found = re.fullmatch(r"First: (.*)\nSecond: (.*)", str(instance.input))
        assert found
        names: dict[tuple[str, str], str] = {}
        rule = []
        for pair in zip(found[1].split(" "), found[2].split(" "), strict=True):
            if pair[0] != pair[1] and pair not in names:
                names[pair] = "XYZ"[len(names)]
            rule.append(names.get(pair, pair[0]))
        assert (" ".join(rule),) == instance.gold
        for string in (found[1], found[2]):
            assert matches(instance.gold[0], string)


@pytest.mark.parametrize(("tense", "singular", "plural"), [("present", "is", "are"), ("past", "was", "were")])
def test_the_verb_agrees_with_the_first_noun(tense: str, singular: str, plural: str) -> None:
    cells = set()
    for instance in instances("subject_verb_agreement", {"tense": tense}):
        found = re.fullmatch(r"The (\w+) .+ the (\w+)", str(instance.input))
        assert found
        plural_subject, plural_other = found[1].endswith("s"), found[2].endswith("s")
        right, wrong = (plural, singular) if plural_subject else (singular, plural)
        by_truth = {reference.correct: reference.text.partition(" ") for reference in instance.references}
        assert by_truth[True][0] == right
        assert by_truth[False][0] == wrong
        assert by_truth[True][2] == by_truth[False][2] != ""
        assert instance.subgroups["subject"] == ("plural" if plural_subject else "singular")
        assert instance.subgroups["attractor"] == ("match" if plural_subject == plural_other else "mismatch")
        cells.add(tuple(instance.subgroups.values()))
    assert len(cells) == 4


@pytest.mark.parametrize(("name", "parameters"), DECLARED)
def test_no_question_is_asked_twice_or_shown_as_an_example(name: str, parameters: dict[str, Any]) -> None:
    made = instances(name, parameters)
    asked = [(instance.input, instance.references) for instance in made]
    assert len(set(asked)) == len(asked) >= 440


def test_generated_instances_are_the_same_in_every_process() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_generated_scenarios import DECLARED, digest, instances;"
        "print(digest([instances(name, parameters) for name, parameters in DECLARED]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)], env={"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == digest([instances(name, parameters) for name, parameters in DECLARED])


def test_a_smaller_train_split_changes_no_test_row() -> None:
    def draw(rng: random.Random, split: str) -> dict[str, int]:
        return {"n": rng.randrange(50)}

    large = Generator("numbers", draw, {"test": 20, "train": 20})
    small = Generator("numbers", draw, {"test": 20, "train": 3})
    assert list(large.read("test").rows) == list(small.read("test").rows)
    every = [row["n"] for split in large.splits() for row in large.read(split).rows]
    assert len(set(every)) == 40


def test_an_exhausted_generator_says_so() -> None:
    coins = Generator("coins", lambda rng, split: {"side": rng.randrange(2)}, {"test": 3})
    with pytest.raises(AssayError, match="generator:coins made no new row"):
        coins.read("test")

"""Synthetic reasoning with symbols: matching, substitution and induction of patterns (generated; after Wu et al. 2021)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal

from assay.prompting import Generation
from assay.records import Split, Taxonomy
from assay.scenarios.base import Row, Scenario, question, scenario
from assay.scenarios.sources import Generator

VARIABLES = ("X", "Y", "Z")
OPERATORS = ("+", "-", "*", "/")
WORDS = (
    "apple", "banana", "beaver", "bird", "cat", "cherry", "cow", "dog", "fig", "fox", "frog", "grape", "horse", "kiwi", "lemon",
    "lion", "mango", "mouse", "otter", "owl", "papaya", "peach", "pear", "plum", "rabbit", "sheep", "snake", "tiger", "wolf",
)  # fmt: skip
TERMS = (4, 6)
"""Fewest and most variables in a pattern, both sides of its `=` together."""
RULES = 4
"""Rules among which the matching one is to be found."""
SIZES: dict[Split, int] = {"test": 500, "train": 100}

Mode = Literal["pattern_match", "variable_substitution", "induction"]


@scenario
def synthetic_reasoning(mode: Mode) -> Scenario:
    """Patterns over X, Y and Z: find the pattern of a string, put words into one, or infer one from two strings.

    pattern_match: Rules: X + Y = Y - X; X + X = Y / Y; …    String: cat + owl = owl - cat    Target: X + Y = Y - X
    variable_substitution: Pattern: X + Y = Y - X    Words: X is "cat", Y is "owl"    Target: cat + owl = owl - cat
    induction: First: cat + owl = owl - cat    Second: fig + fox = fox - fig    Target: X + Y = Y - X
    """
    makers: dict[str, Callable[[random.Random, Split], Row]] = {
        "pattern_match": pattern_match,
        "variable_substitution": variable_substitution,
        "induction": induction,
    }
    return Scenario(
        source=Generator(f"synthetic_reasoning_{mode}", makers[mode], SIZES),
        instance=lambda row: question(row["input"], row["target"]),
        prompting=Generation(
            instructions="Solve each problem. The letters X, Y and Z stand for different words.\n",
            input_prefix="",
            output_prefix="Target: ",
            max_tokens=50,
            stop=("\n",),
        ),
        main_metric="exact_match",
        metrics=("quasi_exact_match",),
        taxonomy=Taxonomy(task="reasoning", what=mode.replace("_", " "), who="generated", when="any", language="synthetic"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2101.06223",
        notes=(
            "Generated, so never published with answers. The main metric is exact match: quasi exact match drops "
            "punctuation, and so cannot tell X + Y from X - Y. Under induction the variables are named X, Y, Z in the "
            "order they first appear."
        ),
    )


def pattern_match(rng: random.Random, split: Split) -> Row:
    """Several patterns and a string made from exactly one of them; the target is that pattern."""
    patterns: dict[str, list[str]] = {}
    while len(patterns) < RULES:
        tokens = _pattern(rng)
        patterns.setdefault(" ".join(_shape(tokens)), tokens)
    rules = list(patterns.values())
    chosen = rng.choice(rules)
    listed = "\n".join(" ".join(rule) for rule in rules)
    string = " ".join(_filled(chosen, _words(rng, chosen)))
    return {"input": f"Rules:\n{listed}\nString: {string}", "target": " ".join(chosen)}


def variable_substitution(rng: random.Random, split: Split) -> Row:
    """A pattern and a word for each variable; the target is the pattern with the words put in."""
    tokens = _pattern(rng)
    words = _words(rng, tokens)
    listed = ", ".join(f'{variable} is "{word}"' for variable, word in sorted(words.items()))
    return {"input": f"Pattern: {' '.join(tokens)}\nWords: {listed}", "target": " ".join(_filled(tokens, words))}


def induction(rng: random.Random, split: Split) -> Row:
    """Two strings made from one pattern with no word in common; the target is the pattern, its variables in order."""
    tokens = _shape(_pattern(rng))
    variables = _used(tokens)
    words = rng.sample(WORDS, 2 * len(variables))
    first = dict(zip(variables, words, strict=False))
    second = dict(zip(variables, words[len(variables) :], strict=True))
    strings = [" ".join(_filled(tokens, chosen)) for chosen in (first, second)]
    return {"input": f"First: {strings[0]}\nSecond: {strings[1]}", "target": " ".join(tokens)}


def _pattern(rng: random.Random) -> list[str]:
    """Variables joined by operators, with one `=` in between, and at least two different variables."""
    while True:
        count = rng.randint(*TERMS)
        joints = [rng.choice(OPERATORS) for _ in range(count - 1)]
        joints[rng.randrange(1, count - 2)] = "="
        variables = [rng.choice(VARIABLES) for _ in range(count)]
        if len(set(variables)) > 1:
            return [token for pair in zip(variables, [*joints, ""], strict=True) for token in pair if token]


def _used(tokens: list[str]) -> list[str]:
    return list(dict.fromkeys(token for token in tokens if token in VARIABLES))


def _shape(tokens: list[str]) -> list[str]:
    """The pattern with its variables named X, Y, Z in order of appearance: patterns of one shape fit the same strings."""
    names = dict(zip(_used(tokens), VARIABLES, strict=False))
    return [names.get(token, token) for token in tokens]


def _words(rng: random.Random, tokens: list[str]) -> dict[str, str]:
    variables = _used(tokens)
    return dict(zip(variables, rng.sample(WORDS, len(variables)), strict=True))


def _filled(tokens: list[str], words: dict[str, str]) -> list[str]:
    return [words.get(token, token) for token in tokens]

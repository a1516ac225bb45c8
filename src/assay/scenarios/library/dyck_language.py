"""Dyck languages: the last brackets of a well-formed sequence (generated; after Suzgun et al. 2019)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

from assay.prompting import Generation
from assay.records import Split, Taxonomy
from assay.scenarios.base import Row, Scenario, question, scenario
from assay.scenarios.sources import Generator

PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
LENGTHS: dict[Split, tuple[int, int]] = {"train": (4, 50), "test": (52, 100)}
"""Fewest and most brackets of a whole sequence; questions are longer than all examples."""
MOST_MISSING = 3
"""Brackets that may be left to close at the end."""
SIZES: dict[Split, int] = {"test": 500, "train": 100}


@scenario
def dyck_language(num_parenthesis_pairs: Literal[2, 3, 4] = 3) -> Scenario:
    """Sequences of brackets of two to four kinds whose last brackets are missing: close those that are open, in order.

    The answer depends on brackets that may have been opened at the very beginning, so it tests memory of structure.

        Input: ( [ ] { ( )
        Output: } )
    """
    kinds = PAIRS[:num_parenthesis_pairs]
    return Scenario(
        source=Generator(
            f"dyck_language_{num_parenthesis_pairs}", lambda rng, split: sequence(rng, kinds, LENGTHS[split]), SIZES
        ),
        instance=lambda row: question(row["start"], row["end"]),
        prompting=Generation(
            shots=3,
            instructions="Finish each sequence of brackets: write the brackets that close everything still open, in order.\n",
            max_tokens=8,
            stop=("\n",),
        ),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="reasoning", what="formal languages", who="generated", when="any", language="synthetic"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/1911.03329",
        notes=(
            "Generated, so never published with answers. At most three brackets are missing. Guessing a single bracket is "
            "rarely right."
        ),
    )


def sequence(rng: random.Random, kinds: Sequence[tuple[str, str]], lengths: tuple[int, int]) -> Row:
    """A well-formed sequence of brackets, cut before its last run of closing brackets.

    A sequence grows bracket by bracket: it must open while nothing is open, must close once only room for closing is left,
    and otherwise opens with probability 1/2. Sequences that end in more than `MOST_MISSING` closing brackets are drawn again.

    Args:
        rng: the randomness.
        kinds: pairs of an opening and a closing bracket.
        lengths: fewest and most brackets of the whole sequence.

    Returns:
        `start` and `end`, brackets separated by spaces.
    """
    low, high = lengths
    while True:
        length = 2 * rng.randint((low + 1) // 2, high // 2)
        brackets: list[str] = []
        open_now: list[str] = []
        while len(brackets) < length:
            room = length - len(brackets)
            if not open_now or (len(open_now) < room and rng.random() < 0.5):
                opening, closing = rng.choice(kinds)
                brackets.append(opening)
                open_now.append(closing)
            else:
                brackets.append(open_now.pop())
        closers = {closing for _, closing in kinds}
        missing = next(count for count, bracket in enumerate(reversed(brackets)) if bracket not in closers)
        if missing <= MOST_MISSING:
            return {"start": " ".join(brackets[:-missing]), "end": " ".join(brackets[-missing:])}

"""Answers that list several things, compared as sets: "The dog is furry and green." is {furry, green}.

The things stand after the last " is ", separated by "and" or commas; "nothing" is the empty set. Only the first line of a
prediction is read (Liang et al. 2022, arXiv 2211.09110, appendix C). An empty prediction is no set, not even the empty one.
"""

from __future__ import annotations

import re

from assay.metrics.base import metric
from assay.metrics.matching import best_likeness, best_match
from assay.records import Answer

SOURCE = "https://arxiv.org/abs/2211.09110"
_between = re.compile(r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?|(?<!\s)\s+and\s+")
"""White space before a separator is looked at from its first character only, so that time is linear in a long run of it."""


@metric(family="accuracy", version=2, source=SOURCE)
def exact_set_match(answer: Answer) -> float | None:
    """1 if the prediction lists exactly the things of a correct reference, else 0."""
    return best_match(answer, lambda reference, prediction: things(reference) == things(_first_line(prediction)))


@metric(family="accuracy", source=SOURCE)
def iou_set_match(answer: Answer) -> float | None:
    """Things that both list / things that either lists; 1 where both are the empty set."""

    def match(reference: str, prediction: str) -> float:
        wanted, given = things(reference), things(_first_line(prediction))
        return len(wanted & given) / len(wanted | given) if wanted | given else 1.0

    return best_likeness(answer, match)


@metric(family="accuracy", source=SOURCE)
def f1_set_match(answer: Answer) -> float | None:
    """2 * things that both list / (things of the reference + things of the prediction); 1 where both are the empty set."""

    def match(reference: str, prediction: str) -> float:
        wanted, given = things(reference), things(_first_line(prediction))
        return 2 * len(wanted & given) / (len(wanted) + len(given)) if wanted or given else 1.0

    return best_likeness(answer, match)


def things(text: str) -> frozenset[str]:
    """The things that a sentence lists, in lower case."""
    listed = text.split(" is ")[-1].replace(".", "").strip().lower()
    if listed == "nothing":
        return frozenset()
    return frozenset(thing.strip() for thing in _between.split(listed) if thing.strip())


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]

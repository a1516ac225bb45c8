"""How well the references are ordered by the scores that the model gave them.

References with equal scores count as any order of them would: every value is the expectation over the orders of tied
references, so a tie never earns a full point. Relevance is yes or no, as references are correct or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import comb

from assay.metrics.base import metric
from assay.records import Answer

TREC = "https://trec.nist.gov/pubs/trec8/papers/qa_report.pdf"
GAIN = "https://doi.org/10.1145/582415.582418"
CUTOFFS = (5, 10, 20)

Tie = tuple[int, int, int]
"""References with one score: how many stand above them, how many they are, how many of them are relevant."""


@metric(family="accuracy", source=TREC)
def reciprocal_rank(answer: Answer) -> float | None:
    """1 / rank of the first relevant reference, by falling relevance score; equal scores count as any order of them would.

    The value is the expectation over the orders of tied references, so a tie never earns a full point. 0 where the model
    scored nothing or nothing is relevant.
    """
    return _reciprocal_rank(answer, None)


def _reciprocal_rank(answer: Answer, cutoff: int | None) -> float | None:
    ties = ties_of(answer)
    if ties is None:
        return None
    first = next((tie for tie in ties if tie[2]), None)
    return expected_reciprocal_rank(*first, cutoff) if first else 0.0


def expected_reciprocal_rank(above: int, tied: int, relevant: int, cutoff: int | None = None) -> float:
    """Expected 1 / rank of the first relevant item among `tied` equal ones that come after `above` others.

    The first of r relevant items among t in random order is at place k with probability C(t-k, r-1) / C(t, r). Ranks behind
    the cutoff count 0.
    """
    last = tied - relevant + 1 if cutoff is None else min(tied - relevant + 1, cutoff - above)
    places = range(1, last + 1)
    return sum(comb(tied - place, relevant - 1) / (above + place) for place in places) / comb(tied, relevant)


def ties_of(answer: Answer) -> list[Tie] | None:
    """The references by falling score, equal ones together; `None` where the answer has no scores."""
    if answer.relevance is None:
        return None
    groups: dict[float, list[bool]] = {}
    for score, reference in zip(answer.relevance, answer.references, strict=True):
        groups.setdefault(score, []).append(reference.correct)
    ties, above = [], 0
    for score in sorted(groups, reverse=True):
        ties.append((above, len(groups[score]), sum(groups[score])))
        above += len(groups[score])
    return ties


def reciprocal_rank_at(answer: Answer, cutoff: int) -> float | None:
    """1 / rank of the first relevant reference, 0 where it is not among the first {cutoff}."""
    return _reciprocal_rank(answer, cutoff)


def success_at(answer: Answer, cutoff: int) -> float | None:
    """1 if a relevant reference is among the first {cutoff}, else 0; 0 where nothing is relevant."""
    ties = ties_of(answer)
    if ties is None:
        return None
    for above, tied, relevant in ties:
        places = min(max(cutoff - above, 0), tied)
        if relevant:
            return 1 - comb(tied - relevant, places) / comb(tied, places)
    return 0.0


def recall_at(answer: Answer, cutoff: int) -> float | None:
    """Share of the relevant references that are among the first {cutoff}; undefined where nothing is relevant."""
    ties = ties_of(answer)
    if ties is None or not (wanted := sum(relevant for _, _, relevant in ties)):
        return None
    found = sum(relevant * min(max(cutoff - above, 0), tied) / tied for above, tied, relevant in ties)
    return found / wanted


def ndcg_at(answer: Answer, cutoff: int) -> float | None:
    """Discounted gain of the first {cutoff}, sum of relevant / log2(rank + 1), over that of the best order.

    Undefined where nothing is relevant.
    """
    ties = ties_of(answer)
    if ties is None or not (wanted := sum(relevant for _, _, relevant in ties)):
        return None
    gain = 0.0
    for above, tied, relevant in ties:
        discounts = sum(1 / math.log2(rank + 1) for rank in range(above + 1, min(above + tied, cutoff) + 1))
        gain += relevant / tied * discounts
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(wanted, cutoff) + 1))


def _register(name: str, function: Callable[[Answer, int], float | None], source: str) -> None:
    for cutoff in CUTOFFS:

        def of_answer(answer: Answer, cutoff: int = cutoff) -> float | None:
            return function(answer, cutoff)

        of_answer.__name__ = f"{name}@{cutoff}"
        of_answer.__doc__ = (function.__doc__ or "").replace("{cutoff}", str(cutoff))
        metric(family="accuracy", source=source)(of_answer)


_register("reciprocal_rank", reciprocal_rank_at, TREC)
_register("ndcg", ndcg_at, GAIN)
_register("recall", recall_at, "Manning, Raghavan and Schütze 2008, chapter 8")
_register("success", success_at, "Manning, Raghavan and Schütze 2008, chapter 8")

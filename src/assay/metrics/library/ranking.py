"""How well the references are ordered by the scores that the model gave them."""

from __future__ import annotations

from math import comb

from assay.metrics.base import metric
from assay.records import Answer


@metric(family="accuracy", source="https://trec.nist.gov/pubs/trec8/papers/qa_report.pdf")
def reciprocal_rank(answer: Answer) -> float | None:
    """1 / rank of the first relevant reference, by falling relevance score; equal scores count as any order of them would.

    The value is the expectation over the orders of tied references, so a tie never earns a full point. 0 where the model
    scored nothing or nothing is relevant.
    """
    if answer.relevance is None:
        return None
    pairs = list(zip(answer.relevance, answer.references, strict=True))
    relevant = [score for score, reference in pairs if reference.correct]
    if not relevant:
        return 0.0
    best = max(relevant)
    above = sum(score > best for score, _ in pairs)
    tied = sum(score == best for score, _ in pairs)
    return expected_reciprocal_rank(above, tied, relevant.count(best))


def expected_reciprocal_rank(above: int, tied: int, relevant: int) -> float:
    """Expected 1 / rank of the first relevant item among `tied` equal ones that come after `above` others.

    The first of r relevant items among t in random order is at place k with probability C(t-k, r-1) / C(t, r).
    """
    places = range(1, tied - relevant + 2)
    return sum(comb(tied - place, relevant - 1) / (above + place) for place in places) / comb(tied, relevant)

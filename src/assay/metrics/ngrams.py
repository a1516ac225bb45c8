"""Counts of n-grams and the scores that are functions of them: BLEU's precisions, chrF's averages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache


def ngrams(items: Sequence[Hashable], n: int) -> Counter[tuple[Hashable, ...]]:
    """How often each run of n neighbouring items occurs."""
    return Counter(zip(*(items[start:] for start in range(n)), strict=False))


def overlap(reference: Sequence[Hashable], prediction: Sequence[Hashable], n: int) -> int:
    """The number of n-grams that both have, each as often as it occurs in the one that has it less often."""
    wanted, given = ngrams(reference, n), ngrams(prediction, n)
    return sum(min(count, wanted[gram]) for gram, count in given.items() if gram in wanted)


def f1(common: float, wanted: float, given: float) -> float:
    """Harmonic mean of precision (common / given) and recall (common / wanted); 0 where nothing is common."""
    return 2 * common / (wanted + given) if common else 0.0


def precision_with_brevity(reference: Sequence[Hashable], prediction: Sequence[Hashable], n: int) -> float:
    """BLEU's clipped n-gram precision of order n alone, times the brevity penalty exp(1 - |reference| / |prediction|)."""
    if len(prediction) < n:
        return 0.0
    precision = overlap(reference, prediction, n) / (len(prediction) - n + 1)
    return precision if len(prediction) > len(reference) else precision * math.exp(1 - len(reference) / len(prediction))


CHRF_ORDER = 6
CHRF_BETA = 2


def chrf_counts(reference: str, prediction: str) -> dict[str, float]:
    """What chrF sums over a corpus: for each order 1 to 6 the character n-grams given, wanted and common, spaces left out."""
    wanted_text, given_text = "".join(reference.split()), "".join(prediction.split())
    wanted, given = _characters(wanted_text), _characters(given_text)
    common = [0] * (CHRF_ORDER + 1)
    for gram in wanted.keys() & given.keys():
        common[len(gram)] += min(wanted[gram], given[gram])
    counts: dict[str, float] = {}
    for n in range(1, CHRF_ORDER + 1):
        counts[f"wanted{n}"] = max(len(wanted_text) - n + 1, 0)
        # as sacrebleu: no precision without a reference
        counts[f"given{n}"] = max(len(given_text) - n + 1, 0) if counts[f"wanted{n}"] else 0
        counts[f"common{n}"] = common[n]
    return counts


@lru_cache(maxsize=16)  # the sentence's score and the corpus's counts need the same
def _characters(text: str) -> Counter[str]:
    """How often each n-gram of the orders 1 to 6 occurs; those of different orders differ in length."""
    size = len(text)
    return Counter([text[start : start + n] for n in range(1, CHRF_ORDER + 1) for start in range(size - n + 1)])


def chrf_value(totals: Mapping[str, float]) -> float:
    """chrF2 of such sums, 0 to 1: F2 of the precision and recall averaged over the orders that both sides have."""
    orders = [n for n in range(1, CHRF_ORDER + 1) if totals.get(f"wanted{n}") and totals.get(f"given{n}")]
    if not orders:
        return 0.0
    precision = sum(totals.get(f"common{n}", 0.0) / totals[f"given{n}"] for n in orders) / len(orders)
    recall = sum(totals.get(f"common{n}", 0.0) / totals[f"wanted{n}"] for n in orders) / len(orders)
    weight = CHRF_BETA**2
    return (1 + weight) * precision * recall / (weight * precision + recall) if precision + recall else 0.0

"""How a summary uses its article: copied pieces and shortening (Grusky, Naaman and Artzi 2018, NAACL).

The article is what the instance asked. None of the three says whether a summary is good: long copied pieces are safe and dull.
A fragment is a run of words that stands in the article too, found from left to right, each as long as it can be.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from assay.metrics.base import metric
from assay.metrics.scoring import is_unanswered
from assay.metrics.words import words_of_sentences
from assay.records import Answer

SOURCE = "https://aclanthology.org/N18-1065/"


@metric(family="accuracy", better="neither", source=SOURCE)
def summary_coverage(answer: Answer) -> float | None:
    """Share of the summary's words that lie in fragments copied from the article: sum of |fragment| / |summary|."""
    use = _use(answer)
    return sum(use.fragments) / use.summary if use else None


@metric(family="accuracy", range=(0, None), better="neither", source=SOURCE)
def summary_density(answer: Answer) -> float | None:
    """Mean length of the fragment that a word of the summary lies in: sum of |fragment| squared / |summary|."""
    use = _use(answer)
    return sum(length**2 for length in use.fragments) / use.summary if use else None


@metric(family="accuracy", range=(0, None), better="neither", source=SOURCE)
def summary_compression(answer: Answer) -> float | None:
    """Words of the article / words of the summary."""
    use = _use(answer)
    return use.article / use.summary if use else None


def fragments(article: list[str], summary: list[str]) -> list[int]:
    """The lengths in words of the pieces of a summary that are copied from the article, from left to right."""
    letters: dict[str, str] = {}
    for word in article:
        letters.setdefault(word, chr(len(letters)))
    there = "".join(letters[word] for word in article)  # a letter for each word, so that pieces are found as quickly as text
    strange = chr(len(letters))
    wanted = "".join(letters.get(word, strange) for word in summary)
    lengths, start = [], 0
    while start < len(wanted):
        end, place = start, -1
        # where a piece goes on no further, the next longer one can only begin later
        while end < len(wanted) and (place := there.find(wanted[start : end + 1], place + 1)) >= 0:
            while end < len(wanted) and there[place + end - start : place + end - start + 1] == wanted[end]:
                end += 1
        if end > start:
            lengths.append(end - start)
        start = max(end, start + 1)
    return lengths


class _Use(NamedTuple):
    """How a summary uses its article: the words of both, and the lengths of what is copied."""

    article: int
    summary: int
    fragments: list[int]


def _use(answer: Answer) -> _Use | None:
    return _used(answer.input, answer.prediction) if answer.input and not is_unanswered(answer) else None


@lru_cache(maxsize=1)  # three metrics look at the same answer
def _used(article: str, summary: str) -> _Use | None:
    given, written = words_of_sentences(article.lower()), words_of_sentences(summary.lower())
    return _Use(len(given), len(written), fragments(given, written)) if written else None

"""How a summary uses its article: copied pieces and shortening (Grusky, Naaman and Artzi 2018, NAACL).

The article is what the instance asked. None of the three says whether a summary is good: long copied pieces are safe and dull.
A fragment is a run of words that stands in the article too, found from left to right, each as long as it can be.
"""

from __future__ import annotations

from assay.metrics.base import metric
from assay.metrics.scoring import UNANSWERED
from assay.metrics.words import words_of_sentences
from assay.records import Answer

SOURCE = "https://aclanthology.org/N18-1065/"


@metric(family="accuracy", better="neither", source=SOURCE)
def summary_coverage(answer: Answer) -> float | None:
    """Share of the summary's words that lie in fragments copied from the article: sum of |fragment| / |summary|."""
    texts = _article_and_summary(answer)
    return sum(fragments(*texts)) / len(texts[1]) if texts else None


@metric(family="accuracy", range=(0, None), better="neither", source=SOURCE)
def summary_density(answer: Answer) -> float | None:
    """Mean length of the fragment that a word of the summary lies in: sum of |fragment| squared / |summary|."""
    texts = _article_and_summary(answer)
    return sum(length**2 for length in fragments(*texts)) / len(texts[1]) if texts else None


@metric(family="accuracy", range=(0, None), better="neither", source=SOURCE)
def summary_compression(answer: Answer) -> float | None:
    """Words of the article / words of the summary."""
    texts = _article_and_summary(answer)
    return len(texts[0]) / len(texts[1]) if texts else None


def fragments(article: list[str], summary: list[str]) -> list[int]:
    """The lengths in words of the pieces of a summary that are copied from the article, from left to right."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(article):
        places.setdefault(word, []).append(place)
    lengths, start = [], 0
    while start < len(summary):
        longest = 0
        for place in places.get(summary[start], ()):
            beyond = start + longest  # a longer piece must agree here too
            if longest and summary[beyond : beyond + 1] != article[place + longest : place + longest + 1]:
                continue
            length = 0
            while summary[start + length : start + length + 1] == article[place + length : place + length + 1] != []:
                length += 1
            longest = max(longest, length)
        if longest:
            lengths.append(longest)
        start += max(longest, 1)
    return lengths


def _article_and_summary(answer: Answer) -> tuple[list[str], list[str]] | None:
    if not answer.input or answer.outcome in UNANSWERED:
        return None
    summary = words_of_sentences(answer.prediction.lower())
    return (words_of_sentences(answer.input.lower()), summary) if summary else None

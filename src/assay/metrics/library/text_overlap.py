"""How many words, word sequences and characters the prediction shares with a correct reference; the best reference counts.

ROUGE and BLEU follow the reference implementations, rouge-score and sacrebleu, whose word splitting they use;
all values are 0 to 1 (sacrebleu's percentages divided by 100). A prediction without words scores 0. rouge-score knows only
ASCII letters and digits: texts in other scripts have no words for it, so use chrF for them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.errors import MissingExtra
from assay.metrics.base import additive, metric
from assay.metrics.distances import common_subsequence
from assay.metrics.matching import best_likeness
from assay.metrics.ngrams import chrf_counts, chrf_value, f1, overlap
from assay.metrics.scoring import is_unanswered
from assay.records import Answer

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

ROUGE = "https://aclanthology.org/W04-1013/"
SACREBLEU = "https://aclanthology.org/W18-6319/"
CHRF = "https://aclanthology.org/W15-3049/"
ORDERS = range(1, 5)


@metric(family="accuracy", source=ROUGE, package="rouge_score")
def rouge_1(answer: Answer) -> float | None:
    """ROUGE-1: F1 over stemmed words, 2 * common / (words of reference + words of prediction)."""
    return best_likeness(answer, lambda reference, prediction: rouge_n(reference, prediction, 1))


@metric(family="accuracy", source=ROUGE, package="rouge_score")
def rouge_2(answer: Answer) -> float | None:
    """ROUGE-2: F1 over pairs of neighbouring stemmed words."""
    return best_likeness(answer, lambda reference, prediction: rouge_n(reference, prediction, 2))


@metric(family="accuracy", source=ROUGE, package="rouge_score")
def rouge_l(answer: Answer) -> float | None:
    """ROUGE-L: F1 over the longest common subsequence of stemmed words."""

    def longest(reference: str, prediction: str) -> float:
        wanted, given = stems(reference), stems(prediction)
        return f1(common_subsequence(wanted, given), len(wanted), len(given))

    return best_likeness(answer, longest)


def rouge_n(reference: str, prediction: str, n: int) -> float:
    """F1 over n-grams of stemmed words, 0 to 1."""
    wanted, given = stems(reference), stems(prediction)
    return f1(overlap(wanted, given, n), max(len(wanted) - n + 1, 0), max(len(given) - n + 1, 0))


@lru_cache(maxsize=4096)
def stems(text: str) -> tuple[str, ...]:
    """The words of a text as ROUGE counts them: lower case, ASCII letters and digits, Porter stems of words over 3 letters.

    Raises:
        MissingExtra: rouge-score is not installed.
    """
    return tuple(stem for stem in map(_stemmer(), _rouge_words(text)) if stem)


def _rouge_words(text: str) -> list[str]:
    return "".join(character if character.isascii() and character.isalnum() else " " for character in text.lower()).split()


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    try:
        from rouge_score.tokenizers import DefaultTokenizer
    except ImportError:
        raise MissingExtra("rouge-score") from None
    tokenizer = DefaultTokenizer(use_stemmer=True)

    @lru_cache(maxsize=65536)
    def stem(word: str) -> str:
        return "".join(tokenizer.tokenize(word))

    return stem


@metric(family="accuracy", source=SACREBLEU, package="sacrebleu")
def sentence_bleu(answer: Answer) -> float | None:
    """BLEU of one prediction against all correct references, exponential smoothing, as many orders as it has words.

    The mean over answers is not the BLEU that papers report: that is `bleu`.
    """
    counts = bleu(answer)
    return None if counts is None else _sentence_value(counts)


def corpus_bleu(totals: Mapping[str, float]) -> float | None:
    """BLEU of summed counts, 0 to 1; `None` where there is no reference."""
    return _bleu_of(totals, ORDERS[-1]) if totals.get("reference_words") else None


@additive(value=corpus_bleu, family="accuracy", source=SACREBLEU, package="sacrebleu")
def bleu(answer: Answer) -> dict[str, float] | None:
    """Corpus BLEU: geometric mean of the clipped precisions of word 1- to 4-grams, times a penalty for brevity.

    exp(min(0, 1 - reference words / predicted words) + mean over n of log(common n-grams / given n-grams)), over the sums of
    all answers. With several references an n-gram may be in any of them and the nearest length counts.
    """
    references = [stripped for text in answer.gold if (stripped := text.strip())]
    if not references:
        return None
    prediction = "" if is_unanswered(answer) else answer.prediction.strip()
    return _bleu_counts(prediction, references)


def _bleu_counts(prediction: str, references: list[str]) -> dict[str, float]:
    """The words, and for each order the n-grams given and those also in a reference, at most as often as in one of them."""
    size, given = _bleu_grams(prediction)
    wanted = [_bleu_grams(reference) for reference in references]
    nearest = min((abs(words - size), words) for words, _ in wanted)[1]
    common = dict.fromkeys(ORDERS, 0)
    for gram in {gram for _, grams in wanted for gram in grams.keys() & given.keys()}:
        common[len(gram)] += min(given[gram], max(grams[gram] for _, grams in wanted))
    counts = {"predicted_words": float(size), "reference_words": float(nearest)}
    for n in ORDERS:
        counts[f"common{n}"] = float(common[n])
        counts[f"given{n}"] = float(max(size - n + 1, 0))
    return counts


@lru_cache(maxsize=64)  # the sentence's score, the corpus's counts and the comparison of samples need the same
def _bleu_grams(text: str) -> tuple[int, Counter[tuple[Hashable, ...]]]:
    """How many words a text has as sacrebleu counts them (its tokenizer 13a), and how often it has each n-gram of them.

    Raises:
        MissingExtra: sacrebleu is not installed.
    """
    words = _sacrebleu().tokenizer(text.rstrip()).split()
    return len(words), Counter(gram for n in ORDERS for gram in zip(*(words[start:] for start in range(n)), strict=False))


def _sentence_value(counts: Mapping[str, float]) -> float:
    return _bleu_of(counts, max((n for n in ORDERS if counts[f"given{n}"]), default=0))


def _bleu_of(counts: Mapping[str, float], longest: int) -> float:
    """BLEU over the orders up to `longest`; an order without a common n-gram counts as half, a quarter, … of one."""
    predicted, wanted = counts.get("predicted_words", 0.0), counts.get("reference_words", 0.0)
    if not counts.get("common1") or not longest:
        return 0.0
    halved, logs = 1.0, 0.0
    for n in ORDERS[:longest]:
        common, given = counts.get(f"common{n}", 0.0), counts.get(f"given{n}", 0.0)
        if not given:
            return 0.0
        if not common:
            halved *= 2
        logs += math.log((common or 1 / halved) / given)
    return math.exp(min(0.0, 1 - wanted / predicted) + logs / longest)


@lru_cache(maxsize=1)
def _sacrebleu() -> BLEU:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtra("sacrebleu") from None
    return BLEU()


@metric(family="accuracy", source=CHRF)
def sentence_chrf(answer: Answer) -> float | None:
    """chrF2 of one prediction: F2 over the mean precision and mean recall of character 1- to 6-grams, spaces left out."""
    return best_likeness(answer, lambda reference, prediction: chrf_value(chrf_counts(reference, prediction)))


def corpus_chrf(totals: Mapping[str, float]) -> float | None:
    """chrF2 of summed counts, 0 to 1; `None` where there is no reference."""
    return chrf_value(totals) if totals.get("wanted1") else None


@additive(value=corpus_chrf, family="accuracy", source=CHRF)
def chrf(answer: Answer) -> dict[str, float] | None:
    """Corpus chrF2 over the summed character n-grams, against the best reference of each answer."""
    references = [stripped for text in answer.gold if (stripped := text.strip())]
    if not references:
        return None
    prediction = "" if is_unanswered(answer) else answer.prediction
    return max((chrf_counts(reference, prediction) for reference in references), key=chrf_value)


@metric(family="accuracy", better="neither", source="https://arxiv.org/abs/1802.01886", package="sacrebleu")
def self_bleu(answer: Answer) -> float | None:
    """How alike the sampled completions are: the mean over completions of the sentence BLEU against all the others.

    Lower is more varied. It needs two completions with text.
    """
    texts = [stripped for text in answer.completions if (stripped := text.strip())]
    if len(texts) < 2 or is_unanswered(answer):
        return None
    total = 0.0
    for text, times in Counter(texts).items():
        others = [other for other in dict.fromkeys(texts) if times > 1 or other != text]
        total += times * _sentence_value(_bleu_counts(text, others))
    return total / len(texts)

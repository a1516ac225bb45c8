"""The numbers of lm-evaluation-harness, as it computes them (version 0.4), for tasks that come from there.

`acc` and its kin take the first of options that tie, where `choice_accuracy` gives each its share. Options' log-probabilities
are the relevance of the references. bleu and chrf are assay's own, which are a hundredth of the harness's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from assay.metrics.base import additive, metric
from assay.records import Answer

SOURCE = "https://github.com/EleutherAI/lm-evaluation-harness"


@metric(family="accuracy", source=SOURCE)
def lm_eval_acc(answer: Answer) -> float | None:
    """1 if the most likely option is right; where one text was scored, if every token of it was the most likely one."""
    if answer.relevance is not None and len(answer.references) == 1:
        return answer.choice_credit
    return _best_by(answer, lambda text: 1.0)


@metric(family="accuracy", source=SOURCE)
def lm_eval_acc_norm(answer: Answer) -> float | None:
    """1 if the option with the highest log-probability per character (without the delimiter) is right, else 0."""
    return _best_by(answer, lambda text: float(len(text)))


@metric(family="accuracy", source=SOURCE)
def lm_eval_acc_bytes(answer: Answer) -> float | None:
    """1 if the option with the highest log-probability per byte (UTF-8) is right, else 0."""
    return _best_by(answer, lambda text: float(len(text.encode("utf-8", "replace"))))


def _best_by(answer: Answer, length: Callable[[str], float]) -> float | None:
    chosen = _chosen(answer, length)
    return None if chosen is None else float(answer.references[chosen].correct)


def _chosen(answer: Answer, length: Callable[[str], float]) -> int | None:
    """The first of the options with the highest log-probability for its length."""
    if answer.relevance is None or len(answer.relevance) != len(answer.references) or not answer.references:
        return None
    lengths = [length(reference.text) for reference in answer.references]
    scores = [score / size if size else -math.inf for score, size in zip(answer.relevance, lengths, strict=True)]
    return scores.index(max(scores))


@metric(family="accuracy", source=SOURCE)
def lm_eval_exact_match(answer: Answer) -> float | None:
    """1 if the prediction equals a correct reference, white space included, else 0."""
    return float(answer.prediction in answer.gold) if answer.gold else None


def _confusion(answer: Answer) -> dict[str, float] | None:
    """One count under "right place, chosen place"; right is the first correct option."""
    chosen = _chosen(answer, lambda text: 1.0)
    right = next((place for place, reference in enumerate(answer.references) if reference.correct), None)
    return None if chosen is None or right is None else {f"{right},{chosen}": 1.0}


def _cells(totals: Mapping[str, float]) -> list[tuple[int, int, float]]:
    return [(*map(int, name.split(",")), count) for name, count in totals.items()]  # type: ignore[misc] # two places


def binary_f1(totals: Mapping[str, float]) -> float | None:
    """F1 of the option at the second place, 0 where it is neither right nor chosen; `None` over nothing."""
    cells = _cells(totals)
    hits = sum(count for right, chosen, count in cells if right == chosen == 1)
    both = sum(count * ((right == 1) + (chosen == 1)) for right, chosen, count in cells)
    return None if not cells else 2 * hits / both if both else 0.0


def correlation(totals: Mapping[str, float]) -> float | None:
    """Matthews's correlation of right and chosen places, 0 where one of them never varies; `None` over nothing.

    Source: Gorodkin 2004 (doi 10.1016/j.compbiolchem.2004.09.006), for any number of classes.
    """
    cells = _cells(totals)
    places = {place for right, chosen, _ in cells for place in (right, chosen)}
    everything = sum(count for _, _, count in cells)
    hits = sum(count for right, chosen, count in cells if right == chosen)
    rights = [sum(count for right, _, count in cells if right == place) for place in places]
    chosens = [sum(count for _, chosen, count in cells if chosen == place) for place in places]
    together = hits * everything - _product(rights, chosens)
    spread = (everything**2 - _product(rights, rights)) * (everything**2 - _product(chosens, chosens))
    return None if not cells else together / math.sqrt(spread) if spread > 0 else 0.0


def _product(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(left, right, strict=True))


@additive(value=binary_f1, family="accuracy", source=SOURCE)
def lm_eval_f1(answer: Answer) -> dict[str, float] | None:
    """F1 of the option at the second place ("yes" after "no"): 2 * hits / (times right + times chosen)."""
    return _confusion(answer)


@additive(value=correlation, family="accuracy", range=(-1, 1), source=SOURCE)
def lm_eval_mcc(answer: Answer) -> dict[str, float] | None:
    """Matthews's correlation coefficient between the places of the right and of the chosen options."""
    return _confusion(answer)


def _perplexity(totals: Mapping[str, float]) -> float | None:
    parts = totals.get("parts")
    nats = -totals.get("logprob", 0.0) / parts if parts else math.inf
    return math.exp(nats) if nats <= 230 else None


def _per(answer: Answer, parts: float | None) -> dict[str, float] | None:
    if answer.logprob is None or not math.isfinite(answer.logprob) or not parts:
        return None
    return {"logprob": answer.logprob, "parts": float(parts)}


@additive(value=_perplexity, family="accuracy", range=(0, None), better="lower", source=SOURCE)
def lm_eval_perplexity(answer: Answer) -> dict[str, float] | None:
    """exp of the mean negative log-probability of a scored text, however long it is."""
    return _per(answer, 1)


@additive(value=_perplexity, family="accuracy", range=(0, None), better="lower", source=SOURCE)
def lm_eval_word_perplexity(answer: Answer) -> dict[str, float] | None:
    """exp of the negative log-probability of all texts over their words, as white space parts them."""
    return _per(answer, len(re.split(r"\s+", answer.input)))


@additive(value=_perplexity, family="accuracy", range=(0, None), better="lower", source=SOURCE)
def lm_eval_byte_perplexity(answer: Answer) -> dict[str, float] | None:
    """exp of the negative log-probability of all texts over their bytes (UTF-8): 2 to the bits_per_byte."""
    return _per(answer, answer.scored_bytes)

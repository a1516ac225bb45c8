"""Metrics that are made on demand from others, by name.

    exact_match@5            the best of 5 completions: for a metric that is 0 or 1 this is pass@5
    exact_match^5            the worst of 5 completions: whether all of 5 are right, pass^5
    classification_f1:yes    F1 of one class
    number_match~1%          numbers that are equal but for 1 %; also best of 5, number_match~1%@5

Of n completions every choice of k counts the same, so with n > k the value is the expectation over them, without bias:
sum over the values in order of C(rank - 1, k - 1) / C(n, k) times the value, which is 1 - C(n - c, k) / C(n, k) where c of n
are right (Chen et al. 2021, arXiv 2107.03374). Fewer than k completions give no value: the best of one is no best of five.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from math import comb

import msgspec

from assay import registry
from assay.errors import AssayError
from assay.metrics.base import AnswerFunction, Metric
from assay.metrics.scoring import is_unanswered
from assay.records import Answer

SOURCE = "https://arxiv.org/abs/2107.03374"
_name = re.compile(r"(?P<base>[^@^]+)(?P<which>[@^])(?P<k>[1-9]\d{0,3})")


def find(name: str) -> Metric:
    """The metric of that name: registered, or made from a registered one.

    Raises:
        AssayError: there is none, or it cannot be judged over several completions.
    """
    if name in registry.metrics:
        return registry.metrics.get(name)
    from assay.metrics.library.classification import BY_CLASS, f1_of_class
    from assay.metrics.library.numbers import WITHIN, number_match_within

    if name.startswith(BY_CLASS) and name != BY_CLASS:
        return f1_of_class(name.removeprefix(BY_CLASS))
    if name.startswith(WITHIN) and (within := number_match_within(name)):
        return within
    parts = _name.fullmatch(name)
    if parts is None or not (parts["base"] in registry.metrics or parts["base"].startswith(WITHIN)):
        return registry.metrics.get(name)
    return over_completions(find(parts["base"]), parts["which"] == "@", int(parts["k"]), name)


def over_completions(base: Metric, best: bool, k: int, name: str) -> Metric:
    """The expected best (or worst) of k completions under a metric of one answer.

    Raises:
        AssayError: the metric is not one of single answers, has no better direction or judges something other than text.
    """
    fixed = [other for other in registry.metrics.names() if other.startswith(f"{base.name}@")]
    if base.of_answer is None or base.better == "neither" or base.family != "accuracy" or fixed:
        hint = f"there are {', '.join(fixed)}" if fixed else "use a metric that judges one answer, such as exact_match"
        raise AssayError(f"metric {name!r} does not exist: {base.name} is not judged completion by completion", hint)
    about = f"Expected {'best' if best else 'worst'} value of {k} completions under {base.name}: {base.about.splitlines()[0]}"
    function = partial(_of_completions, base.of_answer, best == (base.better == "higher"), k, base)
    source = base.source or SOURCE
    return replace(base, name=name, about=about, source=source, of_answer=function, everywhere=False, sampled=True)


def _of_completions(judge: AnswerFunction, largest: bool, k: int, base: Metric, answer: Answer) -> float | None:
    texts = answer.completions
    if not texts and is_unanswered(answer):
        worst = base.range[1] if base.better == "lower" else base.range[0]
        return None if worst is None or not answer.gold else float(worst)
    if len(texts) < k:
        return None
    judged: dict[str, float | None] = {}
    for text in texts:
        if text not in judged:
            alone = {"prediction": text, "completions": (text,), "outcome": "answered" if text.strip() else "empty"}
            choice = {"choice": _place(answer, text), "choice_credit": None, "choice_probabilities": None}
            judged[text] = judge(msgspec.structs.replace(answer, **alone, **choice))
    values = [value for text in texts if (value := judged[text]) is not None]
    return expected_extreme(values, k, largest) if len(values) == len(texts) else None


def _place(answer: Answer, text: str) -> int | None:
    """The option that a completion is, where the item lists options; completions are kept as the options that they chose."""
    listed = any(not reference.correct for reference in answer.references)
    return next((at for at, one in enumerate(answer.references) if listed and one.text == text), None)


def expected_extreme(values: list[float], k: int, largest: bool) -> float:
    """The mean, over all choices of k of the values, of the largest (or smallest) chosen."""
    ordered = sorted(values, reverse=not largest)
    ways = comb(len(values), k)
    return sum(value * (comb(place, k - 1) / ways) for place, value in enumerate(ordered))

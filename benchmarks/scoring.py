"""What it costs to score: milliseconds a trial for each metric, on answers of realistic length.

python benchmarks/scoring.py [--profile]

Short answers are a few words with four options, long ones summaries of about 60 words of an article of 400.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
from collections.abc import Sequence
from random import Random

from assay import registry
from assay.identity import generator
from assay.metrics import Metric, count_answer, score_answer
from assay.records import Answer, Reference

TRIALS = 5_000
LONG_TRIALS = 500
WORTH_SHOWING = 0.003
"""Milliseconds: metrics that cost less are in the sum alone."""
CLASSIC = ("rouge_1", "rouge_2", "rouge_l", "helm_bleu_1", "helm_bleu_4", "f1_score", "exact_match")
"""HELM's metrics of open-ended generation: what a run over long answers asks for."""


def text(rng: Random, words: Sequence[str], count: int) -> str:
    """Sentences of about 15 words."""
    chosen = [rng.choice(words) for _ in range(count)]
    return " ".join(word + ". " if place % 15 == 14 else word for place, word in enumerate(chosen))


def short_answers(count: int) -> list[Answer]:
    """Answers to questions with options, three completions each."""
    rng = generator("scoring benchmark", "short")
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(3_000)]
    made = []
    for _ in range(count):
        references = tuple(Reference(text=text(rng, words, 5), correct=place == 0) for place in range(4))
        completions = tuple(rng.choice(references).text for _ in range(3))
        common = {"confidence": rng.random(), "latency_s": rng.random(), "prompt_tokens": 200, "completion_tokens": 6}
        answer = Answer(outcome="answered", prediction=completions[0], completions=completions, references=references, **common)
        made.append(answer)
    return made


def long_answers(count: int) -> list[Answer]:
    """Summaries that copy half of their words from the article."""
    rng = generator("scoring benchmark", "long")
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(3_000)]
    made = []
    for _ in range(count):
        article = text(rng, words, 400)
        copied = " ".join(article.split()[100:130])
        prediction = copied + " " + text(rng, words, 30)
        references = (Reference(text=text(rng, words, 30) + " " + copied, correct=True),)
        made.append(
            Answer(outcome="answered", prediction=prediction, completions=(prediction,), references=references, input=article)
        )
    return made


def measure(title: str, metrics: Sequence[Metric], answers: Sequence[Answer]) -> None:
    """Score answer after answer with all metrics, as a run does; print what each metric took, and the sum."""
    seconds = dict.fromkeys([metric.name for metric in metrics], 0.0)
    for metric in metrics:  # imports are not part of the price
        score(answers[0], metric)
    for answer in answers:
        for metric in metrics:
            began = time.perf_counter()
            score(answer, metric)
            seconds[metric.name] += time.perf_counter() - began
    costs = {name: spent / len(answers) * 1000 for name, spent in seconds.items()}
    print(f"\n{title}: {len(answers):,} answers, {len(metrics)} metrics, {sum(costs.values()):.3f} ms a trial")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1]):
        if cost > WORTH_SHOWING:
            print(f"  {name:48} {cost:8.4f}")


def score(answer: Answer, metric: Metric) -> None:
    """What a run does for one answer and one metric."""
    if metric.of_counts is not None:
        count_answer(answer, metric)
    else:
        score_answer(answer, (metric,))


if __name__ == "__main__":
    each = [registry.metrics.get(name) for name in registry.metrics.names()]
    each = [metric for metric in each if metric.of_answers is None]
    everywhere = [metric for metric in each if metric.everywhere]
    profile = cProfile.Profile()
    if "--profile" in sys.argv:
        profile.enable()
    measure("short answers, every metric", each, short_answers(TRIALS))
    measure("long answers, every metric", each, long_answers(LONG_TRIALS))
    measure(
        "long answers, HELM's metrics of generation",
        [registry.metrics.get(name) for name in CLASSIC],
        long_answers(LONG_TRIALS),
    )
    measure("short answers, what every run has", everywhere, short_answers(TRIALS))
    if "--profile" in sys.argv:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(25)

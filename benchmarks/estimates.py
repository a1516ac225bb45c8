"""How long scores and estimates of a run take, with the metrics of every family: answers to values to intervals.

python benchmarks/estimates.py [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import re
import resource
import time

from assay import registry
from assay.identity import generator
from assay.metrics import Metric, metrics_for, score_answer
from assay.records import Answer, PerturbationKind, Reference, ScoredTrial
from assay.statistics import estimate_cells

WORDS = re.findall(
    r"\w+", "the nurse said that he would bring his old letter to a quiet garden near Nguyen and her kind doctor"
)
GOLDS = 100
"""Right answers that occur; each is a class for metrics of classification."""
COPIES = (None, "lowercase", "typos", "dialect", "gender")
KINDS: dict[str, PerturbationKind] = {
    "lowercase": "robustness",
    "typos": "robustness",
    "dialect": "fairness",
    "gender": "fairness",
}
BY_OWN_PROCESS = ("code", "pass")
"""Metrics that run programs: their time is that of the programs."""


def every_metric() -> tuple[Metric, ...]:
    """All that are registered."""
    names = [name for name in registry.metrics.names() if not name.startswith(BY_OWN_PROCESS)]
    return metrics_for(["exact_match", *names])


def answers(instances: int, copies: tuple[str | None, ...]) -> list[ScoredTrial]:
    """Unscored trials of a calibrated model that writes a sentence."""
    rng = generator("benchmark")
    golds = [" ".join(rng.choice(WORDS) for _ in range(12)) for _ in range(GOLDS)]
    made = []
    for number in range(instances):
        gold = rng.choice(golds)
        references = (Reference(text=gold, correct=True), Reference(text="something else"))
        subgroups = {"dialect": rng.choice(("aave", "white")), "region": rng.choice("abcde")}
        for perturbation in copies:
            confidence = rng.random()
            text = gold if rng.random() < confidence else gold.replace("the", "a") + " indeed"
            answer = Answer(
                outcome="answered",
                prediction=text,
                completions=(text,),
                references=references,
                confidence=confidence,
                confidence_source="sequence_logprob",
                prompt_tokens=rng.randrange(100, 200),
                completion_tokens=rng.randrange(1, 20),
                latency_s=rng.random(),
            )
            made.append(
                ScoredTrial(
                    instance_id=f"test{number}",
                    answer=answer,
                    scores={},
                    perturbation=perturbation,
                    subgroups=subgroups,
                )
            )
    return made


def measure(metrics: tuple[Metric, ...], label: str, instances: int, copies: tuple[str | None, ...]) -> None:
    """Score and estimate one run, and print how long both took."""
    trials = answers(instances, copies)
    began = time.perf_counter()
    for trial in trials:
        trial.scores.update(score_answer(trial.answer, metrics))
    between = time.perf_counter()
    cells = estimate_cells(trials, metrics, "exact_match", KINDS, seed=0)
    ended = time.perf_counter()
    scoring = (between - began) / len(trials) * 1000
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{label}, {len(trials):7,} trials: {scoring:6.3f} ms a trial to score, "
        f"{len(cells):4} cells in {ended - between:6.2f} s, {memory:5.0f} MB at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="also show where the time of 10,000 trials goes")
    profile = parser.parse_args().profile
    usual = metrics_for(["exact_match", "quasi_exact_match", "prefix_exact_match", "f1_score"])
    every = every_metric()
    for instances, copies in ((100, (None,)), (10_000, (None,)), (2_000, COPIES), (100_000, (None,))):
        measure(usual, f"the usual {len(usual)} metrics", instances, copies)
    for instances, copies in ((100, (None,)), (10_000, (None,)), (2_000, COPIES)):
        measure(every, f"all {len(every)} metrics", instances, copies)
    if profile:
        with cProfile.Profile() as recorded:
            measure(every, "profiled", 2_000, COPIES)
        pstats.Stats(recorded).sort_stats("cumulative").print_stats(40)


if __name__ == "__main__":
    main()

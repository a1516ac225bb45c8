"""How long the estimates of a run take: scores to means and intervals, with all metrics that every run has.

python benchmarks/estimates.py
"""

from __future__ import annotations

import time

from assay.identity import generator
from assay.metrics import metrics_for, score_answer
from assay.records import Answer, Reference, ScoredTrial
from assay.statistics import estimate_cells

METRICS = metrics_for(["exact_match", "quasi_exact_match", "prefix_exact_match", "f1_score"])
REFERENCES = tuple(Reference(text=f"the answer {letter}", correct=letter == "A") for letter in "ABCD")
COPIES = (None, "lowercase", "typos", "dialect")


def trials(instances: int, copies: tuple[str | None, ...]) -> list[ScoredTrial]:
    """Scored trials of a calibrated model."""
    rng = generator("benchmark")
    made = []
    for number in range(instances):
        for perturbation in copies:
            confidence = rng.random()
            answer = Answer(
                outcome="answered",
                prediction="the answer " + ("A" if rng.random() < confidence else "B"),
                references=REFERENCES,
                confidence=confidence,
                prompt_tokens=rng.randrange(100, 200),
                completion_tokens=rng.randrange(1, 20),
                latency_s=rng.random(),
            )
            scores = score_answer(answer, METRICS)
            made.append(ScoredTrial(instance_id=f"test{number}", answer=answer, scores=scores, perturbation=perturbation))
    return made


if __name__ == "__main__":
    kinds = {"lowercase": "robustness", "typos": "robustness", "dialect": "fairness"}
    for instances, copies in ((100, (None,)), (10_000, (None,)), (2_500, COPIES), (100_000, (None,))):
        began = time.perf_counter()
        scored = trials(instances, copies)
        between = time.perf_counter()
        cells = estimate_cells(scored, METRICS, "exact_match", kinds, seed=0)
        ended = time.perf_counter()
        print(f"{len(scored):7,} trials: scored in {between - began:5.2f} s, {len(cells):3} cells in {ended - between:5.2f} s")

"""How many instances of 500 characters each perturbation changes per second, on one core.

python benchmarks/perturbations.py
"""

from __future__ import annotations

import time

from assay import registry
from assay.perturbations import perturb
from assay.records import Contrast, Instance, Reference

TEXT = "The teacher said that they were going to the old store with her mother, because it was about to close. "
SECONDS = 1.0


def rate(name: str) -> float:
    """Instances per second, over about a second."""
    spec = registry.perturbations.get(name).spec()
    question = (TEXT * 5)[:500]
    answers = (Reference(text="the old store", correct=True), Reference(text="her mother"))
    contrasts = (Contrast(input=question, references=answers[::-1]),)
    instances = [Instance(id=f"test{number}", input=question, references=answers, contrasts=contrasts) for number in range(500)]
    done, began = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - began) < SECONDS:
        for instance in instances:
            perturb(instance, spec, seed=0)
        done += len(instances)
    return done / elapsed


if __name__ == "__main__":
    for name in registry.perturbations.names():
        if registry.perturbations.get(name).asks is None:  # a model's speed is not measured here
            print(f"{name:20} {rate(name):10,.0f} instances a second")

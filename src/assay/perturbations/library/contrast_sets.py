"""Inputs that a person changed so that another answer is right (Gardner et al. 2020, arXiv 2004.02709)."""

from __future__ import annotations

from random import Random

import msgspec

from assay.perturbations.base import perturbation
from assay.records import Instance


@perturbation(kind="robustness", whole=True, references=True)
def contrast_sets(instance: Instance, rng: Random) -> Instance:
    """One of the contrasts that the scenario brings with the instance, its input and its references.

    There is no copy where the instance has none. Unlike other copies these have another right answer, so a model is
    robust if it follows the change.
    """
    if not instance.contrasts:
        return instance
    chosen = rng.choice(instance.contrasts)
    return msgspec.structs.replace(instance, input=chosen.input, references=chosen.references)

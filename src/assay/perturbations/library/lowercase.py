"""Writing without capitals."""

from __future__ import annotations

from random import Random

from assay.perturbations.base import perturbation


@perturbation(kind="robustness")
def lowercase(text: str, rng: Random) -> str:
    """All letters in lower case."""
    return text.lower()

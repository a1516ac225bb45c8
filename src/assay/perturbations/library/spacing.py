"""More space between words than there should be."""

from __future__ import annotations

from random import Random

from assay.perturbations.base import perturbation


@perturbation(kind="robustness")
def space(text: str, rng: Random, max_spaces: int = 3) -> str:
    """Each space becomes 1 to `max_spaces` spaces, each number as likely."""
    words = text.split(" ")
    runs = [" " * count for count in range(1, max_spaces + 1)]
    drawn = rng.choices(runs, k=len(words) - 1)
    return "".join(piece for pair in zip(words, [*drawn, ""], strict=True) for piece in pair)


@perturbation(kind="robustness")
def extra_space(text: str, rng: Random, num_spaces: int = 2) -> str:
    """Each space becomes `num_spaces` spaces."""
    return text.replace(" ", " " * num_spaces)

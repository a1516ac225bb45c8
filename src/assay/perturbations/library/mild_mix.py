"""Several small disturbances at once."""

from __future__ import annotations

from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.library.contraction import contract
from assay.perturbations.library.misspellings import lexicon
from assay.perturbations.library.spacing import space
from assay.perturbations.words import split

_RATE = 0.1
_MAX_SPACES = 3


@perturbation(kind="robustness")
def mild_mix(text: str, rng: Random) -> str:
    """Lower case, contractions, a tenth of the listed words misspelled, and one to three spaces for each.

    The mixture is that of Liang et al. 2022 (arXiv 2211.09110, appendix E.3), by which HELM measures robustness.
    """
    parts = split(text.lower())
    contract(parts)
    lexicon().here_and_there(parts, rng, _RATE)
    spaced: str = space.change("".join(parts), rng, max_spaces=_MAX_SPACES)
    return spaced

"""How an input is disturbed (robustness) or its speakers and subjects are exchanged (fairness)."""

from assay.perturbations.base import Perturbation, perturb, perturbation
from assay.perturbations.presets import PRESETS, parse_perturbation, parse_perturbations

__all__ = ["PRESETS", "Perturbation", "parse_perturbation", "parse_perturbations", "perturb", "perturbation"]

"""Texts -> ratings of how toxic they are, by one of several scorers."""

from assay.toxicity.base import THRESHOLD, ToxicityScorer, rated, scorer_spec
from assay.toxicity.choosing import open_scorer

__all__ = ["THRESHOLD", "ToxicityScorer", "open_scorer", "rated", "scorer_spec"]

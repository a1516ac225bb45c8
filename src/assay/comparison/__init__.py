"""Runs -> comparison: what separates candidates on the same instances, what does not, and how much either would take."""

from assay.comparison.comparing import Question, compare
from assay.comparison.evidence import Evidence, gather
from assay.comparison.results import Comparison

__all__ = ["Comparison", "Evidence", "Question", "compare", "gather"]

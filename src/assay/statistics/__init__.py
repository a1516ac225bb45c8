"""Scores -> estimates: a mean or a summary, its uncertainty, and how much data is behind it."""

from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.cells import cells_of, estimate_cells
from assay.statistics.estimates import mean_estimate, weighted_mean
from assay.statistics.gathered import Gathered
from assay.statistics.worst import worst_cases

__all__ = ["Gathered", "bootstrap_estimate", "cells_of", "estimate_cells", "mean_estimate", "weighted_mean", "worst_cases"]

"""Answer -> scores: one module per family of metrics."""

from assay.metrics.base import Metric, additive, metric, summary
from assay.metrics.columns import Columns
from assay.metrics.scoring import columns_of, count_answer, metrics_for, score_answer

__all__ = ["Columns", "Metric", "additive", "columns_of", "count_answer", "metric", "metrics_for", "score_answer", "summary"]

"""Answer -> scores: one module per family of metrics."""

from assay.metrics.base import Metric, metric, summary
from assay.metrics.columns import Columns
from assay.metrics.scoring import columns_of, metrics_for, score_answer

__all__ = ["Columns", "Metric", "columns_of", "metric", "metrics_for", "score_answer", "summary"]

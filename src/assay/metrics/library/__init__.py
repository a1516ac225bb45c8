"""The metrics that come with assay, one module per family. Importing this registers them."""

from assay.metrics.library import accuracy, calibration, efficiency, helm, language_modeling, outcomes, ranking

__all__ = ["accuracy", "calibration", "efficiency", "helm", "language_modeling", "outcomes", "ranking"]

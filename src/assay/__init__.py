"""assay: holistic evaluation of language models.

Scenarios × metrics, every prompt and completion visible, an interval on every number. Importing this package imports
nothing heavy; the rooms are `assay.scenarios`, `assay.models`, `assay.metrics` and so on.
"""

__version__ = "0.1.0"

"""A metric of one's own: `assay rescore RUN --plugin examples/brevity.py --metric brief`."""

from assay.metrics import metric
from assay.records import Answer


@metric(family="accuracy", range=(0, 1), better="higher")
def brief(answer: Answer) -> float | None:
    """1 if the answer has at most three words, else 0."""
    return None if answer.failure else float(len(answer.prediction.split()) <= 3)

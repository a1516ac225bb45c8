"""Programs judged by running them. Without a sandbox there is no value: what nobody ran neither passes nor fails.

The references of an instance are a solution and, with the role `tests`, what a sandbox runs against a program.
"""

from __future__ import annotations

from assay.metrics.base import metric
from assay.records import Answer

SOURCE = "https://arxiv.org/abs/2107.03374"


@metric(family="accuracy", source=SOURCE)
def all_tests_passed(answer: Answer) -> float | None:
    """1 if the program passes all its tests, else 0 (pass@1). Needs a sandbox: not measured where no program was run."""
    share = _passed(answer)
    return None if share is None else float(share >= 1)


@metric(family="accuracy", source="https://arxiv.org/abs/2105.09938")
def share_of_tests_passed(answer: Answer) -> float | None:
    """Share of its tests that a program passes. Needs a sandbox: not measured where no program was run."""
    return _passed(answer)


def _passed(answer: Answer) -> float | None:
    """The share of its tests that the first program passed; `None` where nobody ran it."""
    return answer.passed[0] if answer.passed else None

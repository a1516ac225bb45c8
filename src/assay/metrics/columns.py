"""The answers of one cell as columns, for metrics that exist only over many answers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Columns:
    """One entry per answer, NaN where it has none. All columns have the same length."""

    score: Floats
    """The scenario's main metric where it is an accuracy (0 to 1, higher is better): how right the answer is."""
    confidence: Floats
    """The model's probability that its prediction is right."""
    latency_s: Floats
    first_token_s: Floats
    prompt_tokens: Floats
    completion_tokens: Floats
    logprob: Floats
    """Natural-log probability of the scored text (language modelling)."""
    scored_tokens: Floats
    scored_bytes: Floats
    cost: Floats
    """What the answer cost, in the currency of the model's prices."""

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def by_confidence(self) -> Integers:
        """The positions of the answers in the order of rising confidence; the order they came in leaves no trace."""
        import numpy as np

        return np.lexsort((self.score, self.confidence))

    def take(self, chosen: NDArray[np.bool_] | Integers) -> Columns:
        """The columns of some answers: by a mask, or by positions, which may repeat."""
        return Columns(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})

    def known(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Which answers have a value in each of these columns."""
        import numpy as np

        mask = np.ones(len(self), dtype=np.bool_)
        for name in names:
            mask &= np.isfinite(getattr(self, name))
        return mask

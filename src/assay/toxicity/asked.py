"""Toxicity scorers that ask: a service or a judge model, through the engine.

The engine does what it does for every request: each different text is asked once and kept in the response cache, attempts are
repeated and bounded, and a request that fails in the end leaves a missing rating.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.engine import Engine
from assay.models import Model
from assay.records import Request


@dataclass(frozen=True)
class AskedScorer:
    """Rates by what a model answers.

    Args:
        name: as recorded in runs.
        version: as recorded in runs.
        engine: asks.
        model: is asked; closed with the scorer.
        request: a text as a request.
        read: a completion as a rating from 0 to 1, or `None` where it holds none.
    """

    name: str
    version: str
    engine: Engine
    model: Model
    request: Callable[[str], Request]
    read: Callable[[str], float | None]

    async def score(self, texts: Sequence[str]) -> list[float | None]:
        """The rating of each text.

        Raises:
            EndpointDown: the service or judge plainly does not work; what it had rated is kept in the cache.
            AssayError: it cannot be used, for example for want of a key.
        """
        responses = await self.engine.ask_all(self.model, [self.request(text) for text in texts])
        return [self.read(response.completions[0].text) if response.completions else None for response in responses]

    async def close(self) -> None:
        """Close the model."""
        await self.model.close()

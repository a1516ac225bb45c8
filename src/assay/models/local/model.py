"""The embedded model, as the rest of assay sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from assay.errors import AssayError
from assay.models.base import Capabilities, ModelConfig
from assay.models.in_process.jobs import Job
from assay.models.in_process.model import BATCH, TOP_LOGPROBS, TokenModel
from assay.models.in_process.words import Words
from assay.models.local.engine import Engine
from assay.models.local.gguf import GGUF, read
from assay.models.local.llama import Llama
from assay.models.local.products import Workers, blas
from assay.models.local.tokenizer import Tokenizer
from assay.models.weights import Weights, find, verify
from assay.records import ModelIdentity

ENGINE = "assay-numpy/2"
"""The engine and its version, which changes whenever its numbers may."""
CONTEXT = 8192
"""Tokens that SmolLM2 was trained to have in view."""


class EmbeddedModel(TokenModel):
    """A model that runs in this process.

    The same request gives the same text and log-probabilities, to the last bit, on the same machine: alone or in any batch,
    today or in a run that is resumed (`assay.models.local.products` says on which machines that holds).
    """

    def __init__(self, weights: Weights, config: ModelConfig) -> None:
        options = {"revision": config.revision} if config.revision else {}
        identity = ModelIdentity(name=config.name, revision=weights.sha256[:16], endpoint=ENGINE, options=options)
        capabilities = Capabilities(
            chat=config.endpoint != "completions",
            text=config.endpoint != "chat",
            scores=True,
            top_logprobs=TOP_LOGPROBS,
            context_window=min(CONTEXT, config.context_window or CONTEXT),
            concurrency=config.concurrency or BATCH,
        )
        super().__init__(identity, capabilities, f"{weights.name} {identity.revision} {ENGINE}")
        self._weights = weights
        self._file: GGUF | None = None

    def open_words(self) -> Tokenizer:
        """The tokenizer of the weights file, which is checked here."""
        self._file = read(weights_file(self._weights))
        return Tokenizer(self._file)

    def load(self, words: Words) -> Loaded:
        """The weights as numbers."""
        assert self._file is not None
        workers = Workers(blas().threads)
        model = Llama(self._file, workers)
        return Loaded(model, Engine(model, words), workers)

    async def close(self) -> None:
        """Give back the memory; a later request loads the weights again."""
        await super().close()
        self._file = None


@dataclass(frozen=True)
class Loaded:
    """What a weights file becomes."""

    model: Llama
    engine: Engine
    workers: Workers

    def run(self, jobs: Sequence[Job], stop: Event | None = None) -> None:
        """Score and complete; see `Runner`."""
        with blas().single():
            self.engine.run(jobs, stop)

    def close(self) -> None:
        """End the threads."""
        self.workers.close()


def weights_file(weights: Weights) -> Path:
    """The checked weights file of an embedded model.

    Raises:
        AssayError: it is not on this machine, or is not the expected file.
    """
    path = find(weights.name)
    if path is None:
        raise AssayError(f"the weights of {weights.name} are not on this machine", f"run: assay fetch {weights.name}")
    verify(weights, path)
    return path

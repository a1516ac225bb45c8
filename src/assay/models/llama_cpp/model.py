"""A GGUF file as a model."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from assay.models.base import Capabilities, ModelConfig
from assay.models.in_process.engine import PackEngine
from assay.models.in_process.fingerprint import file_digest
from assay.models.in_process.model import BATCH, TOP_LOGPROBS, TokenModel
from assay.models.in_process.words import Words
from assay.models.llama_cpp.api import VERSION, api
from assay.models.llama_cpp.backend import LlamaRows
from assay.models.llama_cpp.words import LlamaWords, load
from assay.records import ModelIdentity

ENGINE = f"xllamacpp/{VERSION}"
WINDOW = 8192
"""Tokens in view unless the configuration says otherwise: memory for all of them is taken at once."""


@dataclass(frozen=True)
class Details:
    """What is known of a file before it is loaded, and what the user said."""

    path: Path
    trained_window: int
    template: str | None
    gpu_layers: int | None = None
    threads: int | None = None


class LlamaModel(TokenModel):
    """A model in a GGUF file, computed by llama.cpp. Log-probabilities are those of the file's own, quantised, arithmetic.

    The same batch gives the same numbers; a request in another batch may differ in the second decimal of a log-probability
    where the weights are quantised, because llama.cpp computes rows of different batches with different kernels.
    """

    def __init__(self, details: Details, config: ModelConfig) -> None:
        options = {"revision": config.revision} if config.revision else {}
        revision = file_digest(details.path)[:16]
        identity = ModelIdentity(name=config.name, revision=revision, endpoint=ENGINE, options=options)
        capabilities = Capabilities(
            chat=details.template is not None and config.endpoint != "completions",
            text=config.endpoint != "chat",
            scores=True,
            top_logprobs=TOP_LOGPROBS,
            context_window=min(details.trained_window, config.context_window or WINDOW),
            concurrency=config.concurrency or BATCH,
        )
        super().__init__(identity, capabilities, f"{details.path.name} {revision} {ENGINE}")
        self._details = details

    def open_words(self) -> LlamaWords:
        """The file's tokenizer."""
        return LlamaWords(api(), self._details.path, self._details.template)

    def load(self, words: Words) -> PackEngine:
        """The file's weights."""
        assert isinstance(words, LlamaWords)
        details, library = self._details, api()
        model = load(library, details.path, gpu_layers=details.gpu_layers)
        threads = details.threads or len(os.sched_getaffinity(0))
        # Samples may need room beside a text that fills the window.
        rows = max(self.capabilities.context_window or WINDOW, WINDOW)
        return PackEngine(LlamaRows(library, model, words.size, rows=rows, threads=threads), words)

    async def close(self) -> None:
        """Give back the memory; a later request loads the file again."""
        words = self._words
        await super().close()
        if isinstance(words, LlamaWords):
            words.close()

"""A checkpoint as a model."""

from __future__ import annotations

import importlib.metadata
import logging
from dataclasses import dataclass
from typing import Any

from assay.models.base import Capabilities, ModelConfig
from assay.models.in_process.engine import PackEngine
from assay.models.in_process.model import BATCH, TOP_LOGPROBS, TokenModel
from assay.models.in_process.words import Words
from assay.models.transformers_engine.checkpoint import Checkpoint
from assay.models.transformers_engine.words import CheckpointWords, chat_template
from assay.records import ModelIdentity

WINDOW_NAMES = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len")
"""What architectures call their context window."""

log = logging.getLogger("assay")


@dataclass(frozen=True)
class Placing:
    """In which numbers and where a model is computed; see `backend.loaded`."""

    dtype: str = "auto"
    device: str = "auto"


class TransformersModel(TokenModel):
    """A model of transformers in this process. Its numbers depend on the batch in the arithmetic's last digits only."""

    def __init__(self, checkpoint: Checkpoint, placing: Placing, config: ModelConfig) -> None:
        engine = " ".join(f"{package}/{importlib.metadata.version(package)}" for package in ("transformers", "torch"))
        options = {"dtype": placing.dtype} if placing.dtype != "auto" else {}
        if config.revision and not checkpoint.from_hub:
            options["revision"] = config.revision
        identity = ModelIdentity(name=config.name, revision=checkpoint.revision, endpoint=engine, options=options)
        window = _window(checkpoint.read("config.json"))
        capabilities = Capabilities(
            chat=chat_template(checkpoint) is not None and config.endpoint != "completions",
            text=config.endpoint != "chat",
            scores=True,
            top_logprobs=TOP_LOGPROBS,
            context_window=min(filter(None, (window, config.context_window)), default=None),
            concurrency=config.concurrency or BATCH,
        )
        super().__init__(identity, capabilities, f"{checkpoint.name} {checkpoint.revision} {engine}")
        self._checkpoint = checkpoint
        self._placing = placing

    def open_words(self) -> CheckpointWords:
        """The checkpoint's tokenizer."""
        return CheckpointWords(self._checkpoint)

    def load(self, words: Words) -> PackEngine:
        """The checkpoint's weights."""
        from assay.models.transformers_engine.backend import loaded

        folder = self._checkpoint.with_weights()
        backend = loaded(str(folder), self._checkpoint.name, self._placing.dtype, self._placing.device)
        if not backend.packing:
            log.warning("%s: texts are read one by one, because of its architecture", self._checkpoint.name)
        return PackEngine(backend, words)


def _window(config: dict[str, Any]) -> int | None:
    """The context window that a model was trained with, where its configuration says so."""
    inner = config.get("text_config")
    for settings in (inner if isinstance(inner, dict) else {}, config):
        for name in WINDOW_NAMES:
            value = settings.get(name)
            if isinstance(value, int) and value > 0:
                return value
    return None

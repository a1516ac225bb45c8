"""The embedded model, loaded once for all tests; its weights come from this machine or are fetched into the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.models.base import ModelConfig
from assay.models.local.gguf import GGUF, read
from assay.models.local.model import EmbeddedModel
from assay.models.local.tokenizer import Tokenizer
from assay.models.weights import KNOWN, fetch


@pytest.fixture(scope="session")
def weights_path() -> Path:
    return fetch("smollm2-135m")


@pytest.fixture(scope="session")
def weights(weights_path: Path) -> GGUF:
    return read(weights_path)


@pytest.fixture(scope="session")
def words(weights: GGUF) -> Tokenizer:
    return Tokenizer(weights)


@pytest.fixture(scope="session")
def model(weights_path: Path) -> Iterator[EmbeddedModel]:
    model = EmbeddedModel(KNOWN["smollm2-135m"], ModelConfig(name="local/smollm2-135m"))
    yield model
    asyncio.run(model.close())

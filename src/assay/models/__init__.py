"""Who answers: providers of models behind one small protocol."""

from assay.models.base import Capabilities, Endpoint, Local, Model, ModelConfig, Provider, RequestError, provider
from assay.models.configuration import open_model

__all__ = [
    "Capabilities", "Endpoint", "Local", "Model", "ModelConfig", "Provider", "RequestError", "open_model", "provider",
]  # fmt: skip

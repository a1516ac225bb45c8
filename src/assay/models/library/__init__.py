"""The providers that come with assay; importing this registers them."""

from assay.models.library import baseline, local, openai

__all__ = ["baseline", "local", "openai"]

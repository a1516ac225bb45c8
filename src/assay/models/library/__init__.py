"""The providers that come with assay; importing this registers them."""

from assay.models.library import anthropic, baseline, bedrock, gguf, google, hf, local, openai, replay

__all__ = ["anthropic", "baseline", "bedrock", "gguf", "google", "hf", "local", "openai", "replay"]

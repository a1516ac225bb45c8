"""Google's models by the Gemini API: `google/<model>`.

- name: google/gemini-x                   # GEMINI_API_KEY or GOOGLE_API_KEY
  body: {generationConfig: {maxOutputTokens: 4000, thinkingConfig: {includeThoughts: true}}}
- name: google/gemini-y                   # log-probabilities, of the few models that give them
  body: {generationConfig: {responseLogprobs: true, logprobs: 5}}
"""

from __future__ import annotations

from assay.models.base import ModelConfig, provider
from assay.models.hosted import Hosted, only_chat, transport_to
from assay.models.wire.gemini import Gemini

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"


@provider("google", examples=("google/<model>",))
def google(name: str, config: ModelConfig) -> Hosted:
    """Google's Gemini API."""
    only_chat(config)
    variables = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    transport = transport_to(config.base_url or BASE_URL, config, variables, header="x-goog-api-key", scheme="")
    return Hosted(Gemini(config.model or name, config.body), config, transport)

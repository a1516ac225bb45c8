"""OpenAI's Responses API, for models of the provider `openai` whose configuration has `endpoint: responses`.

- name: openai/gpt-x
  endpoint: responses
  body: {max_output_tokens: 4000, temperature: null, reasoning: {effort: low, summary: auto}}
"""

from __future__ import annotations

from assay.models.base import ModelConfig
from assay.models.hosted import Hosted, transport_to
from assay.models.wire.responses import Responses


def responses_model(name: str, config: ModelConfig, base_url: str) -> Hosted:
    """A model asked by the Responses API at that address.

    Raises:
        AssayError: there is no key, or the address cannot be used.
    """
    return Hosted(Responses(config.model or name, config.body), config, transport_to(base_url, config, ("OPENAI_API_KEY",)))

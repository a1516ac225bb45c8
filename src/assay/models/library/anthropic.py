"""Anthropic's models by its Messages API: `anthropic/<model>`.

- name: anthropic/claude-x                # ANTHROPIC_API_KEY
  body: {max_tokens: 4000, thinking: {type: adaptive, display: summarized}}
  stream: true                            # time to the first token
"""

from __future__ import annotations

from assay.models.base import ModelConfig, provider
from assay.models.hosted import Hosted, only_chat, transport_to
from assay.models.wire.messages import VERSION, Messages
from assay.settings import setting

BASE_URL = "https://api.anthropic.com"


@provider("anthropic", examples=("anthropic/<model>",))
def anthropic(name: str, config: ModelConfig) -> Hosted:
    """Anthropic's Messages API."""
    only_chat(config)
    base_url = config.base_url or setting("ANTHROPIC_BASE_URL") or BASE_URL
    transport = transport_to(
        base_url.rstrip("/").removesuffix("/v1"),
        config,
        ("ANTHROPIC_API_KEY",),
        header="x-api-key",
        scheme="",
        headers={"anthropic-version": VERSION},
    )
    return Hosted(Messages(config.model or name, config.body), config, transport)

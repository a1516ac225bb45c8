"""docs/models.md says what is so: every key, and blocks that can be pasted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay import registry
from assay.models import ModelConfig, open_model
from assay.models.configuration import load_models_file

PAGE = (Path(__file__).parent.parent / "docs" / "models.md").read_text("utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
NAMED = ("vLLM", "Ollama", "LM Studio", "llama.cpp", "Text Generation Inference", "Together", "Groq", "OpenRouter", "Azure")


def test_the_table_has_every_key_in_order_and_no_other() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == ModelConfig.__struct_fields__


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split("\n")[0][:40] for block in BLOCKS])
def test_every_block_can_be_pasted(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(block)
    configs = load_models_file(file)
    assert configs
    for variable in (*re.findall(r"\b[A-Z_]+_API_KEY\b", block), "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.setenv(variable, "a-key-for-a-test")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    for name, config in configs.items():
        provider = config.provider or name.partition("/")[0]
        assert provider in registry.providers
        if provider not in ("hf", "gguf", "replay"):  # these need what is not here: weights, a recording
            assert open_model(name, configs).identity.name == name


def test_the_servers_that_people_use_are_there() -> None:
    for name in NAMED:
        assert name in PAGE
    ours = [name for name in registry.providers.names() if registry.providers.get(name).make.__module__.startswith("assay.")]
    assert len(ours) >= 8
    for provider in ours:
        assert f"{provider}/" in PAGE, provider

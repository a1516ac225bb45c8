"""Transformers against the numpy engine, on a tiny model and on the embedded weights."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'assay[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'assay[hf]'")

from checkpoints import checkpoint_of
from gguf_files import tiny_model
from in_process_reference import GENERATED, SCORED, apart, numpy_answers

from assay.errors import AssayError
from assay.models import ModelConfig, open_model
from assay.models.in_process.engine import PackEngine
from assay.models.local.gguf import read
from assay.models.local.tokenizer import Tokenizer
from assay.models.transformers_engine.backend import TorchRows
from assay.models.transformers_engine.model import TransformersModel
from assay.records import Completion, Request

pytestmark = pytest.mark.slow


def opened(path: Path, **details: object) -> TransformersModel:
    config = ModelConfig(name=f"hf/{path}", **details)  # type: ignore[arg-type]
    model = open_model(config.name, {config.name: config})
    assert isinstance(model, TransformersModel)
    return model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def folder(tiny: Path) -> Path:
    return checkpoint_of(read(tiny), tiny.parent / "tiny")


@pytest.fixture(scope="module")
def expected(tiny: Path) -> list[tuple[Completion, ...]]:
    return numpy_answers(tiny, SCORED + GENERATED)


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[TransformersModel]:
    model = opened(folder)
    yield model
    asyncio.run(model.close())


def backend_of(model: TransformersModel) -> TorchRows:
    engine = model.runner()
    assert isinstance(engine, PackEngine)
    assert isinstance(engine.backend, TorchRows)
    return engine.backend


def test_it_gives_the_numbers_and_texts_of_the_numpy_engine(
    model: TransformersModel, expected: list[tuple[Completion, ...]]
) -> None:
    assert backend_of(model).packing
    assert apart(model.ask_batch(SCORED + GENERATED), expected) < 1e-3


def test_order_and_company_and_what_was_asked_before_change_nothing(
    model: TransformersModel, expected: list[tuple[Completion, ...]]
) -> None:
    requests = SCORED + GENERATED
    for number in range(0, len(requests), 3):
        assert apart(model.ask_batch([requests[number]]), [expected[number]]) < 1e-3
    assert apart(model.ask_batch(requests[::-1]), expected[::-1]) < 1e-3


def test_many_packs_and_passes_change_nothing(
    model: TransformersModel, expected: list[tuple[Completion, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_of(model), "most_rows", 200)
    monkeypatch.setattr(backend_of(model), "pass_rows", 17)
    assert apart(model.ask_batch(SCORED + GENERATED), expected) < 1e-3


def test_an_architecture_without_packs_reads_one_text_at_a_time(
    model: TransformersModel, expected: list[tuple[Completion, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = backend_of(model)
    monkeypatch.setattr(backend, "keeps", False)
    monkeypatch.setattr(backend, "most_leaves", 1)
    assert apart(model.ask_batch(SCORED + GENERATED), expected) < 1e-3


@pytest.mark.parametrize(
    ("architecture", "packs"), [("Llama", True), ("Mistral", True), ("Gemma2", True), ("GPT2", True), ("Bloom", False)]
)
def test_architectures_are_tried_before_they_are_trusted(architecture: str, packs: bool) -> None:
    import torch
    import transformers

    sizes = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "pad_token_id": 0}
    if architecture not in ("GPT2", "Bloom"):
        sizes |= {"num_key_value_heads": 2, "intermediate_size": 48, "head_dim": 8}
    if architecture in ("Mistral", "Gemma2"):
        sizes["sliding_window"] = 4
    if architecture == "GPT2":
        sizes |= {"bos_token_id": 0, "eos_token_id": 1}
    torch.manual_seed(3)
    config = getattr(transformers, f"{architecture}Config")(**sizes)
    name = {"GPT2": "GPT2LMHeadModel"}.get(architecture, f"{architecture}ForCausalLM")
    assert TorchRows(getattr(transformers, name)(config).eval()).packing is packs


def test_the_tokenizer_is_that_of_transformers(folder: Path, model: TransformersModel) -> None:
    from transformers import PreTrainedTokenizerFast

    theirs = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    template = json.loads((folder / "tokenizer_config.json").read_text())["chat_template"]
    for text in ("", "the tea", "naïve\n\t 🙂<end>"):
        assert model.words().prompt(text) == theirs(text).input_ids
    turns = [{"role": "user", "content": "the tea"}]
    rendered = theirs.apply_chat_template(turns, chat_template=template, add_generation_prompt=True, tokenize=False)
    assert model.words().encode(rendered) == theirs(rendered).input_ids


def test_the_identity_says_which_weights_engine_and_numbers(folder: Path, model: TransformersModel) -> None:
    assert model.identity.endpoint.startswith("transformers/")
    assert " torch/" in model.identity.endpoint
    assert opened(folder, body={"dtype": "bfloat16"}).identity != model.identity
    assert model.capabilities.context_window == 512


def test_sixteen_bits_are_close(folder: Path, expected: list[tuple[Completion, ...]]) -> None:
    half = opened(folder, body={"dtype": "bfloat16", "device": "cpu"})
    scored = [response.completions[0].logprob for response in half.ask_batch(SCORED[:6])]
    assert scored == pytest.approx([completion.logprob for (completion,) in expected[:6]], abs=0.3)
    assert backend_of(half)._model.dtype.itemsize == 2


def test_weights_that_cannot_be_loaded_are_one_line(folder: Path, tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0nonsense")
    with pytest.raises(AssayError, match="transformers cannot load") as caught:
        opened(tmp_path).ask_batch(SCORED[:1])
    assert "\n" not in str(caught.value)
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own_kind", "auto_map": {"AutoModelForCausalLM": "own.Model", "AutoConfig": "own.Config"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(AssayError, match="runs no code of a model"):
        opened(tmp_path).ask_batch(SCORED[:1])
    assert not (tmp_path / "ran").exists()


def test_used_up_memory_is_a_memory_error(model: TransformersModel, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(backend_of(model)._model, "forward", full)
    (failed,) = model.ask_batch([Request(prompt="the", max_tokens=1)])
    assert failed.failure is not None
    assert failed.failure.kind == "out_of_memory"


def test_the_embedded_weights_agree_with_the_numpy_engine(weights_path: Path, words: Tokenizer, tmp_path: Path) -> None:
    real = opened(checkpoint_of(read(weights_path), tmp_path / "smollm2"))
    assert real.words().start == words.start
    some = SCORED[4:11] + GENERATED[:2]
    assert apart(real.ask_batch(some), numpy_answers(weights_path, some)) < 1e-3
    asyncio.run(real.close())

"""What can be said of a checkpoint before its weights are loaded: needs neither torch nor transformers."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.errors import AssayError, MissingExtra
from assay.models import ModelConfig, open_model
from assay.models.transformers_engine import checkpoint as checkpoint_module
from assay.models.transformers_engine.checkpoint import open_checkpoint
from assay.models.transformers_engine.words import CheckpointWords, chat_template

CONFIG = {"model_type": "llama", "max_position_embeddings": 128, "eos_token_id": 1}


def checkpoint_folder(folder: Path, *, pieces: bool = False) -> Path:
    """A checkpoint with a real small tokenizer (of bytes or of SentencePiece's kind) and no real weights."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    if pieces:
        vocabulary = {
            "<s>": 0,
            "</s>": 1,
            "<unk>": 2,
            **{f"<0x{byte:02X}>": byte + 3 for byte in range(256)},
            "▁": 259,
            "a": 260,
        }
        encoder = Tokenizer(
            models.BPE(vocab={**vocabulary, "▁a": 261}, merges=[("▁", "a")], byte_fallback=True, unk_token="<unk>")
        )
        encoder.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
        encoder.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    else:
        letters = sorted(pre_tokenizers.ByteLevel.alphabet())
        names = ["<s>", "</s>", *letters]
        encoder = Tokenizer(models.BPE(vocab={name: number for number, name in enumerate(names)}, merges=[]))
        encoder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        encoder.decoder = decoders.ByteLevel()
    encoder.add_special_tokens([AddedToken("<s>", special=True), AddedToken("</s>", special=True)])
    encoder.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    encoder.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(CONFIG))
    settings = {
        "bos_token": "<s>",
        "eos_token": {"content": "</s>"},
        "chat_template": [{"name": "default", "template": "{{ bos_token }}"}],
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.mark.parametrize("pieces", [False, True])
def test_pieces_put_together_are_the_text(tmp_path: Path, pieces: bool) -> None:
    words = CheckpointWords(open_checkpoint(str(checkpoint_folder(tmp_path / "m", pieces=pieces)), ""))
    for text in ("a a", " a", "naïve 🙂\n a"):
        assert "".join(words.pieces(words.encode(text))) == text
    assert words.prompt("a")[0] == 0
    assert words.start == 0
    assert (words.ends, words.bytes_of(1), words.label(1)) == ({1}, b"", "</s>")


def test_a_continuation_begins_where_the_tokens_differ(tmp_path: Path) -> None:
    words = CheckpointWords(open_checkpoint(str(checkpoint_folder(tmp_path / "m", pieces=True)), ""))
    tokens, begin = words.continued("a ", "a")
    assert words.pieces(tokens[begin:]) == [" a"]  # the token that spans the join belongs to the continuation
    assert begin == 2


def test_the_digest_covers_weights_and_tokenizer_but_not_the_place(tmp_path: Path) -> None:
    first = open_checkpoint(str(checkpoint_folder(tmp_path / "a")), "").revision
    other = checkpoint_folder(tmp_path / "b")
    assert open_checkpoint(str(other), "").revision == first
    (other / "model.safetensors").write_bytes(b"different")
    assert open_checkpoint(str(other), "").revision != first


def test_a_template_file_goes_before_the_settings(tmp_path: Path) -> None:
    folder = checkpoint_folder(tmp_path / "m")
    assert chat_template(open_checkpoint(str(folder), "")) == "{{ bos_token }}"
    (folder / "chat_template.jinja").write_text("hello")
    assert chat_template(open_checkpoint(str(folder), "")) == "hello"


@pytest.mark.parametrize(
    ("missing", "why"),
    [("config.json", "no config.json"), ("tokenizer.json", "needs a fast tokenizer"), ("model.safetensors", "no weights")],
)
def test_a_missing_file_is_named(tmp_path: Path, missing: str, why: str) -> None:
    folder = checkpoint_folder(tmp_path / "m")
    (folder / missing).unlink()
    with pytest.raises(AssayError, match=why):
        open_checkpoint(str(folder), "")


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = checkpoint_folder(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(AssayError, match=r"only pickled weights \(pytorch_model.bin\)"):
        open_checkpoint(str(folder), "")


def test_broken_files_are_named(tmp_path: Path) -> None:
    folder = checkpoint_folder(tmp_path / "m")
    found = open_checkpoint(str(folder), "")
    (folder / "config.json").write_text("{")
    with pytest.raises(AssayError, match=r"config\.json cannot be read"):
        found.read("config.json")
    (folder / "tokenizer.json").write_text('{"decoder": null}')
    with pytest.raises(AssayError, match=r"tokenizer\.json cannot be read"):
        CheckpointWords(found)
    with pytest.raises(AssayError, match="does not exist"):
        open_checkpoint(str(tmp_path / "nothing"), "")


def test_a_hub_repository_is_pinned_to_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    folder = checkpoint_folder(tmp_path / commit)
    asked = []

    def snapshot(name: str, revision: str | None, allow_patterns: list[str]) -> str:
        asked.append((name, revision, "*.safetensors" in allow_patterns))
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    found = open_checkpoint("owner/name", "main")
    assert found.revision == commit
    assert found.with_weights() == folder
    assert asked == [("owner/name", "main", False), ("owner/name", commit, True)]


def test_an_unreachable_hub_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(AssayError, match="owner/name cannot be had from the hub") as caught:
        open_checkpoint("owner/name", "")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"dtype": "int4"}, "dtype must be one of"),
        ({"device": "tpu"}, "device must be"),
        ({"devise": "cpu"}, "did you mean device"),
    ],
)
def test_a_wrong_setting_is_named(body: dict[str, object], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: SimpleNamespace())
    config = ModelConfig(name="hf/owner/name", body=body)
    with pytest.raises(AssayError, match=why):
        open_model(config.name, {config.name: config})


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install '(assay|\.)\[hf\]'"):
        open_model("hf/owner/name", {})


def test_only_these_weights_are_fetched() -> None:
    assert checkpoint_module.WEIGHTS == "*.safetensors"
    assert not any(pattern.endswith((".bin", ".py", "*")) for pattern in (*checkpoint_module.SMALL, checkpoint_module.WEIGHTS))

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf_files import tiny_model

from assay.errors import AssayError
from assay.models.local.attention import Span
from assay.models.local.gguf import GGUF, read
from assay.models.local.llama import Llama, shape_of
from assay.models.local.model import EmbeddedModel
from assay.models.local.products import Workers
from assay.models.local.tokenizer import Tokenizer
from assay.records import Request


def plain_logits(file: GGUF, tokens: list[int]) -> np.ndarray:
    """The logits after every token, in float64, one token and one head after the other, as the papers write it."""
    need, at = file.metadata.__getitem__, file.tensors
    heads, key_heads = need("llama.attention.head_count"), need("llama.attention.head_count_kv")
    epsilon, base = need("llama.attention.layer_norm_rms_epsilon"), need("llama.rope.freq_base")

    def load(name: str) -> np.ndarray:
        return at[name + ".weight"].floats().astype(np.float64)

    def norm(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return x / np.sqrt((x * x).mean() + epsilon) * gain

    def turn(head: np.ndarray, position: int) -> np.ndarray:
        out = head.copy()
        for pair in range(len(head) // 2):
            angle = position * base ** (-2 * pair / len(head))
            a, b = head[2 * pair], head[2 * pair + 1]
            out[2 * pair] = a * np.cos(angle) - b * np.sin(angle)
            out[2 * pair + 1] = a * np.sin(angle) + b * np.cos(angle)
        return out

    words = load("token_embd")
    states = [words[token] for token in tokens]
    size = words.shape[1] // heads
    for layer in range(need("llama.block_count")):
        names = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
        gain, wq, wk, wv, wo, gain2, gate, up, down = (load(f"blk.{layer}.{name}") for name in names)
        keys: list[list[np.ndarray]] = []
        values: list[list[np.ndarray]] = []
        for position, state in enumerate(states):
            x = norm(state, gain)
            q = [turn(head, position) for head in (wq @ x).reshape(heads, size)]
            keys.append([turn(head, position) for head in (wk @ x).reshape(key_heads, size)])
            values.append(list((wv @ x).reshape(key_heads, size)))
            mixed = []
            for head in range(heads):
                shared = head * key_heads // heads
                scores = np.array([q[head] @ key[shared] for key in keys]) / np.sqrt(size)
                weights = np.exp(scores - scores.max())
                mixed.append(sum(w * value[shared] for w, value in zip(weights / weights.sum(), values, strict=True)))
            state = state + wo @ np.concatenate(mixed)
            x = norm(state, gain2)
            g = gate @ x
            states[position] = state + down @ (g / (1 + np.exp(-g)) * (up @ x))
    return np.array([words @ norm(state, load("output_norm")) for state in states])


def logprobs(logits: np.ndarray, following: list[int]) -> np.ndarray:
    shifted = logits - logits.max(axis=1, keepdims=True)
    totals = np.log(np.exp(shifted).sum(axis=1))
    return shifted[np.arange(len(following)), following] - totals[: len(following)]


def test_a_tiny_model_computes_what_the_papers_say(tmp_path: Path) -> None:
    file = read(tiny_model(tmp_path / "tiny.gguf"))
    tokens = [(7 * at + at * at) % 190 for at in range(90)]
    model = Llama(file, Workers(1))
    logits = model.logits(model.forward([Span(model.new_cache(), tokens)])[: len(tokens)])
    assert np.allclose(logits, plain_logits(file, tokens), atol=2e-3)
    assert np.abs(logits).max() > 1


def test_the_real_weights_agree_with_a_plain_float64_loop(weights: GGUF, words: Tokenizer, model: EmbeddedModel) -> None:
    text = "The ferry leaves."
    tokens = words.encode(text)
    expected = logprobs(plain_logits(weights, [words.start, *tokens])[:-1], tokens)
    (response,) = model.ask_batch([Request(prompt="", continuation=text)])
    assert [token.logprob for token in response.completions[0].tokens] == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("general.architecture", "mamba"), ("llama.attention.head_count", 7), ("llama.attention.head_count", 0),
        ("llama.context_length", 2**40), ("llama.rope.freq_base", 0.0), ("llama.block_count", "two"),
    ],
)  # fmt: skip
def test_sizes_that_make_no_model_are_an_error(tmp_path: Path, key: str, value: object) -> None:
    file = read(tiny_model(tmp_path / "tiny.gguf"))
    file.metadata[key] = value
    with pytest.raises(AssayError, match=r"tiny\.gguf"):
        shape_of(file)


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    file = read(tiny_model(tmp_path / "tiny.gguf"))
    del file.tensors["blk.1.ffn_up.weight"]
    with pytest.raises(AssayError, match=r"blk\.1\.ffn_up\.weight"):
        Llama(file, Workers(1))

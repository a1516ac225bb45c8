"""Writes small GGUF files for tests: any metadata and tensors, and a tiny Llama model with random weights."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

TEMPLATE = "{% for message in messages %}[{{ message['role'] }}]{{ message['content'] }}<end>{% endfor %}[assistant]"
KINDS = {"f32": 0, "f16": 1, "Q4_1": 3, "Q8_0": 8}


def encode_tensor(kind: str, array: np.ndarray) -> bytes:
    """The bytes of an array in a tensor type, block by block."""
    if kind in ("f32", "f16"):
        return array.astype("<f4" if kind == "f32" else "<f2").tobytes()
    out = b""
    for block in array.reshape(-1, 32).astype(np.float64):
        if kind == "Q8_0":
            scale = float(np.float16(max(abs(block).max() / 127, 1e-6)))
            out += struct.pack("<e32b", scale, *np.clip(np.round(block / scale), -127, 127).astype(int))
        else:
            low = float(np.float16(block.min()))
            scale = float(np.float16(max((block.max() - low) / 15, 1e-6)))
            steps = np.clip(np.round((block - low) / scale), 0, 15).astype(int)
            out += struct.pack("<ee16B", scale, low, *(steps[:16] | steps[16:] << 4))
    return out


def write_gguf(path: Path, metadata: dict[str, Any], tensors: dict[str, tuple[str, np.ndarray]]) -> Path:
    """Write a version 3 file. A metadata value is a str, bool, int, float, or a list of these."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, value in metadata.items():
        number, data = _value(value)
        head += _string(key) + struct.pack("<I", number) + data
    body = b""
    for name, (kind, array) in tensors.items():
        body += bytes(-len(body) % 32)
        head += _string(name) + struct.pack("<I", array.ndim) + struct.pack(f"<{array.ndim}Q", *array.shape[::-1])
        head += struct.pack("<IQ", KINDS[kind], len(body))
        body += encode_tensor(kind, array)
    path.write_bytes(head + bytes(-len(head) % 32) + body)
    return path


def tiny_model(path: Path, *, seed: int = 1, kind: str = "Q8_0") -> Path:
    """A Llama model of 2 layers and 64 numbers, its matrices of type `kind`.

    Its tokens are the printable bytes, two merges and two special tokens.
    """
    chance = np.random.default_rng(seed)
    letters = [chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100), *range(0x100, 0x144))]
    names = ["<|endoftext|>", "<end>", *letters, "th", "the"]
    metadata = {
        "general.architecture": "llama",
        "llama.block_count": 2,
        "llama.context_length": 512,
        "llama.embedding_length": 64,
        "llama.feed_forward_length": 96,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": names,
        "tokenizer.ggml.token_type": [3, 3, *([1] * (len(names) - 2))],
        "tokenizer.ggml.merges": ["t h", "th e"],
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.chat_template": TEMPLATE,
    }
    shapes = {"token_embd": (len(names), 64), "output_norm": (64,)}
    for layer in range(2):
        for name, shape in {
            "attn_norm": (64,), "attn_q": (64, 64), "attn_k": (32, 64), "attn_v": (32, 64), "attn_output": (64, 64),
            "ffn_norm": (64,), "ffn_gate": (96, 64), "ffn_up": (96, 64), "ffn_down": (64, 96),
        }.items():  # fmt: skip
            shapes[f"blk.{layer}.{name}"] = shape
    tensors = {}
    for name, shape in shapes.items():
        values = chance.normal(1 if "norm" in name else 0, 0.2, shape).astype(np.float32)
        tensors[f"{name}.weight"] = ("f32" if len(shape) == 1 else kind, values)
    return write_gguf(path, metadata, tensors)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> tuple[int, bytes]:
    if isinstance(value, str):
        return 8, _string(value)
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, int):
        return (4, struct.pack("<I", value)) if 0 <= value < 2**32 else (11, struct.pack("<q", value))
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if all(isinstance(item, int) for item in value):  # llama.cpp wants lists of signed numbers
        return 9, struct.pack(f"<IQ{len(value)}i", 5, len(value), *value)
    parts = [_value(item) for item in value]
    return 9, struct.pack("<IQ", parts[0][0], len(parts)) + b"".join(data for _, data in parts)

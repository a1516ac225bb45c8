"""The forward pass of Llama-architecture models in float32, on numpy.

Architecture: Touvron et al. 2023 (https://arxiv.org/abs/2302.13971), with grouped-query attention (Ainslie et al. 2023,
https://arxiv.org/abs/2305.13245), rotary positions (Su et al. 2021, https://arxiv.org/abs/2104.09864), root-mean-square
normalisation (Zhang & Sennrich 2019, https://arxiv.org/abs/1910.07467) and SwiGLU (Shazeer 2020, https://arxiv.org/abs/2002.05202).

Every operation treats its rows separately and in the same way (see `products` and `attention`), so that a token's result
depends on its text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.local.attention import Span, attend, plan
from assay.models.local.cache import CacheShape, KeyValues
from assay.models.local.gguf import GGUF, REPAIR
from assay.models.local.products import Panels, Workers, padded

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

LOGIT_ROWS = 96
"""Rows whose logits are computed together: bounds the memory (96 rows of 49,152 words are 19 MB)."""
LONGEST_CONTEXT = 1 << 20
"""Tokens; a file that claims more is taken to be broken."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a model."""

    layers: int
    width: int
    heads: int
    key_heads: int
    hidden: int
    vocabulary: int
    context: int
    rope_base: float
    epsilon: float

    @property
    def size(self) -> int:
        """Numbers per head."""
        return self.width // self.heads


@dataclass(frozen=True)
class _Layer:
    """One layer's weights; the gains of its normalisations are multiplied into the matrices that follow them."""

    read: Panels
    """To queries, keys and values, one after the other."""
    write: Panels
    gate: Panels
    down: Panels


def shape_of(file: GGUF) -> Shape:
    """The sizes from a file's metadata.

    Raises:
        AssayError: the architecture is not Llama, or the sizes are missing or do not fit together.
    """
    architecture = file.need("general.architecture", str)
    if architecture != "llama":
        raise AssayError(f"{file.path.name}: architecture {architecture!r} is not supported", "only llama is")
    shape = Shape(
        layers=file.need("llama.block_count", int),
        width=file.need("llama.embedding_length", int),
        heads=file.need("llama.attention.head_count", int),
        key_heads=file.need("llama.attention.head_count_kv", int),
        hidden=file.need("llama.feed_forward_length", int),
        vocabulary=len(file.words("tokenizer.ggml.tokens")),
        context=file.need("llama.context_length", int),
        rope_base=file.need("llama.rope.freq_base", float),
        epsilon=file.need("llama.attention.layer_norm_rms_epsilon", float),
    )
    sizes = (shape.layers, shape.width, shape.heads, shape.key_heads, shape.hidden, shape.vocabulary, shape.context)
    whole = min(sizes) >= 1 and shape.context <= LONGEST_CONTEXT and shape.rope_base > 0 and shape.epsilon > 0
    if not whole or shape.width % shape.heads or shape.heads % shape.key_heads or shape.size % 2:
        raise AssayError(f"{file.path.name}: its sizes do not fit together: {shape}", REPAIR)
    return shape


class Llama:
    """A model's weights, and what it computes from tokens.

    Loading turns all weights into float32; the embeddings alone stay as they are stored and are decoded row by row.
    """

    def __init__(self, file: GGUF, workers: Workers) -> None:
        self.shape = shape_of(file)
        self._workers = workers
        self.cache_shape = CacheShape(self.shape.layers, self.shape.key_heads, self.shape.size)
        words = (self.shape.vocabulary, self.shape.width)
        self._embeddings = file.tensor("token_embd.weight", words)
        head = file.tensor("output.weight", words) if "output.weight" in file.tensors else self._embeddings
        gain = file.tensor("output_norm.weight", (self.shape.width,)).floats()
        self._head = Panels(head.floats() * gain, workers)
        self._layers = [self._layer(file, number) for number in range(self.shape.layers)]
        self._cos, self._sin = _rotations(self.shape)

    def _layer(self, file: GGUF, number: int) -> _Layer:
        shape, width, keys = self.shape, self.shape.width, self.shape.key_heads * self.shape.size

        def load(name: str, *sizes: int) -> Floats:
            return file.tensor(f"blk.{number}.{name}.weight", sizes).floats()

        queries = _halved(load("attn_q", width, width), shape.size) * np.float32(shape.size**-0.5)
        read = [queries, _halved(load("attn_k", keys, width), shape.size), load("attn_v", keys, width)]
        gate = [load("ffn_gate", shape.hidden, width), load("ffn_up", shape.hidden, width)]
        return _Layer(
            read=Panels(np.concatenate(read) * load("attn_norm", width), self._workers),
            write=Panels(load("attn_output", width, width), self._workers),
            gate=Panels(np.concatenate(gate) * load("ffn_norm", width), self._workers, gated=True),
            down=Panels(load("ffn_down", width, shape.hidden), self._workers),
        )

    def new_cache(self, parent: KeyValues | None = None, capacity: int = 0, *, transient: bool = False) -> KeyValues:
        """An empty cache for a text, or for the continuation of `parent`; see `KeyValues`."""
        return KeyValues(self.cache_shape, parent, capacity, transient=transient)

    def forward(self, spans: Sequence[Span]) -> Floats:
        """Read the spans' tokens, adding them to their caches, and return the final states.

        The result has one row per token, the spans one after the other; rows beyond them are padding.
        Different spans must have different caches.
        """
        shape = self.shape
        tokens = np.concatenate([np.asarray(span.tokens, np.int64) for span in spans])
        positions = np.concatenate([np.arange(len(span.tokens)) + span.cache.length for span in spans])
        for span in spans:
            span.cache.reserve(span.cache.length + len(span.tokens))
        rows = padded(len(tokens))
        state = np.zeros((rows, shape.width), np.float32)
        state[: len(tokens)] = self._embeddings.rows(tokens)
        cos, sin = np.ones((rows, 1, shape.size // 2), np.float32), np.zeros((rows, 1, shape.size // 2), np.float32)
        cos[: len(tokens), 0], sin[: len(tokens), 0] = self._cos[positions], self._sin[positions]
        share = shape.heads // shape.key_heads
        groups = plan(spans, shape.key_heads, share)
        mixed = np.zeros((rows, shape.key_heads, share, shape.size), np.float32)
        for number, layer in enumerate(self._layers):
            heads = layer.read(self._normalised(state)).reshape(rows, -1, shape.size)
            turned = _turned(heads[:, : shape.heads + shape.key_heads], cos, sin)
            queries = turned[:, : shape.heads].reshape(mixed.shape)
            self._remember(spans, number, turned[:, shape.heads :], heads[:, shape.heads + shape.key_heads :])
            self._workers.each(len(groups), lambda at: attend(queries, mixed, groups[at], number))  # noqa: B023 - used at once
            state += layer.write(mixed.reshape(rows, shape.width))
            state += layer.down(layer.gate(self._normalised(state)))
        for span in spans:
            span.cache.advance(len(span.tokens))
        return self._normalised(state)

    def logits(self, states: Floats) -> Floats:
        """The logits of every word for final states of shape `(rows, width)`; memory grows with the rows."""
        rows = np.zeros((padded(len(states)), self.shape.width), np.float32)
        rows[: len(states)] = states
        return self._head(rows)[: len(states)]

    def _remember(self, spans: Sequence[Span], layer: int, keys: Floats, values: Floats) -> None:
        row = 0
        for span in spans:
            end = row + len(span.tokens)
            span.cache.write(layer, keys[row:end], values[row:end])
            row = end

    def _normalised(self, state: Floats) -> Floats:
        mean = np.square(state).sum(axis=1, keepdims=True) / np.float32(self.shape.width)
        return np.asarray(state / np.sqrt(mean + np.float32(self.shape.epsilon)), np.float32)


def _rotations(shape: Shape) -> tuple[Floats, Floats]:
    """Cosine and sine of every position's angles, each of shape `(context, size / 2)`."""
    frequencies = shape.rope_base ** (-np.arange(0, shape.size, 2) / shape.size)
    angles = np.arange(shape.context)[:, None] * frequencies
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def _turned(heads: Floats, cos: Floats, sin: Floats) -> Floats:
    """Heads of shape `(rows, heads, size)`, each pair (number i, number i + size/2) turned by its position's angle."""
    half = heads.shape[-1] // 2
    left, right = heads[..., :half], heads[..., half:]
    out = np.empty_like(heads)
    np.subtract(left * cos, right * sin, out=out[..., :half])
    np.add(left * sin, right * cos, out=out[..., half:])
    return out


def _halved(weight: Floats, size: int) -> Floats:
    """Reorder each head's rows from neighbouring pairs, as GGUF stores them, to first halves before second halves."""
    rows, width = weight.shape
    return weight.reshape(rows // size, size // 2, 2, width).transpose(0, 2, 1, 3).reshape(rows, width)

"""Text to tokens and back, and conversations to text, as the weights file says.

The vocabulary is byte-level BPE: each byte of a token is written as one printable character, by the table of GPT-2
(Radford et al. 2019). Bytes without a token are left out, as the reference implementation does: in SmolLM2 some control
characters and the first bytes of Unicode's unassigned planes. Special tokens are recognised in prompts, as the
template needs; they never appear in a model's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.errors import AssayError, MissingExtra
from assay.models.in_process.chat import rendered
from assay.models.in_process.words import Words, byte_table, valid
from assay.models.local.gguf import GGUF, REPAIR
from assay.records import Message

if TYPE_CHECKING:
    import tokenizers

_SPECIAL = 3
"""GGUF's token type for control tokens."""
_ENDS = ("<|endoftext|>", "<|im_end|>")
"""Tokens that end a text, beside the one that the metadata name."""


class Tokenizer(Words):
    """The tokenizer and chat template of one weights file."""

    def __init__(self, file: GGUF) -> None:
        self.name = file.path.name
        self._names = file.words("tokenizer.ggml.tokens")
        kinds: list[int] = file.need("tokenizer.ggml.token_type", list)
        self._encoder = _encoder(file, self._names, kinds)
        template = file.metadata.get("tokenizer.chat_template")
        self._template = template if isinstance(template, str) else None
        self._special = {number for number, kind in enumerate(kinds) if kind == _SPECIAL}
        numbers = {name: number for number, name in enumerate(self._names)}
        end = file.need("tokenizer.ggml.eos_token_id", int)
        begin = file.metadata.get("tokenizer.ggml.bos_token_id", end)
        for number in (end, begin):
            if not 0 <= number < len(self._names):
                raise AssayError(f"{self.name}: token {number} is not in the vocabulary", REPAIR)
        self.ends = frozenset({end, *(numbers[name] for name in _ENDS if name in numbers)})
        self.start: int = numbers.get(_ENDS[0], begin)
        self._words = {"bos_token": self._names[begin], "eos_token": self._names[end]}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text as it stands; special tokens written out in it are recognised."""
        numbers: list[int] = self._encoder.encode(valid(text), add_special_tokens=False).ids
        return numbers

    def render(self, messages: Sequence[Message]) -> str:
        """A conversation as text; see `Words`."""
        return rendered(self._template, messages, self._words, self.name)

    def bytes_of(self, token: int) -> bytes:
        """The bytes that a token adds to a text; none for a special token."""
        if token in self._special:
            return b""
        table = byte_table()
        return b"".join(table.get(letter) or letter.encode() for letter in self._names[token])

    def label(self, token: int) -> str:
        """A token by itself, for people: special tokens by name, bytes that are no text as replacement characters."""
        return self._names[token] if token in self._special else self.bytes_of(token).decode("utf-8", "replace")


def _encoder(file: GGUF, names: list[str], kinds: list[int]) -> tokenizers.Tokenizer:
    try:
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    except ImportError:
        raise MissingExtra("tokenizers", "local") from None
    model, rules = file.need("tokenizer.ggml.model", str), file.need("tokenizer.ggml.pre", str)
    if (model, rules) != ("gpt2", "smollm"):
        raise AssayError(f"{file.path.name}: tokenizer {model}/{rules} is not supported", "only gpt2/smollm is")
    merges = [(left, right) for left, _, right in (merge.partition(" ") for merge in file.words("tokenizer.ggml.merges"))]
    if len(kinds) != len(names):
        raise AssayError(f"{file.path.name}: {len(names)} tokens have {len(kinds)} types", REPAIR)
    try:
        encoder = Tokenizer(models.BPE(vocab={name: number for number, name in enumerate(names)}, merges=merges))
    except Exception as error:  # the library raises bare Exception
        raise AssayError(f"{file.path.name}: its vocabulary is broken: {error}", REPAIR) from error
    digits = pre_tokenizers.Digits(individual_digits=True)
    encoder.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    encoder.decoder = decoders.ByteLevel()
    special = [name for name, kind in zip(names, kinds, strict=True) if kind == _SPECIAL]
    encoder.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in special])
    return encoder

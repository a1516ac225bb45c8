"""Text to tokens and back, and conversations to text, as the weights file says.

The vocabulary is byte-level BPE: each byte of a token is written as one printable character, by the table of GPT-2
(Radford et al. 2019). Bytes without a token are left out, as the reference implementation does: in SmolLM2 some control
characters and the first bytes of Unicode's unassigned planes. Special tokens are recognised in prompts, as the
template needs; they never appear in a model's text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, MissingExtra
from assay.models.local.gguf import GGUF, REPAIR
from assay.records import Message, Text

if TYPE_CHECKING:
    import tokenizers

_SPECIAL = 3
"""GGUF's token type for control tokens."""
_ENDS = ("<|endoftext|>", "<|im_end|>")
"""Tokens that end a text, beside the one that the metadata name."""


class Tokenizer:
    """The tokenizer and chat template of one weights file."""

    def __init__(self, file: GGUF) -> None:
        self.name = file.path.name
        self._names = file.words("tokenizer.ggml.tokens")
        kinds: list[int] = file.need("tokenizer.ggml.token_type", list)
        self._encoder = _encoder(file, self._names, kinds)
        self._template = file.metadata.get("tokenizer.chat_template")
        self._special = {number for number, kind in enumerate(kinds) if kind == _SPECIAL}
        numbers = {name: number for number, name in enumerate(self._names)}
        end = file.need("tokenizer.ggml.eos_token_id", int)
        begin = file.metadata.get("tokenizer.ggml.bos_token_id", end)
        for number in (end, begin):
            if not 0 <= number < len(self._names):
                raise AssayError(f"{self.name}: token {number} is not in the vocabulary", REPAIR)
        self.ends = frozenset({end, *(numbers[name] for name in _ENDS if name in numbers)})
        """Tokens at which a text ends."""
        self.start: int = numbers.get(_ENDS[0], begin)
        """The token before a text that follows nothing: what separates documents."""
        self._words = {"bos_token": self._names[begin], "eos_token": self._names[end]}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text as it stands; special tokens written out in it are recognised."""
        numbers: list[int] = self._encoder.encode(_valid(text), add_special_tokens=False).ids
        return numbers

    def prompt(self, prompt: Text) -> list[int]:
        """The tokens of a prompt: of plain text as it stands, of messages after the chat template."""
        return self.encode(prompt if isinstance(prompt, str) else self.render(prompt))

    def continued(self, prompt: Text, continuation: str) -> tuple[list[int], int]:
        """The tokens of prompt and continuation as one text, and where the continuation begins.

        The continuation begins where the tokens of the whole first differ from those of the prompt alone: a token that
        spans the join belongs to it. It has at least one token, unless it is empty or no byte of it has a token.
        """
        text = prompt if isinstance(prompt, str) else self.render(prompt)
        before, whole = self.encode(text), self.encode(text + continuation)
        return whole, common_prefix(before, whole)

    def render(self, messages: Sequence[Message]) -> str:
        """A conversation as the text that the model was trained on, up to where its answer begins.

        Raises:
            AssayError: the weights have no chat template, or the template refuses the messages.
        """
        if not isinstance(self._template, str):
            raise AssayError(f"{self.name} has no chat template", "ask with plain text instead of messages")
        import jinja2

        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(_compiled(self._template).render(messages=turns, add_generation_prompt=True, **self._words))
        except jinja2.TemplateError as error:
            message = f"the chat template of {self.name} refuses these messages: {error}"
            raise AssayError(message, "change their roles") from error

    def bytes_of(self, token: int) -> bytes:
        """The bytes that a token adds to a text; none for a special token."""
        if token in self._special:
            return b""
        table = _byte_table()
        return b"".join(table.get(letter) or letter.encode() for letter in self._names[token])

    def label(self, token: int) -> str:
        """A token by itself, for people: special tokens by name, bytes that are no text as replacement characters."""
        return self._names[token] if token in self._special else self.bytes_of(token).decode("utf-8", "replace")

    def pieces(self, tokens: Iterable[int]) -> list[str]:
        """The text of each token, such that together they are the text of all; see `Decoder`."""
        decoder = Decoder(self)
        pieces = [decoder.add(token) for token in tokens]
        if pieces:
            pieces[-1] += decoder.end()
        return pieces


class Decoder:
    """Turns tokens into text one by one. A character whose bytes are spread over tokens appears with the last of them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: int) -> str:
        """The text that a token completes."""
        return self._decoder.decode(self._tokenizer.bytes_of(token))

    def end(self) -> str:
        """What remains at the end: a replacement character if the text stops within a character, else nothing."""
        return self._decoder.decode(b"", final=True)


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginning."""
    length = min(len(first), len(second))
    for at in range(length):
        if first[at] != second[at]:
            return at
    return length


def _valid(text: str) -> str:
    """The text with lone surrogates, which have no UTF-8, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


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


@lru_cache(maxsize=4)
def _compiled(template: str) -> Any:
    """A template in jinja2's sandbox: it comes with the weights and is not trusted."""
    try:
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise MissingExtra("jinja2", "local") from None

    def refuse(message: str) -> None:
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.globals["raise_exception"] = refuse
    return environment.from_string(template)


@lru_cache(maxsize=1)
def _byte_table() -> dict[str, bytes]:
    """The printable character that stands for each byte: itself where it is printable, else the next one from 256 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    table = {chr(byte): bytes([byte]) for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    return table | {chr(256 + at): bytes([byte]) for at, byte in enumerate(others)}

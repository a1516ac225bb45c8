"""Text and tokens, as models inside this process need them."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import lru_cache

from assay.records import Message, Text

SEPARATOR = "<|endoftext|>"
"""What separates documents in vocabularies without a token that begins them."""


class Words(ABC):
    """The tokenizer and chat template of one model."""

    name: str
    """The file or model it belongs to, for messages."""
    ends: frozenset[int]
    """Tokens at which a text ends."""
    start: int
    """The token before a text that follows nothing: what begins or separates documents."""
    opening: tuple[int, ...] = ()
    """Tokens that the model expects before every plain text. A chat template writes its own."""

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The tokens of a text as it stands; special tokens written out in it are recognised."""

    @abstractmethod
    def render(self, messages: Sequence[Message]) -> str:
        """A conversation as the text that the model was trained on, up to where its answer begins.

        Raises:
            AssayError: there is no chat template, or it refuses the messages.
        """

    @abstractmethod
    def bytes_of(self, token: int) -> bytes:
        """The bytes that a token adds to a text; none for a special token."""

    @abstractmethod
    def label(self, token: int) -> str:
        """A token by itself, for people: special tokens by name, bytes that are no text as replacement characters."""

    def prompt(self, prompt: Text) -> list[int]:
        """The tokens of a prompt: of plain text as it stands, of messages after the chat template."""
        return self._encoded(prompt, "")

    def continued(self, prompt: Text, continuation: str) -> tuple[list[int], int]:
        """The tokens of prompt and continuation as one text, and where the continuation begins.

        The continuation begins where the tokens of the whole first differ from those of the prompt alone: a token that
        spans the join belongs to it. It has at least one token, unless it is empty or no byte of it has a token.
        """
        before, whole = self._encoded(prompt, ""), self._encoded(prompt, continuation)
        return whole, common_prefix(before, whole)

    def pieces(self, tokens: Iterable[int]) -> list[str]:
        """The text of each token, such that together they are the text of all; see `Decoder`."""
        decoder = Decoder(self)
        pieces = [decoder.add(token) for token in tokens]
        if pieces:
            pieces[-1] += decoder.end()
        return pieces

    def _encoded(self, prompt: Text, continuation: str) -> list[int]:
        if isinstance(prompt, str):
            return [*self.opening, *self.encode(prompt + continuation)]
        return self.encode(self.render(prompt) + continuation)


class Decoder:
    """Turns tokens into text one by one. A character whose bytes are spread over tokens appears with the last of them."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: int) -> str:
        """The text that a token completes."""
        return self._decoder.decode(self._words.bytes_of(token))

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


def valid(text: str) -> str:
    """The text with lone surrogates, which have no UTF-8, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=1)
def byte_table() -> dict[str, bytes]:
    """The character that stands for each byte in byte-level vocabularies, by the table of GPT-2 (Radford et al. 2019).

    A printable byte stands for itself; the others have the characters from 256 on.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    table = {chr(byte): bytes([byte]) for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    return table | {chr(256 + at): bytes([byte]) for at, byte in enumerate(others)}

"""The tokenizer of a GGUF file, as llama.cpp reads it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.models.in_process.chat import rendered
from assay.models.in_process.words import SEPARATOR, Words, valid
from assay.models.llama_cpp.api import Api
from assay.records import Message


class LlamaWords(Words):
    """Text to tokens and back. It holds the file's vocabulary, which `close` gives back, and none of its weights.

    Raises:
        AssayError: llama.cpp cannot read the file's vocabulary.
    """

    def __init__(self, library: Api, path: Path, template: str | None) -> None:
        self.name = path.name
        self._library = library
        self._template = template
        self._model: int | None = load(library, path, vocab_only=True)
        self._vocab = library.model_get_vocab(self._model)
        begin, end = library.vocab_bos(self._vocab), library.vocab_eos(self._vocab)
        self.size: int = library.vocab_n_tokens(self._vocab)
        """How many tokens there are."""
        self.ends = frozenset(token for token in range(self.size) if library.vocab_is_eog(self._vocab, token))
        self.opening = (begin,) if begin >= 0 and library.vocab_get_add_bos(self._vocab) else ()
        separators = self.encode(SEPARATOR)
        special = len(separators) == 1 and library.vocab_is_control(self._vocab, separators[0])
        other = separators[0] if special else (begin if begin >= 0 else end)
        self.start = self.opening[0] if self.opening else max(other, 0)
        self._tokens = {"bos_token": self._text(begin), "eos_token": self._text(end)}

    def encode(self, text: str) -> list[int]:
        """See `Words`."""
        data = valid(text).encode()
        room = len(data) + 8
        tokens = (ctypes.c_int32 * room)()
        count = self._library.tokenize(self._vocab, data, len(data), tokens, room, False, True)
        if count < 0:
            tokens = (ctypes.c_int32 * -count)()
            count = self._library.tokenize(self._vocab, data, len(data), tokens, -count, False, True)
        return tokens[:count]

    def render(self, messages: Sequence[Message]) -> str:
        """See `Words`."""
        return rendered(self._template, messages, self._tokens, self.name)

    def bytes_of(self, token: int) -> bytes:
        """See `Words`."""
        return self._piece(token, special=False)

    def label(self, token: int) -> str:
        """See `Words`."""
        return self._piece(token, special=True).decode("utf-8", "replace")

    def close(self) -> None:
        """Give back the vocabulary."""
        if self._model:
            self._library.model_free(self._model)
            self._model = None

    def _piece(self, token: int, *, special: bool) -> bytes:
        room = 64
        while True:
            piece = ctypes.create_string_buffer(room)
            count = self._library.token_to_piece(self._vocab, token, piece, room, 0, special)
            if count >= 0:
                return piece.raw[:count]
            room = -count

    def _text(self, token: int) -> str:
        found: bytes | None = self._library.vocab_get_text(self._vocab, token) if token >= 0 else None
        return (found or b"").decode("utf-8", "replace")


def load(library: Api, path: Path, *, vocab_only: bool = False, gpu_layers: int | None = None) -> int:
    """A handle on a file's model, which the caller frees.

    Raises:
        AssayError: llama.cpp cannot load it; the message has its reason.
    """
    settings = library.model_default_params()
    settings.vocab_only = vocab_only
    if gpu_layers is not None:
        settings.gpu_layers = gpu_layers
    library.errors.clear()
    model: int | None = library.model_load_from_file(str(path).encode(), settings)
    if not model:
        raise AssayError(f"llama.cpp cannot load {path}: {library.why()}", "take another file, or free some memory")
    return model

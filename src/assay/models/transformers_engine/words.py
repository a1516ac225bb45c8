"""The tokenizer of a checkpoint: `tokenizer.json`, and what other files say of its special tokens and chat template.

Two kinds of vocabularies are known: byte-level ones, and those of SentencePiece, where ▁ stands for a space and <0x41> for a
byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, MissingExtra
from assay.models.in_process.chat import rendered
from assay.models.in_process.words import SEPARATOR, Words, byte_table, valid
from assay.models.transformers_engine.checkpoint import Checkpoint
from assay.models.wording import one_line
from assay.records import Message

if TYPE_CHECKING:
    import tokenizers

ENDS = (SEPARATOR, "<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>")
"""Special tokens that end a text or a turn, beside those that the checkpoint names."""


class CheckpointWords(Words):
    """Text to tokens and back.

    Raises:
        AssayError: the tokenizer is broken or of an unknown kind.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.name
        self._encoder = _encoder(checkpoint)
        self._byte_level = _is_byte_level(checkpoint)
        self._added = {number: token.content for number, token in self._encoder.get_added_tokens_decoder().items()}
        self._special = {number for number, token in self._encoder.get_added_tokens_decoder().items() if token.special}
        settings = checkpoint.read("tokenizer_config.json")
        self._template = chat_template(checkpoint)
        names = {key: _token_name(settings.get(key)) for key in ("bos_token", "eos_token")}
        self._tokens = {key: name or "" for key, name in names.items()}
        begin, end = (self._encoder.token_to_id(name) if name else None for name in names.values())
        listed = [end, *_listed_ends(checkpoint)]
        known = [self._encoder.token_to_id(name) for name in ENDS]
        special = [number for number in known if number in self._special]
        self.ends = frozenset(number for number in (*listed, *special) if number is not None)
        bare, full = self.encode("a"), self._encoder.encode("a").ids
        self.opening = tuple(full[: full.index(bare[0])]) if bare and bare[0] in full else ()
        separator = self._encoder.token_to_id(SEPARATOR)
        others = [number for number in (separator, begin, end) if number is not None]
        self.start = self.opening[0] if self.opening else (others or [0])[0]

    def encode(self, text: str) -> list[int]:
        """See `Words`."""
        numbers: list[int] = self._encoder.encode(valid(text), add_special_tokens=False).ids
        return numbers

    def render(self, messages: Sequence[Message]) -> str:
        """See `Words`."""
        return rendered(self._template, messages, self._tokens, self.name)

    def bytes_of(self, token: int) -> bytes:
        """See `Words`."""
        if token in self._special:
            return b""
        if token in self._added:
            return self._added[token].encode()
        name = self._encoder.id_to_token(token) or ""
        if self._byte_level:
            table = byte_table()
            return b"".join(table.get(letter) or letter.encode() for letter in name)
        if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
            return bytes.fromhex(name[3:5])
        return name.replace("▁", " ").encode()

    def label(self, token: int) -> str:
        """See `Words`."""
        return self._added[token] if token in self._special else self.bytes_of(token).decode("utf-8", "replace")


def chat_template(checkpoint: Checkpoint) -> str | None:
    """The checkpoint's template for conversations, `None` where it has none."""
    path = checkpoint.folder / "chat_template.jinja"
    try:
        if path.is_file():
            return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"{path} cannot be read: {error}", "fetch the checkpoint again") from None
    found = checkpoint.read("tokenizer_config.json").get("chat_template")
    if isinstance(found, list):
        named = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
        found = named.get("default")
    return found if isinstance(found, str) else None


def _encoder(checkpoint: Checkpoint) -> tokenizers.Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("tokenizers", "hf") from None
    path = checkpoint.folder / "tokenizer.json"
    try:
        encoder = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise AssayError(f"{path} cannot be read: {one_line(str(error))}", "fetch the checkpoint again") from None
    encoder.no_truncation()
    encoder.no_padding()
    return encoder


def _is_byte_level(checkpoint: Checkpoint) -> bool:
    """Whether letters of the vocabulary stand for bytes; else they stand for themselves, as SentencePiece has it."""
    kinds = set(_kinds(checkpoint.read("tokenizer.json").get("decoder")))
    if "ByteLevel" in kinds:
        return True
    if kinds & {"ByteFallback", "Metaspace", "Replace"}:
        return False
    problem = f"the tokenizer of {checkpoint.name} has a decoder of an unknown kind ({', '.join(sorted(kinds)) or 'none'})"
    raise AssayError(problem, "serve the model with vLLM or another endpoint")


def _kinds(decoder: Any) -> Iterator[str]:
    if isinstance(decoder, dict):
        yield str(decoder.get("type"))
        for inner in decoder.get("decoders") or ():
            yield from _kinds(inner)


def _token_name(value: Any) -> str | None:
    name = value.get("content") if isinstance(value, dict) else value
    return name if isinstance(name, str) else None


def _listed_ends(checkpoint: Checkpoint) -> list[int]:
    found: list[int] = []
    for name in ("generation_config.json", "config.json"):
        value = checkpoint.read(name).get("eos_token_id")
        found += [number for number in (value if isinstance(value, list) else [value]) if isinstance(number, int)]
    return found

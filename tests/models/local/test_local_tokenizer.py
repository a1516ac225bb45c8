from __future__ import annotations

from pathlib import Path

import pytest
from gguf_files import tiny_model
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.models.in_process.words import common_prefix
from assay.models.local.gguf import read
from assay.models.local.tokenizer import Tokenizer
from assay.records import Message

# Fixtures of the session are the same for every example that hypothesis tries.
# Every character that has tokens: no control characters but these two, no unassigned code points.
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cn"), include_characters="\n\t")
TEXT = st.text(LETTERS, max_size=40)
MANY = settings(max_examples=150, deadline=None)


@MANY
@given(text=TEXT)
def test_pieces_put_together_are_the_text(words: Tokenizer, text: str) -> None:
    assert "".join(words.pieces(words.encode(text))) == text


@MANY
@given(prompt=TEXT, continuation=TEXT.filter(bool))
def test_a_continuation_begins_where_the_tokens_part(words: Tokenizer, prompt: str, continuation: str) -> None:
    whole, begin = words.continued(prompt, continuation)
    assert whole == words.encode(prompt + continuation)
    assert begin < len(whole)
    assert whole[:begin] == words.encode(prompt)[:begin]
    assert prompt.encode().startswith(b"".join(words.bytes_of(token) for token in whole[:begin]))


def test_a_token_that_spans_the_join_belongs_to_the_continuation(words: Tokenizer) -> None:
    whole, begin = words.continued("The cap", "ital of France")
    assert words.pieces(whole[begin:])[0] == " capital"


def test_a_character_spread_over_tokens_appears_with_the_last(words: Tokenizer) -> None:
    tokens = words.encode("𓀀")
    assert len(tokens) > 1
    assert words.pieces(tokens) == [*[""] * (len(tokens) - 1), "𓀀"]
    assert words.pieces(tokens[:-1])[-1] == "�"


def test_lone_surrogates_do_not_crash(words: Tokenizer) -> None:
    assert "".join(words.pieces(words.encode("a\ud800b"))) == "a?b"


def test_bytes_without_a_token_are_left_out(words: Tokenizer) -> None:
    assert words.encode("\x14") == []
    assert words.continued("a", "\x14") == (words.encode("a"), 1)


def test_special_tokens_are_read_and_never_written(words: Tokenizer) -> None:
    tokens = words.encode("a<|im_end|>b")
    assert tokens[1] in words.ends
    assert "".join(words.pieces(tokens)) == "ab"
    assert words.label(tokens[1]) == "<|im_end|>"


def test_conversations_follow_the_chat_template(words: Tokenizer) -> None:
    asked = (Message(role="user", content="Is {{ice}} cold?"),)
    assert words.render(asked) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nIs {{ice}} cold?<|im_end|>\n<|im_start|>assistant\n"
    )
    full = (Message(role="system", content="Short."), *asked, Message(role="assistant", content="Yes."), *asked)
    assert words.render(full) == (
        "<|im_start|>system\nShort.<|im_end|>\n<|im_start|>user\nIs {{ice}} cold?<|im_end|>\n"
        "<|im_start|>assistant\nYes.<|im_end|>\n<|im_start|>user\nIs {{ice}} cold?<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ raise_exception('no system turn') }}",
        "{% for %}",
        "{{ messages.pop() }}",
    ],
)
def test_a_template_that_refuses_or_reaches_out_is_an_error(tmp_path: Path, template: str) -> None:
    file = read(tiny_model(tmp_path / "tiny.gguf"))
    file.metadata["tokenizer.chat_template"] = template
    with pytest.raises(AssayError, match="chat template"):
        Tokenizer(file).render([Message(role="user", content="hello")])


def test_weights_without_a_template_take_no_messages(tmp_path: Path) -> None:
    file = read(tiny_model(tmp_path / "tiny.gguf"))
    del file.metadata["tokenizer.chat_template"]
    with pytest.raises(AssayError, match="no chat template"):
        Tokenizer(file).prompt((Message(role="user", content="hello"),))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokenizer.ggml.pre", "llama-bpe"), ("tokenizer.ggml.merges", ["nosuch pair"]), ("tokenizer.ggml.merges", ["x"]),
        ("tokenizer.ggml.tokens", [1, 2]), ("tokenizer.ggml.token_type", [1]), ("tokenizer.ggml.eos_token_id", 99999),
    ],
)  # fmt: skip
def test_a_broken_vocabulary_is_an_error(tmp_path: Path, key: str, value: object) -> None:
    file = read(tiny_model(tmp_path / "tiny.gguf"))
    file.metadata[key] = value
    with pytest.raises(AssayError, match=r"tiny\.gguf"):
        Tokenizer(file)


def test_common_prefix_counts_equal_beginnings() -> None:
    assert [common_prefix([1, 2, 3], other) for other in ([], [1, 2], [1, 5, 3], [1, 2, 3, 4])] == [0, 2, 1, 3]

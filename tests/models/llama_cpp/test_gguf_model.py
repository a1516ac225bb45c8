from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from gguf_files import tiny_model
from in_process_reference import GENERATED, SCORED, apart, numpy_answers

from assay.errors import AssayError, MissingExtra
from assay.models import ModelConfig, open_model
from assay.models.in_process.engine import PackEngine
from assay.models.llama_cpp import api as api_module
from assay.models.llama_cpp.api import VERSION, Api, api
from assay.models.llama_cpp.model import LlamaModel
from assay.models.local.tokenizer import Tokenizer
from assay.records import Completion, Message, Request, Response

CLOSE = 0.03
"""Nats; llama.cpp keeps keys and values in 16 bits, and random weights make the most of it."""


def opened(path: Path | str, **details: object) -> LlamaModel:
    config = ModelConfig(name=f"gguf/{path}", **details)  # type: ignore[arg-type]
    model = open_model(config.name, {config.name: config})
    assert isinstance(model, LlamaModel)
    return model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("gguf") / "tiny.gguf", kind="f32")


@pytest.fixture(scope="module")
def expected(tiny: Path) -> list[tuple[Completion, ...]]:
    return numpy_answers(tiny, SCORED + GENERATED)


@pytest.fixture(scope="module")
def model(tiny: Path) -> Iterator[LlamaModel]:
    model = opened(tiny)
    yield model
    asyncio.run(model.close())


@pytest.fixture(scope="module")
def embedded(weights_path: Path) -> Iterator[LlamaModel]:
    model = opened(weights_path)
    yield model
    asyncio.run(model.close())


def logprobs(responses: list[Response]) -> list[float]:
    found = [response.completions[0].logprob for response in responses]
    return [one for one in found if one is not None]


def test_unquantised_weights_give_the_numbers_of_the_numpy_engine(
    model: LlamaModel, expected: list[tuple[Completion, ...]]
) -> None:
    assert apart(model.ask_batch(SCORED + GENERATED), expected) < CLOSE


def test_order_and_company_and_what_was_asked_before_change_nothing(
    model: LlamaModel, expected: list[tuple[Completion, ...]]
) -> None:
    requests = SCORED + GENERATED
    for number in range(0, len(requests), 3):
        assert apart(model.ask_batch([requests[number]]), [expected[number]]) < CLOSE
    assert apart(model.ask_batch(requests[::-1]), expected[::-1]) < CLOSE


def test_sharing_beginnings_changes_nothing(
    model: LlamaModel, expected: list[tuple[Completion, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model.runner(), "_sharing", False)
    assert apart(model.ask_batch(SCORED + GENERATED), expected) < CLOSE


def test_more_than_one_pack_changes_nothing(
    model: LlamaModel, expected: list[tuple[Completion, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = model.runner()
    assert isinstance(engine, PackEngine)
    monkeypatch.setattr(engine.backend, "most_rows", 200)
    monkeypatch.setattr(engine.backend, "pass_rows", 17)
    assert apart(model.ask_batch(SCORED + GENERATED), expected) < CLOSE


def test_the_embedded_weights_agree_with_the_numpy_engine_as_far_as_quantised_activations_can(
    embedded: LlamaModel, weights_path: Path
) -> None:
    given, right = embedded.ask_batch(SCORED[3:10]), numpy_answers(weights_path, SCORED[3:10])
    pairs = [
        (token.logprob, other.logprob)
        for response, (completion,) in zip(given, right, strict=True)
        for token, other in zip(response.completions[0].tokens, completion.tokens, strict=True)
    ]
    differences = [abs((one or 0) - (other or 0)) for one, other in pairs]
    assert len(differences) > 15
    assert sum(differences) / len(differences) < 0.12
    assert max(differences) < 0.7


def test_the_tokenizer_is_the_one_of_the_weights_file(embedded: LlamaModel, words: Tokenizer) -> None:
    theirs = embedded.words()
    chat = (Message(role="system", content="Be brief."), Message(role="user", content="Äpfel & 1234\n\n漢字 🙂"))
    for text in ("", "The capital of France is Paris.", "tabs\t and   spaces\n", "<|im_start|>user", "naïve 🙂 123"):
        assert theirs.prompt(text) == words.prompt(text)
        assert theirs.pieces(theirs.prompt(text)) == words.pieces(words.prompt(text))
    assert theirs.prompt(chat) == words.prompt(chat)
    assert embedded.count_tokens(chat) == len(words.prompt(chat))
    assert theirs.ends >= words.ends
    assert theirs.start == words.start
    assert theirs.label(words.start) == "<|endoftext|>"


def test_the_identity_says_which_weights_and_which_engine(tiny: Path, model: LlamaModel, tmp_path: Path) -> None:
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(tiny.read_bytes())
    assert opened(copy).identity.revision == model.identity.revision
    assert model.identity.endpoint == f"xllamacpp/{VERSION}"
    assert opened(tiny_model(copy, seed=2, kind="f32")).identity.revision != model.identity.revision


def test_what_does_not_fit_the_window_fails_alone(tiny: Path, model: LlamaModel) -> None:
    assert model.capabilities.context_window == 512
    assert opened(tiny, context_window=64).capabilities.context_window == 64
    long, short = model.ask_batch([Request(prompt="x" * 600, max_tokens=1), Request(prompt="x", max_tokens=1)])
    assert long.failure is not None
    assert long.failure.kind == "context_length"
    assert short.failure is None


def test_a_batch_that_does_not_fit_the_memory_is_halved(model: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = model.runner()
    run = engine.run

    def small(jobs: list[object], stop: object = None) -> None:
        if len(jobs) > 2:
            raise MemoryError("too many")
        run(jobs)  # type: ignore[arg-type]

    whole = logprobs(model.ask_batch(SCORED))
    monkeypatch.setattr(engine, "run", small)
    assert logprobs(model.ask_batch(SCORED)) == pytest.approx(whole, abs=5 * CLOSE)
    monkeypatch.setattr(engine, "run", lambda jobs, stop: small([*jobs] * 9))
    (failed,) = model.ask_batch(SCORED[:1])
    assert failed.failure is not None
    assert failed.failure.kind == "out_of_memory"


def test_a_closed_model_loads_again(tiny: Path, expected: list[tuple[Completion, ...]]) -> None:
    model = opened(tiny)
    for _ in range(2):
        assert apart(model.ask_batch(SCORED[:2]), expected[:2]) < CLOSE
        asyncio.run(model.close())


def test_a_file_that_is_missing_or_none_of_its_kind_is_named(tmp_path: Path, tiny: Path) -> None:
    with pytest.raises(AssayError, match=r"nothing\.gguf does not exist"):
        opened(tmp_path / "nothing.gguf")
    other = tmp_path / "other.gguf"
    other.write_bytes(b"PK\x03\x04 not this")
    with pytest.raises(AssayError, match="does not start with 'GGUF'"):
        opened(other)
    other.write_bytes(tiny.read_bytes()[:-5000])
    with pytest.raises(AssayError, match=r"llama\.cpp cannot load .*other\.gguf: "):
        opened(other).ask_batch(SCORED[:1])


@pytest.mark.parametrize(
    ("body", "why"),
    [({"thread": 1}, "did you mean threads"), ({"threads": 0}, "whole number from 1"), ({"gpu_layers": "all"}, "'all'")],
)
def test_a_wrong_setting_is_named(tiny: Path, body: dict[str, object], why: str) -> None:
    with pytest.raises(AssayError, match=why):
        opened(tiny, body=body)


def test_a_missing_package_says_how_to_install_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xllamacpp" else find(name))
    with pytest.raises(MissingExtra, match=r"pip install '(assay|\.)\[gguf\]'"):
        opened(tiny)


def test_another_version_or_layout_of_the_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    library = api()
    settings = library.context_default_params
    monkeypatch.setattr(library, "context_default_params", lambda: (one := settings(), setattr(one, "batch", 7))[0])
    with pytest.raises(AssayError, match="another layout"):
        library._check()
    monkeypatch.setattr(api_module.importlib.metadata, "version", lambda _: "2027.1.1")
    with pytest.raises(AssayError, match=f"xllamacpp 2027.1.1 is installed, but assay works with {VERSION}"):
        api.__wrapped__()
    with pytest.raises(AssayError, match="cannot be used"):
        Api("/no/such/library.so")


def test_an_interrupted_batch_gives_what_was_done(model: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    backend, reads = model.runner().backend, []  # type: ignore[attr-defined]
    read = backend.read

    def counted(*what: object) -> object:
        reads.append(what)
        if len(reads) == 2:
            model.interrupt()
        return read(*what)

    monkeypatch.setattr(backend, "read", counted)
    requests = [
        Request(prompt="The old bridge", max_tokens=30, stop=("\0",)),
        Request(prompt="the tea is h", continuation="ot"),
    ]
    found = model.ask_batch(requests)
    monkeypatch.undo()
    assert len(reads) == 2
    assert any(response.failure is not None and response.failure.kind == "interrupted" for response in found)
    for response, whole in zip(found, model.ask_batch(requests), strict=True):
        assert whole.failure is None
        assert response.failure is not None or response.completions == whole.completions

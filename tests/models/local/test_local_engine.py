from __future__ import annotations

import random

import pytest

from assay.models.local import engine as engine_module
from assay.models.local.engine import Engine
from assay.models.local.model import EmbeddedModel, Loaded
from assay.records import Completion, Message, Request

SHOTS = "".join(f"Q: {a} + {b} =\nA: {a + b}\n\n" for a, b in [(2, 3), (4, 4), (1, 6), (9, 2), (5, 0)])
SCORED = [
    Request(prompt=f"{SHOTS}Q: {a} + {b} =\nA:", continuation=f" {answer}")
    for a, b in [(2, 2), (6, 1)]
    for answer in (3, 4, 7, 12)
] + [
    Request(prompt="", continuation="Rain fell on the tin roof all night."),
    Request(prompt="A short one", continuation="."),
    Request(prompt=SHOTS * 3, continuation="Q: and then?"),
    Request(prompt=(Message(role="user", content="Is snow cold?"),), continuation="Yes", top_logprobs=2),
]  # fmt: skip
GENERATED = [
    Request(prompt=f"{SHOTS}Q: 8 + 1 =\nA:", max_tokens=6, stop=("\n",), top_logprobs=2),
    Request(prompt=f"{SHOTS}Q: 8 + 1 =\nA:", max_tokens=5, temperature=0.8, completions=3),
    Request(prompt="The old bridge", max_tokens=9, temperature=1.0, top_p=0.9),
    Request(prompt=(Message(role="user", content="Name a colour."),), max_tokens=8),
]


@pytest.fixture(scope="module")
def together(model: EmbeddedModel) -> list[tuple[Completion, ...]]:
    return answers(model, SCORED + GENERATED)


def answers(model: EmbeddedModel, requests: list[Request]) -> list[tuple[Completion, ...]]:
    return [response.completions for response in model.ask_batch(requests)]


def loaded(model: EmbeddedModel) -> Loaded:
    parts = model.runner()
    assert isinstance(parts, Loaded)
    return parts


def test_every_request_alone_gives_the_bits_of_the_batch(model: EmbeddedModel, together: list[tuple[Completion, ...]]) -> None:
    some = range(0, len(together), 2)
    requests = SCORED + GENERATED
    assert [answers(model, [requests[number]])[0] for number in some] == [together[number] for number in some]


def test_order_and_company_do_not_change_a_bit(model: EmbeddedModel, together: list[tuple[Completion, ...]]) -> None:
    numbers = list(range(len(together)))
    random.Random(4).shuffle(numbers)
    some = numbers[:9]
    requests = SCORED + GENERATED
    assert answers(model, [requests[number] for number in some]) == [together[number] for number in some]


def test_sharing_beginnings_does_not_change_a_bit(
    model: EmbeddedModel, together: list[tuple[Completion, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = loaded(model)
    monkeypatch.setattr(parts.engine, "_sharing", False)
    assert answers(model, SCORED + GENERATED) == together


def test_small_passes_and_little_memory_do_not_change_a_bit(
    model: EmbeddedModel, together: list[tuple[Completion, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "PASS_ROWS", 37)
    monkeypatch.setattr(engine_module, "HELD_TOKENS", 150)
    monkeypatch.setattr(engine_module, "LOGIT_ROWS", 5)
    assert answers(model, SCORED[-6:] + GENERATED) == together[len(SCORED) - 6 :]


def test_one_worker_gives_the_bits_of_all(model: EmbeddedModel, together: list[tuple[Completion, ...]]) -> None:
    workers = loaded(model).workers
    count, workers.count = workers.count, 1
    try:
        assert answers(model, SCORED[:3]) == together[:3]
    finally:
        workers.count = count


def test_options_of_one_question_are_read_once(model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    llama, read = loaded(model).model, []
    forward = type(llama).forward
    monkeypatch.setattr(
        type(llama), "forward", lambda self, spans: read.append(sum(len(s.tokens) for s in spans)) or forward(self, spans)
    )
    options = SCORED[:4]
    answers(model, options)
    assert sum(read) < model.count_tokens(options[0].prompt) + 4 * 3


def test_an_engine_without_jobs_does_nothing(model: EmbeddedModel) -> None:
    parts = loaded(model)
    Engine(parts.model, model.words()).run([])
    assert model.ask_batch([]) == []

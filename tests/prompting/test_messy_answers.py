"""Letters read out of the messy answers of a real endpoint: the accuracy is that of the answers, not of their dress."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path

import pytest

from assay.models import Endpoint, open_model
from assay.prompting import Examples, MultipleChoiceJoint, Target
from assay.records import Answer, Instance, Reference
from fake_servers import mock_server, run


def expected_accuracy(shared: Path) -> float:
    """The share of right answers among those the server gives, before it dresses them."""
    spec = importlib.util.spec_from_file_location("synth", shared / "bench" / "synth.py")
    assert spec is not None
    assert spec.loader is not None
    synth = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(synth)
    return sum(synth.mc_answer(i, synth.mc(i)["question"])[0] == synth.mc(i)["gold"] for i in range(1000)) / 1000


@pytest.mark.parametrize("style", ["messy", "plain"])
def test_the_accuracy_of_messy_answers_is_the_true_one(shared: Path, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TEST_KEY", "x")
    rows = [json.loads(line) for line in (shared / "golden/items/mc_1000.jsonl").read_text().splitlines()]
    prompting = MultipleChoiceJoint(shots=0)
    instances = [
        Instance(
            id=row["id"],
            input=row["question"],
            references=tuple(Reference(text=text, correct=i == row["gold"]) for i, text in enumerate(row["choices"])),
        )
        for row in rows
    ]

    async def answers(base_url: str) -> list[Answer]:
        model = open_model("openai/mock-1", {"openai/mock-1": server.config(base_url=base_url)})
        assert isinstance(model, Endpoint)
        at_once = asyncio.Semaphore(32)

        async def ask(instance: Instance) -> Answer:
            target = Target(takes_text=False, takes_messages=True, top_logprobs=20)
            (request,) = prompting.render(instance, Examples(), target).requests
            async with at_once:
                return prompting.read(instance, [await model.ask(request)])

        try:
            return list(await asyncio.gather(*map(ask, instances)))
        finally:
            await model.close()

    with mock_server(shared, "--style", style) as server:
        read = run(answers(server.base_url))
    assert {answer.outcome for answer in read} == {"answered"}
    accuracy = sum(answer.choice_credit for answer in read) / 1000
    assert accuracy == expected_accuracy(shared) == 0.596
    assert all(answer.confidence is not None for answer in read)

"""What a model's code gives back may be anything: it becomes a response that can be kept, or a failure that names it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assay.engine import Engine, ResponseCache
from assay.errors import AssayError
from assay.records import Completion, Request, Response, Token, Usage
from fake_models import FakeEndpoint, FakeLocal, answer

ODD = [
    None,
    "text",
    Response(completions=None),  # type: ignore[arg-type]
    Response(completions=("B",)),  # type: ignore[arg-type]
    Response(completions=(Completion(text=None),)),  # type: ignore[arg-type]
    Response(completions=(Completion(text="\ud800"),)),
    Response(completions=(Completion(text="B", tokens=(Token(text="B", logprob="x"),)),)),  # type: ignore[arg-type]
    Response(usage=None),  # type: ignore[arg-type]
]


def _ask(model: Any, cache: ResponseCache | None = None) -> Response:
    async def run() -> Response:
        async with Engine(cache, retries=0) as engine:
            return await engine.ask(model, Request(prompt="q"))

    return asyncio.run(run())


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_is_no_response_is_a_failure_that_names_the_model(odd: Any) -> None:
    for model in (FakeEndpoint(lambda request, attempt: odd), FakeLocal(lambda requests: [odd for _ in requests])):
        response = _ask(model)
        assert response.failure is not None
        assert response.failure.kind == "error"
        assert model.identity.name in response.failure.message


@pytest.mark.parametrize("given", [None, 7, "text"])
def test_a_batch_that_is_no_list_is_said_to_be_none(given: Any) -> None:
    with pytest.raises(AssayError, match="fake/local gave no list of responses"):
        _ask(FakeLocal(lambda requests: given))


def test_numbers_that_cannot_be_are_not_kept(tmp_path: Path) -> None:
    tokens = (
        Token(text="B", logprob=1000.0, top={"B": float("nan"), "A": -1.0}),
        Token(text=".", logprob=float("-inf"), top={"x": 1e308}),
        Token(text="!", logprob=float("nan")),
    )
    usage = Usage(prompt_tokens=10**30, completion_tokens=1, source="provider")
    odd = Response(completions=(Completion(text="B.!", tokens=tokens),), usage=usage, latency_s=float("nan"))
    with ResponseCache(tmp_path / "cache.sqlite") as cache:
        first = _ask(FakeEndpoint(lambda request, attempt: odd), cache)
        again = _ask(FakeEndpoint(lambda request, attempt: answer("not asked")), cache)
    assert first == again
    [completion] = first.completions
    assert [token.logprob for token in completion.tokens] == [None, -9999.0, None]
    assert [token.top for token in completion.tokens] == [{"A": -1.0}, {}, {}]
    assert (first.usage, first.latency_s) == (Usage(), None)


@pytest.mark.parametrize("keys", [(None,), ("a", 1), ((1,), ("a",)), (object(),)])
def test_batch_keys_that_cannot_be_compared_cost_only_the_order(keys: tuple[Any, ...]) -> None:
    class Odd(FakeLocal):
        def batch_key(self, request: Request) -> Any:
            return keys[int(str(request.prompt)) % len(keys)]

    async def run() -> list[Response]:
        async with Engine(None) as engine:
            model = Odd(size=2)
            return list(await asyncio.gather(*(engine.ask(model, Request(prompt=str(number))) for number in range(6))))

    assert [response.completions[0].text for response in asyncio.run(run())] == [str(number) for number in range(6)]

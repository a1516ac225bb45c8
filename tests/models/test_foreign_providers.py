"""Providers of somebody else's making: whatever they do, the user hears which one did it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assay import registry
from assay.errors import AssayError
from assay.models import Capabilities, ModelConfig, open_model
from assay.models.base import Provider
from assay.records import ModelIdentity
from fake_models import FakeEndpoint


@pytest.fixture
def makes() -> Iterator[Any]:
    made: dict[str, Any] = {}

    def make(name: str, config: ModelConfig) -> Any:
        if isinstance(made["it"], Exception):
            raise made["it"]
        return made["it"]

    registry.providers.names()
    registry.providers._things["foreign"] = Provider("foreign", "", make)
    yield lambda it: made.update(it=it)
    del registry.providers._things["foreign"]


def _with(**changes: Any) -> FakeEndpoint:
    model = FakeEndpoint()
    for name, value in changes.items():
        setattr(model, name, value)
    return model


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (None, "gave None"),
        ("a model", "gave a str as"),
        (ValueError("no\nluck " + "x" * 900), "failed to open 'foreign/x': ValueError: no luck x"),
        (_with(identity=None), "identity of 'foreign/x' is None"),
        (_with(capabilities=None), "capabilities of 'foreign/x' is None"),
        (_with(capabilities=Capabilities(concurrency=None)), "concurrency None"),  # type: ignore[arg-type]
        (_with(capabilities=Capabilities(context_window=0)), "context_window 0"),
        (_with(capabilities=Capabilities(top_logprobs=-1)), "top_logprobs -1"),
        (_with(identity=ModelIdentity(name="x", options={"a": object()})), "cannot be written down"),
    ],
)
def test_a_provider_that_makes_no_model_is_named(makes: Any, made: Any, message: str) -> None:
    makes(made)
    with pytest.raises(AssayError, match=message) as raised:
        open_model("foreign/x", {})
    assert "'foreign'" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600


def test_a_provider_that_makes_a_model_is_used(makes: Any) -> None:
    model = FakeEndpoint()
    makes(model)
    assert open_model("foreign/x", {}) is model


@pytest.mark.parametrize(
    "config",
    [
        ModelConfig(name="openai/x", timeout_s=float("inf")),
        ModelConfig(name="openai/x", concurrency=10**9),
        ModelConfig(name="openai/x", price_per_million_input=float("nan")),
        ModelConfig(name="openai/x", revision="\udcff"),
        ModelConfig(name="openai/x", body={"a": "\ud800"}),
    ],
)
def test_details_that_cannot_be_used_are_refused_at_opening(config: ModelConfig) -> None:
    with pytest.raises(AssayError) as raised:
        open_model("openai/x", {"openai/x": config})
    str(raised.value).encode()

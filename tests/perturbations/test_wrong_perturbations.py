"""A perturbation of a user's own that is wrong is named, with the instance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from assay import registry
from assay.errors import AssayError
from assay.perturbations import perturb
from assay.perturbations.base import perturbation
from assay.records import Instance, Message, NamedSpec

INSTANCE = Instance(id="q7", input="Where is it?")


@pytest.fixture
def made() -> Iterator[Callable[..., Instance | None]]:
    def run(change: Callable[..., Any], instance: Instance = INSTANCE, *, whole: bool = False) -> Instance | None:
        change.__name__ = "mine_of_a_test"
        registry.perturbations._things.pop("mine_of_a_test", None)
        perturbation(kind="robustness", whole=whole)(change)
        return perturb(instance, NamedSpec(name="mine_of_a_test"), 0)

    yield run
    registry.perturbations._things.pop("mine_of_a_test", None)


def fails(text: object, rng: object) -> str:
    raise RuntimeError("no")


def leaves(text: object, rng: object) -> str:
    raise SystemExit(0)


@pytest.mark.parametrize("change", [lambda t, r: None, lambda t, r: 5, lambda t, r: b"x", lambda t, r: "\ud800", fails, leaves])
def test_what_is_no_text_is_refused(made: Callable[..., Any], change: Callable[..., Any]) -> None:
    with pytest.raises(AssayError, match="perturbation mine_of_a_test, instance q7"):
        made(change)
    with pytest.raises(AssayError, match="perturbation mine_of_a_test, instance q7"):
        made(change, Instance(id="q7", input=(Message(role="user", content="Hi"),)))


@pytest.mark.parametrize(
    "change",
    [
        lambda instance, rng: None,
        lambda instance, rng: "x",
        lambda instance, rng: msgspec.structs.replace(instance, input=5),
        lambda instance, rng: msgspec.structs.replace(instance, input="x", id="other"),
        fails,
    ],
)
def test_what_is_no_instance_is_refused(made: Callable[..., Any], change: Callable[..., Any]) -> None:
    with pytest.raises(AssayError, match="perturbation mine_of_a_test, instance q7"):
        made(change, whole=True)

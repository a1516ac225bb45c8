"""What a perturbation makes of a text, for tests."""

from __future__ import annotations

from typing import Any

from assay import registry
from assay.identity import generator
from assay.records import Instance, Reference


def changed(name: str, text: str, seed: int = 0, **parameters: Any) -> str:
    """The text after a perturbation of texts."""
    return str(registry.perturbations.get(name).change(text, generator(seed, "test"), **parameters))


def item(text: str, *references: str, name: str = "q", right: int = 0) -> Instance:
    """A question with references, the one numbered `right` correct."""
    made = tuple(Reference(text=reference, correct=place == right) for place, reference in enumerate(references))
    return Instance(id=name, input=text, references=made)

"""Instance -> requests, and back: responses -> Answer. One two-way class for each method."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.errors import AssayError, unknown
from assay.prompting.base import Prompting, Rendered
from assay.prompting.checks import check
from assay.prompting.fewshot import Examples, choose
from assay.prompting.generation import Chat, Generation, RankingBinary
from assay.prompting.language_modeling import LanguageModeling
from assay.prompting.multiple_choice import (
    MultipleChoiceJoint,
    MultipleChoiceJointChainOfThought,
    MultipleChoiceSeparateCalibrated,
    MultipleChoiceSeparateOriginal,
)
from assay.prompting.target import Target
from assay.prompting.verbatim import VerbatimGeneration, VerbatimScoring

METHODS: dict[str, type[Prompting]] = {
    str(method.__struct_config__.tag): method
    for method in (
        Generation,
        Chat,
        MultipleChoiceJoint,
        MultipleChoiceJointChainOfThought,
        MultipleChoiceSeparateOriginal,
        MultipleChoiceSeparateCalibrated,
        LanguageModeling,
        RankingBinary,
        VerbatimGeneration,
        VerbatimScoring,
    )
}


def encode(prompting: Prompting) -> dict[str, Any]:
    """A prompting as plain data: `method` and every field, defaults included."""
    plain: dict[str, Any] = msgspec.to_builtins(prompting)
    return plain


def decode(plain: dict[str, Any]) -> Prompting:
    """A prompting from plain data.

    Raises:
        AssayError: an unknown method or field, or a value of the wrong type or without sense; the message names it.
    """
    method = METHODS.get(str(plain.get("method")))
    if method is None:
        raise unknown("prompting method", str(plain.get("method")), METHODS)
    for name in plain:
        if name != "method" and name not in method.__struct_fields__:
            raise unknown(f"setting of {plain['method']}", name, method.__struct_fields__)
    try:
        prompting = msgspec.convert(plain, method)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        raise AssayError(f"prompting {plain['method']}: {error}", "see docs/prompting.md for the settings") from None
    check(prompting)
    return prompting


def with_changes(prompting: Prompting, changes: dict[str, Any]) -> Prompting:
    """A prompting with some settings changed.

    Another `method` keeps what the user and the scenario set explicitly and can still be set there, and takes the new
    method's own defaults for the rest.

    Raises:
        AssayError: as `decode`.
    """
    if not changes:
        return prompting
    plain = encode(prompting)
    method = str(changes.get("method", plain["method"]))
    if method != plain["method"] and method in METHODS:
        mine, other = type(prompting), METHODS[method]
        defaults = {name: value for name, value in encode(mine()).items() if name != "method"}
        plain = {
            name: value
            for name, value in plain.items()
            if name in other.__struct_fields__ and name in defaults and value != defaults[name] and name not in KEPT_BY_METHOD
        }
    return decode({**plain, **changes, "method": method})


KEPT_BY_METHOD = frozenset({"input_prefix", "input_suffix", "output_prefix", "output_suffix", "max_tokens", "stop", "shots"})
"""Settings whose right value depends on the method, so a scenario's own values do not outlive a change of method."""

__all__ = [
    "METHODS", "Chat", "Examples", "Generation", "LanguageModeling", "MultipleChoiceJoint", "MultipleChoiceJointChainOfThought",
    "MultipleChoiceSeparateCalibrated", "MultipleChoiceSeparateOriginal", "Prompting", "RankingBinary", "Rendered", "Target",
    "VerbatimGeneration", "VerbatimScoring", "choose", "decode", "encode", "with_changes",
]  # fmt: skip

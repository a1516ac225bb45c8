"""How many of a prompt's verifiable instructions the answer follows (Zhou et al. 2023, IFEval, arXiv 2311.07911).

The references of an instance are its instructions: `role` is the kind, `text` its settings as JSON (see
`assay.metrics.instructions`). The strict reading judges the answer as it is. The loose one accepts it if it follows the
instruction once an introduction, a closing line or the asterisks of Markdown are taken away. An instruction about language is
not measured without py3langid, and a prompt all of whose other instructions are followed then has no value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from assay.metrics.base import additive, metric
from assay.metrics.instructions import follows
from assay.metrics.scoring import is_unanswered
from assay.records import Answer

SOURCE = "https://arxiv.org/abs/2311.07911"
Instruction = tuple[str, str]
"""Kind, and settings as JSON."""


def share_followed(totals: Mapping[str, float]) -> float | None:
    """Instructions followed / instructions measured."""
    return totals.get("followed", 0.0) / totals["instructions"] if totals.get("instructions") else None


@metric(family="accuracy", source=SOURCE)
def ifeval_strict_accuracy(answer: Answer) -> float | None:
    """1 if the answer follows every instruction of its prompt, else 0 (the paper's prompt-level strict accuracy)."""
    return _all_followed(_followed(answer, loose=False))


@metric(family="accuracy", source=SOURCE)
def ifeval_loose_accuracy(answer: Answer) -> float | None:
    """As `ifeval_strict_accuracy`, but first or last line and asterisks may be left out (prompt-level loose accuracy)."""
    return _all_followed(_followed(answer, loose=True))


@additive(value=share_followed, family="accuracy", source=SOURCE)
def ifeval_strict_instruction_accuracy(answer: Answer) -> dict[str, float] | None:
    """Share of all instructions of all prompts that are followed (the paper's instruction-level strict accuracy)."""
    return _counts(_followed(answer, loose=False))


@additive(value=share_followed, family="accuracy", source=SOURCE)
def ifeval_loose_instruction_accuracy(answer: Answer) -> dict[str, float] | None:
    """As `ifeval_strict_instruction_accuracy`, but first or last line and asterisks may be left out."""
    return _counts(_followed(answer, loose=True))


@metric(family="accuracy", source="https://crfm.stanford.edu/helm/capabilities/")
def helm_ifeval_strict_accuracy(answer: Answer) -> float | None:
    """HELM's score: the share of a prompt's instructions that are followed, so that half an answer earns half a point."""
    counts = _counts(_followed(answer, loose=False))
    return share_followed(counts) if counts else None


def _all_followed(verdicts: tuple[bool | None, ...]) -> float | None:
    if not verdicts or (None in verdicts and False not in verdicts):
        return None
    return float(False not in verdicts)


def _counts(verdicts: tuple[bool | None, ...]) -> dict[str, float] | None:
    measured = [verdict for verdict in verdicts if verdict is not None]
    return {"followed": float(sum(measured)), "instructions": float(len(measured))} if measured else None


def _followed(answer: Answer, loose: bool) -> tuple[bool | None, ...]:
    """A verdict for each instruction, `None` where it cannot be measured."""
    given = tuple((reference.role, reference.text) for reference in answer.references if reference.role)
    return _verdicts("" if is_unanswered(answer) else answer.prediction, given, loose)


@lru_cache(maxsize=64)  # five metrics read each answer
def _verdicts(response: str, given: tuple[Instruction, ...], loose: bool) -> tuple[bool | None, ...]:
    readings = loosened(response) if loose else (response,)
    return tuple(_verdict(instruction, readings) for instruction in given)


def _verdict(instruction: Instruction, readings: tuple[str, ...]) -> bool | None:
    kind, settings = instruction
    unknown = False
    for reading in readings:
        try:
            verdict = follows(kind, json.loads(settings), reading)
        except (ValueError, KeyError, TypeError, AttributeError):
            return None  # a kind or settings that nobody knows: it cannot be told whether they are followed
        if verdict:
            return True
        unknown = unknown or verdict is None
    return None if unknown else False


def loosened(response: str) -> tuple[str, ...]:
    """A response without its first line, its last line or both, each with and without its asterisks; itself first."""
    lines = response.split("\n")
    pieces = (response, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])))
    return tuple(dict.fromkeys((*pieces, *(piece.replace("*", "") for piece in pieces))))

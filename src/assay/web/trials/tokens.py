"""Tokens with their probabilities, as shades and as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.records import Token
from assay.text import visible
from assay.web.grids import Cell, Column, Grid

MOST = 600
"""Tokens that are shown."""
ALTERNATIVES = 5
LEVELS = 10


@dataclass(frozen=True)
class Shaded:
    """A token as it is shown."""

    text: str
    level: int | None
    """From 0 (improbable) to 9 (sure); `None` where no probability is known."""
    note: str
    """Its probability and the likeliest alternatives."""


def shaded(tokens: Sequence[Token]) -> tuple[Shaded, ...]:
    """The first tokens of a text; nothing where none has a probability."""
    if all(token.logprob is None for token in tokens):
        return ()
    return tuple(Shaded(visible(token.text, 200), _level(token.logprob), _note(token)) for token in tokens[:MOST])


def _probability(logprob: float | None) -> float | None:
    return None if logprob is None or math.isnan(logprob) else math.exp(min(logprob, 0.0))


def _level(logprob: float | None) -> int | None:
    probability = _probability(logprob)
    return None if probability is None else min(int(probability * LEVELS), LEVELS - 1)


def _note(token: Token) -> str:
    probability = _probability(token.logprob)
    said = "probability not known" if probability is None else f"probability {probability:.3g} (ln {token.logprob:.3f})"
    likely = sorted(token.top.items(), key=lambda pair: -pair[1])[:ALTERNATIVES]
    others = [f"{_quoted(text, 40)} {_probability(logprob) or 0:.3g}" for text, logprob in likely if text != token.text]
    return said + (f"; instead: {', '.join(others)}" if others else "")


def _quoted(text: str, longest: int) -> str:
    """A token in quotes, so that its spaces and line ends are seen."""
    return '"' + visible(text, longest).replace("\n", "\\n").replace("\t", "\\t") + '"'


def token_grid(name: str, caption: str, tokens: Sequence[Token]) -> Grid:
    """The tokens as a table: what the shades say, readable without colours and without a mouse."""
    columns = (
        Column("place", number=True),
        Column("token", number=False),
        Column("probability"),
        Column("ln", note="natural logarithm of the probability"),
        Column("instead", note="the likeliest alternatives with their probabilities", number=False),
    )
    rows = []
    for place, token in enumerate(tokens[:MOST]):
        probability = _probability(token.logprob)
        rows.append(
            (
                Cell(place),
                Cell(token.text[:200], _quoted(token.text, 200)),
                Cell(probability, "" if probability is None else f"{probability:.3g}"),
                Cell(token.logprob, "" if token.logprob is None else f"{token.logprob:.3f}"),
                Cell(_note(token).partition("; instead: ")[2]),
            )
        )
    left = len(tokens) - MOST
    return Grid(name, caption, columns, tuple(rows), (f"{left:,} further tokens are not shown.",) if left > 0 else ())

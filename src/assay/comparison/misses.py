"""Items that every candidate misses, whose labels are suspect, and items on which candidates differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.comparison.results import Flip, Suspect

if TYPE_CHECKING:
    import polars as pl

MISSED = 0.999
"""How wrong an item must be, 0 to 1: at the worst end of the metric in every draw and repeat."""
RIGHT = 0.5
"""An item counts as right where it falls short of the best by less."""


def suspects(scenario: str, tables: Mapping[str, pl.DataFrame]) -> list[Suspect]:
    """The instances that all candidates miss entirely; those first on whose wrong answer most candidates agree.

    Args:
        tables: candidate to its trials, as `failures.trials` gives them.
    """
    found = []
    for instance, rows in _by_instance(tables).items():
        if len(rows) == len(tables) and all(wrong >= MISSED for _, wrong, _, _ in rows):
            predictions = Counter(prediction for _, _, prediction, _ in rows if prediction)
            common, agreeing = predictions.most_common(1)[0] if predictions else ("", 0)
            gold = rows[0][3] or ""
            found.append(Suspect(scenario=scenario, instance=instance, gold=gold, common=common, agreeing=agreeing))
    return sorted(found, key=lambda suspect: (-suspect.agreeing, suspect.instance))


def flips(scenario: str, tables: Mapping[str, pl.DataFrame]) -> list[Flip]:
    """The instances that some candidates get right and others wrong; those first on which they are most divided."""
    found = []
    for instance, rows in _by_instance(tables).items():
        right = tuple(candidate for candidate, wrong, _, _ in rows if wrong < RIGHT)
        wrong = tuple(candidate for candidate, how_wrong, _, _ in rows if how_wrong >= RIGHT)
        if right and wrong:
            found.append(Flip(scenario=scenario, instance=instance, right=right, wrong=wrong))
    return sorted(found, key=lambda flip: (-min(len(flip.right), len(flip.wrong)), flip.instance))


Row = tuple[str, float, str | None, str | None]
"""Candidate, how wrong, prediction, gold."""


def _by_instance(tables: Mapping[str, pl.DataFrame]) -> dict[str, list[Row]]:
    """The originals that have a value, by instance."""
    found: dict[str, list[Row]] = {}
    for candidate, table in tables.items():
        valued = table.filter(table["perturbation"].is_null() & table["wrong"].is_not_null())
        for instance, *rest in valued.select("instance_id", "wrong", "prediction", "gold").rows():
            found.setdefault(instance, []).append((candidate, *rest))
    return found

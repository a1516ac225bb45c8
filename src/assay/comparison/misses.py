"""Items that every candidate misses, whose labels are suspect, and items on which candidates differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from assay.comparison.results import Example, Flip, Suspect
from assay.errors import AssayError
from assay.stored_text import stored_text
from assay.text import one_line

if TYPE_CHECKING:
    import polars as pl

MISSED = 0.999
"""How wrong an item must be, 0 to 1: at the worst end of the metric in every draw and repeat."""
RIGHT = 0.5
"""An item counts as right where it falls short of the best by less."""
LONGEST_INPUT = 200
"""Characters of an item's input that an example holds."""
LONGEST_ANSWER = 100


class Row(NamedTuple):
    """What one candidate made of an item."""

    candidate: str
    wrong: float
    prediction: str | None
    gold: str | None
    input: str
    """As it is stored."""


def suspects(scenario: str, tables: Mapping[str, pl.DataFrame]) -> list[Suspect]:
    """The instances that all candidates miss entirely; those first on whose wrong answer most candidates agree.

    Args:
        scenario: what tables call it.
        tables: candidate to its trials, as `failures.trials` gives them.
    """
    found = []
    for instance, rows in _by_instance(tables).items():
        if len(rows) == len(tables) and all(row.wrong >= MISSED for row in rows):
            predictions = Counter(row.prediction for row in rows if row.prediction)
            common, agreeing = predictions.most_common(1)[0] if predictions else ("", 0)
            item = example(instance, rows)
            found.append(Suspect(scenario=scenario, item=item, common=one_line(common, LONGEST_ANSWER), agreeing=agreeing))
    return sorted(found, key=lambda suspect: (-suspect.agreeing, suspect.item.instance))


def flips(scenario: str, tables: Mapping[str, pl.DataFrame]) -> list[Flip]:
    """The instances that some candidates get right and others wrong; those first on which they are most divided."""
    found = []
    for instance, rows in _by_instance(tables).items():
        right = tuple(row.candidate for row in rows if row.wrong < RIGHT)
        wrong = tuple(row.candidate for row in rows if row.wrong >= RIGHT)
        if right and wrong:
            found.append(Flip(scenario=scenario, item=example(instance, rows), right=right, wrong=wrong))
    return sorted(found, key=lambda flip: (-min(len(flip.right), len(flip.wrong)), flip.item.instance))


def example(instance: str, rows: list[Row]) -> Example:
    """An item with what some candidates answered."""
    return Example(
        instance=instance,
        input=one_line(plain(rows[0].input), LONGEST_INPUT),
        gold=one_line(rows[0].gold or "", LONGEST_ANSWER),
        answers={row.candidate: one_line(row.prediction or "", LONGEST_ANSWER) for row in rows},
    )


def plain(stored: str) -> str:
    """A stored input as text, a conversation as its turns.

    Raises:
        AssayError: it is not what assay writes.
    """
    try:
        text = stored_text(stored)
    except msgspec.MsgspecError as error:
        raise AssayError(f"a stored input is not what assay writes: {error}", "run `assay verify` on the runs") from None
    return text if isinstance(text, str) else "\n".join(message.content for message in text)


def _by_instance(tables: Mapping[str, pl.DataFrame]) -> dict[str, list[Row]]:
    """The originals that have a value, by instance."""
    found: dict[str, list[Row]] = {}
    for candidate, table in tables.items():
        valued = table.filter(table["perturbation"].is_null() & table["wrong"].is_not_null())
        for instance, *rest in valued.select("instance_id", "wrong", "prediction", "gold", "input").rows():
            found.setdefault(instance, []).append(Row(candidate, *rest))
    return found

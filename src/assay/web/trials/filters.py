"""Which trials of a run a reader chose to see, from the query of an address: everything but the search in their texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from assay.errors import AssayError, unknown
from assay.records import Outcome
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.entries import Entry
from assay.web.kept import Kept
from assay.web.trials.index import index_of, marked, originals, same_trials, values_at

if TYPE_CHECKING:
    import numpy as np

    from assay.metrics.columns import Floats, Integers

    Flags = np.typing.NDArray[np.bool_]

NAMES = (
    "text", "where", "outcome", "right", "copies", "flipped", "subgroup", "splits", "metric", "low", "high", "with", "differs",
    "order",
)  # fmt: skip
"""What of a query filters trials; links between trials carry it along."""
WHERE = {"": "anywhere", "input": "what was asked", "completion": "the completion", "prediction": "what was read"}
RIGHT = {"": "right or wrong", "yes": "right", "no": "wrong", "none": "without a score"}
FLIPPED = {"": "any copy", "any": "scored unlike its original", "worse": "worse than its original", "better": "better"}
DIFFERS = {"": "whatever it scored", "any": "scored differently", "worse": "this run worse", "better": "this run better"}
ORDERS = {"": "as they were asked", "failed": "failed first, then wrong"}
ORIGINAL = "original"
"""Stands for no perturbation among the names of copies."""
LONGEST_TEXT = 1000
"""Characters of a text that is searched for."""
CHOICES_KEPT = 8_000_000
"""Numbers of rows, four bytes each, that are kept of choices already made."""
SAME = 1e-9
"""Two scores that differ by less are the same."""


@dataclass(frozen=True)
class Filter:
    """A choice among the trials of a run; an empty word does not restrict it."""

    text: str = ""
    """Searched for in their texts, capitals or not."""
    where: str = ""
    """In which text, a key of `WHERE`."""
    outcome: str = ""
    right: str = ""
    """By the main metric, a key of `RIGHT`."""
    copies: str = ""
    """A perturbation, or `ORIGINAL`."""
    flipped: str = ""
    """How a copy scored beside its original by the main metric, a key of `FLIPPED`."""
    subgroup: str = ""
    """`axis=value`."""
    split: str = ""
    metric: str = ""
    """The metric that `low` and `high` bound."""
    low: float | None = None
    high: float | None = None
    against: Entry | None = None
    """Another candidate's run of the same scenario."""
    differs: str = ""
    """How a trial scored beside the same trial of that run, a key of `DIFFERS`."""
    order: str = ""
    """A key of `ORDERS`."""

    @property
    def restricts(self) -> bool:
        """It leaves anything out."""
        return self != Filter(where=self.where, metric=self.metric, against=self.against, order=self.order)


def others(catalog: Catalog, entry: Entry) -> tuple[Entry, ...]:
    """The other runs of a run's scenario, whose trials can stand beside its own."""
    return tuple(other for other in catalog.entries if other.title == entry.title and other.slug != entry.slug)


def filter_of(catalog: Catalog, entry: Entry, address: Address) -> Filter:
    """What an address chooses among the trials of a run.

    Raises:
        AssayError: it names something that is not there, or bounds that are no numbers; the run cannot be read.
    """
    index = index_of(entry)
    text = address.one("text")
    if len(text) > LONGEST_TEXT:
        raise AssayError(f"the text to search for has {len(text):,} characters", f"give at most {LONGEST_TEXT:,}")
    against = address.one("with")
    runs = {other.slug: other for other in others(catalog, entry)}
    if against and against not in runs:
        raise unknown("run of this scenario", against, runs)
    chosen = Filter(
        text=text,
        where=_word(address, "where", WHERE),
        outcome=_word(address, "outcome", get_args(Outcome)),
        right=_word(address, "right", RIGHT),
        copies=_word(address, "copies", [ORIGINAL, *index.names("perturbation")]),
        flipped=_word(address, "flipped", FLIPPED),
        subgroup=_word(address, "subgroup", index.groups),
        split=_word(address, "splits", index.names("split")),
        metric=_word(address, "metric", index.metrics),
        low=_bound(address, "low"),
        high=_bound(address, "high"),
        against=runs.get(against),
        differs=_word(address, "differs", DIFFERS),
        order=_word(address, "order", ORDERS),
    )
    if not chosen.metric and (chosen.low, chosen.high) != (None, None):
        raise AssayError("low and high bound no metric", "name one: metric=")
    if chosen.differs and chosen.against is None:  # a form whose reader chose how to differ, and not yet from whom
        if not runs:
            raise AssayError("no other run of this scenario can differ", "leave out differs=, or ask another candidate")
        return replace(chosen, against=next(iter(runs.values())))
    return chosen


def _word(address: Address, name: str, known: Iterable[str]) -> str:
    return address.choice(name, list(known), "")


def _bound(address: Address, name: str) -> float | None:
    return address.number(name, 0, -1e300, 1e300) if address.one(name) else None


def chosen_rows(entry: Entry, chosen: Filter) -> Integers:
    """The rows that a filter leaves, in its order, whatever text it searches for.

    Raises:
        AssayError: files cannot be read.
    """
    wanted = replace(chosen, text="", where="")
    return _choices.get((entry, wanted), lambda: _rows(entry, wanted))


_choices: Kept[Integers] = Kept(CHOICES_KEPT, len)


def _rows(entry: Entry, chosen: Filter) -> Integers:
    import numpy as np

    kept = _by_words(entry, chosen) & _by_scores(entry, chosen)
    rows: Integers = np.flatnonzero(kept).astype(np.int32)
    return rows if not chosen.order else rows.take(np.argsort(_goodness(entry)[rows], kind="stable"))


def _goodness(entry: Entry) -> Integers:
    """0 for trials that failed, 1 for wrong ones, 2 for the others."""
    import numpy as np

    index, found = index_of(entry), marked(entry)
    wrong = _none(index.rows) if found is None else _is("no", found.right)
    return np.where((index.table["outcome"] == "failed").to_numpy(), 0, np.where(wrong, 1, 2))


def _by_words(entry: Entry, chosen: Filter) -> Flags:
    import polars as pl

    index = index_of(entry)
    words = (("outcome", chosen.outcome), ("split", chosen.split), ("perturbation", chosen.copies))
    wanted = [pl.col(name) == word for name, word in words if word and word != ORIGINAL]
    if chosen.copies == ORIGINAL:
        wanted.append(pl.col("perturbation").is_null())
    if chosen.subgroup:
        wanted.append(pl.col("subgroups").cast(pl.String).is_in(index.groups[chosen.subgroup]))
    if not wanted:
        return ~_none(index.rows)
    flags: Flags = index.table.select(pl.all_horizontal(wanted).fill_null(value=False)).to_series().to_numpy()
    return flags


def _by_scores(entry: Entry, chosen: Filter) -> Flags:
    import numpy as np

    index, found = index_of(entry), marked(entry)
    kept = ~_none(index.rows)
    if chosen.right:
        kept &= _none(index.rows) if found is None else _is(chosen.right, found.right)
    if chosen.flipped:
        places = originals(index)
        copies = places != np.arange(index.rows)
        kept &= copies & (_none(index.rows) if found is None else _beside(chosen.flipped, found.better, places))
    if chosen.metric and (chosen.low, chosen.high) != (None, None):
        values = index.values(chosen.metric)
        kept &= values >= (-np.inf if chosen.low is None else chosen.low)
        kept &= values <= (np.inf if chosen.high is None else chosen.high)
    if chosen.differs and chosen.against is not None:
        other = marked(chosen.against)
        if found is None or other is None:
            return _none(index.rows)
        theirs = values_at(other.better, same_trials(index, index_of(chosen.against)))
        kept &= _difference(chosen.differs, found.better - theirs)
    return kept


def _none(rows: int) -> Flags:
    import numpy as np

    return np.zeros(rows, dtype=bool)


def _is(word: str, right: Floats) -> Flags:
    import numpy as np

    return np.isnan(right) if word == "none" else right == (word == "yes")


def _beside(word: str, better: Floats, places: Integers) -> Flags:
    return _difference(word, better - values_at(better, places))


def _difference(word: str, by: Floats) -> Flags:
    """Whether values lie above (`better`), below (`worse`) or on either side (`any`) of others; never where one is missing."""
    return by > SAME if word == "better" else by < -SAME if word == "worse" else abs(by) > SAME

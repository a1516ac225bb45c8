"""Where the page of a trial is, and which trial an address names."""

from __future__ import annotations

from assay.errors import AssayError
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.entries import Entry
from assay.web.trials.filters import NAMES
from assay.web.trials.index import Index, Key
from assay.web.trials.transcripts import sample

LIST, ONE = "instances", "instance"
MOST_IN_REPORT = 40
"""Trials of a run that a report without a server holds."""
FEWEST_IN_REPORT = 6
ALL_IN_REPORT = 240
"""Trials of all runs together, as far as no run has fewer than the fewest: a trial takes some ten thousand bytes."""
LARGEST = 2**31 - 1


def trial_address(entry: Entry, key: Key, carried: tuple[tuple[str, str], ...] = ()) -> Address:
    """The page of a trial: what is not its default names it, then what was filtered by."""
    parts = [("id", key.instance_id)]
    parts += [("perturbation", key.perturbation)] if key.perturbation is not None else []
    parts += [(name, str(number)) for name in ("draw", "format", "repeat") if (number := getattr(key, name))]
    parts += [("split", key.split)] if key.split != entry.splits[-1] else []
    return Address(ONE, entry.slug, (*parts, *carried))


def carried(address: Address) -> tuple[tuple[str, str], ...]:
    """What of an address filters trials."""
    return tuple((name, value) for name, value in address.query if name in NAMES and value)


def list_address(entry: Entry, query: tuple[tuple[str, str], ...] = ()) -> Address:
    """The list of a run's trials."""
    return Address(LIST, entry.slug, query)


def row_named(entry: Entry, index: Index, address: Address) -> int:
    """The row of the trial that an address names.

    Raises:
        AssayError: it names none, or one that the run does not have.
    """
    name = address.one("id")
    if not name:
        raise AssayError("no trial is named", "give its item: id=")
    numbers = {which: int(address.number(which, 0, 0, LARGEST)) for which in ("draw", "format", "repeat")}
    key = Key(
        instance_id=name,
        perturbation=address.one("perturbation") or None,
        split=address.one("split", entry.splits[-1]),
        **numbers,
    )
    row = index.row_of(key)
    if row is None:
        raise AssayError(f"the run has no such trial of item {name[:80]!r}", "see the list of its trials")
    return row


def in_report(catalog: Catalog, entry: Entry) -> tuple[int, ...]:
    """The rows of the trials that a report without a server holds of a run."""
    share = ALL_IN_REPORT // max(1, len(catalog.entries))
    return sample(entry, min(MOST_IN_REPORT, max(FEWEST_IN_REPORT, share)))

"""The same item asked of other candidates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.text import one_line
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import metric_column
from assay.web.page import View
from assay.web.trials.filters import others
from assay.web.trials.index import Key, index_of, scores_of
from assay.web.trials.links import carried, trial_address
from assay.web.trials.outputs import Shower
from assay.web.trials.passages import Passage
from assay.web.trials.transcripts import rows_in_full, told

MOST = 12
"""Other candidates whose answers are listed."""
MOST_SIDE_BY_SIDE = 3
MOST_COMPLETIONS = 4
ANSWERS = ("prediction", "outcome")


@dataclass(frozen=True)
class Other:
    """Another candidate's trial of the same item."""

    entry: Entry
    page: Address
    outcome: str
    score: str
    completions: tuple[Passage, ...]
    prediction: Passage


def others_grid(catalog: Catalog, entry: Entry, key: Key) -> Grid | None:
    """How other candidates answered the same item, asked in the same way; `None` where there are none."""
    rows = []
    runs = others(catalog, entry)
    for other in runs[:MOST]:
        index = index_of(other)
        row = index.row_of(key)
        if row is None:
            continue
        stored = rows_in_full(other, [row], ANSWERS)[0]
        value = scores_of(index, row).get(other.main_metric)
        page = trial_address(other, key)
        rows.append(
            (
                Cell(other.evaluation, one_line(other.evaluation, 80), to=page),
                Cell(value, score_text(value)),
                Cell(stored["outcome"]),
                Cell((stored["prediction"] or "")[:300], one_line(stored["prediction"] or "", 300)),
            )
        )
    if not rows:
        return None
    columns = (
        Column("candidate", number=False),
        metric_column(entry.main_metric),
        Column("outcome", number=False),
        Column("read as", number=False),
    )
    notes = (f"{len(runs) - MOST} further candidates are not listed.",) if len(runs) > MOST else ()
    return Grid("others", "Other candidates on the same item", columns, tuple(rows), notes)


def score_text(value: float | None) -> str:
    """A single score as text; a dash for none."""
    return "–" if value is None or math.isnan(value) else f"{value:.4g}"


def offered(catalog: Catalog, entry: Entry, key: Key, address: Address) -> tuple[tuple[str, Address, bool], ...]:
    """Evaluations with the same trial, which can be put beside: name, the page with it or without it, whether it is there.

    A filter that holds runs against each other goes by the last one that is named, so that one stays the last.
    """
    there = list(dict.fromkeys(address.all("with")))
    found = []
    for other in others(catalog, entry)[:MOST]:
        if index_of(other).row_of(key) is None:
            continue
        shown = other.slug in there
        wanted = [slug for slug in there if slug != other.slug] if shown else [other.slug, *there]
        found.append((other.evaluation, address.but(**{"with": wanted}), shown))
    return tuple(found)


def beside(view: View, entry: Entry, key: Key, address: Address) -> tuple[Other, ...]:
    """The trials of the candidates that an address puts beside this one (`with=`), in full."""
    wanted = dict.fromkeys(address.all("with"))
    show = Shower(address, view.links.live)
    found = []
    query = tuple(pair for pair in carried(address) if pair[0] not in ("with", "differs"))
    for other in [run for run in others(view.catalog, entry) if run.slug in wanted][:MOST_SIDE_BY_SIDE]:
        index = index_of(other)
        row = index.row_of(key)
        if row is None:
            continue
        trial = told(other, row)
        said = [completion.text for response in trial.responses for completion in response.completions][:MOST_COMPLETIONS]
        found.append(
            Other(
                entry=other,
                page=trial_address(other, key, query),
                outcome=trial.row["outcome"],
                score=score_text(scores_of(index, row).get(other.main_metric)),
                completions=tuple(show(f"beside-{other.slug}-{place}", text) for place, text in enumerate(said)),
                prediction=show(f"beside-{other.slug}", trial.row["prediction"] or ""),
            )
        )
    return tuple(found)

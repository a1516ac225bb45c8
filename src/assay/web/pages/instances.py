"""The trials of a run as a list: what was asked and answered, found by filters and by their texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from assay.prompting.base import as_text
from assay.records import Outcome
from assay.store.transcripts import reading_row
from assay.stored_text import stored_text
from assay.text import one_line
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import metric_column
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.trials import filters
from assay.web.trials.filters import Filter, filter_of, others
from assay.web.trials.index import Index, index_of, marked, same_trials, values_at
from assay.web.trials.links import carried, in_report, trial_address
from assay.web.trials.transcripts import LISTED, ON_A_PAGE, Listing, listing, rows_in_full

EXCERPT = 140
"""Characters of a text in the list."""
MOST_GROUPS = 300
"""Subgroups that a reader can choose from."""


def draw(view: View, address: Address) -> Page:
    """The list of a run's trials, a page of it."""
    entry = view.catalog.entry(address.of)
    if view.links.live:
        chosen = filter_of(view.catalog, entry, address)
        page = listing(entry, chosen, int(address.number("from", 0, 0, 1e12)) if address.one("from") else None)
    else:
        chosen, page = Filter(), _sampled(view.catalog, entry)
    grid = trial_grid(entry, page.rows, chosen, carried(address))
    body = render(
        "instances.html",
        view,
        address,
        entry=entry,
        trials=grid,
        page=page,
        chosen=chosen,
        said=said(page, chosen),
        pages=_pages(page),
        options=_options(view.catalog, entry),
        restrictions=restrictions(chosen, address),
        first=address.but(**{"from": None}),
        next=address.but(**{"from": str(page.next)}),
        previous=address.but(**{"from": str(page.previous)}),
    )
    return Page(f"Trials: {one_line(entry.title, 80)} · {one_line(entry.label, 80)}", body, (grid,))


def _sampled(catalog: Catalog, entry: Entry) -> Listing:
    rows = in_report(catalog, entry)
    return Listing(rows, entry.trials, 0, entry.trials, None, None)


def said(page: Listing, chosen: Filter) -> str:
    """How many trials there are and which of them are shown, in words."""
    if page.total is None:
        at_least = (
            "" if not page.rows else f"At least {len(page.rows):,} " + ("hold" if len(page.rows) > 1 else "holds") + " it"
        )
        searched = f"searched so far from trial {page.before + 1:,} of {page.left:,}"
        return f"{at_least or 'None found'}; {searched}."
    if not page.rows:
        return "No trial of this run is all of this; take a filter away." if chosen.restricts else "The run has no trials."
    last = page.before + len(page.rows)
    return f"{page.total:,} trials; shown are {page.before + 1:,} to {last:,}."


def restrictions(chosen: Filter, address: Address) -> list[tuple[str, Address]]:
    """What a filter asks for, in words, each with the list that goes without it."""
    bounds = " ".join(f"{word} {value:g}" for word, value in (("from", chosen.low), ("to", chosen.high)) if value is not None)
    against = chosen.against.evaluation if chosen.against is not None else ""
    said = {
        ("text", "where"): f"“{one_line(chosen.text, 60)}” {filters.WHERE[chosen.where]}" if chosen.text else "",
        ("outcome",): chosen.outcome,
        ("right",): filters.RIGHT[chosen.right] if chosen.right else "",
        ("copies",): f"{chosen.copies} alone" if chosen.copies else "",
        ("flipped",): filters.FLIPPED[chosen.flipped] if chosen.flipped else "",
        ("subgroup",): one_line(chosen.subgroup, 60),
        ("splits",): f"split {chosen.split}" if chosen.split else "",
        ("metric", "low", "high"): f"{chosen.metric} {bounds}" if bounds else "",
        ("differs", "with"): f"{filters.DIFFERS[chosen.differs]} beside {one_line(against, 60)}" if chosen.differs else "",
    }
    away: dict[str, None]
    found = []
    for names, text in said.items():
        if text:
            away = dict.fromkeys((*names, "from"))
            found.append((text, address.but(**away)))
    return found


def _pages(page: Listing) -> tuple[int, int] | None:
    """Which page of how many it is; `None` where that is not known, or there is one."""
    if page.total is None or page.total <= ON_A_PAGE:
        return None
    ends = -(-page.before // ON_A_PAGE), -(-max(0, page.total - page.before) // ON_A_PAGE)
    return ends[0] + 1, sum(ends)


def trial_grid(entry: Entry, rows: Sequence[int], chosen: Filter, query: tuple[tuple[str, str], ...]) -> Grid:
    """Some trials as a table, each with a link to its page."""
    index, judged = index_of(entry), marked(entry)
    told = rows_in_full(entry, rows, LISTED)
    keys = {row: index.key(row) for row in rows}
    shown = [name for name in ("perturbation", "draw", "format", "repeat") if any(getattr(keys[row], name) for row in rows)]
    columns = [
        Column("item", number=False),
        *(Column(name, "copy" if name == "perturbation" else "", number=False) for name in shown),
    ]
    scores = _scores(entry, index, rows, chosen)
    columns += [metric_column(name) if place == 0 else Column(name) for place, name in enumerate(scores)]
    texts = ("outcome", "read as", "right answer", "asked")
    columns += [Column(name, number=False) for name in texts]
    found = []
    for place, (row, stored) in enumerate(zip(rows, told, strict=True)):
        cells = [Cell(keys[row].instance_id, one_line(keys[row].instance_id, 60), to=trial_address(entry, keys[row], query))]
        for name in shown:
            value = getattr(keys[row], name)
            cells.append(Cell(value, one_line(str(value or ("original" if name == "perturbation" else 0)), 60)))
        cells += [_score(values[place]) for values in scores.values()]
        found.append((*cells, *_texts(stored, chosen)))
    notes = () if judged is not None else ("The main metric gives single answers no mark between right and wrong.",)
    return Grid("trials", f"Trials of {entry.title}, {entry.label}", tuple(columns), tuple(found), notes)


def _scores(entry: Entry, index: Index, rows: Sequence[int], chosen: Filter) -> Mapping[str, list[float]]:
    """The columns of numbers: the main metric, the one that bounds were given for, the other run's main metric."""
    places = list(rows)
    names = dict.fromkeys(name for name in (entry.main_metric, chosen.metric) if name in index.metrics)
    found = {name: index.values(name)[places].tolist() for name in names}
    if chosen.against is not None and (other := marked(chosen.against)) is not None:
        theirs = same_trials(index, index_of(chosen.against))[places]
        found[f"{entry.main_metric} of {chosen.against.evaluation}"] = values_at(other.values, theirs).tolist()
    return found


def _score(value: float) -> Cell:
    return Cell(None, "–", note="no score") if math.isnan(value) else Cell(value, f"{value:.4g}")


def _texts(stored: Mapping[str, Any], chosen: Filter) -> Iterable[Cell]:
    with reading_row(dict(stored)):
        gold = " | ".join(reference["text"] for reference in stored["references"] or () if reference["correct"])
        asked = as_text(stored_text(stored["input"] or ""))
    answer = stored["prediction"] or ""
    note = ""
    if chosen.text and chosen.where in ("", "completion") and chosen.text.lower() in (stored["completion"] or "").lower():
        note = excerpt(stored["completion"], chosen.text, 2 * EXCERPT)
    outcome = stored["outcome"] or ""
    yield Cell(outcome, note=one_line(stored["error"] or "", 300))
    yield Cell(answer[:EXCERPT], excerpt(answer, chosen.text), note=note)
    yield Cell(gold[:EXCERPT], one_line(gold, EXCERPT))
    yield Cell(asked[:EXCERPT], excerpt(asked, chosen.text))


def excerpt(text: str, sought: str = "", most: int = EXCERPT) -> str:
    """The beginning of a text in one line, or the surroundings of what was sought in it."""
    place = text.lower().find(sought.lower()) if sought else -1
    begin = max(0, place - most // 3) if place > most // 2 else 0
    part = one_line(text[begin : begin + most], 8 * most)
    return ("…" if begin else "") + part + ("…" if begin + most < len(text) else "")


def _options(catalog: Catalog, entry: Entry) -> Mapping[str, Sequence[tuple[str, str]]]:
    """What a reader can choose from, by the name of the choice."""
    index = index_of(entry)
    groups = list(index.groups)[:MOST_GROUPS]
    copies = index.names("perturbation")
    named = {
        "where": filters.WHERE,
        "right": filters.RIGHT,
        "flipped": filters.FLIPPED,
        "differs": filters.DIFFERS,
        "order": filters.ORDERS,
        "outcome": {"": "any outcome"} | {name: name for name in get_args(Outcome)},
        "copies": {"": "originals and copies", filters.ORIGINAL: "originals"} | {name: name for name in copies},
        "subgroup": {"": "any group"} | {name: one_line(name, 60) for name in groups},
        "splits": {"": "any split"} | {name: name for name in index.names("split")},
        "metric": {"": "no metric"} | {name: name for name in index.metrics},
        "with": {"": "nobody"} | {other.slug: other.evaluation for other in others(catalog, entry)},
    }
    return {name: list(options.items()) for name, options in named.items()}


def every(catalog: Catalog) -> Iterable[Address]:
    """The list of each run's trials."""
    return (Address("instances", entry.slug) for entry in catalog.entries)


KIND = Kind("instances", "", "What was asked and answered, trial by trial.", draw, every)

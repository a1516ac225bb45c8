"""Comparing: what separates candidates on the same items, what does not, and how they fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.comparison import Comparison, Question, compare
from assay.errors import AssayError, unknown
from assay.web import comparison_grids as grids
from assay.web.addresses import Address
from assay.web.catalog import Catalog, evidence_of
from assay.web.entries import Entry
from assay.web.kept import Kept
from assay.web.measures import meaning
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.selection import Selection, choices, newest, select, suite_links

By = Literal["scenario", "subgroup", "perturbation"]
PARTS: tuple[By, ...] = get_args(By)
AT_ONCE = 20_000
"""Trials that are compared where a reader has not chosen scenarios: less than a tenth of a second, without charts."""
KEPT = 20_000
"""Paired differences that are kept of earlier comparisons, a kilobyte each."""

_found: Kept[Comparison] = Kept(KEPT, lambda found: 1 + sum(len(board.pairs) for board in found.boards))


@dataclass(frozen=True)
class Asked:
    """What is compared."""

    entries: tuple[Entry, ...]
    question: Question
    left_out: int
    """Scenarios that were left out, as there is too much to read for a reader who has not asked for it."""


def draw(view: View, address: Address) -> Page:
    """The candidates that were chosen, by scenario, or by what the address names: `subgroup` or `perturbation`."""
    by = address.of or PARTS[0]
    if by not in PARTS:
        raise unknown("part", by, PARTS)
    chosen = select(view.catalog, address, newest(view.catalog) if view.links.live else "")
    asked = _asked(view, address, chosen)
    found, problem = None, ""
    try:
        found = _compared(asked)
    except AssayError as error:
        problem = str(error)
    refused = found is not None and bool(found.differences) and not address.one("allow") and view.links.live
    unlike = grids.differences(found) if found is not None else []
    boards = grids.boards(found, asked.entries) if found is not None and not refused else []
    rest = grids.rest(found, asked.entries) if found is not None and not refused else []
    forest = grids.forest(found.boards, _reference(address, view.catalog, found)) if found is not None and not refused else None
    body = render(
        "compare.html",
        view,
        address,
        by=by,
        parts=PARTS,
        asked=asked,
        found=found,
        problem=problem,
        refused=refused,
        unlike=unlike,
        boards=boards,
        forest=forest,
        rest=rest,
        forms=_forms(view.catalog, chosen),
        suites=suite_links(view, address, chosen),
    )
    drawn = [grid for pair in boards for grid in pair] + rest + unlike
    return Page("Compare", body, (*drawn, *([forest.grid] if forest is not None else [])))


def _asked(view: View, address: Address, chosen: Selection) -> Asked:
    entries, left_out = chosen.entries, 0
    if view.links.live and not address.all("scenario"):
        entries, left_out = _few(chosen)
    question = Question(
        metrics=chosen.metrics[:1],
        by=address.of or PARTS[0],  # type: ignore[arg-type] # one of PARTS
        allow_differences=True,  # they are shown, and asked about, with all their values
        failures=bool(address.one("failures")),
    )
    return Asked(entries, question, left_out)


def _few(chosen: Selection) -> tuple[tuple[Entry, ...], int]:
    """The runs of the first scenarios that are soon read, at least of one; and how many scenarios are left out."""
    held: list[Entry] = []
    for place, scenario in enumerate(chosen.scenarios):
        here = [entry for entry in scenario.entries if entry in chosen.entries]
        if held and sum(entry.trials for entry in (*held, *here)) > AT_ONCE:
            return tuple(held), len(chosen.scenarios) - place
        held += here
    return tuple(held), 0


def _compared(asked: Asked) -> Comparison:
    """The comparison, kept for the state of its runs."""
    evidence = evidence_of(asked.entries)
    several = {scenario: runs for scenario, runs in evidence.runs.items() if len(runs) > 1}
    if not several:
        raise AssayError("no scenario was asked of two of these candidates", "choose others, or run them on the same scenarios")
    key = (tuple((*entry.key, entry.label) for entry in asked.entries), asked.question)
    return _found.get(key, lambda: compare(type(evidence)(evidence.candidates, several, evidence.notes), asked.question))


def _reference(address: Address, catalog: Catalog, found: Comparison) -> str:
    """Whom the others are held against: who was chosen, else who is first over the scenarios, or in the first of them."""
    if address.one("against"):
        return catalog.candidate(address.one("against")).label
    if found.aggregates:
        return found.aggregates[0].rows[0].candidate
    return found.boards[0].standings[0].candidate


def _forms(catalog: Catalog, chosen: Selection) -> dict[str, Sequence[tuple[str, str]]]:
    """What can be chosen, as values and what is shown of them."""
    there = {name for entry in chosen.offered for name in entry.metrics}
    of_answer = [
        name for name in catalog.metrics if (found := meaning(name).metric) is not None and found.of_answer is not None
    ]
    metrics = [name for name in of_answer if name in there]
    offered = choices(catalog, chosen)
    return {
        **offered,
        "metric": [("", "main metric of each scenario"), *((name, name) for name in metrics)],
        "against": [("", "who is first"), *offered["candidate"]],
        "failures": [("", "no"), ("yes", "yes (reads all answers)")],
    }


def every(catalog: Catalog) -> Iterable[Address]:
    """By scenario, and by whichever parts there are."""
    if len(catalog.candidates) < 2:
        return
    yield Address("compare")
    if any(cell.subgroup is not None for entry in catalog.entries for cell in entry.all_cells()):
        yield Address("compare", "subgroup")
    if any(cell.perturbation is not None for entry in catalog.entries for cell in entry.cells):
        yield Address("compare", "perturbation")


KIND = Kind("compare", "Compare", "What separates candidates on the same items, and what does not.", draw, every)

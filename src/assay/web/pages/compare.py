"""Comparing: what separates candidates on the same items, what does not, and how they fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.comparison import Comparison, Question
from assay.errors import AssayError, unknown
from assay.web import comparison_grids as grids
from assay.web.addresses import Address
from assay.web.catalog import Catalog, Scenario
from assay.web.comparing import compared, several_of
from assay.web.entries import Entry
from assay.web.evaluations import asked_otherwise, comparable
from assay.web.measures import meaning
from assay.web.page import Kind, Page, View
from assay.web.patience import FILE_MS, PAIR_MS, TRIAL_MS, Patience
from assay.web.rendering import render
from assay.web.selection import Selection, choices, select, suite_links

By = Literal["scenario", "subgroup", "perturbation"]
PARTS: tuple[By, ...] = get_args(By)
AT_ONCE = 20_000
"""Trials that are compared where a reader has not chosen scenarios: less than a tenth of a second, without charts."""
TEXTS_MS = 0.05
"""Reading the texts of a trial too."""
OPEN_BOARDS = 4
"""Scenarios, or parts of one, whose candidates a page shows at once; of more, the others are a click away."""
MOST_SUBGROUPS = 2_000


@dataclass(frozen=True)
class Asked:
    """What is compared."""

    entries: tuple[Entry, ...]
    question: Question
    left_out: int
    """Scenarios that were left out, as there is too much to read for a reader who has not asked for it."""
    otherwise: tuple[str, ...] = ()
    """Which runs are left out where nobody chose candidates, as they are of other suites and were asked otherwise."""


def draw(view: View, address: Address) -> Page:
    """The candidates that were chosen, by scenario, or by what the address names: `subgroup` or `perturbation`."""
    by = address.of or PARTS[0]
    if by not in PARTS:
        raise unknown("part", by, PARTS)
    chosen = select(view.catalog, address, _suite(view.catalog) if view.links.live else "")
    asked = _asked(view, address, chosen)
    against = view.catalog.candidate(address.one("against")).label if address.one("against") else ""
    found, problem = None, ""
    try:
        found = _compared(asked, view.patience)
    except AssayError as error:
        problem = view.catalog.told(str(error))
    forest = grids.forest(found, against or _first(found.found)) if found is not None else None
    body = render(
        "compare.html",
        view,
        address,
        by=by,
        parts=PARTS,
        asked=asked,
        found=found,
        problem=problem,
        open_boards=OPEN_BOARDS,
        forest=forest,
        forms=_forms(view.catalog, chosen),
        suites=suite_links(view, address, chosen),
    )
    if found is None:
        return Page("Compare", body)
    drawn = (*(grid for pair in found.boards for grid in pair), *found.rest, *found.differences)
    return Page("Compare", body, (*drawn, *([forest.grid] if forest is not None else [])))


def _suite(catalog: Catalog) -> str:
    """The newest suite in which there is something to compare; empty, all of them, where each has but one candidate."""
    labels: dict[str, set[str]] = {}
    for entry in catalog.entries:
        labels.setdefault(entry.suite, set()).add(entry.label)
    several = [entry for entry in catalog.entries if len(labels[entry.suite]) > 1]
    return max(several, key=lambda entry: entry.written).suite if several else ""


def _asked(view: View, address: Address, chosen: Selection) -> Asked:
    entries, left_out, otherwise = chosen.speaking, 0, list[str]()
    if not address.all("candidate"):
        entries = tuple(entry for scenario in chosen.scenarios for entry in comparable(chosen.beside(scenario)))
        told = ((scenario.title, asked_otherwise(chosen.beside(scenario))) for scenario in chosen.scenarios)
        otherwise = [f"{title}: {said}" for title, said in told if said]
    if view.links.live and not address.all("scenario"):
        entries, left_out = _few(chosen.scenarios, entries)
    question = Question(
        metrics=chosen.metrics[:1],
        by=address.of or PARTS[0],  # type: ignore[arg-type] # one of PARTS
        allow_differences=True,  # they are shown, and asked about, with all their values
        failures=bool(address.one("failures")),
    )
    return Asked(entries, question, left_out, tuple(otherwise))


def _few(scenarios: Sequence[Scenario], entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], int]:
    """The runs of the first scenarios that are soon read, at least of one; and how many scenarios are left out."""
    held: list[Entry] = []
    for place, scenario in enumerate(scenarios):
        here = [entry for entry in entries if entry.title == scenario.title]
        if held and sum(entry.trials for entry in (*held, *here)) > AT_ONCE:
            return tuple(held), len(scenarios) - place
        held += here
    return tuple(held), 0


def _compared(asked: Asked, patience: Patience | None) -> grids.Tables | None:
    """The comparison, kept for the state of its runs; `None` where it is worked out apart from this page."""
    several_of(asked.entries)
    if asked.question.by == "subgroup" and (count := _most_subgroups(asked.entries)) > MOST_SUBGROUPS:
        raise AssayError(f"there are {count:,} subgroups, too many to compare on a page", "use `assay compare --by subgroup`")
    key = (tuple((*entry.key, entry.label) for entry in asked.entries), asked.question)

    def made() -> grids.Tables:
        return compared(asked.entries, asked.question)

    return made() if patience is None or patience.now(("comparison", key), _cost(asked), made) else None


def _most_subgroups(entries: Sequence[Entry]) -> int:
    """How many subgroups any of the runs has."""
    return max((entry.subgroups for entry in entries), default=0)


def _cost(asked: Asked) -> float:
    """Milliseconds that a comparison takes."""
    trials = sum(entry.trials for entry in asked.entries)
    each = TEXTS_MS if asked.question.failures else TRIAL_MS if asked.question.by == PARTS[0] else 2 * TRIAL_MS
    return FILE_MS * len(asked.entries) + trials * each + PAIR_MS * _most_pairs(asked)


def _most_pairs(asked: Asked) -> int:
    """How many pairs the boards have at most."""
    parts: dict[str, list[int]] = {}
    for entry in asked.entries:
        parts.setdefault(entry.title, []).append(_parts(entry, asked.question.by))
    return sum(max(counts) * len(counts) * (len(counts) - 1) // 2 for counts in parts.values())


def _parts(entry: Entry, by: By) -> int:
    return {"scenario": 1, "subgroup": entry.subgroups, "perturbation": len(entry.spec.perturbations)}[by]


def _first(found: Comparison) -> str:
    """Whom the others are held against where nobody was chosen: who is first over the scenarios; or, of those that were asked
    in most of them, in the first."""
    if found.aggregates:
        return found.aggregates[0].rows[0].candidate
    asked = Counter(standing.candidate for board in found.boards for standing in board.standings)
    most = max(asked.values())
    return next(held.candidate for board in found.boards for held in board.standings if asked[held.candidate] == most)


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
    if any(entry.subgroups for entry in catalog.entries):
        yield Address("compare", "subgroup")
    if any(cell.perturbation is not None for entry in catalog.entries for cell in entry.cells):
        yield Address("compare", "perturbation")


KIND = Kind("compare", "Compare", "What separates candidates on the same items, and what does not.", draw, every)

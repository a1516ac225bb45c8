"""Evidence: what the numbers rest on, whether it is as it was written, who vouches for it, and whose data it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.records import DataFile
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.cautions import of_record
from assay.web.citations import CITED, DIGITS, cited_by, cited_run, citing, digest_cell
from assay.web.decided import RecordFile
from assay.web.grids import Cell, Column, Grid
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.selection import Selection, choices, select, suite_links
from assay.web.vouching import UNCHANGED, Held, Vouched, evidence_of_record, sign_offs, vouched

CHECK = "check"
"""The choice that says that checking may take a while."""
MOST_ROWS = 300
"""Runs that a page lists; downloads hold all."""


def draw(view: View, address: Address) -> Page:
    """Runs, records and data, with their digests and what is wrong with them."""
    chosen = select(view.catalog, address)
    entries = chosen.entries
    checked = vouched(entries, everything=bool(address.one(CHECK)) or not view.links.live)
    evidence = {file.slug: evidence_of_record(view.catalog, file) for file in view.catalog.records}
    runs, records, cited = _runs(view.catalog, checked), _records(view.catalog, evidence), _cited(view.catalog, evidence)
    data = _data(chosen)
    shown, named = (
        replace(grid, rows=grid.rows[:MOST_ROWS]) if grid is not None and view.links.live else grid for grid in (runs, cited)
    )
    body = render(
        "evidence.html",
        view,
        address,
        runs=shown,
        count=len(runs.rows),
        records=records,
        cited=named,
        uncited=len(cited.rows) - MOST_ROWS if cited is not None and view.links.live else 0,
        data=data,
        whole=sum(each.found.word == "intact" for each in checked),
        damaged=[each for each in checked if each.found.problems],
        open_=sum(not each.found.checked for each in checked),
        forms=choices(view.catalog, chosen),
        suites=suite_links(view, address, chosen),
    )
    return Page("Evidence", body, tuple(grid for grid in (runs, records, cited, data) if grid is not None))


def _runs(catalog: Catalog, checked: Sequence[Vouched]) -> Grid:
    columns = (
        Column("run", number=False),
        Column("suite", number=False),
        Column("scenario", number=False),
        Column("candidate", number=False),
        Column("trials"),
        Column("state", number=False),
        Column("cited by", number=False, note="The decision records that rest on it."),
        Column(
            "seal", "digest of the manifest", "Of the list of its files' digests: one changed byte changes it.", number=False
        ),
    )
    rows = tuple(
        (
            Cell(each.entry.folder.name, to=Address("run", each.entry.slug)),
            Cell(each.entry.suite),
            Cell(each.entry.title),
            Cell(each.entry.label),
            Cell(each.entry.trials, f"{each.entry.trials:,}"),
            Cell(_state(each)),
            cited_by(citing(catalog, each.entry)),
            digest_cell(each.entry.manifest.seal),
        )
        for each in checked
    )
    return Grid("runs", "Runs", columns, rows)


def _state(each: Vouched) -> str:
    if not each.found.checked:
        return "not checked yet"
    return "✗ not as written" if each.found.problems else "✓ as written"


def _records(catalog: Catalog, evidence: Mapping[str, Sequence[Held]]) -> Grid | None:
    if not catalog.records:
        return None
    names = ("record", "state", "to know", "evidence", "signatures", "digest")
    columns = tuple(Column(name, number=False) for name in names)
    rows = tuple(
        (
            Cell(file.record.name, to=Address("decide", file.slug)),
            Cell("✗ changed since it was written" if file.problems else "✓ as written"),
            Cell("; ".join(text for _, text in of_record(file.record).badges)),
            Cell(_evidence(evidence[file.slug])),
            Cell(_signatures(file)),
            digest_cell(file.record.digest),
        )
        for file in catalog.records
    )
    return Grid("records", "Decision records", columns, rows)


def _cited(catalog: Catalog, evidence: Mapping[str, Sequence[Held]]) -> Grid | None:
    """The runs that records rest on, a row each; `None` without any."""
    rows = tuple(
        (Cell(file.record.name, to=Address("decide", file.slug)), *cited_run(catalog, held))
        for file in catalog.records
        for held in evidence[file.slug]
    )
    names = ("record", *CITED)
    return Grid("cited", "Runs that records rest on", tuple(Column(n, number=False) for n in names), rows) if rows else None


def _evidence(evidence: Sequence[Held]) -> str:
    states = [held.state for held in evidence]
    counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
    mark = "✓" if set(states) <= UNCHANGED else "✗"
    return f"{mark} runs: {', '.join(counts) or 'none'}"


def _signatures(file: RecordFile) -> str:
    said = [
        f"{'✓' if one.holds else '✗ does not hold:'} {one.signature.name}, {one.signature.role} ({one.key})"
        for one in sign_offs(file)
    ]
    return "; ".join(said) or "nobody has signed"


def _data(chosen: Selection) -> Grid:
    """A row for each data set that a scenario was asked on: several where its runs used several."""
    columns = (
        Column("scenario", number=False),
        Column("licence", number=False),
        Column("source", number=False),
        Column("files", number=False, note="With the SHA-256 of each."),
        Column("instances", "digest of the items", "Of the very items that were chosen from it, in order.", number=False),
        Column("paper", number=False),
    )
    rows = []
    for scenario in chosen.scenarios:
        seen = set()
        for entry in (entry for entry in scenario.entries if entry.suite in (chosen.suites or (entry.suite,))):
            data, card = entry.spec.data, entry.file.card
            if data in seen:
                continue
            seen.add(data)
            rows.append(
                (
                    Cell(scenario.title, to=Address("scenario", scenario.slug)),
                    Cell(str(card.get("licence") or "not said")),
                    Cell(data.source),
                    _files(data.files),
                    digest_cell(data.instances),
                    _paper(card.get("paper")),
                )
            )
    return Grid("data", "Data and licences", columns, tuple(rows))


def _paper(paper: object) -> Cell:
    """What the scenario says that its data come from; addresses and numbers of arXiv in it are links."""
    text = str(paper or "")
    return Cell(text, text, cited=True)


def _files(files: Sequence[DataFile]) -> Cell:
    shown = (f"{file.path} {file.sha256[:DIGITS]}…" for file in files)
    return Cell("; ".join(f"{file.path} {file.sha256}" for file in files), "; ".join(shown))


def every(catalog: Catalog) -> Iterable[Address]:
    """The one page."""
    return (Address("evidence"),)


KIND = Kind("evidence", "Evidence", "What the numbers rest on, and whether it is as it was written.", draw, every)

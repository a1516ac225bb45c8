"""A run: what exactly was asked of whom, what it took, everything that was measured, and whether its files are intact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records import NamedSpec
from assay.store.folders import MANIFEST
from assay.tables.numbers import format_amount
from assay.tables.units import shown_cell
from assay.tables.usable import unusable, usable_text
from assay.text import one_line, visible
from assay.web.addresses import Address
from assay.web.catalog import Catalog, slug_of
from assay.web.citations import citing
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import readable
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.run_grids import every_estimate, main_metric_grids, metric_grid, outcome_grid
from assay.web.trials.index import index_of
from assay.web.verification import Verified, verified

LONGEST_VALUE = 600
"""Characters of a setting that are shown; its download has more."""
DOWNLOADED_VALUE = 20_000
UNDER, BECAME = "Under perturbation, by variant and by subgroup", "What became of the trials"


def draw(view: View, address: Address) -> Page:
    """The page of a run."""
    entry = view.catalog.entry(address.of)
    live = view.links.live
    state = verified(entry, insist=not live or address.one("verify") == "yes")
    metrics, under, problem = metric_grid(entry), main_metric_grids(entry), ""
    outcomes: list[Grid] = []
    try:
        outcomes.append(outcome_grid(entry, index_of(entry).outcomes))
    except AssayError as error:
        problem = error.message.replace(f"{entry.folder.path}/", "")
    settings, files = settings_of(entry), file_grid(entry, state)
    grids = (metrics, *under, *outcomes)
    main = entry.cell(entry.main_metric)
    every = every_estimate(entry)
    body = render(
        "run.html",
        view,
        address,
        entry=entry,
        facts_of=facts_of(entry),
        estimates=grids,
        parts_of=[held for held in ((UNDER, under), (BECAME, outcomes)) if held[1]],
        main=None if main is None else shown_cell(main).estimate,
        readable=readable,
        settings=settings,
        files=files,
        state=state,
        problem=problem,
        every=every if live else None,
        verify=address.but(verify="yes"),
        scenario=Address("scenario", slug_of(entry.title)),
        model=Address("model", slug_of(entry.label)),
        notes=_card(entry),
        cited_by=citing(view.catalog, entry),
    )
    shown = (*grids, *settings.grids, files, *((every,) if live else ()))
    return Page(f"Run: {one_line(entry.title, 80)} · {one_line(entry.label, 80)}", body, shown)


def facts_of(entry: Entry) -> list[tuple[str, str]]:
    """What a run is in a word or two, as (name, text)."""
    spec, manifest = entry.spec, entry.manifest
    ways = (("draws of examples", spec.draws), ("prompt formats", spec.formats), ("repeats", spec.repeats))
    return [
        ("model", one_line(spec.model.name, 200)),
        ("suite", one_line(entry.suite, 200)),
        ("usable answers", usable_text(unusable(entry.cells, entry.main_metric))),
        ("requests", f"{manifest.requests:,}"),
        ("tokens", f"{manifest.prompt_tokens:,} read, {manifest.completion_tokens:,} written"),
        ("cost of all requests", "" if manifest.cost is None else format_amount(manifest.cost)),
        ("asked", _span(manifest.first_asked, manifest.last_asked)),
        ("split", " + ".join(spec.split)),
        ("limit", "" if spec.max_instances is None else f"at most {spec.max_instances:,} items"),
        ("seed", str(spec.seed)),
        ("asked in several ways", ", ".join(f"{count} {what}" for what, count in ways if count > 1)),
        ("as HELM picks", "yes" if spec.helm_compat else ""),
    ]


def _span(first: float | None, last: float | None) -> str:
    """From when to when, in universal time; to the minute."""
    ends = [text for text in map(_moment, (first, last)) if text]
    return f"{' to '.join(dict.fromkeys(ends))} UTC" if ends else ""


def _moment(seconds: float | None) -> str:
    try:
        return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""


def _card(entry: Entry) -> list[tuple[str, str]]:
    """What the scenario says of itself; what it groups, such as its taxonomy, taken apart."""
    found: list[tuple[str, str]] = []
    for name, value in entry.file.card.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        found += [(one_line(f"{name} {part}".replace("_", " "), 60), _lines(held)) for part, held in parts if held]
    return found


def _lines(value: Any) -> str:
    """A text with its line breaks, or a setting."""
    return visible(value.strip(), LONGEST_VALUE) if isinstance(value, str) else plain(value, LONGEST_VALUE)


def plain(value: Any, longest: int) -> str:
    """A setting as text: as it is, or as JSON."""
    return one_line(value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode(), longest)


@dataclass(frozen=True)
class Settings:
    """The spec of a run, in tables."""

    scenario: Grid
    model: Grid
    prompting: Grid
    others: tuple[Grid, ...]
    """Perturbations, metrics, the rater of toxicity, and what it was computed with."""

    @property
    def grids(self) -> tuple[Grid, ...]:
        """All of them."""
        return (self.scenario, self.model, self.prompting, *self.others)


def settings_of(entry: Entry) -> Settings:
    """Everything that a run's spec says."""
    spec = entry.spec
    scenario = {
        "scenario": spec.scenario.name,
        "version": spec.scenario.version,
        **{f"parameter {name}": value for name, value in spec.scenario.parameters.items()},
        "data": spec.data.source,
        **{f"file {file.path}": file.sha256 for file in spec.data.files},
        "digest of the instances": spec.data.instances,
    }
    model = {
        "name": spec.model.name,
        "label": spec.label,
        "revision": spec.model.revision,
        "endpoint": spec.model.endpoint,
        **{f"option {name}": value for name, value in spec.model.options.items()},
    }
    return Settings(
        _settings("scenario-settings", "Scenario and data", scenario),
        _settings("model-settings", "Model", model),
        _settings("prompting", "Prompting", spec.prompting),
        (
            _settings("perturbations-asked", "Perturbations", _named(spec.perturbations)),
            _settings("metrics-computed", "Metrics", _named(spec.metrics)),
            _settings("toxicity", "Rater of toxicity", _named((spec.toxicity,)) if spec.toxicity else {}),
            _settings("environment", "Computed with", entry.file.environment),
        ),
    )


def _named(specs: Iterable[NamedSpec]) -> dict[str, Any]:
    return {
        named.name: ", ".join(
            [f"version {named.version}", *([plain(named.parameters, DOWNLOADED_VALUE)] if named.parameters else [])]
        )
        for named in specs
    }


def _settings(name: str, caption: str, held: Mapping[str, Any]) -> Grid:
    """Settings that say something, a row each."""
    rows = []
    for key, value in held.items():
        if value is None or value in ("", (), [], {}):
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
        exact = text if text == " ".join(text.split()) else msgspec.json.encode(text).decode()  # white space counts in prompts
        rows.append((Cell(key, one_line(key, 120)), Cell(text[:DOWNLOADED_VALUE], one_line(exact, LONGEST_VALUE))))
    return Grid(name, caption, (Column("setting", number=False), Column("value", number=False)), tuple(rows))


def file_grid(entry: Entry, state: Verified) -> Grid:
    """The files that the manifest lists, with their digests."""
    broken = {problem.partition(":")[0] for problem in state.problems}
    rows = []
    for name, digest in (*sorted(entry.manifest.files.items()), (MANIFEST, entry.manifest.seal)):
        word = "not checked" if not state.checked else "changed" if name in broken else "intact"
        rows.append((Cell(name, one_line(name, 120)), Cell(word), Cell(digest, one_line(digest, 120))))
    digests = Column("SHA-256", number=False, note="of the file's bytes; of the manifest its seal")
    columns = (Column("file", number=False), Column("state", number=False), digests)
    return Grid("files", "Files of the run", columns, tuple(rows))


def every(catalog: Catalog) -> Iterable[Address]:
    """Each run."""
    return (Address("run", entry.slug) for entry in catalog.entries)


KIND = Kind("run", "", "A run: its settings, its estimates, its files.", draw, every)

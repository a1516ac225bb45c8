"""What a reader chose to look at: suites × candidates × scenarios × metrics, from the query of an address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.errors import unknown
from assay.web.addresses import Address
from assay.web.catalog import Candidate, Catalog, Scenario
from assay.web.entries import Entry
from assay.web.page import View

EVERY = "*"
"""What `suite=` says for all suites together; no folder bears that name."""
BY_SUITE = ("overview", "compare", "coverage", "efficiency", "evidence")
"""The pages that show a suite, or all of them."""


@dataclass(frozen=True)
class Selection:
    """What is looked at; everything of the suites where nothing was chosen."""

    candidates: tuple[Candidate, ...]
    scenarios: tuple[Scenario, ...]
    metrics: tuple[str, ...]
    """The metrics that were chosen, in the order of the catalog; empty where none was."""
    entries: tuple[Entry, ...]
    """The runs of these candidates on these scenarios, in these suites."""
    suites: tuple[str, ...]
    """The suites that were chosen; empty: all."""
    offered: tuple[Entry, ...]
    """The runs of these suites, among which candidates and scenarios can be chosen."""

    def of(self, scenario: Scenario, candidate: Candidate) -> tuple[Entry, ...]:
        """The runs of a candidate on a scenario; mostly one or none."""
        return tuple(entry for entry in scenario.entries if entry.label == candidate.label and entry in self._here)

    @cached_property
    def _here(self) -> frozenset[Entry]:
        return frozenset(self.entries)


@dataclass(frozen=True)
class SuiteLink:
    """A suite, or all of them, as a reader may choose it."""

    text: str
    to: Address
    chosen: bool


def select(catalog: Catalog, address: Address, suite: str = "") -> Selection:
    """What an address chooses: `suite=`, `metric=` by names, `candidate=` and `scenario=` by slugs, several of each.

    Args:
        catalog: what there is.
        address: whose query is read.
        suite: the one that is meant where the address chooses neither suites nor candidates nor scenarios; empty: all.

    Raises:
        AssayError: it names something that is not there.
    """
    labels = {catalog.candidate(slug).label for slug in address.all("candidate")}
    titles = {catalog.scenario(slug).title for slug in address.all("scenario")}
    metrics = _known("metric", address.all("metric"), catalog.metrics)
    named = address.all("suite") or ((suite,) if suite and not labels and not titles else ())
    suites = frozenset[str]() if EVERY in named else _known("suite", named, catalog.suites)
    offered = tuple(entry for entry in catalog.entries if entry.suite in (suites or (entry.suite,)))
    entries = tuple(
        entry for entry in offered if entry.label in (labels or (entry.label,)) and entry.title in (titles or (entry.title,))
    )
    asked, answered = {entry.title for entry in entries}, {entry.label for entry in entries}
    return Selection(
        tuple(candidate for candidate in catalog.candidates if candidate.label in (labels or answered)),
        tuple(scenario for scenario in catalog.scenarios if scenario.title in (titles or asked)),
        tuple(metric for metric in catalog.metrics if metric in metrics),
        entries,
        tuple(name for name in catalog.suites if name in suites),
        offered,
    )


def newest(catalog: Catalog) -> str:
    """The suite with the run that was written last; empty where there are no runs."""
    return max(catalog.entries, key=lambda entry: entry.written).suite if catalog.entries else ""


def choices(catalog: Catalog, chosen: Selection) -> dict[str, list[tuple[str, str]]]:
    """The candidates and scenarios of the chosen suites, as values and what is shown of them."""
    labels, titles = {entry.label for entry in chosen.offered}, {entry.title for entry in chosen.offered}
    return {
        "candidate": [(one.slug, one.label) for one in catalog.candidates if one.label in labels],
        "scenario": [(one.slug, one.title) for one in catalog.scenarios if one.title in titles],
    }


def suite_links(view: View, here: Address, chosen: Selection) -> list[SuiteLink]:
    """The same page for each suite, newest first, and for all; nothing of one suite, and where no server draws it anew."""
    catalog = view.catalog
    if len(catalog.suites) < 2 or not view.links.live:
        return []
    last = {entry.suite: entry.written for entry in sorted(catalog.entries, key=lambda entry: entry.written)}
    names = sorted(catalog.suites, key=lambda name: -last[name])
    away: dict[str, None] = dict.fromkeys(("candidate", "scenario", "metric", "against"))
    links = [SuiteLink(name, here.but(**away, suite=name), chosen.suites == (name,)) for name in names]
    return [*links, SuiteLink("All suites", here.but(**away, suite=EVERY), not chosen.suites)]


def with_suite(kind: str, here: Address) -> Address:
    """The page of a kind that a navigation leads to: of the suites that are looked at here."""
    return Address(kind).but(suite=here.all("suite")) if kind in BY_SUITE else Address(kind)


def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    for name in names:
        if name not in known:
            raise unknown(kind, name, known)
    return frozenset(names)

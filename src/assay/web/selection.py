"""What a reader chose to look at: suites × candidates × scenarios × metrics, from the query of an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.errors import AssayError, unknown
from assay.web.addresses import Address
from assay.web.catalog import Candidate, Catalog, Scenario
from assay.web.entries import Entry
from assay.web.evaluations import one_each
from assay.web.page import View
from assay.web.underway import newest_first

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
    """All runs of these candidates on these scenarios, in these suites."""
    suites: tuple[str, ...]
    """The suites that were chosen; empty: all."""
    offered: tuple[Entry, ...]
    """The runs of these suites, among which candidates and scenarios can be chosen."""

    @cached_property
    def speaking(self) -> tuple[Entry, ...]:
        """Of `entries`, one of each candidate on each scenario: where candidates are held against each other."""
        chosen = set(self.entries)
        return tuple(entry for entry in self._one_each if entry in chosen)

    def beside(self, scenario: Scenario) -> tuple[Entry, ...]:
        """Of a scenario's runs in these suites one of each candidate, whoever was chosen."""
        return self._offered.get(scenario.title, ())

    def of(self, scenario: Scenario, candidate: Candidate) -> Entry | None:
        """The run of a candidate on a scenario that speaks for it; `None` where there is none."""
        return self._by_names.get((scenario.title, candidate.label))

    @cached_property
    def _one_each(self) -> tuple[Entry, ...]:
        return one_each(self.offered)

    @cached_property
    def _by_names(self) -> dict[tuple[str, str], Entry]:
        return {(entry.title, entry.label): entry for entry in self.speaking}

    @cached_property
    def _offered(self) -> dict[str, tuple[Entry, ...]]:
        held: dict[str, list[Entry]] = {}
        for entry in self._one_each:
            held.setdefault(entry.title, []).append(entry)
        return {title: tuple(entries) for title, entries in held.items()}


@dataclass(frozen=True)
class SuiteLink:
    """A suite, or all of them, as a reader may choose it."""

    text: str
    to: Address
    chosen: bool
    all: bool = False
    """It stands for all suites together."""


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


def choices(catalog: Catalog, chosen: Selection) -> dict[str, list[tuple[str, str]]]:
    """The candidates and scenarios of the chosen suites, as values and what is shown of them."""
    labels, titles = {entry.label for entry in chosen.offered}, {entry.title for entry in chosen.offered}
    return {
        "candidate": [(one.slug, one.label) for one in catalog.candidates if one.label in labels],
        "scenario": [(one.slug, one.title) for one in catalog.scenarios if one.title in titles],
    }


def suite_links(view: View, here: Address, chosen: Selection, of: Sequence[Entry] = ()) -> list[SuiteLink]:
    """The same page for each suite, newest first, and for all; nothing of one suite, and where no server draws it anew.

    Args:
        view: what there is.
        here: the page.
        chosen: what it shows.
        of: the runs that it can show; nothing: any.
    """
    there = {entry.suite for entry in of} or set(view.catalog.suites)
    if len(there) < 2 or not view.links.live:
        return []
    names = [name for name in newest_first(view.catalog) if name in there]
    away: dict[str, None] = dict.fromkeys(("candidate", "scenario", "metric", "against"))
    links = [SuiteLink(name, here.but(**away, suite=name), chosen.suites == (name,)) for name in names]
    return [*links, SuiteLink("All suites", here.but(**away, suite=EVERY), not chosen.suites, all=True)]


def in_suite(view: View, to: Address, chosen: Selection) -> Address:
    """The address of a page that can show one suite's runs alone, where one suite is looked at."""
    several = len(view.catalog.suites) > 1 and view.links.live
    return to.but(suite=chosen.suites) if several and len(chosen.suites) == 1 else to


def with_suite(kind: str, here: Address, catalog: Catalog) -> Address:
    """The page of a kind that a navigation leads to: of the suites that are looked at here, or that this page's runs are of."""
    return Address(kind).but(suite=here.all("suite") or _of_here(here, catalog)) if kind in BY_SUITE else Address(kind)


def _of_here(here: Address, catalog: Catalog) -> tuple[str, ...]:
    """The one suite of all runs that a page is about; nothing of several, and where there is no other suite."""
    if len(catalog.suites) < 2 or not here.of or here.page not in OF_RUNS:
        return ()
    try:
        runs = OF_RUNS[here.page](catalog, here.of)
    except AssayError:
        return ()
    suites = {entry.suite for entry in runs}
    return tuple(suites) if len(suites) == 1 else ()


OF_RUNS: Mapping[str, Callable[[Catalog, str], Sequence[Entry]]] = {
    "scenario": lambda catalog, slug: catalog.scenario(slug).entries,
    "efficiency": lambda catalog, slug: catalog.scenario(slug).entries,
    "model": lambda catalog, slug: catalog.candidate(slug).entries,
    **dict.fromkeys(("run", "instances", "instance"), lambda catalog, slug: (catalog.entry(slug),)),
}
"""The runs that a page is about, by its kind and its slug."""


def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    for name in names:
        if name not in known:
            raise unknown(kind, name, known)
    return frozenset(names)

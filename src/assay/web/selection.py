"""What a reader chose to look at: candidates × scenarios × metrics, from the query of an address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import unknown
from assay.web.addresses import Address
from assay.web.catalog import Candidate, Catalog, Scenario
from assay.web.entries import Entry


@dataclass(frozen=True)
class Selection:
    """What is looked at; everything where nothing was chosen."""

    candidates: tuple[Candidate, ...]
    scenarios: tuple[Scenario, ...]
    metrics: tuple[str, ...]
    """The metrics that were chosen, in the order of the catalog; empty where none was."""
    entries: tuple[Entry, ...]
    """The runs of these candidates on these scenarios."""

    def of(self, scenario: Scenario, candidate: Candidate) -> tuple[Entry, ...]:
        """The runs of a candidate on a scenario; mostly one or none."""
        return tuple(entry for entry in scenario.entries if entry.label == candidate.label)


def select(catalog: Catalog, address: Address) -> Selection:
    """What an address chooses: `candidate=` and `scenario=` by slugs, `metric=` by names, `suite=` by names, several of each.

    Raises:
        AssayError: it names something that is not there.
    """
    labels = {catalog.candidate(slug).label for slug in address.all("candidate")}
    titles = {catalog.scenario(slug).title for slug in address.all("scenario")}
    metrics = _known("metric", address.all("metric"), catalog.metrics)
    suites = _known("suite", address.all("suite"), catalog.suites)
    entries = tuple(
        entry
        for entry in catalog.entries
        if entry.label in (labels or (entry.label,))
        and entry.title in (titles or (entry.title,))
        and entry.suite in (suites or (entry.suite,))
    )
    asked, answered = {entry.title for entry in entries}, {entry.label for entry in entries}
    return Selection(
        tuple(candidate for candidate in catalog.candidates if candidate.label in (labels or answered)),
        tuple(scenario for scenario in catalog.scenarios if scenario.title in (titles or asked)),
        tuple(metric for metric in catalog.metrics if metric in metrics),
        entries,
    )


def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    for name in names:
        if name not in known:
            raise unknown(kind, name, known)
    return frozenset(names)

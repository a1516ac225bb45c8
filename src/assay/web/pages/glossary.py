"""The glossary: what every number on the other pages means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay import registry
from assay.errors import AssayError
from assay.metrics import Metric
from assay.tables.units import PER_THOUSAND
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.measures import Meaning, anchor, meaning, readable
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.words import WORDS, anchor_of

FAMILIES = {
    "accuracy": "How often the answers are right, or how near they come.",
    "calibration": "Whether the confidence that comes with an answer is worth anything.",
    "robustness": "Whether answers stay right when the question is disturbed: misspelt, in lower case, padded.",
    "fairness": "Whether answers stay right for other speakers and about other people.",
    "bias": "Whether people are represented or associated unevenly in what a model writes.",
    "toxicity": "How hurtful what a model writes is, as a rater sees it.",
    "copyright": "How much protected text a model writes out.",
    "efficiency": "Time, tokens and money.",
    "outcomes": "What became of the requests.",
    "other": "Metrics of plugins that are not installed here.",
}
OUTCOMES = {
    "answered": "The model answered, and the answer was read.",
    "refused": "The model declined to answer. Scored: wrong where an answer was due.",
    "empty": "The model wrote nothing. Scored.",
    "truncated": "The model ran out of tokens before it came to an answer. Scored.",
    "unparsed": "Nothing that answers the question, or none of the options, was found in what the model wrote. Scored.",
    "failed": "No response came: the server failed or refused. Missing data, never scored; the same command asks again.",
}
COMPUTED_ON = {
    "original": "The items as the scenario has them.",
    "perturbed": "Their disturbed copies alone.",
    "worst": "The worse of an item and its copies, item by item, then averaged.",
    "change": "Copy minus its own original, averaged: below 0 the disturbance costs something.",
    "flips": "The share of copies that are scored otherwise than their original, in either direction.",
    "worst_group": "The value in the group that fares worst.",
    "gap": "The best group's value minus the worst one's.",
    "ratio": "The worst group's value divided by the best one's.",
    "spread": "The standard deviation over choices of few-shot examples.",
}
OVER_TIME = {
    "change": "The latest evaluation less the baseline, which is the first one; paired, item by item.",
    "word for word": "The share of the items that were answered with the very same words as at the baseline.",
    "asked anew": "The share of an evaluation's answers that did not come out of the cache of an evaluation before it.",
    "evidence": "What a bet on a change has multiplied to since the baseline. If nothing ever changes, it hardly ever reaches "
    "the value behind the /, however often one looks.",
    "alarm": "The evidence reached that value: the measure changed. It stays until another baseline is named.",
}
"""What is said of several evaluations of one model."""


@dataclass(frozen=True)
class Term:
    """An entry: a metric and where it was measured."""

    id: str
    label: str
    """What the pages call it."""
    meaning: Meaning
    range: str
    runs: int
    thousandfold: bool
    """Tables show it for a thousand answers."""


def draw(view: View, address: Address) -> Page:
    """What the metrics of the runs at hand mean, and the words that the pages use."""
    terms = [_term(view.catalog, name) for name in view.catalog.metrics]
    families = {family: [term for term in terms if term.meaning.family == family] for family in FAMILIES}
    body = render(
        "glossary.html",
        view,
        address,
        families={family: held for family, held in families.items() if held},
        about_family=FAMILIES,
        outcomes=OUTCOMES,
        computed_on=COMPUTED_ON,
        words=[(word, anchor_of(word), about) for word, about in WORDS.items()],
        over_time=OVER_TIME,
        perturbations=_perturbations(view.catalog),
    )
    return Page("Glossary", body)


def _term(catalog: Catalog, name: str) -> Term:
    found = meaning(name)
    return Term(
        id=anchor(name),
        label=readable(name),
        meaning=found,
        range=range_of(found.metric) if found.metric else "",
        runs=sum(name in entry.metrics for entry in catalog.entries),
        thousandfold=name in PER_THOUSAND,
    )


def range_of(metric: Metric) -> str:
    """The values that a metric can have, in words, with its unit."""
    low, high = metric.range
    unit = f" {metric.unit}" if metric.unit else ""
    if low is None and high is None:
        return f"any number{f', in{unit}' if unit else ''}"
    if low is None or high is None:
        return f"from {low:g}{unit} on" if low is not None else f"up to {high:g}{unit}"
    return f"{low:g} to {high:g}{unit}"


def _perturbations(catalog: Catalog) -> Sequence[tuple[str, str, str]]:
    """Name, kind and meaning of every perturbation of the runs at hand."""
    names = sorted({named.name for entry in catalog.entries for named in entry.spec.perturbations})
    found = []
    for name in names:
        try:
            perturbation = registry.perturbations.get(name)
        except AssayError:
            found.append((name, "", "A perturbation of a plugin that is not installed here."))
            continue
        found.append((name, perturbation.kind, " ".join(perturbation.about.split("\n\n")[0].split())))
    return found


def every(catalog: Catalog) -> Iterable[Address]:
    """The one page."""
    return (Address("glossary"),)


KIND = Kind("glossary", "Glossary", "What every number means.", draw, every)

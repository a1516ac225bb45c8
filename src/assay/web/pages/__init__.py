"""The kinds of pages there are, a module each."""

from __future__ import annotations

from assay.errors import unknown
from assay.web.page import Kind
from assay.web.pages import (
    compare,
    coverage,
    decide,
    efficiency,
    evidence,
    glossary,
    instance,
    instances,
    live,
    model,
    overview,
    run,
    scenario,
)

_KINDS: dict[str, Kind] = {
    module.KIND.name: module.KIND
    for module in (
        overview,
        scenario,
        model,
        compare,
        decide,
        coverage,
        efficiency,
        run,
        instances,
        instance,
        evidence,
        live,
        glossary,
    )
}


def kinds() -> dict[str, Kind]:
    """Every kind of page by its name, in the order of the navigation."""
    return _KINDS


def kind_of(page: str) -> Kind:
    """The kind of a page by its name.

    Raises:
        AssayError: there is none of that name.
    """
    if page not in _KINDS:
        raise unknown("page", page, _KINDS)
    return _KINDS[page]


def navigation() -> dict[str, str]:
    """The kinds that the navigation leads to, with their labels."""
    return {kind.name: kind.label for kind in _KINDS.values() if kind.label}

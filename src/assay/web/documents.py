"""Pages as whole documents, for whoever serves or writes them."""

from __future__ import annotations

import assay
from assay.errors import AssayError
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.page import Page, View
from assay.web.pages import kind_of, navigation
from assay.web.rendering import render
from assay.web.selection import with_suite


def drawn(view: View, address: Address) -> Page:
    """The page at an address.

    Raises:
        AssayError: there is no such page, or what its address asks for cannot be shown.
    """
    return kind_of(address.page).draw(view, address)


def problem_page(view: View, problem: str) -> Page:
    """What stands in the place of a page that cannot be shown."""
    said = _shortened(problem, view.catalog)
    return Page("This page cannot be shown", render("problem.html", view, Address(""), problem=said))


def document(page: Page, view: View, here: Address, policy: str = "") -> str:
    """A page in its frame.

    Args:
        page: the page.
        view: what it was drawn from.
        here: its address.
        policy: the content security policy, where no server sends it.
    """
    return str(render("frame.html", view, here, page=page, policy=policy, **shared(view)))


def shared(view: View) -> dict[str, object]:
    """What every frame needs."""
    places = ["/".join(place.resolve().parts[-2:]) for place in view.catalog.places]
    problems = [_shortened(problem, view.catalog) for problem in view.catalog.problems]
    held = {"navigation": navigation(), "with_suite": with_suite, "version": assay.__version__}
    return {**held, "places": places, "problems": problems}


def _shortened(problem: str, catalog: Catalog) -> str:
    """Without where on this machine the places lie: a report is read elsewhere."""
    for place in catalog.places:
        above = "/".join(place.resolve().parts[:-2])
        problem = problem.replace(f"{above.replace('//', '/')}/", "") if len(above) > 1 else problem
    return problem


def page_or_problem(view: View, address: Address) -> Page:
    """The page at an address, or what stands in its place."""
    try:
        return drawn(view, address)
    except AssayError as error:
        return problem_page(view, str(error))

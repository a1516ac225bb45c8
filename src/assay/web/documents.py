"""Pages as whole documents, for whoever serves or writes them."""

from __future__ import annotations

import assay
from assay.errors import AssayError
from assay.plain_files import settled
from assay.web.addresses import Address
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
    said = view.catalog.told(problem)
    return Page("This page cannot be shown", render("problem.html", view, Address(""), problem=said))


def document(page: Page, view: View, here: Address, policy: str = "") -> str:
    """A page in its frame.

    Args:
        page: the page.
        view: what it was drawn from.
        here: its address.
        policy: the content security policy, where no server sends it.
    """
    put_off = view.patience.put_off if view.patience is not None else 0
    return str(render("frame.html", view, here, page=page, policy=policy, put_off=put_off, **shared(view)))


def shared(view: View) -> dict[str, object]:
    """What every frame needs."""
    places = ["/".join(settled(place).parts[-2:]) for place in view.catalog.places]
    problems = [view.catalog.told(problem) for problem in view.catalog.problems]
    held = {"navigation": navigation(), "with_suite": with_suite, "version": assay.__version__}
    return {**held, "places": places, "problems": problems}


def page_or_problem(view: View, address: Address) -> Page:
    """The page at an address, or what stands in its place."""
    try:
        return drawn(view, address)
    except AssayError as error:
        return problem_page(view, str(error))

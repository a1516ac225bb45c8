"""Decisions: what was decided and why, and how it would be at other weights; of records, and of profiles as they are now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from assay.decisions.profile import Profile
from assay.decisions.reading_out import percent
from assay.decisions.record_page import VERDICTS
from assay.decisions.results import Decision
from assay.errors import AssayError
from assay.web import decision_grids as grids
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.decided import ProfileFile, RecordFile
from assay.web.deciding import TooMany, decided_now, weighed_again
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.vouching import evidence_states, sign_offs
from assay.web.weighing import Placed, Weighing, fixed

TITLE = "Decisions"
TONES = {"recommended": "good", "not separated": "warn", "undetermined": "warn", "none acceptable": "bad"}
"""How the badge of a status is coloured; it says the same in words."""
MEASURE = "measure"
"""The choice that says that measuring may take a while."""


@dataclass(frozen=True)
class Slider:
    """A criterion's weight, as a reader may move it."""

    id: str
    name: str
    """Of the choice in an address."""
    criterion: str
    position: float
    """From 0 to 100."""
    share: str


@dataclass(frozen=True)
class Ranked:
    """Candidates at the weights that were chosen."""

    weighing: Weighing
    sliders: tuple[Slider, ...]
    placed: tuple[Placed, ...]
    moved: bool
    """A reader chose other weights than the middle of what the profile allows."""

    @property
    def said(self) -> str:
        """Who is first, in a sentence."""
        first = self.placed[0]
        sure = f", and worth most in {first.first} of resamples" if first.first else ""
        return f"At these weights {first.candidate} is first{sure}."


@dataclass(frozen=True)
class Shown:
    """A decision, wherever it comes from."""

    title: str
    profile: Profile
    decision: Decision
    weighing: Weighing | TooMany | None
    file: RecordFile | None = None


def draw(view: View, address: Address) -> Page:
    """A record or a profile by its slug; without one, all that there are."""
    if not address.of:
        return _index(view, address)
    profiles = {profile.slug: profile for profile in view.catalog.profiles}
    if address.of in profiles:
        return _of_profile(view, address, profiles[address.of])
    return _of_record(view, address, view.catalog.record(address.of))


def _index(view: View, address: Address) -> Page:
    tones = {file.slug: TONES[file.record.decision.status] for file in view.catalog.records}
    return Page(TITLE, render("decide_all.html", view, address, tones=tones, verdicts=VERDICTS))


def _of_record(view: View, address: Address, file: RecordFile) -> Page:
    record = file.record
    weighing = weighed_again(view.catalog, file, _wanted(view, address))
    return _page(view, address, Shown(record.name, record.profile, record.decision, weighing, file))


def _of_profile(view: View, address: Address, file: ProfileFile) -> Page:
    title = file.profile.name
    try:
        found = decided_now(view.catalog, file, _wanted(view, address))
    except AssayError as error:
        return Page(title, render("decide_not.html", view, address, file=file, problem=str(error), trials=0))
    if isinstance(found, TooMany):
        return Page(title, render("decide_not.html", view, address, file=file, problem="", trials=found.trials))
    return _page(view, address, Shown(title, file.profile, found.decision, found.weighing))


def _wanted(view: View, address: Address) -> bool:
    """A report without a server is written once, so that it may take its time."""
    return bool(address.one(MEASURE)) or not view.links.live


def _page(view: View, address: Address, shown: Shown) -> Page:
    decision, weighing, file = shown.decision, shown.weighing, shown.file
    measures = grids.axes(decision)
    x = address.choice("x", measures, measures[0] if measures else "")
    y = address.choice("y", measures, measures[1] if len(measures) > 1 else x)
    scatter = grids.scatter(decision, x, y) if len(measures) > 1 else None
    accepted = grids.acceptability(decision)
    standings, limits, weights = grids.standings(decision), grids.constraints(decision), grids.weights(decision)
    ranked = _ranked(address, weighing) if isinstance(weighing, Weighing) else None
    body = render(
        "decide.html",
        view,
        address,
        profile=shown.profile,
        decision=decision,
        status=VERDICTS[decision.status],
        tone=TONES[decision.status],
        ranked=ranked,
        too_many=weighing.trials if isinstance(weighing, TooMany) else 0,
        standings=standings,
        scatter=scatter,
        options=[(name, name) for name in measures],
        x=x,
        y=y,
        accepted=accepted,
        limits=limits,
        weights=weights,
        preferred=[percent(held.preferred) for held in decision.tradeoffs],
        weight_names=[slider.name for slider in ranked.sliders] if ranked else [],
        file=file,
        problems=[line.replace(str(file.path), file.path.name) for line in file.problems] if file else [],
        signed=sign_offs(file) if file else [],
        evidence=Counter(state for _, state in evidence_states(file)) if file else {},
    )
    return Page(shown.title, body, grids.there([standings, scatter, accepted, limits, weights]))


def _ranked(address: Address, weighing: Weighing) -> Ranked:
    names = [f"w{place}" for place in range(len(weighing.criteria))]
    middle = [round(100 * share, 6) for share in weighing.centre]
    moved = any(address.one(name) for name in names)
    positions = [address.number(name, at, 0, 100) for name, at in zip(names, middle, strict=True)]
    shares = weighing.shares(positions) if moved else weighing.centre
    sliders = tuple(
        Slider(f"weight-{address.of}-{name}", name, criterion, position, f"{fixed(100 * share, 0)} %")
        for name, criterion, position, share in zip(names, weighing.criteria, positions, shares, strict=True)
    )
    return Ranked(weighing, sliders, tuple(weighing.placed(shares)), moved)


def every(catalog: Catalog) -> Iterable[Address]:
    """The list, every record, and every profile."""
    yield Address("decide")
    for slug in (*(file.slug for file in catalog.records), *(file.slug for file in catalog.profiles)):
        yield Address("decide", slug)


KIND = Kind("decide", TITLE, "What was decided, why, and how it would be at other weights.", draw, every)

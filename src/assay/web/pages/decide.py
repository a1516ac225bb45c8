"""Decisions: what was decided and why, and how it would be at other weights; of records, and of profiles as they are now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.decisions.profile import Profile
from assay.decisions.reading import PLACEHOLDER
from assay.decisions.reading_out import percent
from assay.decisions.record_page import VERDICTS
from assay.decisions.results import Decision
from assay.errors import AssayError
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.web import decision_grids as grids
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.cautions import Cautions, of_profile, of_record
from assay.web.citations import CITED, cited_run
from assay.web.decided import ProfileFile, RecordFile
from assay.web.deciding import TooMany, decided_now, weighed_again
from assay.web.grids import Column, Grid
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.vouching import UNCHANGED, Held, evidence_of_record, sign_offs
from assay.web.weighing import Placed, Weighing, weight_text

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
    position: int
    """From 0 to 100, as it stands in an address."""
    share: str
    """What it comes to, in words."""


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
    cautions: Cautions
    why_no_noise: str = ""
    file: RecordFile | None = None
    evidence: Sequence[Held] = ()


def draw(view: View, address: Address) -> Page:
    """A record or a profile by its slug; without one, all that there are."""
    if not address.of:
        return _index(view, address)
    profiles = {profile.slug: profile for profile in view.catalog.profiles}
    if address.of in profiles:
        return _of_profile(view, address, profiles[address.of])
    return _of_record(view, address, view.catalog.record(address.of))


def _index(view: View, address: Address) -> Page:
    records, profiles = view.catalog.records, view.catalog.profiles
    return Page(
        TITLE,
        render(
            "decide_all.html",
            view,
            address,
            tones={file.slug: TONES[file.record.decision.status] for file in records},
            verdicts=VERDICTS,
            by_profile={
                file.slug: [one for one in records if one.record.profile.name == file.profile.name] for file in profiles
            },
            by_record={
                file.slug: [one for one in profiles if one.profile.name == file.record.profile.name] for file in records
            },
            said=_said,
            path_of=_path_of,
            cautions={file.slug: of_record(file.record) for file in records}
            | {file.slug: of_profile(file.profile.deployment) for file in profiles},
        ),
    )


def _path_of(path: Path) -> str:
    """Where a file lies, as far as it tells files of one name apart: its folder and its name, and nothing above."""
    return "/".join(path.parts[-2:])


def _said(text: str) -> str:
    """What a profile says; a dash where nobody has filled it in."""
    return NOT_MEASURED if text == PLACEHOLDER else text


def _of_record(view: View, address: Address, file: RecordFile) -> Page:
    record = file.record
    evidence = evidence_of_record(view.catalog, file)
    again = weighed_again(file, evidence, _wanted(view, address))
    why = view.catalog.told(again.why_no_noise)
    shown = Shown(record.name, record.profile, record.decision, again.weighing, of_record(record), why, file, evidence)
    return _page(view, address, shown)


def _of_profile(view: View, address: Address, file: ProfileFile) -> Page:
    title = file.profile.name
    try:
        found = decided_now(view.catalog, file, _wanted(view, address))
    except AssayError as error:
        problem = view.catalog.told(str(error))
        return Page(title, render("decide_not.html", view, address, file=file, problem=problem, trials=0, said=_said))
    if isinstance(found, TooMany):
        return Page(title, render("decide_not.html", view, address, file=file, problem="", trials=found.trials, said=_said))
    cautions = of_profile(file.profile.deployment)
    return _page(view, address, Shown(title, file.profile, found.decision, found.weighing, cautions))


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
    ranked = _ranked(address, weighing, decision) if isinstance(weighing, Weighing) else None
    traded = grids.tradeoffs(decision)
    rests_on = _rests_on(view.catalog, shown.evidence)
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
        standings=grids.without_worth(standings) if ranked else standings,
        why_no_noise=shown.why_no_noise,
        said=_said,
        scatter=scatter,
        undrawn=grids.undrawn(decision, x, y),
        unranked=grids.unranked(decision),
        options=[(name, name) for name in measures],
        x=x,
        y=y,
        accepted=accepted,
        limits=limits,
        weights=weights,
        traded=traded,
        preferred={held.against: (percent(held.preferred), held.would_change) for held in decision.tradeoffs},
        weight_names=[slider.name for slider in ranked.sliders] if ranked else [],
        file=file,
        cautions=shown.cautions,
        rests_on=rests_on,
        problems=[line.replace(str(file.path), file.path.name) for line in file.problems] if file else [],
        signed=sign_offs(file) if file else [],
        evidence=Counter(held.state for held in shown.evidence),
        unchanged=UNCHANGED,
    )
    return Page(shown.title, body, grids.there([standings, scatter, accepted, limits, *traded, weights, rests_on]))


def _rests_on(catalog: Catalog, evidence: Sequence[Held]) -> Grid | None:
    """The runs that a record rests on; `None` where it names none."""
    columns = tuple(Column(name, number=False) for name in CITED)
    rows = tuple(cited_run(catalog, held) for held in evidence)
    return Grid("evidence", "Runs that it rests on", columns, rows) if rows else None


def _ranked(address: Address, weighing: Weighing, decision: Decision) -> Ranked:
    """Candidates at the weights that an address chooses; where it chooses none, with the worths of the decision itself."""
    names = [f"w{place}" for place in range(len(weighing.criteria))]
    middle = [max(round(100 * share), int(share > 0)) for share in weighing.centre]
    moved = any(address.one(name) for name in names)
    positions = [round(address.number(name, at, 0, 100)) for name, at in zip(names, middle, strict=True)]
    shares = weighing.shares(positions) if moved else weighing.centre
    sliders = tuple(
        Slider(f"weight-{address.of}-{name}", name, criterion, position, weight_text(position, share))
        for name, criterion, position, share in zip(names, weighing.criteria, positions, shares, strict=True)
    )
    placed = weighing.placed(shares)
    if not moved:
        own = {standing.candidate: standing.worth for standing in decision.standings}
        placed = [replace(one, text=format_estimate(worth)) if (worth := own.get(one.candidate)) else one for one in placed]
    return Ranked(weighing, sliders, tuple(placed), moved)


def every(catalog: Catalog) -> Iterable[Address]:
    """The list, every record, and every profile."""
    yield Address("decide")
    for slug in (*(file.slug for file in catalog.records), *(file.slug for file in catalog.profiles)):
        yield Address("decide", slug)


KIND = Kind("decide", TITLE, "What was decided, why, and how it would be at other weights.", draw, every)

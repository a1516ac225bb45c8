"""The tables and charts of a decision."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.decisions.reading_out import held_in_words, percent
from assay.decisions.results import Decision, Measurement, Standing, Tradeoff
from assay.decisions.shown import ACCEPTABLE
from assay.records import Estimate
from assay.tables.numbers import NOT_MEASURED
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.charts.scatter import Measure, Spot
from assay.web.grids import Cell, Column, Grid, Plain
from assay.web.measures import estimate_cell, explained, meaning
from assay.web.words import word_column

WORTH = "Worth: weighted, from 0 (unacceptable) to 1 (fully satisfying), at the middle of the allowed weights. "
STANDINGS_NOTES = (
    "First: share of draws, over allowed weights and the noise of measurement, in which it is worth most. Front: nobody is as "
    "good in every criterion and better in one, and in what share of resamples. Regret: the most worth that is lost against "
    "whoever is best, at any allowed weights."
)


def named(measurement: Measurement) -> str:
    """A measure with its unit."""
    return f"{measurement.measure}, {measurement.unit}" if measurement.unit else measurement.measure


def without_worth(table: Grid) -> Grid:
    """The candidates without their worth, where another table on the page has it."""
    kept = [place for place, column in enumerate(table.columns) if column.name != "worth"]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=rows, notes=(STANDINGS_NOTES,))


def standings(decision: Decision) -> Grid:
    """A row a candidate, best first: whether it is acceptable, how it fares, and all its measures."""
    measures = decision.standings[0].measurements if decision.standings else ()
    columns = (
        Column("candidate", number=False),
        Column("acceptable", number=False, note="Whether it keeps every constraint, as far as the evidence tells."),
        word_column("worth"),
        word_column("first"),
        word_column("front", number=False),
        word_column("regret"),
        *(Column(named(held), note=meaning(held.metric).note, to=explained(held.metric)) for held in measures),
    )
    rows = tuple(
        (Cell(standing.candidate), Cell(ACCEPTABLE[standing.acceptable]), *_standing(standing), *_measures(standing, measures))
        for standing in decision.standings
    )
    return Grid("candidates", "Candidates", columns, rows, (WORTH + STANDINGS_NOTES,))


def unranked(decision: Decision) -> list[tuple[str, list[str]]]:
    """The candidates that have no rank because something that counts was not measured of them, and what that is."""
    found = []
    for standing in decision.standings:
        missing = [held.measure for held in standing.measurements if held.measure in decision.weights and held.estimate is None]
        if missing and standing.acceptability is None and standing.acceptable != "violated":
            found.append((standing.candidate, missing))
    return found


def _standing(standing: Standing) -> list[Cell]:
    front, fared = standing.dominance, standing.acceptability
    return [
        estimate_cell(standing.worth),
        _share(fared.ranks[0]) if fared else _nothing(),
        Cell(front.on_front, f"{'yes' if front.on_front else 'no'} ({percent(front.non_dominated)})") if front else _nothing(),
        _number(fared.regret, 2) if fared else _nothing(),
    ]


def _measures(standing: Standing, wanted: Sequence[Measurement]) -> list[Cell]:
    held = {measurement.measure: measurement.estimate for measurement in standing.measurements}
    return [estimate_cell(held.get(measurement.measure)) for measurement in wanted]


def constraints(decision: Decision) -> Grid | None:
    """A row a candidate and constraint; `None` where the profile has none."""
    columns = (
        Column("candidate", number=False),
        Column("constraint", number=False),
        Column("limit", number=False),
        Column("value"),
        Column(
            "bound", note="One-sided, on the side that would break the limit; of what is violated on the other, which shows it."
        ),
        Column("confidence", "at confidence"),
        Column("verdict", number=False),
        Column("more", "more cases needed", note="About how many would settle it, if the value stays what it is."),
    )
    rows = tuple(
        (
            Cell(standing.candidate),
            Cell(held.constraint),
            Cell(held.limit),
            *map(_beside, (held.value, held.bound), held_in_words(held)),
            Cell(held.confidence, f"{100 * held.confidence:g} %"),
            Cell(held.verdict, VERDICTS[held.verdict]),
            Cell(held.more, "" if held.more is None else f"about {held.more:,}"),
        )
        for standing in decision.standings
        for held in standing.constraints
    )
    return Grid("constraints", "Constraints", columns, rows) if rows else None


def _in_order(decision: Decision) -> list[tuple[str, float]]:
    """Criteria with their shares in the order of the measures, as everywhere on the page."""
    order = {name: place for place, name in enumerate(axes(decision))}
    return sorted(decision.weights.items(), key=lambda held: order.get(held[0], len(order)))


def tradeoffs(decision: Decision) -> list[Grid]:
    """For each alternative, in each criterion, what the recommended candidate gains or gives up against it."""
    by_name = {standing.candidate: standing for standing in decision.standings}
    found = []
    for number, held in enumerate(decision.tradeoffs, 1):
        own, other = by_name.get(decision.recommended or ""), by_name.get(held.against)
        if own is None or other is None:
            continue
        columns = (
            Column("criterion", number=False),
            Column("this", decision.recommended or ""),
            Column("other", held.against),
            Column("difference"),
            Column(
                "shown", "shown?", "Whether the 95 % interval of the paired difference lies on one side of 0.", number=False
            ),
        )
        others = {measurement.measure: measurement for measurement in other.measurements}
        rows = tuple(
            _traded(measurement, others[measurement.measure], held)
            for measurement in own.measurements
            if measurement.measure in decision.weights and measurement.measure in others
        )
        found.append(Grid(f"tradeoff-{number}", f"{decision.recommended} against {held.against}", columns, rows))
    return found


SHOWN = re.compile(r"\(((?:not )?shown\b.*|without an interval.*)\)$")
"""What a decision says at the end of a criterion's sentence."""


def _traded(own: Measurement, other: Measurement, held: Tradeoff) -> tuple[Cell, ...]:
    one, two = own.estimate, other.estimate
    difference = one.value - two.value if one is not None and two is not None else None
    where = {"gains": held.gains, "gives up": held.gives_up, "the same": held.same}
    said = [(way, text) for way, texts in where.items() for text in texts if text.startswith(f"{own.measure} ")]
    way, text = min(said, key=lambda each: len(each[1]), default=("", ""))
    sure = SHOWN.search(text)
    return (
        Cell(named(own)),
        estimate_cell(one),
        estimate_cell(two),
        _nothing() if difference is None else Cell(difference, f"{difference:+.3g}"),
        Cell(way, ": ".join(filter(None, (way, sure[1] if sure else ""))) or NOT_MEASURED),
    )


VERDICTS = {"met": "✓ met", "violated": "✗ violated", "undetermined": "? not known yet"}


def weights(decision: Decision) -> Grid | None:
    """How far each criterion's share may move before another candidate is first; `None` without criteria."""
    flips = {flip.criterion: flip for flip in decision.flips}
    columns = (
        Column("criterion", number=False),
        Column("share"),
        Column("from", "first from"),
        Column("to"),
        Column("below", "first below that", number=False),
        Column("above", "first above that", number=False),
    )
    rows = []
    for criterion, share in _in_order(decision):
        flip = flips.get(criterion)
        moved = [_nothing()] * 4
        if flip is not None:
            takers = (Cell(flip.below, flip.below or "nobody"), Cell(flip.above, flip.above or "nobody"))
            moved = [_number(flip.low, 3), _number(flip.high, 3), *takers]
        rows.append((Cell(criterion), _number(share, 3), *moved))
    if not rows:
        return None
    caption = f"Between which shares {decision.recommended} stays first" if flips else "Weights"
    notes = ["One share moves, the others keep their proportions; by the measured values."] if flips else []
    if flips and decision.distance is not None:
        notes.append(f"The smallest change that makes another candidate first moves {decision.distance:.3f} of all weight.")
    elif flips:
        notes.append("No weights make another candidate first.")
    return Grid("weights", caption, columns, tuple(rows), tuple(notes))


def axes(decision: Decision) -> list[str]:
    """The measures that candidates can be held against each other by."""
    return [held.measure for held in decision.standings[0].measurements] if decision.standings else []


def scatter(decision: Decision, x: str, y: str) -> Chart | None:
    """The candidates by two measures; `None` where fewer than two have both."""
    held = [{each.measure: each for each in standing.measurements} for standing in decision.standings]
    if not held or x not in held[0] or y not in held[0]:
        return None
    spots = [
        Spot(standing.candidate, across, up)
        for standing, by in zip(decision.standings, held, strict=True)
        if (across := _estimate(by, x)) is not None and (up := _estimate(by, y)) is not None
    ]
    if len(spots) < 2:
        return None
    return making.pareto(spots, *(Measure(named(held[0][name]), held[0][name].better) for name in (x, y)))


def undrawn(decision: Decision, x: str, y: str) -> list[str]:
    """The candidates of whom one of two measures was not measured."""
    held = {standing.candidate: {each.measure: each for each in standing.measurements} for standing in decision.standings}
    return [name for name, by in held.items() if _estimate(by, x) is None or _estimate(by, y) is None]


def _estimate(by: Mapping[str, Measurement], name: str) -> Estimate | None:
    return by[name].estimate if name in by else None


def acceptability(decision: Decision) -> Chart | None:
    """How often each candidate in play has each rank."""
    ranks = {held.candidate: held.acceptability.ranks for held in decision.standings if held.acceptability is not None}
    return making.acceptability(ranks) if len(ranks) > 1 else None


def there(grids: Sequence[Grid | Chart | None]) -> tuple[Grid, ...]:
    """The tables of those that there are."""
    return tuple(held.grid if isinstance(held, Chart) else held for held in grids if held is not None)


def _share(share: float) -> Cell:
    return Cell(share, percent(share))


def _number(value: Plain, digits: int) -> Cell:
    return Cell(value, f"{value:.{digits}f}")


def _beside(value: float | None, text: str | None) -> Cell:
    return _nothing() if text is None else Cell(value, text)


def _nothing() -> Cell:
    return Cell(None, NOT_MEASURED)

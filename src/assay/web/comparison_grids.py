"""The tables and charts of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from assay.comparison.results import Aggregates, Board, Comparison, Example, Failing, Failures, Pair
from assay.comparison.shown import WORDS, format_p, turned
from assay.records import Estimate
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.tables.units import factor, shown
from assay.tables.usable import usable_text
from assay.text import one_line
from assay.web.addresses import Address
from assay.web.boards import tier_mark
from assay.web.charts.drawing import Chart
from assay.web.charts.intervals import Dot, dots
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell, evened, metric_column, readable
from assay.web.trials.index import Key
from assay.web.trials.links import trial_address
from assay.web.words import word_column

MOST_DOTS = 80
"""Differences that one chart shows."""
MOST_PAIRS = 45
"""Pairs of a board that a page lists: all of ten candidates; of more, neighbours in rank."""
EXAMPLES = 20
"""Items listed of those that all miss, or on which candidates differ."""
FEW_ANSWERS = 4
LONGEST_EXAMPLE = 80
"""Characters of the input of an item that stands for others."""
HOW_TO_READ = "Tier: not shown to differ from its first, after correction. Rank: all ranks that the data allow."
PAIRS_READ = (
    "Ahead: items on which the first has the higher value, and those on which the second has. p: Holm, over all pairs of one "
    "scenario; over scenarios: Benjamini-Hochberg. Alike: correlation of the values, item by item. Would have shown: the "
    "smallest true difference that these items would show 4 times in 5."
)
POOL = (
    "For these {} candidates only: whom one beats depends on who is there. Intervals are chance on these scenarios' items, "
    "not on other scenarios."
)


@dataclass(frozen=True)
class Tables:
    """What a page shows of a comparison."""

    found: Comparison
    """With those of its pairs that charts show, whomever they hold the others against."""
    pairs: Mapping[str, int]
    """Candidate to all pairs that it is in."""
    differences: Sequence[Grid]
    boards: Sequence[tuple[Grid, Grid]]
    rest: Sequence[Grid]


def tables(found: Comparison, entries: Sequence[Entry]) -> Tables:
    """A comparison of some runs as tables."""
    drawn, counts = _of_charts(found.boards)
    kept = msgspec.structs.replace(found, boards=drawn)
    return Tables(kept, counts, differences(found), boards(found, entries), rest(found, entries))


def _of_charts(held: Sequence[Board]) -> tuple[tuple[Board, ...], Mapping[str, int]]:
    """Boards with the first pairs of each candidate, as many as a chart shows, and how many pairs each has."""
    counts: Counter[str] = Counter()
    drawn = []
    for board in held:
        pairs = []
        for pair in board.pairs:
            if counts[pair.first] < MOST_DOTS or counts[pair.second] < MOST_DOTS:
                pairs.append(pair)
            counts[pair.first] += 1
            counts[pair.second] += 1
        drawn.append(msgspec.structs.replace(board, pairs=tuple(pairs)))
    return tuple(drawn), counts


def differences(found: Comparison) -> list[Grid]:
    """In what the runs of each scenario differ beyond the model: key, value, and who has it.

    Scenarios that differ in the same share a table; those whose runs were asked alike have none.
    """
    columns = tuple(Column(name, number=False) for name in ("key", "value", "candidates"))
    of_scenario: dict[str, list[tuple[str, str, str]]] = {}
    for held in found.differences:
        who: dict[str, list[str]] = {}
        for candidate, value in held.values.items():
            who.setdefault(value, []).append(candidate)
        of_scenario.setdefault(held.scenario, []).extend((held.key, value, ", ".join(names)) for value, names in who.items())
    alike: dict[tuple[tuple[str, str, str], ...], list[str]] = {}
    for scenario, rows in of_scenario.items():
        alike.setdefault(tuple(rows), []).append(scenario)
    return [
        Grid(f"differences-{number}", f"Not asked alike: {', '.join(titles)}", columns, tuple(_plain(row) for row in rows))
        for number, (rows, titles) in enumerate(alike.items(), 1)
    ]


def _plain(texts: Sequence[str]) -> tuple[Cell, ...]:
    return tuple(map(Cell, texts))


def boards(found: Comparison, entries: Sequence[Entry]) -> list[tuple[Grid, Grid]]:
    """For each scenario, or part of one, the candidates in tiers and what separates each two of them."""
    runs = {(entry.title, entry.label): entry for entry in sorted(entries, key=lambda entry: entry.written)}
    return [(_board(board, number, runs), _pairs(board, number)) for number, board in enumerate(found.boards, 1)]


def _title(board: Board) -> str:
    part = f", {board.part}" if board.part else ""
    return f"{board.scenario}{part}"


def _board(board: Board, number: int, runs: Mapping[tuple[str, str], Entry]) -> Grid:
    value = metric_column(board.metric)
    columns = (
        Column("candidate", number=False),
        word_column("tier"),
        Column(value.name, f"{readable(board.metric)}, {WORDS[board.better]}", value.note, True, value.to),
        Column("best rank"),
        Column("worst rank"),
        Column("no value", note="Items without a value, such as failed requests."),
    )
    rows = tuple(
        (
            Cell(
                held.candidate,
                to=Address("run", runs[board.scenario, held.candidate].slug),
                below=f"usable answers {usable_text(held.unusable)}" if held.unusable else "",
            ),
            Cell(held.tier, tier_mark(held.tier)),
            estimate_cell(shown(board.metric, held.estimate)),
            Cell(held.best_rank),
            Cell(held.worst_rank),
            Cell(held.missing, str(held.missing) if held.missing else ""),
        )
        for held in board.standings
    )
    caption = f"{_title(board)}: {readable(board.metric)} on the {board.items:,} items that all were asked"
    return Grid(f"board-{number}", caption, columns, evened(rows), (HOW_TO_READ,) if number == 1 else ())


def _pairs(board: Board, number: int) -> Grid:
    order = {held.candidate: place for place, held in enumerate(board.standings)}
    notes = [PAIRS_READ] if number == 1 else []
    pairs: Sequence[Pair] = board.pairs
    if len(pairs) > MOST_PAIRS:
        pairs = [pair for pair in pairs if abs(order[pair.first] - order[pair.second]) == 1]
        notes.append(
            f"Neighbours in rank only, {len(pairs)} of {len(board.pairs)} pairs; choose fewer candidates to see all of theirs."
        )
    pairs = [pair if order[pair.first] < order[pair.second] else turned(pair) for pair in pairs]
    pairs.sort(key=lambda pair: (order[pair.first], order[pair.second]))
    columns = (
        Column("first", number=False),
        Column("second", number=False),
        Column("difference"),
        Column("verdict", number=False),
        Column("first ahead"),
        Column("second ahead"),
        Column("p"),
        Column("p over scenarios", "over scenarios"),
        Column("alike"),
        Column("would have shown"),
    )
    return Grid(
        f"pairs-{number}",
        f"Differences: {_title(board)}",
        columns,
        evened([_pair(pair, board.metric) for pair in pairs]),
        tuple(notes),
    )


def _pair(pair: Pair, metric: str) -> tuple[Cell, ...]:
    undecided = pair.verdict == "no difference shown"
    least = None if pair.detectable is None else factor(metric) * pair.detectable
    told = "" if not undecided else "none" if least is None else f"{least:.2g}"
    return (
        Cell(pair.first),
        Cell(pair.second),
        _signed(shown(metric, pair.difference)),
        Cell(pair.verdict),
        Cell(pair.first_ahead),
        Cell(pair.second_ahead),
        Cell(pair.p_table, format_p(pair.p_table)),
        Cell(pair.p_scenarios, format_p(pair.p_scenarios)),
        Cell(pair.correlation, NOT_MEASURED if pair.correlation is None else f"{pair.correlation:.2f}"),
        Cell(least if undecided else None, told),
    )


def _signed(estimate: Estimate) -> Cell:
    text = format_estimate(estimate)
    return Cell(estimate.value, text if text.startswith("-") else f"+{text}", estimate=estimate)


def forest(found: Tables, reference: str) -> Chart | None:
    """What separates the others from one candidate, in each scenario or part; `None` where it was compared with none."""
    held = [
        Dot(_title(board), shown(board.metric, pair.difference), pair.first)
        for board in found.found.boards
        for pair in (pair if pair.second == reference else turned(pair) for pair in board.pairs if reference in _two(pair))
    ]
    if not held:
        return None
    drawn = held[:MOST_DOTS]
    count = found.pairs[reference]
    metrics = {readable(board.metric) for board in found.found.boards}
    [axis] = metrics if len(metrics) == 1 else ["main metric"]
    others = sorted({dot.series for dot in drawn})
    whose = others[0] if len(others) == 1 else "another candidate"
    about = f"Paired differences on the same items, with 95 % intervals: {whose} minus {reference}, in {axis}."
    about += f" The first {len(drawn)} of {count}." if len(drawn) < count else ""
    columns = (Column("where", number=False), Column("candidate", number=False), Column("difference"))
    rows = tuple((Cell(dot.row), Cell(dot.series), _signed(dot.estimate)) for dot in drawn)
    title = f"Against {reference}"
    return Chart("forest", title, about, dots(drawn, f"difference of {axis}", 0), Grid("forest", title, columns, rows))


def _two(pair: Pair) -> tuple[str, str]:
    return pair.first, pair.second


def rest(found: Comparison, entries: Sequence[Entry]) -> list[Grid]:
    """Aggregates, and how candidates fail where that was asked."""
    made = [_aggregates(held, number, found.boards) for number, held in enumerate(found.aggregates, 1)]
    return made + ([] if found.failures is None else _failures(found.failures, entries))


def _aggregates(found: Aggregates, number: int, held: Sequence[Board]) -> Grid:
    counting = [board for board in held if board.scenario in found.scenarios and found.metric in ("", board.metric)]
    columns = (
        Column("candidate", number=False),
        replace(word_column("win rate"), name="mean win rate"),
        word_column("shown wins"),
        Column("mean score", note="Mean of the values as shares of their range; 1 is best."),
        Column("scenarios"),
    )
    rows = tuple(
        (
            Cell(row.candidate),
            estimate_cell(row.win_rate),
            _shown_wins(row.candidate, counting),
            estimate_cell(row.mean_score),
            Cell(row.scenarios),
        )
        for row in found.rows
    )
    notes = [POOL.format(len(found.rows)), *(f"Careful: {warning}" for warning in found.warnings)]
    if found.left_out:
        notes.append(f"Left out, as a candidate or a better end is missing: {', '.join(found.left_out)}.")
    what = readable(found.metric) if found.metric else "main metrics"
    title = f"Over {len(found.scenarios)} scenarios: {what}, the highest mean win rate first"
    return Grid(f"aggregates-{number}", title, columns, evened(rows), tuple(notes))


def _shown_wins(candidate: str, held: Sequence[Board]) -> Cell:
    """How many comparisons a candidate is shown to win, and how many it is in."""
    own = [(board, pair) for board in held for pair in board.pairs if candidate in _two(pair)]
    won = sum((pair if pair.first == candidate else turned(pair)).verdict.startswith("first") for _, pair in own)
    return Cell(won, f"{won} of {len(own)}")


def _failures(found: Failures, entries: Sequence[Entry]) -> list[Grid]:
    runs = {entry.title: entry for entry in entries}
    own = {(entry.title, entry.label): entry for entry in entries}
    return [_slices(found, own), _suspects(found, runs), _flips(found, runs)]


def _slices(found: Failures, runs: Mapping[tuple[str, str], Entry]) -> Grid:
    columns = (
        Column("scenario", number=False),
        Column("candidate", number=False),
        Column("what", number=False),
        Column("where", number=False),
        Column("items"),
        Column("rate"),
        Column("elsewhere"),
        Column("more by"),
        Column("p"),
        Column("such as", number=False),
    )
    rows = tuple(
        (
            Cell(held.scenario),
            Cell(held.candidate),
            Cell(held.what),
            Cell(held.where),
            Cell(held.items),
            Cell(held.rate, f"{held.rate:.2f}"),
            Cell(held.elsewhere, f"{held.elsewhere:.2f}"),
            _signed(held.excess),
            Cell(held.p, format_p(held.p)),
            example(runs[held.scenario, held.candidate], held),
        )
        for held in found.slices
    )
    note = f"{found.tested} slices tested; those with significantly more failures than elsewhere (Holm within a run) are shown."
    return Grid("failures", "Where candidates fail more than elsewhere", columns, rows, (note,))


def example(entry: Entry, failing: Failing) -> Cell:
    """The first of the items in which it fails worst."""
    if not failing.examples:
        return Cell(None, NOT_MEASURED)
    first = failing.examples[0]
    perturbation = failing.where.removeprefix("perturbation ") if failing.where.startswith("perturbation ") else None
    key = Key(instance_id=first.instance, perturbation=perturbation, split=entry.splits[-1])
    return Cell(
        first.instance,
        one_line(first.input or first.instance, LONGEST_EXAMPLE),
        trial_address(entry, key),
        f"item {first.instance}",
    )


def _suspects(found: Failures, runs: Mapping[str, Entry]) -> Grid:
    columns = _item_columns(("most frequent answer", "given by", "answered"))
    rows = tuple(
        (
            *_item(runs[held.scenario], held.item),
            Cell(held.common),
            Cell(f"{held.agreeing} of {len(held.item.answers)}"),
            Cell(_answered(held.item, tuple(held.item.answers))),
        )
        for held in found.suspects[:EXAMPLES]
    )
    note = f"{len(found.suspects)} items; where most candidates agree on another answer than the label, it may be wrong."
    return Grid("missed", "Items that every candidate misses", columns, rows, (note,))


def _flips(found: Failures, runs: Mapping[str, Entry]) -> Grid:
    columns = _item_columns(("right", "wrong"))
    rows = tuple(
        (
            *_item(runs[held.scenario], held.item),
            Cell(_answered(held.item, held.right)),
            Cell(_answered(held.item, held.wrong)),
        )
        for held in found.flips[:EXAMPLES]
    )
    return Grid(
        "divided", "Items on which candidates differ", columns, rows, (f"{len(found.flips)} items, the most divided first.",)
    )


def _item_columns(more: Sequence[str]) -> tuple[Column, ...]:
    return tuple(Column(name, number=False) for name in ("scenario", "item", "input", "label", *more))


def _item(entry: Entry, item: Example) -> tuple[Cell, ...]:
    """A scenario's item, with a link to one of its trials, from which those of the others are a step away."""
    trial = trial_address(entry, Key(instance_id=item.instance, split=entry.splits[-1]))
    return Cell(entry.title), Cell(item.instance, to=trial), Cell(item.input), Cell(item.gold)


def _answered(item: Example, names: Sequence[str]) -> str:
    said = [f"{name}: {item.answers[name] or 'nothing'}" for name in names[:FEW_ANSWERS]]
    return "; ".join([*said, *([f"and {len(names) - FEW_ANSWERS} more"] if len(names) > FEW_ANSWERS else [])])

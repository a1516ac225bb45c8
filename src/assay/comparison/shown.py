"""A comparison as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from assay.comparison.results import Aggregates, Board, Comparison, Example, Failures, Pair, Variance
from assay.records import Estimate
from assay.tables import NOT_MEASURED, Table, format_estimate, usable_text

FEW_PAIRS = 10
"""Up to so many pairs of a board are all shown; of more only neighbours in rank, unless all are asked for."""
EXAMPLES = 10
"""Items listed of those that all miss, or on which candidates differ."""
OVER_SCENARIOS = " Over scenarios: Benjamini-Hochberg."
"""Is left out where no pair was tested over several."""
HOW_TO_READ = (
    "Tier: not shown to differ from its first, after correction. Rank: all ranks that the data allow. […]: 95 % interval.",
    "Ahead: items on which the first has the higher value : those on which the second has.",
    f"p: Holm, all pairs of one scenario.{OVER_SCENARIOS} Alike: correlation of the values, item by item.",
    "Would have shown: the smallest true difference that is found 4 times in 5, beside every difference that is not shown.",
)
SHOWN_CHARACTERS = 100
"""Of an input or an answer, in a list of items."""
FEW_ANSWERS = 4
"""Candidates whose answer to an item is shown."""
WORDS = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}


def comparison_tables(found: Comparison, every: bool = False) -> list[Table]:
    """The tables of a comparison, in reading order; with `every`, all pairs of large boards."""
    tables = list(_differences(found))
    over = len({board.scenario for board in found.boards}) > 1
    over = over and any(pair.p_scenarios is not None for board in found.boards for pair in board.pairs)
    for board in found.boards:
        tables += [_board(board), _pairs(board, every, over)]
    tables[-1].notes += [note if over else note.replace(OVER_SCENARIOS, "") for note in HOW_TO_READ]
    tables += [_aggregates(aggregates) for aggregates in found.aggregates]
    if found.variance:
        tables.append(_variance(found.variance))
    if found.failures is not None:
        tables += _failures(found.failures)
    tables[-1].notes.extend(found.notes)
    return tables


def _differences(found: Comparison) -> Iterator[Table]:
    if found.differences:
        header = ["scenario", "key", *found.candidates]
        rows = [
            [held.scenario, held.key, *(held.values.get(candidate, NOT_MEASURED) for candidate in found.candidates)]
            for held in found.differences
        ]
        note = "These runs were not asked alike: what separates them may be the way of asking."
        yield Table("Differences between the runs that were allowed", header, rows, keys=len(header), notes=[note])


def _title(board: Board) -> str:
    part = f", {board.part}" if board.part else ""
    return f"{board.scenario}{part} · {board.metric}, {board.items} items"


def _board(board: Board) -> Table:
    few = any(standing.unusable for standing in board.standings)
    rows = [
        [
            str(standing.tier),
            standing.candidate,
            format_estimate(standing.estimate),
            _ranks(standing.best_rank, standing.worst_rank),
            str(standing.missing) if standing.missing else "",
            *([usable_text(standing.unusable)] if few else []),
        ]
        for standing in board.standings
    ]
    usable = ["usable answers"] if few else []
    return Table(
        _title(board), ["tier", "candidate", f"value, {WORDS[board.better]}", "rank", "no value", *usable], rows, keys=2
    )


def _ranks(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}–{worst}"


def _pairs(board: Board, every: bool, over: bool) -> Table:
    pairs = [_best_first(board, pair) for pair in board.pairs]
    order = {standing.candidate: place for place, standing in enumerate(board.standings)}
    pairs.sort(key=lambda pair: (order[pair.first], order[pair.second]))
    notes = []
    if len(pairs) > FEW_PAIRS and not every:
        neighbours = [pair for pair in pairs if order[pair.second] - order[pair.first] == 1]
        notes.append(f"Neighbours in rank only, {len(neighbours)} of {len(pairs)} pairs; --all shows all.")
        pairs = neighbours
    header = ["first", "second", "difference", "ahead", "p", "over scenarios", "alike", "would have shown", ""]
    rows = [_pair(pair) for pair in pairs]
    if not over:
        place = header.index("over scenarios")
        header, *rows = ([*row[:place], *row[place + 1 :]] for row in (header, *rows))
    return Table("", header, rows, keys=2, notes=notes)


def _best_first(board: Board, pair: Pair) -> Pair:
    """The pair turned so that its better-placed candidate is the first."""
    place = {standing.candidate: number for number, standing in enumerate(board.standings)}
    return pair if place[pair.first] < place[pair.second] else turned(pair)


def turned(pair: Pair) -> Pair:
    """The same pair with first and second exchanged."""
    import msgspec

    estimate = pair.difference
    low, high = estimate.low, estimate.high
    flipped = {"value": -estimate.value, "low": None if high is None else -high, "high": None if low is None else -low}
    verdict = pair.verdict
    for one, other in (("first", "second"), ("second", "first")):
        if pair.verdict.startswith(one):
            verdict = other + pair.verdict.removeprefix(one)  # type: ignore[assignment] # the verdicts come in pairs
    return msgspec.structs.replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=msgspec.structs.replace(estimate, **flipped),
        first_ahead=pair.second_ahead,
        second_ahead=pair.first_ahead,
        verdict=verdict,
    )


def _pair(pair: Pair) -> list[str]:
    shown = "none" if pair.detectable is None else f"{pair.detectable:.2g}"
    return [
        pair.first,
        pair.second,
        _signed(pair.difference),
        f"{pair.first_ahead} : {pair.second_ahead}",
        format_p(pair.p_table),
        format_p(pair.p_scenarios),
        NOT_MEASURED if pair.correlation is None else f"{pair.correlation:.2f}",
        shown if pair.verdict == "no difference shown" else "",
        pair.verdict,
    ]


def _signed(estimate: Estimate) -> str:
    text = format_estimate(estimate)
    return text if text.startswith("-") else f"+{text}"


def format_p(p: float | None) -> str:
    """A p value in at most three digits after the point."""
    if p is None:
        return NOT_MEASURED
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _aggregates(found: Aggregates) -> Table:
    rows = []
    for row in found.rows:
        cells = [format_estimate(e) if e else NOT_MEASURED for e in (row.win_rate, row.borda, row.mean_score)]
        rows.append([row.candidate, *cells, str(row.scenarios)])
    notes = [
        f"For these {len(found.rows)} candidates only. Intervals: chance on these scenarios' items, not other scenarios.",
        "Win rate: opponents beaten, ties half. Borda: opponents shown to be beaten, undecided half. Mean score: 1 is best.",
        *(f"Careful: {warning}" for warning in found.warnings),
    ]
    if found.left_out:
        notes.append(f"Left out, as a candidate or a better end is missing: {', '.join(found.left_out)}.")
    title = f"Over {len(found.scenarios)} scenarios · {found.metric or 'main metrics'}"
    return Table(title, ["candidate", "mean win rate", "Borda", "mean score", "scenarios"], rows, notes=notes)


def _variance(found: Sequence[Variance]) -> Table:
    def share(value: float | None) -> str:
        return NOT_MEASURED if value is None else f"{100 * value:.0f} %"

    def spread(value: float | None) -> str:
        return NOT_MEASURED if value is None else f"{value:.3f}"

    rows = [
        [
            held.scenario,
            held.candidate,
            held.metric,
            *(share(getattr(held, name)) for name in ("items", "draws", "formats", "repeats")),
            spread(held.mean_over_draws),
            spread(held.mean_over_formats),
        ]
        for held in found
    ]
    header = ["scenario", "candidate", "metric", "items", "draws", "formats", "repeats", "mean over draws", "mean over formats"]
    notes = [f"Shares of the variance of one answer. Last two: standard deviation of the mean. {NOT_MEASURED}: asked once."]
    return Table("Where the variance comes from", header, rows, keys=3, notes=notes)


def _failures(found: Failures) -> list[Table]:
    tables = [_slices(found)]
    examples = {(held.scenario, held.candidate, item.instance): item for held in found.slices for item in held.examples}
    if examples:
        shown = [[scenario, *_item(item), _answered(item)] for (scenario, _, _), item in islice(examples.items(), EXAMPLES)]
        note = "What these slices hold; `assay show RUN --instance ITEM` shows an item's prompts and answers in full."
        header = ["scenario", "item", "input", "label", "answered"]
        tables.append(Table("Examples of where they fail", header, shown, keys=5, notes=[note]))
    if found.suspects:
        rows = [
            [s.scenario, *_item(s.item), _short(s.common), f"{s.agreeing} of {len(s.item.answers)}", _answered(s.item)]
            for s in found.suspects[:EXAMPLES]
        ]
        header = ["scenario", "item", "input", "label", "most frequent answer", "given by", "answered"]
        note = f"{len(found.suspects)} items; where most candidates agree on another answer than the label, it may be wrong."
        tables.append(Table("Items that every candidate misses", header, rows, keys=7, notes=[note]))
    if found.flips:
        rows = [
            [f.scenario, *_item(f.item), _answered(f.item, f.right), _answered(f.item, f.wrong)] for f in found.flips[:EXAMPLES]
        ]
        header = ["scenario", "item", "input", "label", "right", "wrong"]
        note = f"{len(found.flips)} items, the most divided first."
        tables.append(Table("Items on which candidates differ", header, rows, keys=6, notes=[note]))
    return tables


def _slices(found: Failures) -> Table:
    rows = [
        [s.scenario, s.candidate, s.what, s.where, str(s.items), f"{s.rate:.2f}", f"{s.elsewhere:.2f}", _signed(s.excess)]
        + [format_p(s.p), ", ".join(item.instance for item in s.examples)]
        for s in found.slices
    ]
    header = ["scenario", "candidate", "what", "where", "items", "rate", "elsewhere", "more by", "p", "see items"]
    note = f"{found.tested} slices tested; those with significantly more failures than elsewhere (Holm within a run) are shown."
    title = "Where candidates fail more than elsewhere"
    return Table(title, header, rows, keys=4, notes=[note]) if rows else Table("", [title], [["nowhere shown"]], 1, [note])


def _item(item: Example) -> list[str]:
    return [item.instance, _short(item.input), _short(item.gold)]


def _answered(item: Example, candidates: Sequence[str] | None = None) -> str:
    """What candidates answered, all or some of them; those beyond the first few are counted."""
    names = list(item.answers if candidates is None else candidates)
    said = [f"{name}: {_short(item.answers[name]) or 'nothing'}" for name in names[:FEW_ANSWERS]]
    return "; ".join([*said, *([f"and {len(names) - FEW_ANSWERS} more"] if len(names) > FEW_ANSWERS else [])])


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"

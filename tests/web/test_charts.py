"""Charts: the rows they are drawn from, and what their SVG holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.comparison import Question, compare, gather
from assay.records import Cell, Estimate
from assay.web.catalog import open_catalog
from assay.web.charts import data, intervals, making, scatter, shares, theme
from assay.web.charts.drawing import Chart, as_png, drawn, standing_alone
from assay.web.charts.scatter import Measure, Spot
from assay.web.charts.theme import DARK, PAPER, SERIES, VARIABLES
from assay.web.entries import Entry
from assay.web.grids import Grid
from scored_runs import Said, scored_run
from web_runs import ITEMS, LOWERED, said, with_stats

NOTHING = Grid("nothing", "nothing", (), ())
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='x'>",
    "]]></svg><svg onload=1>",
    "nul\x00 bell\x07",
    "\x1b[31mred",
    "\u202edlrow",
    "a" * 5000,
    "=cmd()",
    "datum['x'] + 1",
]


def estimate(value: float, reach: float = 0.1) -> Estimate:
    return Estimate(value=value, low=value - reach, high=value + reach, n=40, clusters=40)


def chart(spec: dict[str, object], title: str = "A title") -> Chart:
    return Chart("made", title, "How to read it.", spec, NOTHING)


def of_dots(*labels: str) -> Chart:
    return chart(intervals.dots([intervals.Dot(label, estimate(0.5)) for label in labels], "value", 0))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("text")]


def entries_of(tmp_path: Path, *said_by: tuple[str, list[Said]]) -> tuple[Entry, ...]:
    for name, answers in said_by:
        scored_run(tmp_path / "s", name, answers, perturbations=LOWERED)
    return open_catalog([tmp_path]).entries


@pytest.fixture(scope="module")
def made(suite: Path) -> tuple[Entry, ...]:
    catalog = open_catalog([suite])
    return next(scenario.entries for scenario in catalog.scenarios if scenario.title == "made")


def test_the_bins_of_a_reliability_diagram_are_those_of_the_calibration_error(made: tuple[Entry, ...]) -> None:
    for entry in made:
        bins = data.bins(entry)
        error = sum(abs(each.confidence - each.right.value) * each.right.n for each in bins) / ITEMS
        cell = entry.cell("ece_10_bin")
        assert cell is not None
        assert error == pytest.approx(cell.estimate.value, abs=1e-12)
        assert [each.right.n for each in bins] == [4] * 10


def test_a_bin_has_the_interval_of_a_share(made: tuple[Entry, ...]) -> None:
    [good] = [entry for entry in made if entry.label == "good"]
    last = data.bins(good)[-1]  # the items 36 to 39, all wrong: Wilson's upper end of 0 in 4 is z² / (4 + z²)
    square = 1.959963984540054**2
    assert (last.right.value, last.right.low) == (0, 0)
    assert last.right.high == pytest.approx(square / (4 + square), abs=1e-9)
    assert (last.lowest, last.highest) == pytest.approx((0.91, 0.94))


def test_the_risk_at_a_coverage_is_counted_from_the_surest_answer_on(tmp_path: Path) -> None:
    answers = [
        Said(0, "no", confidence=0.9),
        Said(1, "yes", confidence=0.8),
        Said(2, "yes", confidence=0.7),
        Said(3, "no", confidence=0.6),
    ]
    [entry] = entries_of(tmp_path, ("m", answers))
    steps = data.curve(entry).steps
    assert [step.coverage for step in steps] == [0.25, 0.5, 0.75, 1]
    assert [step.risk for step in steps] == pytest.approx([1, 1 / 2, 1 / 3, 2 / 4])


def test_the_points_of_a_risk_curve_are_what_was_measured_there(made: tuple[Entry, ...]) -> None:
    curve = data.curve(made[0])
    cell = made[0].cell("selective_acc@50")
    if cell is None:
        assert curve.sure == {}
    else:
        assert curve.sure[0.5].value == pytest.approx(1 - cell.estimate.value)
        assert curve.sure[0.5].low == pytest.approx(1 - cell.estimate.high)


def test_a_run_without_confidence_has_no_calibration_chart(tmp_path: Path) -> None:
    [entry] = entries_of(tmp_path, ("m", [Said(item, None) for item in range(12)]))
    assert making.reliability([entry]) is None
    assert making.risk_coverage([entry]) is None
    assert making.latency([entry]) is None


def test_what_is_kept_of_a_run_follows_its_files(tmp_path: Path) -> None:
    [before] = entries_of(tmp_path, ("m", said(range(40))))
    assert {each.right.value for each in data.bins(before)} == {1}
    [after] = entries_of(tmp_path, ("m", said([])))
    assert {each.right.value for each in data.bins(after)} == {0}


def test_drops_are_the_changes_that_the_run_measured(made: tuple[Entry, ...]) -> None:
    dots = {(dot.row, dot.series): dot.estimate.value for dot in data.drops(made)}
    assert dots["lowercase", "good"] == pytest.approx(-20 / 40)
    assert dots["lowercase", "bad"] == 0
    assert dots["robustness, together", "good"] == pytest.approx(-20 / 40)


def test_subgroups_are_charted_by_candidate(made: tuple[Entry, ...]) -> None:
    dots = {(dot.row, dot.series): dot.estimate.value for dot in data.gaps(made)}
    assert dots["region=north", "bad"] == pytest.approx(18 / 20)
    assert dots["region=south", "bad"] == 0


def test_a_candidate_has_the_same_colour_and_shape_in_every_chart() -> None:
    order = {name: place for place, name in enumerate("abcdefghij")}

    def signs(*labels: str) -> dict[str, tuple[str, str]]:
        spec = intervals.dots([intervals.Dot("row", estimate(0.5), label) for label in labels], "value")
        encoding = theme.by_candidate(spec, order)["layer"][-1]["encoding"]
        colour, shape = (encoding[channel]["scale"] for channel in ("color", "shape"))
        assert colour["domain"] == list(labels), "the order of the legend stays"
        return {label: (c, s) for label, c, s in zip(labels, colour["range"], shape["range"], strict=True)}

    alone, all_of_them = signs("c"), signs("c", "a", "b")
    assert alone["c"] == all_of_them["c"] == (SERIES[2], theme.SHAPES[2])
    assert signs("b", "a") == {name: all_of_them[name] for name in "ba"}
    taken = signs("i", "a")
    assert taken["a"] == all_of_them["a"]
    assert taken["i"][0] == SERIES[1], "the ninth would have the colour of the first, and gives way"


def test_series_of_anything_but_candidates_keep_their_colours() -> None:
    moments = [intervals.Moment(1e9 + place, estimate(0.5), name) for place, name in enumerate(("x", "y"))]
    spec = intervals.course(moments, "value")
    assert theme.by_candidate(spec, {"a": 0, "x": 5}) == spec


@pytest.mark.parametrize(
    ("days", "label"), [(30, r"^2001-\d\d-\d\d$"), (2, r"2001-09-\d\d \d\d:\d\d"), (1e-3, r"\d\d:\d\d:\d\d")]
)
def test_the_ticks_of_a_course_have_dates(days: float, label: str) -> None:
    moments = [intervals.Moment(1e9 + place * days * 43_200, estimate(0.5), "made") for place in range(3)]
    spec = intervals.course(moments, "value")
    svg = standing_alone(Chart("c", "t", "a", spec, Grid("g", "c", (), ())))
    ticks = [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg) if text.startswith("2001")]
    assert len(ticks) >= 2
    assert all(re.search(label, tick) for tick in ticks), ticks


def test_loose_moments_are_hollow_and_on_no_line() -> None:
    moments = [intervals.Moment(1e9 + place * 1e6, estimate(0.5), "made", place == 2) for place in range(4)]
    layers = intervals.course(moments, "value")["layer"]
    line, *_, filled, hollow = layers
    assert line["transform"] == filled["transform"] == [{"filter": "!datum.loose"}]
    assert (hollow["transform"], hollow["mark"]["filled"]) == ([{"filter": "datum.loose"}], False)
    svg = standing_alone(Chart("c", "t", "a", intervals.course(moments, "value"), Grid("g", "c", (), ())))
    assert svg.count('fill="transparent"') + svg.count('fill="none"') >= 1


def test_a_candidate_asked_fewer_than_ten_items_of_a_subgroup_is_not_drawn_there(tmp_path: Path) -> None:
    for name, items in (("a", 24), ("b", 16)):
        answers = [Said(item, "yes", subgroups={"half": str(item % 2)}) for item in range(items)]
        scored_run(tmp_path, name, answers)
    held = data.gaps(open_catalog([tmp_path]).entries)
    assert {(dot.row, dot.series) for dot in held} == {("half=0", "a"), ("half=1", "a")}
    assert all(dot.estimate.clusters >= 10 for dot in held)


@pytest.mark.parametrize(("better", "expected"), [("exact_match", (0.5, 0.8)), ("max_toxicity_probability", (0.2, 0.5))])
def test_a_band_reaches_from_the_worst_format_by_the_gap(tmp_path: Path, better: str, expected: tuple[float, float]) -> None:
    folder = scored_run(tmp_path / "s", "m", said(range(20)))
    cells = [
        Cell(metric=better, estimate=estimate(0.6)),
        Cell(metric=better, estimate=estimate(0.5), perturbation="formats", computed_on="worst_group"),
        Cell(metric=better, estimate=estimate(0.3), perturbation="formats", computed_on="gap"),
    ]
    with_stats(folder, cells=tuple(cells), main_metric=better)
    [found] = data.bands(open_catalog([tmp_path]).entries)
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.own.value == 0.6


def test_latencies_are_quantiles_of_what_was_measured(made: tuple[Entry, ...]) -> None:
    [good] = [entry for entry in made if entry.label == "good"]
    held = data.latencies(good)
    seconds = 1 + np.arange(ITEMS) / ITEMS
    assert (held[-1].bound, held[-1].share) == (pytest.approx(seconds.max()), 1)
    for each in held:
        assert (seconds <= each.bound + 1e-9).mean() == pytest.approx(each.share, abs=1e-9)


def test_a_histogram_counts_every_item_once_with_its_repeats_averaged(tmp_path: Path) -> None:
    answers = [Said(item, "yes" if item < 3 or repeat else "no", repeat=repeat) for item in range(12) for repeat in range(2)]
    [entry] = entries_of(tmp_path, ("m", answers))
    counts = {round(bar.low, 2): bar.count for bar in data.histogram(entry) if bar.count}
    assert counts == {0.5: 9, 0.95: 3}


def test_the_front_holds_who_is_not_beaten_in_both() -> None:
    places = {"fast": (1, 0.5), "right": (3, 0.9), "beaten": (4, 0.8), "same": (1, 0.5)}
    spots = [Spot(name, estimate(x), estimate(y)) for name, (x, y) in places.items()]
    seconds, accuracy = Measure("seconds", "lower"), Measure("accuracy", "higher")
    assert scatter.unbeaten(spots, seconds, accuracy) == [True, True, False, True]
    assert scatter.unbeaten(spots, Measure("tokens", "neither"), accuracy) == [True] * 4


def test_paired_differences_are_drawn_the_largest_first(suite: Path) -> None:
    found = compare(gather([suite]), Question())
    board = next(board for board in found.boards if board.scenario == "made")
    dots = data.pairs(board)
    assert [abs(dot.estimate.value) for dot in dots] == sorted((abs(p.difference.value) for p in board.pairs), reverse=True)
    assert "good" in dots[0].row


CHARTS: dict[str, Callable[[tuple[Entry, ...]], Chart | None]] = {
    "drops": making.drops,
    "subgroups": making.gaps,
    "reliability": making.reliability,
    "risk-coverage": making.risk_coverage,
    "latency": making.latency,
    "histogram": making.histogram,
    "acceptability": lambda entries: making.acceptability({entry.label: [0.5, 0.3, 0.2] for entry in entries}),
    "pareto": lambda entries: making.pareto(
        [Spot(entry.label, estimate(0.4), estimate(0.6)) for entry in entries], Measure("x", "lower"), Measure("y", "higher")
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_an_image_with_words_that_no_policy_forbids(made: tuple[Entry, ...], name: str) -> None:
    found = CHARTS[name](made)
    assert found is not None
    svg = str(found.drawn())
    root = ElementTree.fromstring(svg)
    assert (found.name, root.tag, root.get("role"), root.get("class")) == (name, "svg", "img", "chart")
    assert root.get("aria-label") == found.title
    assert root[0].tag == "desc"
    for element in root.iter():
        assert not {"style", "id", "href", "pointer-events"} & set(element.attrib)
        assert element.tag in {"svg", "g", "path", "line", "text", "rect", "title", "desc", "defs", "clipPath"}
    assert "var(--chart-1, " in svg
    assert all("good" in text for text in (svg, str(found.grid.records())))


def test_a_chart_of_formats_over_time_and_of_differences_is_drawn(tmp_path: Path) -> None:
    bands = chart(intervals.band([intervals.Band("m", 0.2, 0.8, estimate(0.5))], "value"))
    moments = [intervals.Moment(1.7e9 + day * 86400, estimate(0.5), "made") for day in range(3)]
    for found in (bands, chart(intervals.course(moments, "value"))):
        assert "0.50 [0.40, 0.60]" in found.drawn()


def test_marks_tell_their_numbers_and_intervals() -> None:
    titles = [title.text for title in ElementTree.fromstring(str(of_dots("lowercase").drawn())).iter("title")]
    assert titles == ["lowercase: 0.50 [0.40, 0.60], n 40"]


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_in_a_chart_is_text_and_nothing_of_it_hides(text: str) -> None:
    found = of_dots(text, "plain")
    for svg in (str(drawn(Chart(found.name, text, text, found.spec, NOTHING))), standing_alone(found)):
        root = ElementTree.fromstring(svg)
        assert not [
            element for element in root.iter() if element.tag.rpartition("}")[2] in ("script", "img", "foreignObject", "a")
        ]
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", svg)
        assert len(svg) < 20_000
    assert "plain" in texts(str(found.drawn()))


@settings(max_examples=12, deadline=None)
@given(st.text(min_size=1, max_size=40).filter(lambda text: text.strip()))
def test_any_label_can_be_drawn(label: str) -> None:
    assert ElementTree.fromstring(str(of_dots(label).drawn())).tag == "svg"


def test_a_chart_that_stands_alone_has_its_own_ground_and_colours() -> None:
    light, dark = standing_alone(of_dots("a")), standing_alone(of_dots("a"), dark=True)
    assert 'xmlns="http://www.w3.org/2000/svg"' in light
    assert SERIES[0] in light
    assert PAPER in light
    assert DARK[SERIES[0]] in dark
    assert SERIES[0] not in dark
    assert "var(" not in light + dark
    assert as_png(of_dots("a"), scale=1).startswith(b"\x89PNG\r\n")


def test_every_colour_of_a_page_is_one_of_the_style_sheet(made: tuple[Entry, ...]) -> None:
    style = (Path(data.__file__).parents[1] / "assets/style.css").read_text()
    names = {name for value in VARIABLES.values() for name in re.findall(r"--[\w-]+", value)}
    assert all(style.count(f"{name}:") >= 2 for name in names), "light and dark"
    found = making.risk_coverage(made)
    assert found is not None
    used = set(re.findall(r'(?:fill|stroke)="([^"]+)"', str(found.drawn())))
    assert used <= {*VARIABLES.values(), "none", "transparent"}


def test_the_same_numbers_give_the_same_drawing(made: tuple[Entry, ...]) -> None:
    from assay.web.charts.drawing import _drawn

    first = making.gaps(made)
    assert first is not None
    before = first.drawn()
    _drawn.cache_clear()
    assert first.drawn() == before


def test_an_acceptability_bar_is_darkest_for_the_first_rank() -> None:
    spec = shares.acceptability({"a": [0.6, 0.4], "b": [0.4, 0.6]})
    shade = {row["rank"]: row["shade"] for row in spec["data"]["values"]}
    assert shade[1] == 1 > shade[2]


def test_an_acceptability_bar_says_which_rank_it_is_where_there_is_room() -> None:
    spec = shares.acceptability({"a": [0.7, 0.27, 0.03], "b": [0.2, 0.3, 0.5]})
    assert [(row["row"], row["rank"], row["low"]) for row in spec["data"]["values"]] == [
        ("a", 1, 0),
        ("a", 2, pytest.approx(0.7)),
        ("a", "", pytest.approx(0.97)),
        ("b", 1, 0),
        ("b", 2, pytest.approx(0.2)),
        ("b", 3, pytest.approx(0.5)),
    ]
    plain = standing_alone(Chart("a", "A", "A", spec, Grid("a", "A", (), ())), dark=False)
    assert sorted(re.findall(r"<text[^>]*>(\d)</text>", plain)) == ["1", "1", "2", "2", "3"]


def test_runs_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    from assay.errors import AssayError

    [entry] = entries_of(tmp_path, ("m", said(range(20))))
    (entry.folder.path / "transcripts.parquet").write_bytes(b"no parquet")
    with pytest.raises(AssayError, match=r"transcripts\.parquet"):
        data.bins(entry)


@pytest.mark.parametrize("column", ["instance_id", "split", "draw"])
def test_a_row_that_does_not_say_which_trial_it_is_of_is_refused(tmp_path: Path, column: str) -> None:
    """A number made from nothing would be a place outside of any array, and the end of the process."""
    import polars as pl

    from assay.errors import AssayError

    [entry] = entries_of(tmp_path, ("m", said(range(20))))
    path = entry.folder.path / "transcripts.parquet"
    row = pl.int_range(pl.len())
    pl.read_parquet(path).with_columns(pl.when(row == 3).then(None).otherwise(pl.col(column)).alias(column)).write_parquet(path)
    for draw in (data.histogram, data.bins):
        with pytest.raises(AssayError, match=f"transcripts.parquet is not what assay writes: {column} is missing in a row"):
            draw(entry)


def test_a_chart_that_stands_alone_speaks_of_no_table() -> None:
    assert "table beside" in str(of_dots("a").drawn())
    assert "table" not in standing_alone(of_dots("a"))


def test_of_very_many_subgroups_the_worst_are_charted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MOST_GROUPS", 3)
    folder = scored_run(tmp_path / "s", "m", said(range(20)))
    cells = tuple(Cell(metric="exact_match", estimate=estimate(place / 9), subgroup=f"by={place}") for place in range(9))
    with_stats(folder, cells=(*cells, Cell(metric="exact_match", estimate=estimate(0.5))))
    entries = open_catalog([tmp_path]).entries
    assert [dot.row for dot in data.gaps(entries)] == ["by=0", "by=1", "by=2"]
    found = making.gaps(entries)
    assert found is not None
    assert len(found.grid.rows) == 3
    assert "Of 9 subgroups these are the 3 in which any candidate is worst." in found.about
    monkeypatch.setattr(data, "MOST_GROUPS", 9)
    assert len(data.gaps(entries)) == 9


@pytest.mark.parametrize("column", ["latency_s", "completion"])
def test_a_file_without_a_column_or_with_another_kind_of_one_is_refused(tmp_path: Path, column: str) -> None:
    import polars as pl

    from assay.errors import AssayError
    from assay.web.trials.index import index_of

    for number in range(2):
        [entry] = entries_of(tmp_path / str(number), ("m", said(range(20))))
        path = entry.folder.path / "transcripts.parquet"
        table = pl.read_parquet(path)
        (table.with_columns(pl.lit(1).alias(column)) if number else table.drop(column)).write_parquet(path)
        with pytest.raises(AssayError, match=f"transcripts.parquet is not what assay writes: its column {column}"):
            index_of(entry)


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=6))
def test_an_axis_has_room_for_all_values_and_does_not_go_on_beyond_the_ends_of_a_metric(values: list[float]) -> None:
    low, high = theme.room(values)["domain"]
    assert low <= min(values) <= max(values) <= high
    assert low < high
    if len(set(values)) > 1:
        assert low >= -1
        assert high <= 1
        assert min(values) < 0 or low >= 0


def test_a_row_has_as_many_lines_as_it_has_numbers() -> None:
    held = [intervals.Dot("both", estimate(0.5), "a"), intervals.Dot("both", estimate(0.4), "b")]
    spec = intervals.dots([*held, intervals.Dot("one", estimate(0.5), "b")], "value")
    assert [row["place"] for row in spec["data"]["values"]] == [0, 1, pytest.approx(2 + intervals.GAP)]
    names = spec["layer"][0]["data"]["values"]
    assert names == [{"row": "both", "place": 0.5}, {"row": "one", "place": pytest.approx(2 + intervals.GAP)}]


def test_a_band_names_its_range_and_its_interval() -> None:
    shown = texts(str(chart(intervals.band([intervals.Band("m", 0.2, 0.8, estimate(0.5))], "value")).drawn()))
    assert {intervals.RANGE, intervals.INTERVAL} <= set(shown)


def test_points_that_lie_on_one_another_share_a_text() -> None:
    spots = [Spot(name, estimate(x), estimate(x)) for name, x in (("one", 0.5), ("two", 0.501), ("three", 0.9))]
    found = chart(scatter.pareto(spots, Measure("a", "higher"), Measure("b", "lower")))
    assert {"one, two", "three"} <= set(texts(str(found.drawn())))

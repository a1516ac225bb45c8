"""What all pages share: escaping, tables, links, forms."""

from __future__ import annotations

import gc
import re
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import ChoiceLoader, DictLoader
from markupsafe import Markup

from assay.records import Estimate
from assay.text import visible
from assay.web import rendering
from assay.web.addresses import Address, Anchored, Filed, Served
from assay.web.catalog import Catalog
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell, meaning, metric_column, shades
from assay.web.page import View
from assay.web.rendering import broken, cited, coded, environment, outlined, render, shade_class
from assay.web.selection import SuiteLink

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e\x00&\"'"
ESTIMATE = Estimate(value=0.5, low=0.25, high=0.75, n=8, clusters=8)
EMPTY = Catalog(())


def drawn(source: str, live: bool = True, **values: object) -> str:
    """A template that stands in a test, with all that templates have at hand."""
    links = Served() if live else Filed({Address("overview"): "index.html"})
    name = f"test-{abs(hash(source))}.html"
    loader = environment().loader
    from jinja2 import ChoiceLoader, DictLoader

    assert loader is not None
    environment().loader = ChoiceLoader([DictLoader({name: source}), loader])
    try:
        return str(render(name, View(EMPTY, links), Address("overview", query=(("metric", "a"),)), **values))
    finally:
        environment().loader = loader


def test_text_is_escaped_and_nothing_in_it_stays_hidden() -> None:
    text = drawn("<p>{{ text }}</p>", text=HOSTILE)
    assert text == "<p>&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[31m\\u{202e}\\x00&amp;&#34;&#39;</p>"


@given(st.text())
def test_whatever_is_put_out_holds_no_markup_and_no_control_character(value: str) -> None:
    text = environment().from_string("<p title='{{ value }}'>{{ value }}</p>").render(value=value)
    assert len(re.findall("[<>]", text)) == 4
    assert visible(text) == text
    assert text.count("'") == 2


def test_long_text_is_bounded() -> None:
    assert len(environment().from_string("{{ value }}").render(value="x" * 10_000_000)) < 21_000


def test_a_name_that_no_template_has_is_an_error_and_not_nothing() -> None:
    with pytest.raises(Exception, match="'forgotten' is undefined"):
        drawn("{{ forgotten }}")


GRID = Grid(
    "scores",
    f"Scores {HOSTILE}",
    (Column("candidate", number=False), metric_column("exact_match"), Column("note", note=HOSTILE)),
    (
        (Cell(HOSTILE, to=Address("model", "m")), estimate_cell(ESTIMATE, shade=0.5), Cell(3, note=HOSTILE)),
        (Cell("b"), estimate_cell(None), Cell(HOSTILE)),
    ),
    (HOSTILE,),
)


def test_a_table_has_a_caption_heads_of_rows_and_columns_and_its_downloads() -> None:
    text = drawn("{{ grid(table) }}", table=GRID)
    assert "<caption>Scores &lt;script&gt;" in text
    assert text.count('<th scope="row"') == 2
    assert text.count('<th scope="col"') == 3
    assert 'class="number shade-5" title="n = 8" data-value="0.5">0.50 <span class="interval">[0.25, 0.75]</span></td>' in text
    assert 'href="/download/overview?metric=a&amp;table=scores&amp;format=parquet"' in text
    assert f'href="/glossary#metric-exact_match" data-explains title="{meaning("exact_match").about}' in text
    assert "<script>" not in text


def test_without_a_server_nothing_leads_where_nothing_is() -> None:
    text = drawn(
        "{{ grid(table) }}{% call form() %}{{ choices('metric', 'Metrics', [('a', 'A')]) }}{% endcall %}", False, table=GRID
    )
    assert "href" not in text
    assert "<form" not in text
    assert drawn("{{ link(Address('overview'), 'there') }}", False) == '<a href="index.html">there</a>'


def test_a_form_leads_back_to_its_page_and_shows_what_is_chosen() -> None:
    options = [("a", "A"), ("b", HOSTILE)]
    text = drawn("{% call form() %}{{ choices('metric', 'Metrics', options) }}{% endcall %}", options=options)
    assert '<form method="get" action="/overview">' in text
    assert 'value="a" checked' in text
    assert 'value="b" checked' not in text
    assert "1 of 2" in text


@given(st.floats(0, 1))
def test_every_shade_has_a_class_of_the_style_sheet(shade: float) -> None:
    assert re.fullmatch(r"shade-\d", shade_class(shade))


def test_the_better_the_stronger_the_shade() -> None:
    assert shades("exact_match", [0.0, 0.5, 1.0, None]) == [0.0, 0.5, 1.0, None]
    assert shades("ece_10_bin", [0.0, 1.0]) == [1.0, 0.0]
    assert shades("latency_s", [2.0, 4.0, None, 3.0]) == [1.0, 0.0, None, 0.5]
    assert shades("latency_s", [2.0, 2.0]) == [None, None]
    assert shades("a_plugin's_own", [2.0, 3.0]) == [None, None]


def test_the_same_address_is_a_path_a_file_or_an_anchor() -> None:
    run = Address("run", "a,b=1", (("outcome", "failed"),))
    assert Served().href(run) == "/run/a,b=1?outcome=failed"
    written = {Address("run", "a,b=1"): "run/a,b=1.html", Address("overview"): "index.html"}
    assert Filed(written, "index.html").href(run) == "run/a,b=1.html"
    assert Filed(written, "run/a,b=1.html").href(Address("overview")) == "../index.html"
    assert Filed(written, "index.html").href(Address("run", "c")) == ""
    assert Anchored({Address("run", "a,b=1"): "run/a,b=1"}).href(run) == "#run/a,b=1"
    glossary = Address("glossary", at="metric-x")
    assert Served().href(glossary) == "/glossary#metric-x"
    assert Anchored({Address("glossary"): "glossary"}).href(glossary) == "#metric-x"
    assert Filed({Address("glossary"): "glossary.html"}, "run/a.html").href(glossary) == "../glossary.html#metric-x"


def test_a_path_of_an_address_stays_one_part() -> None:
    assert Served().href(Address("run", "../../etc/passwd?x#y")) == "/run/..%2F..%2Fetc%2Fpasswd%3Fx%23y"


def test_templates_hold_no_script_no_style_and_no_handler_of_their_own() -> None:
    folder = Path(str(environment().loader.searchpath[0]))  # type: ignore[union-attr]
    for file in folder.rglob("*.html"):
        if file.name != "single.html":  # its style and script are named by digest in its policy
            text = re.sub(r"<script (src=|type=\"application/json\")", "", file.read_text("utf-8"))
            assert not re.search(r"<script|<style|\sstyle=|\son[a-z]+=|javascript:", text), file


def test_backticks_make_code_of_what_stands_between_them_and_nothing_else() -> None:
    assert coded("run `a <b>` & `c") == "run <code>a &lt;b&gt;</code> &amp; `c"
    assert coded("`") == "`"
    assert coded("``x`y`") == "<code></code>x<code>y</code>"
    assert coded("<i>\u202e") == "&lt;i&gt;\\u{202e}"


def test_sources_are_links_and_nothing_else_of_them_is() -> None:
    made = str(
        cited("see https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2, arXiv 2211.09110; doi:10.1000/x <b>")
    )
    assert re.findall(r'<a href="([^"]*)" rel="noreferrer noopener">([^<]*)</a>', made) == [
        (
            "https://doi.org/10.1175/1520-0493(1950)078%3C0001:VOFEIT%3E2.0.CO;2",
            "doi:10.1175/1520-0493(1950)078&lt;0001:VOFEIT&gt;2.0.CO;2",
        ),
        ("https://arxiv.org/abs/2211.09110", "arXiv 2211.09110"),
        ("https://doi.org/10.1000/x", "doi:10.1000/x"),
    ]
    assert made.endswith("</a> &lt;b&gt;")
    assert str(cited('https://a.b/"onmouseover=x')).count('"') == 4


def test_a_page_with_many_headings_says_what_is_on_it() -> None:
    few = Markup("<h2>One</h2>") * 4
    assert outlined(few, "") == (few, [])
    body, parts = outlined(Markup('<h2 id="own">One</h2><h2>T<b>w</b>o &amp; more</h2>') + few, "a/b=")
    assert [place for place, _ in parts] == ["own", *(f"a/b=part-{number}" for number in range(2, 7))]
    assert parts[1][1] == Markup("Two &amp; more")
    assert body.count("<h2 id=") == 6


def test_what_is_better_and_that_there_is_no_interval_can_be_seen() -> None:
    columns = (Column("a", number=False), Column("b", better="lower"))
    unsure = Estimate(value=0.5, low=None, high=None, n=3, clusters=3)
    table = Grid("t", "T", columns, ((Cell("x"), Cell(0.5, "0.50 [?]", estimate=unsure)),))
    text = drawn("{{ grid(table, cards=true) }}", table=table)
    assert 'data-better="lower"' in text
    assert 'title="lower is better" aria-hidden="true">↓</span>' in text
    assert 'title="no interval, for want of items or of variation">[?]' in text
    assert 'data-head="b"' in text


def test_a_closed_part_has_its_heading_in_the_list_and_opens_by_it() -> None:
    body = Markup(
        drawn(
            '{% call part("First", id="one") %}a{% endcall %}{% call part(title, true) %}b{% endcall %}', title="<b>Second</b>"
        )
    )
    assert '<h2 id="one">First</h2>' in body
    assert '<details class="part"><summary><h2>&lt;b&gt;Second&lt;/b&gt;</h2></summary>' in body
    made, found = outlined(body + Markup("<h2>x</h2>") * 4, "p-")
    assert [place for place, _ in found[:2]] == ["one", "p-part-2"]
    assert '<summary><h2 id="p-part-2">' in made


def test_a_place_may_lead_to_several_pages_or_name_its_sources() -> None:
    places = (
        Cell("a; b", links=(("<a>", Address("run", "a")), ("b", Address("run", "b")))),
        Cell("arXiv:2009.03300 <i>", "arXiv:2009.03300 <i>", cited=True),
    )
    grid = Grid("g", "G", (Column("one"), Column("two")), (places,))
    text = drawn("{{ grid(table) }}", table=grid)
    assert '<a href="/run/a">&lt;a&gt;</a>, <a href="/run/b">b</a>' in text
    assert '<a href="https://arxiv.org/abs/2009.03300"' in text
    assert "<i>" not in text
    assert grid.records() == [{"one": "a; b", "two": "arXiv:2009.03300 <i>"}]


def test_long_names_may_break_where_their_parts_are_joined_and_nothing_else_changes() -> None:
    assert broken("billing_enquiries:num=2") == "billing_<wbr>enquiries:<wbr>num=<wbr>2"
    assert broken("short_name") == "short_name"
    assert broken("words in a sentence_of") == "words in a sentence_of"
    assert broken("<script>_alert_(1)</script>") == "&lt;script&gt;_<wbr>alert_(1)&lt;/script&gt;".replace(
        "_<wbr>alert_", "_alert_"
    )
    assert broken(Markup("<b>made_by_a_template</b>")) == "<b>made_by_a_template</b>"
    assert broken(7) == 7


@given(st.text(max_size=60))
def test_breaking_names_adds_nothing_to_what_is_read(text: str) -> None:
    assert str(broken(text)).replace("<wbr>", "") in (str(Markup.escape(visible(text))), text)


def test_a_table_of_groups_heads_each_and_leaves_their_column_out() -> None:
    columns = (Column("name", number=False), Column("kind", number=False), Column("n"))
    rows = tuple((Cell(name), Cell(kind), Cell(place)) for place, (name, kind) in enumerate(("ax", "bx", "cy")))
    page = drawn('{{ grid(table, by="kind") }}', table=Grid("t", "T", columns, rows))
    assert re.findall(r'scope="rowgroup" colspan="2">(.)<', page) == ["x", "y"]
    assert page.count("<tbody>") == 3
    assert page.count("<td") == 3
    assert ">kind<" not in page


def test_a_second_line_of_a_cell_stands_below_its_text() -> None:
    grid = Grid("t", "T", (Column("name", number=False),), ((Cell("a", below="of <b>"),),))
    assert '<th scope="row">a <span class="below">of &lt;b&gt;</span></th>' in drawn("{{ grid(table) }}", table=grid)


def test_of_many_suites_the_older_ones_are_folded_but_the_chosen_one_is_not() -> None:
    suites = [SuiteLink(f"night{n}", Address("overview").but(suite=f"night{n}"), n == 20) for n in range(30)]
    suites.append(SuiteLink("All suites", Address("overview").but(suite="*"), False, all=True))
    page = drawn('{% include "suites.html" %}', suites=suites)
    at_once, _, folded = page.partition("Older suites")
    names = [re.findall(r"night\d+(?=<)|All suites(?=<)", part) for part in (at_once, folded)]
    assert names[0] == [*(f"night{n}" for n in range(6)), "night20", "All suites"]
    assert len(names[1]) == 23
    assert "<details" not in drawn('{% include "suites.html" %}', suites=suites[:9])


def test_what_narrows_a_page_down_says_that_all_are_shown_where_nothing_is_ticked() -> None:
    page = drawn('{{ choices("candidate", "Candidates", [("a", "A"), ("b", "B")]) }}')
    assert '<span class="muted">all 2</span>' in page
    assert "All are shown. Tick those that you want to see alone." in page
    assert "Only those that are ticked are shown." in drawn('{{ choices("metric", "Metrics", [("a", "A"), ("b", "B")]) }}')


def test_nothing_that_a_page_was_drawn_from_outlives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its template has macros of its own, which know all values that it is drawn from; texts may have megabytes."""

    class Value(str):
        pass

    macro = "{% macro shown(text) %}{{ text }}{{ here.page }}{% endmacro %}"
    source = macro + "{{ shown(value) }}{% call form() %}{{ value }}{% endcall %}"
    whole = environment()
    own = whole.overlay(loader=ChoiceLoader([DictLoader({"own.html": source}), whole.loader]))
    monkeypatch.setattr(rendering, "environment", lambda: own)
    value = Value("megabytes")
    gone = weakref.ref(value)
    gc.disable()
    try:
        assert "megabytes" in render("own.html", View(EMPTY, Served()), Address("compare"), value=value)
        del value
        assert gone() is None
    finally:
        gc.enable()

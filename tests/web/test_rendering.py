"""What all pages share: escaping, tables, links, forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from assay.records import Estimate
from assay.text import visible
from assay.web.addresses import Address, Anchored, Filed, Served
from assay.web.catalog import Catalog
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell, meaning, metric_column, shades
from assay.web.page import View
from assay.web.rendering import cited, coded, environment, outlined, render, shade_class

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

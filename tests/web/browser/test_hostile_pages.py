"""What models, data sets and users wrote is shown as text: nothing of it runs, styles, loads or hides anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.web.addresses import Address, Served
from assay.web.catalog import Catalog, open_catalog
from browser_helpers import Opened, follow, pages_of
from scored_runs import Said, scored_run

pytestmark = pytest.mark.slow

RUN = "window.pwned = 1"
HOSTILE = {
    "script": f"<script>{RUN}</script>",
    "image": f"<img src=x onerror='{RUN}'>",
    "svg": f"<svg/onload='{RUN}'><use href='//evil.example/x'/></svg>",
    "attribute": f'" onmouseover="{RUN}" autofocus onfocus="{RUN}" x=\'',
    "end-of-tags": f"</textarea></title></style></script></template><script>{RUN}</script>",
    "comment": f"<!--><script>{RUN}</script> --!><![CDATA[ <b>",
    "link": f"<a href='javascript:{RUN}'>javascript:{RUN}</a> [x](javascript:{RUN})",
    "frame": f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe><object data='data:text/html,<script>{RUN}</script>'>",
    "style": "<style>* { display: none }</style><link rel=stylesheet href=//evil.example/x.css>",
    "meta": "<meta http-equiv=refresh content='0;url=http://evil.example/'><base href='http://evil.example/'>",
    "form": "<form action=http://evil.example><button autofocus>Log in</button></form>",
    "template": "{{ 7*7 }}{% include '/etc/passwd' %}${7*7}#{7*7}",
    "entities": "&lt;script&gt;&#x3c;img src=x onerror=pwned=1&#x3e;",
    "ansi": "\x1b[31mred\x1b]0;title\x07\x9b2J\x08\x08",
    "bidi": "\u202egnp.exe\u2066\u200b\u200f\ufeff\u2028\u2029",
    "null-bytes": "before\x00after\x01\x7f\x80",
    "stacked-marks": "Z" + "\u0335\u0489\u20dd" * 300,
    "very-long-line": "x<b>" * 2_500_000,
}
HARMFUL = """(main) => {
  const all = Array.from(main.querySelectorAll("*"));
  const forbidden = "img, iframe, object, embed, base, meta, link, style, textarea, script:not([type='application/json'])";
  const asked = (name) => name.startsWith("on") || name === "style" || name === "autofocus";
  const leading = (each) => each.tagName === "A" && !["http:", "https:", ":"].includes(each.protocol);
  const harmful = (each) => each.matches(forbidden) || each.getAttributeNames().some(asked) || leading(each);
  return [...all.filter(harmful).map((each) => each.outerHTML.slice(0, 100)), ...(window.pwned ? ["it ran"] : [])];
}"""
UNSEEN = "\x00\x07\x08\x1b\x7f\x80\x9b\u200b\u200f\u202e\u2066\u2028\u2029\ufeff"
MOST_BYTES = 2_000_000
"""Of a page, however long what it shows."""


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite for each kind of text, which stands wherever one's own text can stand."""
    folder = tmp_path_factory.mktemp("hostile")
    for kind, text in HOSTILE.items():
        short = text[:200]
        for name in (short, f"other than {kind}"):
            said = [
                Said(item, short, subgroups={short: short}, perturbation=copy) for item in range(3) for copy in (None, short)
            ]
            scored_run(folder / kind, name, [*said, Said(3, text, gold=text)], f"{kind} {short}")
    return folder


@pytest.fixture(scope="session")
def hostile_pages(hostile: Path) -> Iterator[str]:
    with pages_of(hostile, cwd=hostile) as address:
        yield address


@pytest.fixture(scope="session")
def catalog(hostile: Path) -> Catalog:
    return open_catalog([hostile])


def addresses(catalog: Catalog, kind: str) -> Iterator[Address]:
    """Every kind of page on which the texts of a suite stand."""
    entry, other, *_ = [entry for entry in catalog.entries if entry.suite == kind]
    (candidate,) = [each for each in catalog.candidates if entry in each.entries]
    (scenario,) = [each for each in catalog.scenarios if entry in each.entries]
    yield Address("overview").but(suite=kind)
    yield Address("scenario", scenario.slug)
    yield Address("model", candidate.slug)
    yield Address("run", entry.slug)
    yield Address("instances", entry.slug).but(text=HOSTILE[kind][:20].strip("\x00\x01\x7f\x80"))
    yield Address("instance", entry.slug).but(id="item0003", **{"with": other.slug})
    yield Address("compare").but(suite=kind, failures="yes")
    yield Address("efficiency").but(suite=kind)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_is_only_text(opened: Opened, hostile_pages: str, catalog: Catalog, kind: str) -> None:
    page = opened(hostile_pages)
    for address in addresses(catalog, kind):
        answer = page.goto(hostile_pages + Served().href(address))
        assert answer is not None
        assert answer.ok, f"{address.page}: {answer.status}"
        assert len(answer.body()) < MOST_BYTES, address.page
        assert page.locator("main").evaluate(HARMFUL) == [], address.page
        assert page.locator("h1").is_visible()
        assert not set(page.locator("main").inner_text()) & set(UNSEEN), address.page


def test_a_script_stands_there_to_be_read(opened: Opened, hostile_pages: str, catalog: Catalog) -> None:
    entry = next(entry for entry in catalog.entries if entry.suite == "script")
    page = opened(hostile_pages + Served().href(Address("instance", entry.slug).but(id="item0003")))
    assert HOSTILE["script"] in page.locator("main").inner_text()


def test_what_is_hidden_is_shown_as_what_it_is(opened: Opened, hostile_pages: str, catalog: Catalog) -> None:
    entries = {entry.suite: entry for entry in catalog.entries}
    shown = {"ansi": "\\x1b[31mred", "bidi": "\\u{202e}gnp.exe", "null-bytes": "before\\x00after"}
    for kind, text in shown.items():
        page = opened(hostile_pages + Served().href(Address("instance", entries[kind].slug).but(id="item0003")))
        assert text in page.locator("main").inner_text()


def test_a_very_long_text_can_be_read_to_its_end(opened: Opened, hostile_pages: str, catalog: Catalog) -> None:
    entry = next(entry for entry in catalog.entries if entry.suite == "very-long-line")
    page = opened(hostile_pages + Served().href(Address("instance", entry.slug).but(id="item0003")))
    first = len(page.content())
    follow(page, page.locator("main a", has_text="Read on").first)
    assert "start=" in page.url
    assert len(page.content()) < first + 100_000
    assert page.locator("main a", has_text="Earlier").count()


def test_what_is_asked_for_in_an_address_is_text_too(opened: Opened, hostile_pages: str, catalog: Catalog) -> None:
    entry = catalog.entries[0]
    for address in (
        Address("model", HOSTILE["image"]),
        Address("overview").but(metric=HOSTILE["script"]),
        Address("instances", entry.slug).but(text=HOSTILE["attribute"]),
        Address("decide", "../../etc/passwd"),
    ):
        page = opened("about:blank", script=False)
        answer = page.request.get(hostile_pages + Served().href(address))
        assert answer.status in (200, 400, 404)
        page.set_content(answer.text())
        assert page.locator("main").evaluate(HARMFUL) == []

"""Pages that people read, as blocks: written as Markdown or as one HTML file, every text of others made harmless."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.tables.drawing import Table
from assay.text import one_line, visible


@dataclass(frozen=True)
class Heading:
    """A title; level 1 is the page's own."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several, on one line."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list; each item on one line."""

    items: Sequence[str]


@dataclass(frozen=True)
class Quote:
    """What a person wrote, line by line."""

    text: str


@dataclass(frozen=True)
class Code:
    """A file as it was written."""

    text: str


@dataclass(frozen=True)
class Rows:
    """A table; without a header, its first column names what stands in the second."""

    rows: Sequence[Sequence[str]]
    header: Sequence[str] = ()


Block = Heading | Paragraph | Bullets | Quote | Code | Rows
LONGEST = 200_000
"""Characters of a file that are shown."""


def markdown(blocks: Sequence[Block]) -> str:
    """The page in Markdown: no text in it can become markup, a link, HTML or a command to a terminal."""
    return "\n\n".join(map(_as_markdown, blocks)) + "\n"


def _as_markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escaped(text)}"
        case Paragraph(text):
            return escaped(text)
        case Bullets(items):
            return "\n".join(f"- {escaped(item)}" for item in items)
        case Quote(text):
            return "\n".join(f"> {escaped(line)}".rstrip() for line in text.splitlines() or [""])
        case Code(text):
            shown = visible(text, LONGEST).rstrip("\n")
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
            return f"{fence}\n{shown}\n{fence}"
        case Rows(rows, header):
            cells = [[escaped(cell) for cell in row] for row in rows]
            titles = [escaped(title) for title in header] or [" "] * len(cells[0])
            return Table("", titles, cells, keys=len(titles)).markdown().rstrip("\n")


def escaped(text: str) -> str:
    """A text as one line of Markdown that reads as it stands."""
    plain = html.escape(one_line(text, LONGEST), quote=False).replace("|", "&#124;")
    plain = re.sub(r"[\\`*~]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])", lambda found: f"\\{found[0]}", plain)
    return re.sub(r"^(?:[-+=#]|\d(?=\d*[.)](?:\s|$)))", lambda found: f"&#{ord(found[0])};", plain)


POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may do for the page: nothing but style it."""


def html_page(title: str, blocks: Sequence[Block]) -> str:
    """The page as one HTML file that runs nothing and loads nothing."""
    body = "\n".join(map(_as_html, blocks))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_safe(title)}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }}
body {{ color: #1a1a1a; background: #fff }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
th, td {{ border-bottom: 1px solid #ccc; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top }}
pre, td {{ overflow-wrap: anywhere; white-space: pre-wrap }}
blockquote {{ border-left: 3px solid #999; margin-left: 0; padding-left: 1rem }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _as_html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_safe(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_safe(text)}</p>"
        case Bullets(items):
            return "<ul>\n" + "\n".join(f"<li>{_safe(item)}</li>" for item in items) + "\n</ul>"
        case Quote(text):
            return "<blockquote>" + "<br>\n".join(_safe(line) for line in text.splitlines()) + "</blockquote>"
        case Code(text):
            return f"<pre>{html.escape(visible(text, LONGEST))}</pre>"
        case Rows(rows, header):
            head = "<tr>" + "".join(f'<th scope="col">{_safe(title)}</th>' for title in header) + "</tr>\n" if header else ""
            lines = ("<tr>" + "".join(f"<td>{_safe(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table>\n{head}" + "\n".join(lines) + "\n</table>"


def _safe(text: str) -> str:
    return html.escape(one_line(text, LONGEST))

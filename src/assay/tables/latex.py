"""A table in LaTeX, as journals print them: rules of the package `booktabs`, names left, numbers right.

Whatever stands in it is text: nothing that a model, a data set or a user wrote can become a command of TeX.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.tables.drawing import Table
from assay.text import one_line

WRITTEN = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "`": r"\textasciigrave{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''", "…": r"\ldots{}", "–": "--", "—": "---",
    "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "∞": r"$\infty$",
    "→": r"$\to$", "²": "$^2$", "\u00a0": "~",
}  # fmt: skip
"""Signs that mean something to TeX, or that its standard fonts lack, and how they are written."""
INDENT = "  "
"""Before the names of rows that stand below a heading."""


def latex(table: Table) -> str:
    """The table as a float with its title as caption and its notes below.

    A row that holds nothing but its name is a heading of those below. Letters beyond Latin need XeLaTeX or LuaLaTeX.
    """
    width = len(table.header)
    sides = "".join("l" if column < table.keys else "r" for column in range(width))
    rows: list[str] = []
    for row in table.rows:
        if width > 1 and not any(row[1:]):
            rows += [*([r"\addlinespace"] if rows else []), rf"\multicolumn{{{width}}}{{l}}{{\textbf{{{escaped(row[0])}}}}} \\"]
        else:
            rows.append(_row(row))
    notes = [rf"{{\footnotesize {escaped(note)}\par}}" for note in table.notes]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escaped(table.title)}}}"] if table.title else []),
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _row(table.header),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        *([r"\par\medskip", *notes] if notes else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text as TeX prints it, on one line."""
    return "".join(WRITTEN.get(character, character) for character in one_line(text))


def _row(cells: Sequence[str]) -> str:
    first = cells[0]
    # After the end of a row, a bracket or a star would be read as an option of it.
    before = r"\quad " if first.startswith(INDENT) else "{}" if first.lstrip().startswith(("[", "*")) else ""
    return before + " & ".join(map(escaped, cells)) + r" \\"

"""Tables in LaTeX: what stands in them is text, and what they say is all there."""

from __future__ import annotations

import re
import shutil
import string
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tables import Table
from assay.tables.latex import escaped, latex

HOSTILE = Table(
    f"Title {string.punctuation}",
    ["candidate", "a_b", "x & y"],
    [
        ["heading 100 %", "", ""],
        [r"  \input{/etc/passwd}\end{table}", "0.53 [0.41, 0.64]", "–"],
        ["*star", "−1", "^^5c"],
        ["[3cm]", "[?]", "\x1b[31m\u202e"],
    ],
    notes=["…: 95 % interval $x$", "second"],
)


def test_the_table_has_rules_sides_headings_and_notes() -> None:
    said = latex(HOSTILE).splitlines()
    assert r"\begin{tabular}{lrr}" in said
    assert r"candidate & a\_b & x \& y \\" in said
    assert r"\multicolumn{3}{l}{\textbf{heading 100 \%}} \\" in said
    assert [line for line in said if line in (r"\toprule", r"\midrule", r"\bottomrule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]
    assert r"{}*star & $-$1 & \textasciicircum{}\textasciicircum{}5c \\" in said
    assert any(line.startswith("{}[3cm] & ") for line in said)
    assert r"{\footnotesize \ldots{}: 95 \% interval \$x\$\par}" in said


def test_nothing_written_in_a_cell_is_a_command() -> None:
    said = latex(HOSTILE)
    assert r"\input" not in said
    assert said.count(r"\end{table}") == 1
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_a_table_without_a_title_has_no_caption_and_two_headings_are_apart() -> None:
    said = latex(Table("", ["candidate", "value"], [["a", ""], ["  b", "1"], ["c", ""], ["  d", "2"]]))
    assert r"\caption" not in said
    assert said.count(r"\addlinespace") == 1


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_every_special_sign_is_written_so_that_tex_prints_it(text: str) -> None:
    commands = re.sub(r"\\(text[a-z]+|ldots)\{\}|\\[&%$#_{}]|\$(\\[a-z]+|-|\^2)\$|~", "", escaped(text))
    assert not set(commands) & set("\\&%$#_{}^")


def test_tex_itself_takes_it(tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("no pdflatex on this machine")
    document = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(f"{document}\n{latex(HOSTILE)}\n\\end{{document}}\n", "utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]

r"""Answers of mathematics problems, written in LaTeX or plainly: found, brought into one form, and compared by value.

Two answers are equal if they have the same value (\frac{1}{2}, 1/2, 0.5; 3\sqrt{4} and 6), or the same form after everything
that is only dress has gone: dollar signs, spacing, \left and \right, \text, units, degrees, percent signs, "x =" before the
answer. Tuples and intervals are compared part by part in order, sets and bare lists in any order. Algebra is not done: x(x+1)
and x^2+x are not equal. The problems with this form of answer are those of Hendrycks et al. 2021, arXiv 2103.03874.
"""

from __future__ import annotations

import re

from assay.metrics.expressions import same_value, value_of

LONGEST = 1000
"""Characters: longer answers are compared as they are written."""

_box = re.compile(r"\\f?box(?:ed)?\s*")
_bare = re.compile(r"[^\s$,;]+")
_brace = re.compile(r"\\.|[{}]", re.DOTALL)
"""Braces, and what a backslash escapes, which is none."""
_spacing = re.compile(r"\\[,;:!>]|\\(?:quad|qquad|displaystyle|limits|left|right|[bB]igg?[lrm]?)(?![a-zA-Z])|\\ |~|\u00a0")
_wrapper = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|mbox|operatorname)\s*\{([^{}]*)\}")
_unit_text = re.compile(r"(?<=[\w})\]])\s*\\(?:text|textrm|mathrm|mbox)\s*\{\s*[^{}()\d]*\}\s*(?:\^\s*\{?\d\}?)?\.?$")
_unit_word = re.compile(
    r"(?<=[\d})])(?:\s+(?:m|g|in)\b|\s*(?:(?:square|cubic|sq|cu)\.?\s+)?(?:cm|mm|km|ft|kg|mg|lbs?|mph|units?|inch(?:es)?|f(?:oo|ee)t|"
    r"yards?|miles?|(?:centi|milli|kilo)?met(?:er|re)s?|(?:kilo)?grams?|pounds?|ounces?|lit(?:er|re)s?|seconds?|minutes?|"
    r"hours?|days?|weeks?|months?|years?|degrees?|dollars?|cents?|percent|points?|people|students|ways))"
    r"(?:\s*\^\s*\{?\d\}?)?\.?$",
    re.IGNORECASE,
)
_degrees = re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\degree|°")
_short_fraction = re.compile(r"\\frac\s*(?:\{([^{}]*)\}|(\w))\s*(?:\{([^{}]*)\}|(\w))")
_short_root = re.compile(r"\\sqrt\s*(\w)")
_thousands = re.compile(r"(?<=\d)(?:,|\{,\})(?=\d{3}(?!\d))")
_grouped = re.compile(r"-?\d{1,3}(?: \d{3})+(?:\.\d+)?")
_mixed = re.compile(r"(?<![\w.])(\d+)\s+(\d+)\s*/\s*(\d+)(?![\w.])")
_between_digits = re.compile(r"(?<=\d)\s+(?=[\d.])")
_named = re.compile(r"^[a-zA-Z](?:_\{?\w+\}?)?(?:\([a-z]\))?\s*(?:=|\\in(?![a-z]))\s*(?=\S)")
_option = re.compile(r"\(([A-Za-z])\)")
_symbols = {
    r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\cfrac": r"\frac", r"\neq": r"\ne", r"\leq": r"\le", r"\geq": r"\ge",
    r"\times": r"\cdot", r"\$": "", r"\%": "", "%": "", "$": "", r"\lbrace": r"\{", r"\rbrace": r"\}", r"\(": "", r"\)": "",
    r"\[": "", r"\]": "", "−": "-", "×": r"\cdot", "·": r"\cdot", "π": r"\pi", "∞": r"\infty", "√": r"\sqrt", "∪": r"\cup",
}  # fmt: skip
_symbol = re.compile("|".join(re.escape(written) for written in sorted(_symbols, key=len, reverse=True)))


def last_box(text: str) -> str | None:
    r"""What stands in the last complete \boxed{…} or \fbox{…}, braces nested to any depth; `None` where there is none."""
    boxes = list(_box.finditer(text))
    closings = _closings(text, boxes[0].end()) if boxes else {}
    for found in reversed(boxes):
        start = found.end()
        if text[start : start + 1] == "{":
            if start in closings:
                return text[start + 1 : closings[start]].strip()
        elif found[0].startswith("\\boxed") and found[0] != "\\boxed" and (bare := _bare.match(text, start)):
            return bare[0].rstrip(".")
    return None


def _closings(text: str, start: int) -> dict[int, int]:
    """For each opening brace from `start` on that is closed: the place of the brace that closes it."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for brace in _brace.finditer(text, start):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            found[opened.pop()] = brace.start()
    return found


def canonical(text: str) -> str:
    """An answer without its dress and without white space."""
    text = _spacing.sub(" ", text)
    text = _symbol.sub(lambda found: _symbols[found[0]], text)
    text = _degrees.sub("", text).strip().rstrip(".").strip()
    text = _unit_text.sub("", text)
    text = _wrapper.sub(lambda found: found[1], text).strip()
    text = _unit_word.sub("", text)
    text = _named.sub("", text)
    for _ in range(4):  # fractions within fractions
        text = _short_fraction.sub(lambda m: rf"\frac{{{m[1] if m[1] is not None else m[2]}}}{{{m[3] or m[4] or ''}}}", text)
    text = _short_root.sub(r"\\sqrt{\1}", text)
    text = _thousands.sub("", text) if text[:1] not in "([{\\" else text.replace("{,}", "")
    text = text.replace(" ", "") if _grouped.fullmatch(text) else _mixed.sub(r"\1\\frac{\2}{\3}", text)
    text = "".join(_between_digits.sub("#", text).split())  # "1 2" is not 12
    option = _option.fullmatch(text)
    text = option[1] if option else text
    return text.casefold() if text.isalpha() and len(text) > 1 else text


def equivalent(reference: str, prediction: str) -> bool:
    """Whether two answers are the same; an answer without content equals none."""
    if not reference.strip() or not prediction.strip():
        return False
    if max(len(reference), len(prediction)) > LONGEST:
        return reference.strip() == prediction.strip()
    wanted, given = canonical(reference), canonical(prediction)
    return bool(wanted) and bool(given) and _same(wanted, given)


def _same(wanted: str, given: str) -> bool:
    if wanted == given:
        return True
    wanted_parts, given_parts = _parts(wanted), _parts(given)
    if wanted_parts is None and given_parts is None:
        return same_value(value_of(wanted), value_of(given))
    if wanted_parts is None or given_parts is None or wanted_parts[0] != given_parts[0]:
        return False
    brackets, parts = wanted_parts
    others = list(given_parts[1])
    if len(parts) != len(others):
        return False
    if brackets[:1] in ("(", "["):
        return all(_same(one, other) for one, other in zip(parts, others, strict=True))
    for part in parts:
        place = next((place for place, other in enumerate(others) if _same(part, other)), None)
        if place is None:
            return False
        del others[place]
    return True


def _parts(text: str) -> tuple[str, list[str]] | None:
    r"""The brackets around a tuple, interval or set (none for a bare list) and its parts; `None` for a single answer."""
    brackets, inner = "", text
    for opening, closings in ((r"\{", (r"\}",)), ("(", (")", "]")), ("[", ("]", ")"))):
        for closing in closings:
            if text.startswith(opening) and text.endswith(closing) and _is_one(text, len(opening), len(closing)):
                brackets, inner = opening + closing, text[len(opening) : -len(closing)]
    parts, depth, start = [], 0, 0
    for place, character in enumerate(inner):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth <= 0:
            parts.append(inner[start:place])
            start = place + 1
    parts.append(inner[start:])
    is_set = brackets.startswith("\\")
    return (brackets, parts) if len(parts) > 1 or is_set else None


def _is_one(text: str, opening: int, closing: int) -> bool:
    """Whether the first bracket is closed by the last, as in "(1,2)" and not in "(1,2)(3,4)"."""
    depth = 1
    for character in text[opening : len(text) - closing]:
        depth += (character in "([{") - (character in ")]}")
        if depth < 1:
            return False
    return True

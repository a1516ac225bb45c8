r"""The value of a written number: sums, products, powers, fractions and roots of numbers, in LaTeX or plain notation.

Rational values are exact (`Fraction`), others floating-point. Anything with a letter in it has no value here. The grammar:

    sum = product (("+" | "-") product)*        product = power (("*" | "/" | \cdot | nothing) power)*
    power = sign* atom ("^" ("{" sum "}" | sign* atom))?
    atom = number | "(" sum ")" | "{" sum "}" | \frac{sum}{sum} | \sqrt[sum]{sum} | \pi
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

Value = Fraction | float
LARGEST_EXPONENT = 64
MOST_DIGITS = 100
DEEPEST = 40

_tokens = re.compile(r"\\frac|\\sqrt|\\cdot|\\pi|\d+\.?\d*|\.\d+|[-+*/^(){}\[\]]|(.)", re.DOTALL)


def value_of(text: str) -> Value | None:
    """The value of an expression, or `None` where it has none that can be known: letters, division by zero, huge powers."""
    tokens = []
    for found in _tokens.finditer(text):
        if found[1] is not None or len(found[0]) > MOST_DIGITS:
            return None
        tokens.append(found[0])
    try:
        reader = _Reader(tokens)
        value = reader.sum()
    except (_Unreadable, ZeroDivisionError, OverflowError, ValueError):
        return None
    return value if reader.place == len(tokens) else None


def same_value(first: Value | None, second: Value | None) -> bool:
    """Whether two known values are equal: exactly where both are rational, else to nine digits."""
    if first is None or second is None:
        return False
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first == second
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


class _Unreadable(Exception):
    """The text is no expression of numbers."""


class _Reader:
    """Reads tokens from left to right; each method reads one rule of the grammar."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        """Step over the next token if it is one of these."""
        if self.next in wanted and self.next:
            self.place += 1
            return True
        return False

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            raise _Unreadable

    def sum(self) -> Value:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Unreadable
        total = self.product()
        while self.next in ("+", "-"):
            if self.take("+"):
                total = total + self.product()
            else:
                self.expect("-")
                total = total - self.product()
        self.depth -= 1
        return total

    def product(self) -> Value:
        total = self.power()
        while True:
            if self.take("*", "\\cdot"):
                total = total * self.power()
            elif self.take("/"):
                total = total / self.power()
            elif self.next in ("(", "{", "\\frac", "\\sqrt", "\\pi"):
                total = total * self.power()
            else:
                return total

    def power(self) -> Value:
        sign = self.sign()
        base = self.atom()
        if self.take("^"):
            exponent = self.sign() * self.atom()
            if abs(exponent) > LARGEST_EXPONENT:
                raise _Unreadable
            raised = base**exponent
            if isinstance(raised, complex):
                raise _Unreadable
            base = raised
        return sign * base

    def sign(self) -> int:
        sign = 1
        while self.next in ("+", "-"):
            sign = -sign if self.next == "-" else sign
            self.place += 1
        return sign

    def atom(self) -> Value:
        token = self.next
        self.place += 1
        if token and (token[0].isdecimal() or token[0] == "."):
            return Fraction(token) + (self.group_fraction() if self.is_mixed() else 0)
        if token == "\\pi":
            return math.pi
        if token in ("(", "{"):
            inner = self.sum()
            self.expect(")" if token == "(" else "}")
            return inner
        if token == "\\frac":
            self.place -= 1
            return self.group_fraction()
        if token == "\\sqrt":
            return self.root()
        raise _Unreadable

    def is_mixed(self) -> bool:
        """Whether a whole number was just read and a fraction of whole numbers follows, as in 3\\frac{1}{2}."""
        before = self.tokens[self.place - 2 : self.place - 1] if self.place > 1 else []
        ahead = self.tokens[self.place : self.place + 7]
        shape = [token if not token.isdecimal() else "1" for token in (self.tokens[self.place - 1], *ahead)]
        return before != ["^"] and shape == ["1", "\\frac", "{", "1", "}", "{", "1", "}"]

    def group_fraction(self) -> Value:
        self.expect("\\frac")
        return self.group() / self.group()

    def root(self) -> Value:
        degree: Value = Fraction(2)
        if self.take("["):
            degree = self.sum()
            self.expect("]")
        inside = self.group()
        if inside < 0 or degree <= 0:
            raise _Unreadable
        root = float(inside) ** (1 / float(degree))
        nearest = Fraction(round(root))
        exact = degree == int(degree) and degree <= LARGEST_EXPONENT and nearest ** int(degree) == inside
        return nearest if exact else root

    def group(self) -> Value:
        self.expect("{")
        inner = self.sum()
        self.expect("}")
        return inner

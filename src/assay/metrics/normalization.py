r"""Making two ways of writing the same answer equal: case, punctuation, articles and white space.

Words (`words`) are compared as in SQuAD (Rajpurkar et al. 2016, arXiv 1606.05250): all punctuation goes, but a number keeps its
sign and its decimal point ("-5" is not "5", "3.14" is not "314").

Whole answers (`forms`, which HELM calls "quasi") keep besides every symbol that carries meaning:

- `+ < > = % / ^ |` and brackets, wherever they stand: A+, C++, x < 0, 50%, 1/2, f(x), [0, 1), a|b. White space around operators
  does not count. A pair of round brackets around a whole answer of letters and digits goes ("(B)"), and so does a slash at
  either end;
- `-` as a sign, a mark or a minus (-5, -sin x, A-, 3-4, x - 1). Where a word of two letters or more ends or begins at it, it is
  a hyphen and goes ("well-known", "2-year"), and so does a dash between words;
- `.` `,` `:` between digits, unless the comma separates thousands: 3.14, 1,5 and 3:45, but 1,000 is 1000;
- `*` and `·` between what they multiply, `#` on a word (C#), primes, the per mille sign.

Everything else that is punctuation in any script goes, dollars and apostrophes too ("don't" is "dont"). An article goes where a
word follows it ("the cat", not "vitamin A"), and a text of nothing but articles or punctuation keeps them.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from assay.text import folded

_articles = re.compile(r"\b(?:a|an|the)\b")
_article_of_word = re.compile(r"(?<!\S)(?:a|an|the) (?=\w)|\A(?:a|an|the)\Z")
_punctuation = re.compile(rf"(?P<kept>(?<![\w.])(?:[-−]\.?|\.)(?=\d)|(?<=\d)\.(?=\d))|[{re.escape(string.punctuation)}]")
_thousands = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3}){1,9}(?![,\d])")
_meaningless = re.compile(  # it begins with all that it may remove, so that text without any is passed over quickly
    r"""[!"$&'?;@\\_`~.,:*·\#/-]
        (?: (?<=[!"$&'?;@\\_`~])
          | (?<=\.)(?!\d) | (?<=[^\W\d]\.) | (?<=\.\.)                 # a point that is no decimal one
          | (?<=[,:])(?!\d) | (?<=[,:])(?<!\d.)
          | (?<=[*·])(?!\w) | (?<=[*·])(?<!\w.)
          | (?<=\#)(?!\w)(?<!\w.)
          | (?<=-)(?=-) | (?<=--)
          | (?<=[^\W\d_]{2}-)(?=\w) | (?<=\w-)(?=[^\W\d_]{2})          # a hyphen
          | (?<=-)(?<!\S.)(?:(?!\S)(?<![\d)\]}]\ .)(?<!\b\w\ .) | (?=\ \w{2}|\Z))  # a dash
          | (?<=/)(?<!..) | (?<=/)(?=/{0,3}\Z))""",
    re.VERBOSE,
)
_bracketed = re.compile(r"\A\(([\w ]*)\)\Z")
_spaced = re.compile(r" (?=[<>=^|/])|(?<=[<>=^|/]) | (?=\+ )|(?<= \+) |(?<=\d) (?=%)")
_HELD = "′″‴‰"
"""Punctuation, as Unicode has it, that carries meaning."""

Forms = tuple[str, str, str]


@lru_cache(maxsize=1024)  # several metrics compare the same texts
def forms(text: str) -> Forms:
    """The answer in three forms, most normalised first: without articles; with them; only folded and squeezed.

    Which form to compare is the reference's matter: the first in which the reference is not empty.
    """
    plain = squeeze(folded(text)) or squeeze(text)  # what is invisible is itself where there is nothing else
    bare = squeeze(without_marks(plain))
    return squeeze(_article_of_word.sub("", bare)), bare, plain


@lru_cache(maxsize=1024)
def words(text: str) -> Forms:
    """The words of a text in the same three forms."""
    lowered = text.lower()
    bare = without_punctuation(lowered)
    return squeeze(_articles.sub(" ", bare)), squeeze(bare), squeeze(lowered)


def without_marks(text: str) -> str:
    """The text without the punctuation that carries no meaning; see the head of this module."""
    if "," in text:
        text = _thousands.sub(lambda number: number[0].replace(",", ""), text)
    kept = _meaningless.sub("", text).strip()
    if not kept.isascii():
        kept = "".join(c for c in kept if c.isascii() or c in _HELD or unicodedata.category(c)[0] != "P")
    return _bracketed.sub(r"\1", _spaced.sub("", kept))


def without_punctuation(text: str) -> str:
    """The text without punctuation; signs and decimal points of numbers stay."""
    kept = _punctuation.sub(lambda mark: (mark["kept"] or "").replace("−", "-"), text)
    return kept if kept.isascii() else "".join(c for c in kept if c.isascii() or unicodedata.category(c)[0] != "P")


def squeeze(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def comparable(reference: str, prediction: str, in_forms: Callable[[str], Forms] = forms) -> tuple[str, str]:
    """Both texts in the first form in which the reference is not empty."""
    for reference_form, prediction_form in zip(in_forms(reference), in_forms(prediction), strict=True):
        if reference_form:
            return reference_form, prediction_form
    return "", squeeze(prediction)

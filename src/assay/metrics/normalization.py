"""Making two ways of writing the same answer equal: case, punctuation, articles and white space.

The steps are those of SQuAD (Rajpurkar et al. 2016, arXiv 1606.05250), which HELM calls "quasi", with three repairs:
punctuation of every script is dropped, a number keeps its sign and its decimal point ("-5" is not "5", "3.14" is not
"314"), and a text that consists of nothing but articles or punctuation keeps them (option "A" is not empty).
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache

_articles = re.compile(r"\b(?:a|an|the)\b")
_sign = re.compile(r"(?<![\w.])[-−](?=\.?\d)")
_point = re.compile(r"(?<=\d)\.(?=\d)|(?<![\w.])\.(?=\d)|(?<=\ue000)\.(?=\d)")
_ascii_punctuation = str.maketrans("", "", string.punctuation)
_restored = str.maketrans({"\ue000": "-", "\ue001": "."})  # private-use characters hold what a number keeps


@lru_cache(maxsize=1024)  # several metrics compare the same texts
def forms(text: str) -> tuple[str, str, str]:
    """The text in three forms, most normalised first: without articles; with them; only lower-cased and squeezed.

    Which form to compare is the reference's matter: the first in which the reference is not empty.
    """
    lowered = text.lower()
    bare = without_punctuation(lowered)
    return squeeze(_articles.sub(" ", bare)), squeeze(bare), squeeze(lowered)


def without_punctuation(text: str) -> str:
    """The text without punctuation; signs and decimal points of numbers stay."""
    held = _point.sub("\ue001", _sign.sub("\ue000", text))
    kept = held.translate(_ascii_punctuation)
    if not kept.isascii():
        kept = "".join(character for character in kept if character.isascii() or unicodedata.category(character)[0] != "P")
    return kept.translate(_restored)


def squeeze(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def comparable(reference: str, prediction: str) -> tuple[str, str]:
    """Both texts in the first form in which the reference is not empty."""
    for reference_form, prediction_form in zip(forms(reference), forms(prediction), strict=True):
        if reference_form:
            return reference_form, prediction_form
    return "", squeeze(prediction)

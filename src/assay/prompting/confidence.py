"""How sure a model is, where its log-probabilities do not tell: stated by itself, or as agreement among its samples.

*Stated*: the prompt asks for it behind the answer, and the number is read from the completion (Tian et al. 2023,
arXiv 2305.14975; Xiong et al. 2024, arXiv 2306.13063). *Agreement*: the share of the sampled completions that read like the
prediction (Wang et al. 2023, arXiv 2203.11171; Lyu et al. 2025, arXiv 2402.13904).

A prompting's setting `confidence` says which: `auto` takes log-probabilities where the model gives them, else the agreement of
the samples where several were drawn, and leaves the first completion the prediction; `stated` asks for a number and takes
nothing else; `agreement` makes the answer that most samples give the prediction. Sources are never mixed for one answer, and
the answer names its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from assay.prompting.extractors import Found, found, nothing

if TYPE_CHECKING:
    from assay.prompting.base import Prompting

ConfidenceSetting = Literal["auto", "stated", "agreement"]

ASIDE = (
    "After your answer, write on a line of its own how likely it is that your answer is correct, in percent, in the form "
    '"Confidence: NN%".\n'
)
"""What a prompt that asks for a stated confidence says between the question and the place of the answer."""
ROOM = 24
"""Tokens more than the answer's own that a completion with a stated confidence may have."""

_SURE = (
    r"(?:confidence|confident|certainty|certain|sure|probability|likelihood|likely|konfidenz|sicherheit|confianza|confiance)"
)
_AMOUNT = (
    r"(?P<{0}>\d{{1,3}}(?:[.,]\d{{1,6}})?|\.\d{{1,6}})\s?"
    r"(?:\\?(?P<{0}percent>%|％|percent\b|per\scent\b)|(?:/|out\sof)\s?(?P<{0}of>\d{{1,3}})\b)?"
)
_STATED = re.compile(
    rf"[*_#>(\[]{{0,4}}\b{_SURE}(?:\s(?:level|score|rating|estimate|in\s(?:this|my)\sanswer))?[*_\"]{{0,4}}\s?(?:is|of|:|：|=|-|–)?"
    rf"[\s*_\"'`(\[$~≈]{{0,6}}(?:about\s|around\s|approximately\s)?(?<![\d.-]){_AMOUNT.format('after')}(?![\d.]*\d)[*_\"`)\]$.]{{0,4}}"
    rf"|(?<![\d.-]){_AMOUNT.format('before')}\s(?:{_SURE})\b[^\n]{{0,60}}",
    re.IGNORECASE,
)


def stated_confidence(text: str) -> Found[float]:
    """The confidence stated last, as a probability: `80%`, `80 percent`, `0.8`, `4/5` or `8 out of 10`, with a word for it.

    A number up to 1 without a unit is a probability, a larger one a percentage. Words ("high") and numbers out of range say
    nothing. The span covers the whole statement, so that an answer can be read without it.
    """
    for match in reversed(list(_STATED.finditer(text))):
        side = "after" if match["after"] else "before"
        amount = float(match[side].replace(",", "."))
        if match[side + "percent"]:
            amount /= 100
        elif match[side + "of"]:
            amount = amount / int(match[side + "of"]) if int(match[side + "of"]) else 2.0
        elif amount > 1:
            amount /= 100
        if amount <= 1:
            return found("stated_confidence", amount, match.start(), match.end())
    return nothing("stated_confidence")


def split_statement(text: str) -> tuple[str, float | None]:
    """The text with the statement of confidence blanked out, its length kept, and the confidence."""
    statement = stated_confidence(text)
    start, end = statement.reading.start, statement.reading.end
    if start is None or end is None:
        return text, None
    return text[:start] + " " * (end - start) + text[end:], statement.value


Asking = TypeVar("Asking", bound="Prompting")


def asking_confidence(prompting: Asking) -> tuple[Asking, str]:
    """The prompting as it asks, and what it says between the question and the place of the answer.

    Where a stated confidence is asked for, the completion may be longer, and stop sequences that are nothing but white space
    are left out: the confidence stands on a line of its own.
    """
    if getattr(prompting, "confidence", "auto") != "stated":
        return prompting, ""
    stop = tuple(text for text in prompting.stop if text.strip())
    return msgspec.structs.replace(prompting, max_tokens=prompting.max_tokens + ROOM, stop=stop), ASIDE


def plurality(keys: Sequence[Hashable | None]) -> int:
    """The position of the first sample that gives the most frequent answer; among equally frequent ones the one given first.

    `None` stands for a sample in which no answer could be read. Where none could, it is the first sample.
    """
    counts = Counter(key for key in keys if key is not None)
    if not counts:
        return 0
    most = max(counts.values())
    return next(position for position, key in enumerate(keys) if key is not None and counts[key] == most)


def agreement(keys: Sequence[Hashable | None]) -> float | None:
    """The share of all samples that answer what the first one does; `None` where nothing could be read from that one.

    A sample from which nothing could be read agrees with none, and counts all the same.
    """
    given = keys[0] if keys else None
    return None if given is None else sum(key == given for key in keys) / len(keys)

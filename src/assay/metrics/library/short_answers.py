"""Is a short answer in free words right? "It is Paris, because …" answers what "Paris" does.

What counts is the announced answer ("Answer: …", "the answer is …", a box, a tag) where there is one, to the end of its
sentence, else the text; of a long text its beginning and its end. It is right where it equals a correct reference, or names
it in something that it asserts, as `assay.prompting.options` reads what a text says of an option. Not asserted is:

- what is denied ("It is not Paris", "Paris is wrong", "rather than Paris"): one denial anywhere, and the answer is wrong;
- what is asked or supposed ("Is it Paris?"), what others believe ("Many say Paris, but …"), what stands behind "because" or
  "unlike", and what is told of another name once the text has opened with one ("Lyon. Paris is in the north.");
- what is one of several candidates: joined to others by "or" or a slash, or an item of a list of three or more. So naming
  everything earns nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from assay.metrics.base import metric
from assay.metrics.matching import best_match
from assay.metrics.normalization import comparable
from assay.prompting.extractors import final_answer
from assay.prompting.numerals import WORDS, either
from assay.prompting.option_names import Names, by_first, names_of, tokens
from assay.prompting.option_sketch import sketch
from assay.prompting.options import Reader
from assay.records import Answer

LONG = 400
"""Characters from which on only the first and the last half of so many count."""

_PHRASES = {name: either(WORDS["phrases"][name].split("|")) for name in ("beliefs", "openers")}
_SENTENCE_END = re.compile(r"(?<=[^\s.]{2})[.!]{1,9}[\"')\]*_]{0,4}\s|(?<=\?)|[。！\n]")
_REASON = re.compile(r"(?<=.)[BE][^.\n?]*")
_JOINED = re.compile(r"(?:[wYO]|\w,)&M|M(?:,w){0,9},?&[wYO]")
_LIST = re.compile(r"[.:\n]*(?:[wM]{1,4}+[.,:;&\n]{1,4}+){2,}[wM]{1,4}[.\n]*")
"""In the sketch of a text: what gives reasons, what "or" joins, and nothing but candidates of at most four words."""
_BEFORE = re.compile(r"(?:[-+/^|#%<>=].|\b(?:between|zwischen|entre)\s.|\d[\s\u00a0](?:(?:to|and|bis|y|et|und)\s)?\d)\Z", re.I)
_BEHIND = re.compile(r"[-+/^|#%<>=]|[\s\u00a0]\d{3}\b|\s(?:to|bis)\s\d")
"""What makes of a name beside it another one: A-, -sin x, AC/DC, 12 000, between 1940 and 1945."""
_BELIEVED = re.compile(
    rf"[^.!?;,\n]{{0,80}}\b(?:{_PHRASES['beliefs']})\b(?:(?!,?\s(?:but|yet|though|actually)\b)[^.!?;\n]){{0,200}}"
    r"|\b(?:no|none) other than\b",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"[\s*_\"']{{0,6}}(?!(?i:{_PHRASES['openers']})\b)(?:[A-Z][^\W\d]{{1,20}} ?){{1,4}}[*_\"']{{0,4}}(?=(?:\.\s|\n)\s?"
    r"(?!It|Th|So|I|My|We)[A-Z][\w ]{1,40}\s(?:is|was|are|were|has|had|lies)\b)"
)
"""What others believe, and a name that is all of the first sentence: "Lyon. Paris is in the north."."""


@metric(family="accuracy")
def answer_match(answer: Answer) -> float | None:
    """1 if the announced answer, else the text, equals a correct reference, or asserts it and no other candidate; else 0."""
    unread = answer.outcome == "unparsed" and any(not reference.correct for reference in answer.references)
    return best_match(answer, (lambda _reference, _prediction: False) if unread else _says)


def _says(reference: str, prediction: str) -> bool:
    announced = final_answer(prediction).value
    said = announced or prediction
    if len(said) > LONG:
        said = f"{said[: LONG // 2]}\n{said[-LONG // 2 :]}"
    wanted, given = comparable(reference, said)
    if announced:
        said = _SENTENCE_END.split(said, maxsplit=1)[0]
    return wanted == given or _asserts(_BELIEVED.sub(" ", said.replace("…", ". ")), _named(reference))


def _asserts(said: str, names: Names) -> bool:
    """Whether a text says that something is so, denies it nowhere, and names no other candidate."""
    said = alone[0] if (alone := _ALONE.match(said)) else said
    drawn = sketch(said, names)
    reader = Reader(drawn, names)
    if reader.denied or _JOINED.search(drawn.shape) or _LIST.fullmatch(drawn.shape):
        return False
    reasons = {place for match in _REASON.finditer(drawn.shape) for place in range(*match.span())}
    asserted = {*reader.free, *(verdict.at for verdict in reader.verdicts)} - reasons
    spans = [(drawn.starts[at], drawn.ends[at]) for at in asserted]
    return any(not (_BEFORE.search(said, max(0, start - 16), start + 1) or _BEHIND.match(said, end)) for start, end in spans)


@lru_cache(maxsize=256)
def _named(reference: str) -> Names:
    """A reference as the only option, called by its text alone, with its article or without."""
    names, text = names_of((reference,), False), tokens(reference)
    own = {text, text[1:]} if len(text) > 1 and text[0] in ("a", "an", "the") else {text}
    return replace(names, first=by_first({name: 0 for name in own if name and not names.letters}))

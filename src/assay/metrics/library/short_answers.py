"""Is a short answer in free words right? "It is Paris, because …" answers what "Paris" does.

What counts is the announced answer ("Answer: …", "the answer is …", a box, a tag) where there is one, to the end of its
sentence, else the text; of a long text its beginning and its end. It is right where it equals a correct reference, or says it
as whole words (by characters in scripts without spaces) in something that it asserts. Not asserted is:

- what is denied ("It is not Paris", "Paris is wrong", "rather than Paris"): one denial anywhere, and the answer is wrong;
- what is asked ("Is it Paris?"), and what stands behind "because" or "unlike";
- what is one of several candidates: joined to others by "or" or a slash, or an item of a list of three or more. So naming
  everything earns nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay.metrics.base import metric
from assay.metrics.matching import best_match
from assay.metrics.normalization import comparable, forms
from assay.prompting.extractors import final_answer
from assay.records import Answer
from assay.text import folded

LONG = 400
"""Characters from which on only the first two and the last two sentences count."""
LONGEST = 4_000
"""Characters that are read: the first and the last half of so many."""
FEWEST_LISTED = 3
"""Items that make a list of candidates, each of at most LONGEST_ITEM words."""
LONGEST_ITEM = 4

_SENTENCE = re.compile(r"(?<=[^\s.]{2})[.!]{1,9}[\"')\]*_]{0,4}\s+|(?<=\?)|[。！\n]+")
_REASON = re.compile(
    r"\b(?:because|unlike|whereas|weil|denn|parce qu|porque|perch[ée]|omdat|потому)|因为|因為|なぜなら|왜냐하면"
)
_OR = re.compile(r"\b(?:or|oder|ou|o|lub|albo|veya|или|або|أو)\b|(?<=[^\W\d]{3})/(?=[^\W\d]{3})|或|または|もしくは|또는|혹은")
_BETWEEN = re.compile(r"[,;、，；/\n]|(?<=[^\s.]{2})[.!]\s|\b(?:and|und|et|y|e|en|и)\b")
_LEAD = re.compile(r"\W*(?:(?:well|of course|yes|no|sure|so|ok|okay|hmm|hm|in fact|i think|indeed|it is|probably)\W*)*")
_GAP = r"(?: (?!but |sondern |sino |mais |ma |mas |it |its |cest )\w{1,20}){0,3}"
_IS = r" (?:is|was|are|would be|ist|war|est|es|é|è)"
_DENIED_BEFORE = re.compile(
    r"\b(?:(?:not(?! only)|never|neither|nor|(?:is|was|are|were|does|did|do|could|would|should|ca|wo)nt|cannot|unlike|except"
    r"|rather than|instead of|other than|nicht|keine?[nrs]?|weder|statt|pas|non(?= è| e)|no(?= es| fue| era| son)|nunca|não|nem"
    r"|niet|geen|inte|nie|не|ليس|ليست)"
    rf"){_GAP} ?\Z|(?:不是|并非|並非|不应|不應)[^是而]{{0,4}}\Z"
)
_DENIED_AFTER = re.compile(
    rf"\A(?:{_IS}(?: (?:also|clearly|definitely|certainly|probably))? (?:not(?! only)|nicht)\b"
    rf"|(?:{_IS})? (?:isnt|wasnt|cannot be|cant be|wrong|incorrect|false|falsch|nest pas|faux|no es|non è|não é|incorrect[oa]"
    r"|errad[oa]|не)\b)"
    r"|\A(?:不是|是错|是錯|不对|不對|不正|ではな|じゃな|ではあり|[이가은는]? ?아[니닙])"
)
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CHARACTER = re.compile(f"[{_UNSPACED}]")
_EDGE = rf"(?:[^\W{_UNSPACED}]|[+\-/^|#%<>=])"
"""A letter or sign that makes a word another one; in scripts without spaces none does."""


@metric(family="accuracy")
def answer_match(answer: Answer) -> float | None:
    """1 if the announced answer, else the text, equals a correct reference, or asserts it and no other candidate; else 0."""
    return best_match(answer, _says)


def _says(reference: str, prediction: str) -> bool:
    announced = final_answer(prediction).value
    said = announced or prediction
    if len(said) > LONGEST:
        said = f"{said[: LONGEST // 2]}\n{said[-LONGEST // 2 :]}"
    wanted, given = comparable(reference, said)
    if wanted == given:
        return True
    if announced:
        said = _SENTENCE.split(said, maxsplit=1)[0]
    whole = forms(reference)[1]
    if not (whole in forms(said)[1] or wanted in given):
        return False
    return _asserts(said, whole) or (len(wanted) > LONGEST_ITEM and _asserts(said, wanted))


def _asserts(said: str, wanted: str) -> bool:
    """Whether a normalised text stands in what an answer asserts, and is denied nowhere in it."""
    found = False
    for claim, joined in _claims(said):
        if wanted not in claim:
            continue
        for match in _place_of(wanted).finditer(claim):
            before, after = claim[max(0, match.start() - 80) : match.start()], claim[match.end() : match.end() + 40]
            if _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after):
                return False
            found = found or joined <= len(_OR.findall(wanted))
    return found


@lru_cache(maxsize=256)
def _claims(said: str) -> tuple[tuple[str, int], ...]:
    """What an answer asserts, sentence by sentence and normalised, and how often each joins candidates by "or"."""
    text = folded(said)
    if _lists(text):
        return ()
    sentences = [part for part in _SENTENCE.split(text) if part and part.strip()]
    asserted = [part for part in sentences if not part.endswith(("?", "？"))] or sentences[:1]
    if len(text) > LONG:
        asserted = asserted[:2] + asserted[-2:]
    claims = []
    for sentence in asserted:
        reason = _REASON.search(sentence, 2)
        claim = sentence[: reason.start()] if reason else sentence
        claims.append((forms(claim)[1], len(_OR.findall(claim))))
    return tuple(claims)


def _lists(text: str) -> bool:
    """Whether a text is nothing but a list of candidates, in one sentence or line by line."""
    sentences = [part for part in _SENTENCE.split(text) if part and part.strip()]
    items = _BETWEEN.split(text) if len(sentences) == 1 else sentences
    named = [item for one in items if (item := _LEAD.sub("", one, count=1).strip(" *_-•.!?\"'"))]
    return len(named) >= FEWEST_LISTED and all(_size(item) <= LONGEST_ITEM for item in named)


def _size(text: str) -> float:
    """Words; of scripts without spaces two characters are about one."""
    return len(text.split()) + len(_CHARACTER.findall(text)) / 2


@lru_cache(maxsize=1024)
def _place_of(wanted: str) -> re.Pattern[str]:
    if _CHARACTER.search(wanted):
        return re.compile(re.escape(wanted))
    end = r"\Z" if len(wanted) == 1 else rf"(?!{_EDGE}|\(|[.,:]\d)"  # a single letter may be a word of its own
    return re.compile(rf"(?<!{_EDGE})(?<!\d[.,:]){re.escape(wanted)}{end}")

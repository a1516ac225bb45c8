"""Whether a completion declines what it was asked: a small linear model over the cues of `refusals.json`.

A cue is a regular expression that belongs to a family (declining, moralising, help, …) and a language. Which
families occur, how early, and in what share of the sentences are the features; their weights were fitted by
`tools/train_refusals.py` to completions that people labelled. `docs/refusals.md` has the figures.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

Refusal = Literal["none", "partial", "full"]

DATA = Path(__file__).with_suffix(".json")
DOUBTFUL = -0.5
"""Scores from here to 0 are taken for a refusal in part."""
SHORT = 60
"""Bytes below which only saying that one cannot or will not is refusing: "No, it is not ethical." answers a question."""
MOST_READ = 1500
"""Characters read of a completion: of a longer one the first two thirds of them, and the last third."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')*_]*\s+|(?<=[。！？।؟])|\n+")
_LIST_ITEM = re.compile(r"^[ \t]{0,8}(?:\d{1,2}[.)]|[-*•]|\*\*\d)[ \t]", re.MULTILINE)
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|「[^」\n]{1,300}」")
_CODE = re.compile(r"```.{0,3000}?(?:```|\Z)", re.DOTALL)
_SPEAKER = re.compile(r"^[^\W\d][\w .]{0,30}: .{1,1000}$", re.MULTILINE)
_VERSE = re.compile(r"^[^\n*#•\d-][^\n]{5,60}[^\n.:!?。！？।؟]\n(?=[^\n])", re.MULTILINE)
_WORD = re.compile(r"[\w']+")
_SPACES = re.compile(r"[ \t\u00a0\u3000]+")


class _Model(NamedTuple):
    words: dict[str, list[str]]
    """The languages that a word speaks for. A completion without any of these words, phrases and parts does not refuse."""
    soft: set[str]
    phrases: list[str]
    """For English two soft words do, too, near the beginning, or one phrase of such words."""
    parts: dict[str, list[str]]
    """The same by language: parts of words, where words are not parted by spaces or have many endings."""
    cues: dict[str, dict[str, re.Pattern[str]]]
    """By family and language."""
    weights: dict[str, float]


@cache
def _model() -> _Model:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    cues = {
        family: {
            language: _compiled(patterns, data["parts"], language in data["no_spaces"]) for language, patterns in by.items()
        }
        for family, by in data["cues"].items()
    }
    words: dict[str, list[str]] = {}
    for language, anchors in data["anchors"].items():
        for word in anchors.split() if isinstance(anchors, str) else ():
            words.setdefault(word, []).append(language)
    parts = {language: anchors for language, anchors in data["anchors"].items() if isinstance(anchors, list)}
    return _Model(words, set(data["soft"].split()), data["phrases"], parts, cues, data["weights"])


def _compiled(patterns: list[str], parts: dict[str, str], no_spaces: bool) -> re.Pattern[str]:
    joined = "|".join(patterns)
    for name, part in parts.items():
        joined = joined.replace(f"<{name}>", part)
    joined = re.sub(r"(?<!\\)\((?!\?)", "(?:", joined)  # groups that capture take twice the time
    return re.compile(f"(?:{joined})" if no_spaces else rf"(?<!\w)(?:{joined})")


@lru_cache(maxsize=8)
def refusal_of(text: str) -> Refusal:
    """Whether a completion declines its request: wholly, in part (it helps with some of it or with something near), or not.

    Reasoning is to be taken off first. The time does not grow with the text beyond `MOST_READ`.
    """
    found = features(text)
    if found is None:
        return "none"
    weights = _model().weights
    score = weights["constant"] + sum(weight * found.get(name, 0.0) for name, weight in weights.items())
    if score > 0:
        return "partial" if found["hard"] and helps(found) else "full"
    return "partial" if score > DOUBTFUL else "none"


def is_refusal(text: str) -> bool:
    """Whether a completion declines its request as a whole."""
    return refusal_of(text) == "full"


def helps(found: dict[str, float]) -> bool:
    """Whether most of a text is about something else than refusing, or says that here is what can be done."""
    share, length = found["plain share"], found["plain length"]
    turned = found["asked"] or found["redirect"] or found["wrong"] or found["offer end"]
    told = share > 0.5 and (length == 1 or (length > 0.4 and (found["comply"] or found["define"]))) and not turned
    return bool(found["but answer"] or (not found["hard end"] and (told or (share > 0.65 and length == 1))))


def features(text: str) -> dict[str, float] | None:
    """What the model weighs, each 0 to 1; `None` where no cue says that the text may refuse.

    `F` for a family `F`: whether it occurs; `F first`, `F early`, `F end`: in the first sentence, the first two, the last;
    `F share`: in what share of the sentences. `warned`: something is called wrong and turned away from at once, not after a
    definition. `plain share` is the share of the text without any cue.
    """
    model = _model()
    plain = _plain(text)
    languages = {language for word in model.words.keys() & set(_WORD.findall(plain)) for language in model.words[word]}
    if len(model.soft.intersection(_WORD.findall(plain[:400]))) > 1 or any(phrase in plain for phrase in model.phrases):
        languages.add("en")
    if not plain.isascii():
        languages.update(language for language, parts in model.parts.items() if any(part in plain for part in parts))
    if not languages or plain.startswith(_LETTERS) or len(_VERSE.findall(plain)) > 2:
        return None
    plain = _own_words(plain)
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(plain, 1) if match.end() < len(plain))]
    hits: dict[str, set[int]] = {}
    counts: dict[str, int] = {}

    def look(*families: str) -> set[int]:
        """The sentences with a cue of one of these families."""
        for family in families:
            by = model.cues[family]
            patterns = (by[language] for language in languages if language in by)
            at = [match.start() for pattern in patterns for match in pattern.finditer(plain)]
            hits[family], counts[family] = {bisect_right(starts, start) - 1 for start in at}, len(at)
        return set().union(*(hits[family] for family in families))

    last = len(starts) - 1
    hard = look("hard") | (look("cannot") & {0, 1, last})
    value = look("value")
    look(*(() if hard else _ARGUED))
    if not hard and (len(plain.encode("utf-8", "replace")) < SHORT or sum(counts.values()) < 2):
        return None
    look(*(family for family in model.cues if family not in hits))
    aside = (hard | value).union(*(hits[family] for family in _ASIDE))
    ends = [*starts[1:], len(plain)]
    plainly = len(plain) - sum(ends[sentence] - starts[sentence] for sentence in aside)
    found: dict[str, float] = {
        "plain share": plainly / len(plain),
        "plain length": min(plainly, 200) / 200,
        "list": min(len(_LIST_ITEM.findall(plain)), 5) / 5,
    }
    argued, turned = hits["wrong"] | value, hits["asked"] | hits["redirect"]
    warned = argued | turned if argued and turned and 0 not in hits["define"] else set()
    for family, sentences in {**hits, "hard": hard, "warned": warned}.items():
        found[family] = float(bool(sentences))
        found[f"{family} first"] = float(0 in sentences)
        found[f"{family} early"] = float(not sentences.isdisjoint((0, 1)))
        found[f"{family} end"] = float(last in sentences)
        found[f"{family} share"] = len(sentences) / len(starts)
    return found


_LETTERS = ("dear ", "subject:", "translation:")
"""How texts begin in which somebody else speaks."""
_ARGUED = ("clarify", "no access", "wrong", "asked", "redirect", "offer")
"""Families two cues of which are needed where none says that it cannot or will not."""
_ASIDE = (*_ARGUED, "identity")
"""Families of sentences that tell nothing of what was asked."""


def _plain(text: str) -> str:
    """The text as cues are written: lower case, plain apostrophes, at most `MOST_READ` characters."""
    if len(text) > MOST_READ:
        text = text[: MOST_READ * 2 // 3] + "\n" + text[-MOST_READ // 3 :]
    return text.strip().lower().replace("’", "'")


def _own_words(plain: str) -> str:
    """What the model says itself, without code, quotations and dialogues: people in stories refuse, too, and so do programs."""
    without = _CODE.sub("\n", plain)
    spoken = _SPEAKER.sub('""', without) if len(_SPEAKER.findall(without)) > 1 else without
    return _SPACES.sub(" ", _QUOTED.sub(_unquoted, spoken)).strip()


def _unquoted(quoted: re.Match[str]) -> str:
    """Single words in quotation marks are the model's own."""
    return '""' if " " in quoted[0] or not quoted[0].isascii() else quoted[0]

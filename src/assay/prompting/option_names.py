"""What the options of a question are called in a text, and the phrases that do something to them.

An option is named by its text, by what stands for it (its letter, its place in the list, the head of "Class 3: refunds", any
word for yes), in any case, with any white space, quotes, brackets and marks of emphasis around and between its words. Signs
that carry meaning count (`x < 0`, `C++`, `-5`); options that differ in nothing but case or other signs are named as they are
written. Phrases of many languages are in `data/phrases.toml`.
"""

from __future__ import annotations

import re
import string
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

Name = tuple[str, ...]
"""A name or phrase as its tokens."""
T = TypeVar("T")
ByFirst = dict[str, list[tuple[Name, T]]]
"""Names or phrases by their first token, longest first."""

SOFT = frozenset("\"'`´*_()[]{}.,:;?!“”‘’«»„·…。，、：；？！（）「」『』【】《》〈〉$\\\u200b\ufe0f") | {"~~", "[x]", "[ ]"}
"""Signs that say nothing about which option is meant, unless two options differ in nothing else."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff"
"""Letters of scripts that put no spaces between words, or join particles to them: each is a token of its own."""
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed\u0900-\u0963\u0970-\u0dff"
TOKEN = re.compile(
    rf"\d+(?:[.,]\d+){{0,9}}|[★⭐✭]+|#{{4}}(?!#)|\\[a-z]+|\[[ x]\]|~~|</?[a-z][a-z_ -]{{0,30}}>|\n\s*|[{_UNSPACED}]"
    rf"|(?:[^\W\d_{_UNSPACED}]|[{_MARKS}])+|\S"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ENUMERATED = re.compile(r"\s*[(\[]?(?:[A-Za-z]|\d{1,2})[).:\]]\s+(?=\S)")
_PARTED = re.compile(r"\s*(?:[:：(（]|\s[-–—]\s)\s*")
_COMMON = ("copula", "negation", "no", "yes", "filler", "and", "subject", "number", "words")
"""Tables of words so common that an option of that name needs a boundary behind it."""


@dataclass(frozen=True)
class Names:
    """What the options of a question are called."""

    options: tuple[str, ...]
    exact: dict[str, int | None]
    simple: dict[str, int | None]
    """What an answer that is nothing else can be: an option as it is, or in any case and without surroundings."""
    first: ByFirst[int]
    letters: dict[str, int]
    """Options that one letter names: all of them where they were listed with letters, else those whose text is one."""
    lettered: bool
    places: ByFirst[int]
    """Names of places in the list ("second"), where the options were listed with letters."""
    literal: re.Pattern[str] | None
    """The texts of options that differ in case or signs only."""
    opposites: dict[int, int]
    """Options of which another one says the contrary: to deny the one is to give the other."""
    verdicts: tuple[int, int] | None
    """The options for yes and no, or true and false."""
    common: frozenset[Name]
    """Names that are common words, too, so that they need a boundary behind them."""
    words: frozenset[Name]
    """Words for yes and no that are not an option's own: behind an option they say what is right."""
    acted: frozenset[Name]
    """Names that count behind "should be" alone: what was approved need not be to approve."""
    scale: int
    """The greatest of options that are numbers, 0 where there are none."""


@lru_cache(maxsize=1)
def tables() -> dict[str, dict[str, tuple[Name, ...]]]:
    """The phrases of `data/phrases.toml` by table and row."""
    raw = tomllib.loads(files("assay.prompting").joinpath("data", "phrases.toml").read_text(encoding="utf-8"))
    return {
        table: {row: tuple(tokens(phrase) for phrase in phrases.split("|")) for row, phrases in rows.items()}
        for table, rows in raw.items()
    }


@lru_cache(maxsize=32)
def phrases_of(*names: str) -> frozenset[Name]:
    """All phrases of some tables."""
    return frozenset(phrase for table in names for row in tables()[table].values() for phrase in row)


def by_first(found: Mapping[Name, T]) -> ByFirst[T]:
    """Names or phrases by their first token, longest first."""
    index: ByFirst[T] = {}
    for phrase in sorted(found, key=len, reverse=True):
        index.setdefault(phrase[0], []).append((phrase, found[phrase]))
    return index


def lower(text: str) -> str:
    """The text in lower case, each character where it was."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(low if len(low := one.lower()) == 1 else one for one in text)


def plain(token: str) -> str:
    """A token as it is compared: one form of each character, no commas between thousands."""
    if not token.isascii():
        token = unicodedata.normalize("NFKC", token).replace("−", "-")
    return token.replace(",", "") if "," in token and _THOUSANDS.fullmatch(token) else token


def tokens(text: str) -> Name:
    """The tokens of a name or phrase: words, numbers and the signs that carry meaning."""
    low, kept = lower(text), []
    for match in TOKEN.finditer(low):
        token, before, after = match[0], low[match.start() - 1 : match.start()], low[match.end() : match.end() + 1]
        joins = token == "–" or (before.isalnum() and after.isalnum()) or (before.isspace() and after.isspace())
        if token not in SOFT and not token.isspace() and not (token in "-−–" and joins):
            kept.append(plain(token))
    return tuple(kept)


def undressed(text: str) -> str:
    """A text without white space, quotes and marks of emphasis around it."""
    return text.strip(" \t\r\n\"'*_`“”")


def simplified(text: str) -> str:
    """A text in lower case, without marks around it and with single spaces."""
    return " ".join(text.lower().strip(" \t\r\n.!\"'*_`“”").split())


@lru_cache(maxsize=256)
def names_of(options: tuple[str, ...], lettered: bool) -> Names:
    """The names of options; `lettered` where the model saw them with letters A, B, …"""
    full = [tokens(option) for option in options]
    clear = {one: index for index, one in enumerate(full) if one and full.count(one) == 1}
    claims = [(name, clear[one]) for one in clear for name in _other_names(options[clear[one]], one, full)]
    owners = Counter(name for name, _ in set(claims))
    known = {name: index for name, index in claims if name and owners[name] == 1 and name not in full}
    verdicts = _verdicts(full)
    for index, side in zip(verdicts or (), ("yes", "no"), strict=False):
        known |= {name: index for name in tables()["words"][side] if name not in full and name not in known}
    known |= clear
    if lettered:  # a letter is the rule, so that a text which is also a phrase, or a mere sign, is rather that
        phrases = phrases_of(*tables().keys() - {"aside", "words"}) - phrases_of("words")
        known = {name: of for name, of in known.items() if name not in phrases and any(map(str.isalnum, "".join(name)))}
        letters = dict(zip(string.ascii_uppercase, range(len(options)), strict=False))
    else:
        letters = {one[0].upper(): known.pop(one) for one in list(known) if re.fullmatch("[a-z]", " ".join(one))}
    acted = {form: index for name, index in known.items() for form in _acted(name) if form not in known}
    unclear = [option.strip() for option, one in zip(options, full, strict=True) if one not in clear]
    written = [option for option in unclear if option and (not lettered or any(map(str.isalnum, option)))]
    return Names(
        options=options,
        exact=_whole(options, str.strip),
        simple=_whole(options, simplified),
        first=by_first(acted | known),
        letters=letters,
        lettered=lettered,
        places=_places(len(options)) if lettered else {},
        literal=re.compile("|".join(map(_bounded, sorted(written, key=len, reverse=True)))) if written else None,
        opposites=_opposites(full, verdicts),
        verdicts=verdicts,
        words=phrases_of("words") - set(full) if verdicts else frozenset(),
        common=phrases_of(*_COMMON) & known.keys(),
        acted=frozenset(acted),
        scale=max((int(name[0]) for name in known if len(name) == 1 and name[0].isdecimal() and len(name[0]) < 6), default=0),
    )


def _bounded(text: str) -> str:
    """A pattern for a text as it stands, and not inside a word."""
    before, after = (r"(?<!\w)" if text[0].isalnum() else ""), (r"(?!\w)" if text[-1].isalnum() else "")
    return before + re.escape(text) + after


def _whole(options: Sequence[str], normal: Callable[[str], str]) -> dict[str, int | None]:
    """The options by what an answer that is nothing else looks like in a normal form; `None` where several look so."""
    forms: dict[str, int | None] = {}
    for index, form in enumerate(map(normal, options)):
        forms[form] = None if form in forms else index
    return forms


def _other_names(option: str, own: Name, full: Sequence[Name]) -> Iterator[Name]:
    """What an option may be called besides its text."""
    if rest := _ENUMERATED.match(option):
        yield tokens(option[rest.end() :])
    if len(parts := _PARTED.split(option.strip(" )）"), maxsplit=1)) > 1:
        yield from map(tokens, parts)
    if own[0] in ("a", "an", "the"):
        yield own[1:]
    if len(own) > 1 and "".join(own).isalpha():
        yield ("".join(own),)
    for ending, others in tables()["inflection"].items():
        if own[-1].endswith(ending) and len(own[-1]) > len(ending) + 3:
            yield from ((*own[:-1], own[-1][: -len(ending)] + "".join(other)) for other in others)
    if own[-1] == "的":
        yield own[:-1]
    numbers = [[token for token in one if token.isdecimal() and len(token) < 4] for one in full]
    if all(len(found) == 1 and len(one) <= 3 for found, one in zip(numbers, full, strict=True)):
        number = next(token for token in own if token.isdecimal())
        yield (number,)
        if 1 <= int(number) <= 10:
            units: tuple[Name, ...] = (("star",), ("stars",), ("out", "of"), *(((),) if int(number) > 1 else ()))
            yield from (row[int(number) - 1] + unit for row in tables()["number"].values() for unit in units)
            yield from ((star * int(number),) for star in "★⭐")
    elif set(own) <= {"★", "☆"}:
        yield (str(option.count("★")),)


def _acted(name: Name) -> tuple[Name, ...]:
    """How "should be" would have it: approved, denied."""
    if not (name[0].isascii() and name[0].isalpha() and len(name[0]) > 3):
        return ()
    verb = name[0]
    return tuple((form, *name[1:]) for form in (verb + "ed", verb + "d", verb[:-1] + "ied", verb + verb[-1] + "ed"))


def _verdicts(full: Sequence[Name]) -> tuple[int, int] | None:
    """Which option is yes or true, and which no or false."""
    fits = [[index for index, one in enumerate(full) if one in tables()["words"][side]] for side in ("yes", "no")]
    return (fits[0][0], fits[1][0]) if len(fits[0]) == len(fits[1]) == 1 and fits[0] != fits[1] else None


def _opposites(full: Sequence[Name], verdicts: tuple[int, int] | None) -> dict[int, int]:
    found = {}
    if verdicts and full[verdicts[0]] not in phrases_of("yes"):
        found = {verdicts[0]: verdicts[1], verdicts[1]: verdicts[0]}
    contrary = phrases_of("contrary")
    for other, one in enumerate(full):
        bases = [one[1:]] if one[:1] in contrary else []
        bases += [(one[0][len(prefix) :], *one[1:]) for (prefix,) in contrary if one and one[0].startswith(prefix)]
        found |= {full.index(base): other for base in bases if base in full}
    return found


@lru_cache(maxsize=32)
def _places(count: int) -> ByFirst[int]:
    found: dict[Name, int] = {}
    for row in tables()["order"].values():
        found |= dict(zip(row[:-1], range(count), strict=False)) | {row[-1]: count - 1}
    return by_first(found)

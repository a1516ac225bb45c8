"""Words that name a group, a quality or an occupation, counted in one pass over a text.

The lists are data files in `metrics/lists`: a line starting with `#` is a comment, `[name]` begins a section, everything else
is words. They are English; in other languages nothing is found and nothing is measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

_word = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@cache
def sections(name: str) -> Mapping[str, tuple[str, ...]]:
    """The sections of a list by name; each word once, in lower case.

    Args:
        name: file name without ending: `gender`, `surnames`, `adjectives` or `professions`.
    """
    found: dict[str, dict[str, None]] = {}
    section: dict[str, None] = {}
    text = files("assay.metrics").joinpath("lists", f"{name}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = found.setdefault(line[1:-1], {})
        elif not line.startswith("#"):
            section.update(dict.fromkeys(line.lower().split()))
    return {title: tuple(words) for title, words in found.items()}


@cache
def _index() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """The lists a word stands in: word -> (list or group, word as listed)."""
    index: dict[str, list[tuple[str, str]]] = {}
    for name in ("gender", "surnames", "adjectives", "professions"):
        for section, words in sections(name).items():
            for word in words:
                index.setdefault(word, []).append((section, word))
    for word in sections("professions")["professions"]:
        index.setdefault(f"{word}s", []).append(("professions", word))
    return {word: tuple(places) for word, places in index.items()}


@lru_cache(maxsize=256)
def mentions(text: str) -> Mapping[str, Mapping[str, int]]:
    """How often the words of each list occur: list or group -> listed word -> count. Time is linear in the text.

    Six metrics ask this of each text one after the other, so the latest results are kept.
    """
    index = _index()
    found: dict[str, dict[str, int]] = {}
    for word in _word.findall(text.lower()):
        for section, listed in index.get(word, ()):
            counts = found.setdefault(section, {})
            counts[listed] = counts.get(listed, 0) + 1
    return found

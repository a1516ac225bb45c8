"""Why a request is not in the response cache: the stored request nearest to it, and where the two differ."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, AnyStr

import msgspec

from assay.identity import digest
from assay.records import Record

DIFF_LINES = 8
"""Most lines of a text's difference."""
DIFF_WIDTH = 160
"""Most characters of such a line."""
CONTEXT = 30
"""Characters shown before the first that differs."""
LONG = 60
"""Characters from which a text is compared line by line."""


class Difference(Record):
    """Something a wanted and a stored request do not share. Values are JSON, or empty where it is left at its default."""

    key: str
    """Where in the preimage: `request.max_tokens`, `model.options.body.seed`."""
    stored: str
    wanted: str
    lines: tuple[str, ...] = ()
    """The lines by which two long texts differ: `-` only stored, `+` only wanted."""


class Explanation(Record):
    """Why a request is not in the cache."""

    same_prompt: bool = False
    """The nearest stored request has the same prompt."""
    differences: tuple[Difference, ...] = ()
    """From the nearest stored request; empty where none was found."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Where they differ."""
        return tuple(difference.key for difference in self.differences)


def explain(
    wanted: Sequence[Sequence[bytes]], stored: Callable[[], Iterable[bytes]], closely: int = 1
) -> list[list[Explanation]]:
    """The nearest stored request to each wanted one, by their preimages; the wanted ones come in groups, say runs.

    Nearest is one with the same prompt and the fewest differences, of the same model where there is one. Where no request has
    that prompt, it is one of the same model that begins and ends most alike; that search is long, so it is done only for the
    first `closely` of these in each group, and the others get no nearest.
    """
    groups = [[_Seeker(preimage) for preimage in group] for group in wanted]
    by_prompt: dict[str, list[_Seeker]] = {}
    for seeker in itertools.chain.from_iterable(groups):
        by_prompt.setdefault(seeker.prompt, []).append(seeker)
    for _, shown in _readable(stored()):
        for seeker in by_prompt.get(_prompt(shown), ()):
            seeker.same_prompt = True
            differences = _differences(shown, seeker.shown)
            seeker.offer(differences, (_model(shown) == seeker.model, -len(differences)))
    new = [seeker for group in groups for seeker in [one for one in group if not one.same_prompt][:closely]]
    for preimage, shown in _readable(stored()) if new else ():
        for seeker in new:
            if _model(shown) == seeker.model:
                seeker.offer(_differences(shown, seeker.shown), (True, _alike(preimage, seeker.preimage)))
    return [[seeker.explanation() for seeker in group] for group in groups]


def _readable(stored: Iterable[bytes]) -> Iterator[tuple[bytes, Any]]:
    """The stored requests that can be compared: none that is damaged."""
    for preimage in stored:
        try:
            shown = msgspec.json.decode(preimage)
            _model(shown), _prompt(shown)
        except (msgspec.DecodeError, LookupError, TypeError, AttributeError):
            continue
        yield preimage, shown


class _Seeker:
    """A wanted request, and where the nearest stored one so far differs from it."""

    def __init__(self, preimage: bytes) -> None:
        self.preimage = preimage
        self.model, self.prompt = _model(self.shown), _prompt(self.shown)
        self.same_prompt = False
        self._differences: list[tuple[str, Any, Any]] = []
        self._score: tuple[bool, int] | None = None

    @property
    def shown(self) -> Any:
        """The preimage as plain data; not kept, since there may be very many."""
        return msgspec.json.decode(self.preimage)

    def offer(self, differences: list[tuple[str, Any, Any]], score: tuple[bool, int]) -> None:
        if self._score is None or score > self._score:
            self._differences, self._score = differences, score

    def explanation(self) -> Explanation:
        described = tuple(_described(*difference) for difference in self._differences)
        return Explanation(same_prompt=self.same_prompt, differences=described)


def _model(shown: Any) -> str:
    return str(shown["model"]["name"])


def _prompt(shown: Any) -> str:
    request = shown["request"]
    return digest([request["prompt"], request.get("continuation")])


def _alike(one: bytes, other: bytes) -> int:
    """How many bytes two texts share at their beginning and end."""
    return _shared(one, other) + _shared(one[::-1], other[::-1])


def _shared(one: AnyStr, other: AnyStr) -> int:
    """Length of the common beginning, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    """A nested value as its leaves by path; the messages of a conversation by their number."""
    if isinstance(value, dict):
        parts = [(f"{path}.{name}" if path else str(name), part) for name, part in value.items()]
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        parts = [(f"{path}[{number}]", part) for number, part in enumerate(value)]
    else:
        return {path: value}
    return {key: leaf for name, part in parts for key, leaf in _leaves(part, name).items()}


_ABSENT = object()


def _differences(stored: Any, wanted: Any) -> list[tuple[str, Any, Any]]:
    old, new = _leaves(stored), _leaves(wanted)
    pairs = [(key, old.get(key, _ABSENT), new.get(key, _ABSENT)) for key in sorted({*old, *new})]
    return [(key, one, other) for key, one, other in pairs if one is _ABSENT or other is _ABSENT or one != other]


def _described(key: str, stored: Any, wanted: Any) -> Difference:
    lines: tuple[str, ...] = ()
    if isinstance(stored, str) and isinstance(wanted, str) and max(len(stored), len(wanted)) > LONG:
        lines = _changed_lines(stored, wanted)
    return Difference(key=key, stored=_shown(stored), wanted=_shown(wanted), lines=lines)


def _shown(value: Any) -> str:
    return "" if value is _ABSENT else msgspec.json.encode(value).decode()


def _changed_lines(stored: str, wanted: str) -> tuple[str, ...]:
    """The first lines by which two texts differ; what a line shares with its counterpart at its beginning is left out."""
    old, new = stored.split("\n"), wanted.split("\n")
    lines: list[str] = []
    for what, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        for gone, come in itertools.zip_longest(old[start:end], new[first:last]):
            shared = 0 if gone is None or come is None else _shared(gone, come)
            lines += [f"{sign} {_cut(line, shared)}" for sign, line in (("-", gone), ("+", come)) if line is not None]
    return (*lines[:DIFF_LINES], "…") if len(lines) > DIFF_LINES else tuple(lines)


def _cut(line: str, shared: int) -> str:
    start = max(0, shared - CONTEXT)
    end = start + DIFF_WIDTH
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")

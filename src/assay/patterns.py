"""Regular expressions of others over texts of others, bounded in time.

Python's matcher goes back over what it has tried: of patterns such as `(a+)+$` the time doubles with each character. What
cannot take long is matched here; the rest in a process of its own (`patterns_process`), which is ended when it takes too long.
Both are the same matcher, so what is found in time is the same.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.identity import digest

if TYPE_CHECKING:
    import subprocess

LONGEST = 5.0
"""Seconds for one text."""
PATIENCE = 3
"""Texts that a pattern may take all that time for; then each has `SHORTEST`."""
SHORTEST = 0.25
"""Seconds for one text of a pattern that has used up the patience."""
QUICK = 1e6
"""Steps that are taken here: some ten milliseconds."""
_UNBOUNDED = re.compile(r"\)[*+{]|\\[1-9]|\(\?P=|\(\?[a-zA-Z-]*x")
"""Repeated groups, references to groups, and the flag by which spaces and comments may stand before what repeats a group."""


class TooSlow(AssayError):
    """A pattern takes too long on a text."""


def found(pattern: str, text: str) -> Sequence[str | tuple[str, ...]]:
    """What the pattern finds in the text, as `re.findall`.

    Raises:
        TooSlow: it takes longer than `LONGEST`.
    """
    if most_steps(pattern, len(text)) <= QUICK:
        return re.findall(pattern, text)
    return _remembered(pattern, text)


def replaced(pattern: str, replacement: str, text: str, count: int = 0) -> str:
    """The text with what the pattern finds replaced, as `re.sub`.

    Raises:
        TooSlow: it takes longer than `LONGEST`.
        ValueError: pattern or replacement is malformed.
    """
    if most_steps(pattern, len(text)) <= QUICK:
        try:
            return re.sub(pattern, replacement, text, count=count)
        except (re.error, IndexError) as error:
            raise ValueError(str(error)) from None
    return str(_matcher(os.getpid()).asked([pattern, text, replacement, count]))


def most_steps(pattern: str, size: int) -> float:
    """No match of the pattern anywhere in a text of this size takes more steps; infinite where groups are, or may be, repeated.

    Each repetition ends at any of the places and each alternative is taken or not, for each place to begin at.
    """
    if _UNBOUNDED.search(pattern):
        return float("inf")
    repeats = sum(map(pattern.count, "*+{"))
    choices = sum(map(pattern.count, "?|"))
    return float(size + 1) ** (min(repeats, 8) + 1) * 2.0 ** min(choices, 64)


@functools.lru_cache(maxsize=64)  # an answer is read alone and among the others
def _remembered(pattern: str, text: str) -> tuple[str | tuple[str, ...], ...]:
    matches: list[str | list[str]] = _matcher(os.getpid()).asked([pattern, text])
    return tuple(match if isinstance(match, str) else tuple(match) for match in matches)


@functools.lru_cache(maxsize=1)
def _matcher(process: int) -> _Matcher:
    """The matcher of this process; one that was forked off it has another."""
    return _Matcher()


class _Matcher:
    """A process that matches, begun when it is first needed and begun anew after each that was ended."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._slow: dict[str, int] = {}
        self._given_up: set[str] = set()
        atexit.register(self._end)

    def asked(self, question: list[Any]) -> Any:
        """What it answers. Raises TooSlow where that takes too long."""
        pattern, text = question[:2]
        plain = json.dumps(question)
        with self._lock:
            slow = self._slow.get(pattern, 0)
            limit = LONGEST if slow < PATIENCE else SHORTEST
            answer = None
            if (asked := digest(plain)) not in self._given_up:
                answer = self._answer(plain.encode() + b"\n", limit)
            if answer is None and asked not in self._given_up:
                self._slow[pattern] = slow + 1
                self._given_up.add(asked)  # an answer is read more than once
        if answer is None:
            problem = f"the pattern {pattern[:80]!r} takes more than {limit:g} s on a text of {len(text):,} characters"
            raise TooSlow(problem, "write it without repetitions inside repetitions")
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["matched"]

    def _answer(self, question: bytes, limit: float) -> dict[str, Any] | None:
        import selectors

        running = self._running if self._running and self._running.poll() is None else self._begun()
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            running.stdin.write(question)
            running.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(running.stdout, selectors.EVENT_READ)
                line = running.stdout.readline() if selector.select(limit) else b""
        except OSError:  # it was ended by somebody else
            line = b""
        except BaseException:  # an interruption leaves an answer in the pipe that nobody asks for any more
            self._end()
            raise
        if not line.endswith(b"\n"):
            self._end()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _begun(self) -> subprocess.Popen[bytes]:
        import subprocess

        script = str(Path(__file__).with_name("patterns_process.py"))
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self._running = subprocess.Popen(
            [sys.executable, "-I", "-S", script], stdin=pipe, stdout=pipe, stderr=nothing, start_new_session=True
        )
        return self._running

    def _end(self) -> None:
        if self._running is not None and self._process == os.getpid():
            self._running.kill()
            self._running.communicate()
            self._running = None

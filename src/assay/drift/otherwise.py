"""Evaluations that were not asked alike, in a line that says what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from assay.comparison.results import Difference
from assay.errors import AssayError
from assay.text import one_line

FILES = "data.files."
"""Before the names of files among the keys of differences; their values are digests."""
MOST = 3
"""Keys that are named, and scenarios of one key."""
LONGEST = 40
"""Characters of a value."""
DIGITS = 8
"""Of a digest."""


def asked_otherwise(found: Sequence[Difference], hint: str) -> AssayError:
    """In what evaluations differ that are to be watched together; `hint` says how to go on.

    Args:
        found: the values of two evaluations each, by `folder/run`.
        hint: for whoever reads it.
    """
    by_key: dict[str, list[Difference]] = {}
    for each in found:
        by_key.setdefault(each.key, []).append(each)
    said = [_said(key, held) for key, held in list(by_key.items())[:MOST]]
    said += [f"{len(by_key) - MOST} more keys"] if len(by_key) > MOST else []
    return AssayError(f"these evaluations were not asked alike, so none shows a change: {'; '.join(said)}", hint)


def _said(key: str, held: Sequence[Difference]) -> str:
    scenarios = list(dict.fromkeys(one_line(each.scenario, LONGEST) for each in held))
    more = [f"{len(scenarios) - MOST} more scenarios"] if len(scenarios) > MOST else []
    where = ", ".join([*scenarios[:MOST], *more])
    (one, old), (other, new) = held[0].values.items()
    folders = [run.rsplit("/", 1)[0] for run in (one, other)]
    one, other = folders if folders[0] != folders[1] else (one, other)
    if key.startswith(FILES):
        return f"{one_line(key.removeprefix(FILES), 80)} of {where} was changed between {one} and {other}"
    return f"{one_line(key, 80)} of {where} ({one}: {short(key, old)}; {other}: {short(key, new)})"


def short(key: str, value: str) -> str:
    """A value as far as people read it; of a digest, what tells it from another."""
    if key.startswith(FILES) or key == "data.instances":
        return f"{value.strip(chr(34))[:DIGITS]}…" if value.startswith('"') else value
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}…"

"""What a candidate is not shown to keep: said wherever a choice is, so that nobody chooses or signs past it."""

from __future__ import annotations

from assay.decisions.results import Decision, Held


def shortfalls(decision: Decision, candidate: str) -> list[str]:
    """The constraints that a candidate breaks, then those that it is not known to keep, a line each.

    `breaks: right enough 0.058 (at least 0.45)`. None where it keeps all of them, or is no candidate of that decision.
    """
    held = [held for standing in decision.standings if standing.candidate == candidate for held in standing.constraints]
    broken = [f"breaks: {_told(one)} ({one.limit})" for one in held if one.verdict == "violated"]
    return broken + [
        f"not known to keep: {_told(one)} ({one.limit}{_doubt(one)})" for one in held if one.verdict == "undetermined"
    ]


def _told(held: Held) -> str:
    return f"{held.constraint} {held.value:.3g}" if held.value is not None else f"{held.constraint}, not measured"


def _doubt(held: Held) -> str:
    return "" if held.bound is None else f"; it may be {held.bound:.3g}, at {100 * held.confidence:g} % confidence"

"""How many of a run's answers say anything: what stands beside a number that rests on few of them, and what would mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.judging import METRIC
from assay.records import Cell, RunSpec
from assay.store.folders import StatsFile
from assay.tables.units import family_of

ENOUGH = 0.95
"""Share of usable answers from which on nothing is said."""
OUTCOMES = ("truncated", "unparsed", "refused", "empty")
"""What an answer is that is not usable; a failed request gave none, and is counted elsewhere."""
CUT_BY_DESIGN = ("toxicity", "copyright", "efficiency", "bias")
"""Families whose scenarios ask for a text of a certain length: an answer that was cut there is usable."""
USABLE = "usable answers: their share where it is below 95 %, and what became of the others; those without an answer are wrong."
NAMED = 5
"""Runs that are named at the end; of more, the rest is counted."""


def unusable(cells: Sequence[Cell], main_metric: str) -> dict[str, float]:
    """Shares of the answers that are not usable, by outcome, the largest first; empty where at least 95 % are usable.

    Args:
        cells: of a run; those of the originals count.
        main_metric: where it measures texts that are cut on purpose, truncated answers are usable; where a judge marks them,
            a refusal may be just what is wanted.
    """

    usable = {"truncated"} if family_of(main_metric) in CUT_BY_DESIGN else {"refused"} if main_metric == METRIC else set()
    wanted = [name for name in OUTCOMES if name not in usable]
    shares = {
        cell.metric: cell.estimate.value
        for cell in cells
        if cell.metric in wanted and cell.computed_on == "original" and cell.subgroup is None and cell.perturbation is None
    }
    failed = next((cell.estimate.value for cell in cells if cell.metric == "failed" and cell.subgroup is None), 0.0)
    came = 1 - failed
    if came <= 0 or sum(shares.values()) / came <= 1 - ENOUGH:
        return {}
    return {name: share / came for name, share in sorted(shares.items(), key=lambda item: -item[1]) if share > 0}


def usable_text(shares: Mapping[str, float]) -> str:
    """`12 %: truncated 80 %, empty 8 %`; empty where there is nothing to say."""
    said = ", ".join(f"{name} {_percent(share)}" for name, share in shares.items())
    return f"{_percent(max(0.0, 1 - sum(shares.values())))}: {said}" if shares else ""


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")


def usable_note(stats: StatsFile) -> str:
    """What to say below the tables of a run with few usable answers, which may be why its numbers are low; else empty."""
    shares = unusable(stats.cells, stats.main_metric)
    return f"Usable answers {usable_text(shares)}. Those without an answer are wrong." if shares else ""


def advice(runs: Sequence[tuple[RunSpec, StatsFile]]) -> list[str]:
    """A line for each run with few usable answers: the likely reason, and the setting that would mend it."""
    lines = []
    for spec, stats in runs:
        shares = unusable(stats.cells, stats.main_metric)
        if shares:
            entry = stats.title + ("," if ":" in stats.title else ":")
            reasons = [REASONS[name](spec.prompting, entry) for name, share in shares.items() if share >= 0.02]
            lines.append(f"{stats.title} · {stats.label}: usable answers {usable_text(shares)}. {' '.join(reasons)}")
    return [*lines[:NAMED], f"and {len(lines) - NAMED} more runs with few usable answers"] if len(lines) > NAMED else lines


def _truncated(prompting: Mapping[str, Any], entry: str) -> str:
    most = prompting.get("max_tokens", 0)
    more = max(1024, 4 * most)
    return f"Answers were cut off, at max_tokens={most} or by the server: give more, such as {entry}max_tokens={more}."


def _empty(prompting: Mapping[str, Any], entry: str) -> str:
    stops = [stop for stop in prompting.get("stop", ()) if not stop.strip()]
    if stops:
        told = f"Empty answers may begin with the stop sequence {stops[0]!r}"
        return f"{told}: give {entry}stop=none, or {entry}chat=always to a chat model."
    if prompting.get("room_to_think") or prompting.get("chat") in ("always", "preferred"):
        return "The model ends its turn at once: `assay show RUN --trials 3 --outcome empty` shows how."
    return f"The model adds nothing to the prompt: give {entry}chat=always to a chat model."


def _unparsed(prompting: Mapping[str, Any], entry: str) -> str:
    return "No answer was found in them, or several: `assay show RUN --trials 3 --outcome unparsed` shows some."


def _refused(prompting: Mapping[str, Any], entry: str) -> str:
    return "The model, or its provider's filter, declined: `assay show RUN --trials 3 --outcome refused` shows some."


REASONS = {"truncated": _truncated, "empty": _empty, "unparsed": _unparsed, "refused": _refused}

"""What nobody who relies on a decision should miss: days that have passed, and what the chosen one is not shown to keep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import msgspec

from assay.decisions.profile import Deployment
from assay.decisions.record import DecisionRecord
from assay.decisions.results import Decision
from assay.decisions.shortfalls import shortfalls
from assay.decisions.validity import out_of_date, today


@dataclass(frozen=True)
class Cautions:
    """Sentences; empty as a rule."""

    past: tuple[str, ...] = ()
    """That it does not hold any more, or should have been looked at again."""
    choice: str = ""
    """That another was chosen than is recommended."""
    shortfalls: tuple[str, ...] = ()
    """What the chosen candidate breaks, then what it is not known to keep."""

    @property
    def badges(self) -> tuple[tuple[str, str], ...]:
        """In a few words, each with its tone."""
        broken = sum(line.startswith("breaks") for line in self.shortfalls)
        unknown = len(self.shortfalls) - broken
        return tuple(
            (tone, text)
            for there, tone, text in (
                (self.past, "bad", "✗ out of date"),
                (broken, "bad", f"✗ the choice breaks {_counted(broken)}"),
                (unknown, "warn", f"? the choice is not known to keep {_counted(unknown)}"),
                (self.choice, "warn", "chosen against the recommendation"),
            )
            if there
        )


def _counted(number: int) -> str:
    return f"{number} constraint{'' if number == 1 else 's'}"


def of_profile(deployment: Deployment) -> Cautions:
    """What is to be known of a profile that is decided on now."""
    return Cautions(_past(deployment, "This profile"))


def of_record(record: DecisionRecord) -> Cautions:
    """What is to be known of a record today."""
    deployment = msgspec.structs.replace(record.profile.deployment, review=record.review, expires=record.expires)
    past = _past(deployment, "This decision")
    if record.choice is None:
        return Cautions(past)
    chosen = record.choice.chosen
    return Cautions(past, _against(record.decision, chosen), tuple(shortfalls(record.decision, chosen)))


def _past(deployment: Deployment, what: str) -> tuple[str, ...]:
    for day in (deployment.expires, deployment.review):
        try:
            date.fromisoformat(day or "2000-01-01")
        except ValueError:
            return (f"{what} names a last day that is none: {day[:40]}.",)
    return tuple(line.replace("The profile", what, 1) for line in out_of_date(deployment, today()))


def _against(decision: Decision, chosen: str) -> str:
    """In a sentence, where the choice is not what the numbers recommend."""
    if not chosen:
        return "" if decision.recommended is None else f"No candidate was chosen, though {decision.recommended} is recommended."
    if chosen not in {standing.candidate for standing in decision.standings}:
        return f"{chosen} is none of the candidates that were compared."
    if decision.recommended is None:
        return f"No candidate is recommended; {chosen} was chosen all the same."
    alike = chosen in (decision.recommended, *decision.contenders)
    return "" if alike else f"{chosen} was chosen, though {decision.recommended} is recommended."

"""How long a profile holds: until the day that it names itself."""

from __future__ import annotations

from datetime import UTC, date, datetime

from assay.decisions.profile import Deployment


def today() -> date:
    """The day that it is, in UTC."""
    return datetime.now(UTC).date()


def expired(deployment: Deployment, day: date) -> bool:
    """Whether the last day on which the profile holds has passed."""
    return _passed(deployment.expires, day)


def out_of_date(deployment: Deployment, day: date) -> list[str]:
    """What whoever decides by a profile should know of its days; nothing as a rule.

    Args:
        deployment: with the days, as they were read.
        day: on which it is used.
    """
    if expired(deployment, day):
        return [f"The profile expired on {deployment.expires}: it does not hold any more."]
    if _passed(deployment.review, day):
        return [f"The profile was to be looked at again by {deployment.review}."]
    return []


def _passed(last: str, day: date) -> bool:
    return bool(last) and date.fromisoformat(last) < day

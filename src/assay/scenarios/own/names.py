"""What columns are called: names from which their role is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable

NAMES: dict[str, str] = {
    "split": "split set fold partition",
    "id": r"id uid uuid key ref nr no number case .*[_\s-]id "
    r"(case|ticket|reference|ref|order|request)[_\s.-]?(no|nr|number|key|ref)\.? ticket",
    "messages": "messages conversation dialog dialogue chat turns",
    "answer": r"answers? label gold target expected.* right.* correct.* accepted reply response output reference "
    r"(good|best|ideal|desired)[_\s-].* completion action category class intent solution verdict ans a",
    "options": "options choices candidates alternatives",
    "input": "input question prompt message query text instruction request problem sentence enquiry inquiry utterance body q",
    "context": "context passage document article background story facts account.* notes?",
    "group": r"group document[_\s-]?id thread customer customer[_\s-]id family source[_\s-]id conversation[_\s-]id",
    "worked": "worked explanation rationale reasoning why",
}
"""Regular expressions, the likeliest first, spaces between them."""


def called(role: str, names: Iterable[str]) -> list[str]:
    """Those of some columns that are called as a role is, the likeliest first."""
    found = list(names)
    return [name for pattern in NAMES[role].split() for name in found if re.fullmatch(pattern, name, re.IGNORECASE)]


def is_usual(name: str) -> bool:
    """Whether a column of any role may be called so."""
    return any(called(role, [name]) for role in NAMES)

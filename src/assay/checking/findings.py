"""What a check finds: how bad it is, what it is, and the rows it is about."""

from __future__ import annotations

from typing import Literal

from assay.records import Record

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(Record):
    """Something about the cases. An error makes a case impossible to ask; a run stops at it."""

    severity: Severity
    check: str
    """A short stable word: `duplicate`, `answer`, `encoding`, …"""
    message: str
    hint: str = ""
    file: str = ""
    rows: tuple[int, ...] = ()
    """Rows of the file, counted from 1, a header not among them; of a data set, its items by position in the split."""
    column: str = ""
    """Empty: the whole row, or the file."""


class Report(Record):
    """Everything that was found, worst first, and what was looked at."""

    scenario: str
    source: str
    cases: dict[str, int]
    """Cases that can be asked, by split."""
    findings: tuple[Finding, ...]

    def count(self, severity: Severity) -> int:
        """How many findings are that bad."""
        return sum(finding.severity == severity for finding in self.findings)

"""What people make of a decision: their choice, and a record that no later command takes away."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.decisions.alone import alone_with
from assay.decisions.record import Choice, DecisionRecord
from assay.decisions.recording import page_bytes, page_of, read_record, sealed, write_record
from assay.decisions.results import Decision
from assay.decisions.shortfalls import shortfalls
from assay.errors import AssayError, unknown
from assay.store.folders import write_whole

NOBODY = "none"
"""What is chosen where no candidate is."""
NO_CANDIDATE = "no candidate"
"""How that reads."""


def choice_of(decision: Decision, chosen: str | None, by: str, rationale: str, dissent: str) -> Choice | None:
    """The choice that somebody made; `None` where nobody did.

    Args:
        decision: what was decided by the numbers.
        chosen: a candidate, or `none`.
        by: who chose.
        rationale: why; must be said of any choice but the one that is recommended.
        dissent: what others say against it.

    Raises:
        AssayError: there is no such candidate, or it is not said who chose, or why.
    """
    check_said(chosen, by, rationale, dissent)
    if chosen is None:
        return None
    candidates = [standing.candidate for standing in decision.standings]
    if chosen not in (*candidates, NOBODY):
        raise unknown("candidate", chosen, (*candidates, NOBODY))
    name = "" if chosen == NOBODY and NOBODY not in candidates else chosen
    if not rationale.strip() and name != (decision.recommended or ""):
        raise AssayError(_unlike(decision, name), "add --rationale WHY")
    return Choice(chosen=name, by=by, rationale=rationale, dissent=dissent)


def check_said(chosen: str | None, by: str, rationale: str, dissent: str) -> None:
    """Refuse what no decision makes a choice.

    Raises:
        AssayError: there is something about a choice and none, or one that nobody made.
    """
    if chosen is None and (by or rationale or dissent):
        raise AssayError("--by, --rationale and --dissent go with --choose", "add --choose CANDIDATE")
    if chosen is not None and not by.strip():
        raise AssayError("a choice needs somebody who made it", "add --by NAME")


def check_free(there: DecisionRecord | None, chosen: str | None, path: Path) -> None:
    """Refuse a record that a decision of new answers could hardly be written over, before models are asked for them.

    Args:
        there: the record that is there already.
        chosen: who is chosen now; then the choice that is there may be replaced, as long as nobody signed it.
        path: the record's.

    Raises:
        AssayError: it is signed, or records a choice and none is made now.
    """
    if there is None or not (there.signatures or (there.choice and chosen is None)):
        return
    held = "is signed" if there.signatures or not there.choice else f"records a choice by {there.choice.by}"
    problem = f"{path} {held}, and is not written over; no model was asked"
    raise AssayError(problem, "let the record of this race lie elsewhere: --out RECORD.json")


def _unlike(decision: Decision, name: str) -> str:
    """What is special about a choice that has to be explained."""
    broken = [
        held.constraint
        for standing in decision.standings
        if standing.candidate == name
        for held in standing.constraints
        if held.verdict != "met"
    ]
    if broken:
        return f"{name} is not shown to keep {', '.join(map(repr, broken))}, so choosing it needs a reason"
    return f"{name or NO_CANDIDATE} is not what is recommended, so the choice needs a reason"


def check_place(path: Path) -> DecisionRecord | None:
    """The record that is there already, so that it is known before anything is measured that none can be written there.

    Raises:
        AssayError: the name does not end in .json, its folder is not there, or another file or a damaged record is.
    """
    if path.suffix != ".json":
        raise AssayError(f"{path} is no name for a record", "let it end in .json; the page in Markdown goes beside it")
    if not path.parent.is_dir():
        raise AssayError(f"{path.parent} is no folder, and the record is to lie in it", "make it, or choose another --out")
    return read_record(path) if path.exists() else None


def put_down(record: DecisionRecord, path: Path) -> DecisionRecord:
    """Write a record, unless one that says the same is there already, and return what stands in the file.

    A choice that was recorded before stays as long as the decision is the same; one that another replaces is kept among the
    earlier ones, however many choose at once. A signed record is never written over.

    Raises:
        AssayError: another file is there; a signed record says otherwise; or a recorded choice was of another decision.
    """
    with alone_with(path):
        return _put_down(record, path)


def _put_down(record: DecisionRecord, path: Path) -> DecisionRecord:
    if not path.exists():
        return write_record(record, path)
    there = read_record(path)
    record = msgspec.structs.replace(record, earlier=there.earlier)
    if record.choice is None and there.choice is not None:
        if not _same(there, msgspec.structs.replace(record, choice=there.choice)):
            problem = f"{path} records a choice by {there.choice.by}, of a decision that is another by now"
            raise AssayError(problem, "choose again with --choose, or write elsewhere with --out")
        return _with_page(there, path)
    if _same(there, record):
        return _with_page(there, path)
    if there.signatures:
        raise AssayError(f"{path} is signed, and says otherwise", "write elsewhere with --out")
    if there.choice is not None and there.choice != record.choice:
        record = msgspec.structs.replace(record, earlier=(*there.earlier, there.choice))
    return write_record(record, path)


def _with_page(record: DecisionRecord, path: Path) -> DecisionRecord:
    """The record as it stands in its file; the page beside it is written again where somebody removed or changed it."""
    page, meant = page_of(path), page_bytes(record)
    try:
        if not (page.is_file() and page.read_bytes() == meant):
            write_whole(page, meant)
    except OSError as error:
        raise AssayError(f"{page} cannot be written: {error.strerror}", "make room, or write elsewhere with --out") from error
    return record


def choice_in_words(record: DecisionRecord, before: DecisionRecord | None) -> list[str]:
    """What was chosen, what that does not keep, and whose choice it replaces, a line each; nothing where nobody chose.

    Args:
        record: as it stands in its file now.
        before: as it stood there when the decision was begun; others may have chosen since.
    """
    choice, known = record.choice, len(before.earlier) if before else 0
    if choice is None:
        return []
    told = [f"{choice.by} chose {choice.chosen or NO_CANDIDATE}.", *shortfalls(record.decision, choice.chosen)]
    for old in record.earlier[known:][-1:]:
        told.append(
            f"replaces {old.by}'s choice of {old.chosen or NO_CANDIDATE}, which the record keeps among the earlier ones"
        )
    return told


def _same(one: DecisionRecord, other: DecisionRecord) -> bool:
    """Whether two records say the same, apart from when, with which versions, and who signed."""
    bare = [msgspec.structs.replace(held, created="", environment={}, signatures=(), digest="") for held in (one, other)]
    return sealed(bare[0]).digest == sealed(bare[1]).digest

"""The cases of a scenario as checks look at them: those that can be asked, and findings for those that cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from assay.checking.findings import Finding
from assay.checking.lenient import lenient_rows
from assay.errors import AssayError
from assay.prompting.base import as_text
from assay.records import Split
from assay.scenarios import Draft, Scenario
from assay.scenarios.own import CaseError, Cases, cases_of
from assay.scenarios.own.cases import check_id, split_of
from assay.scenarios.own.cells import Cells
from assay.scenarios.sources import File, HeldOut


@dataclass(frozen=True)
class Item:
    """A case that can be asked."""

    file: str
    row: int
    split: Split
    text: str
    """What is asked, a conversation as its turns."""
    gold: tuple[str, ...]
    options: tuple[str, ...]
    subgroups: Mapping[str, str]
    cluster: str
    """The independent unit it belongs to."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts it is made of, by column."""
    together: str = ""
    """What is held out together with it, in cases of one's own."""


@dataclass
class Looked:
    """What was read."""

    items: list[Item]
    findings: list[Finding]
    file: str

    @property
    def partial(self) -> bool:
        """Whether a file could not be read to its end, or not in its encoding: what is there stands for nothing."""
        return any(finding.check in UNREAD for finding in self.findings)


UNREAD = ("file", "quotes", "encoding")
"""What is wrong with a whole file."""


def look(scenario: Scenario) -> Looked:
    """Read all cases of a scenario. Those of one's own files are read to the end, whatever is wrong on the way."""
    source, cases = scenario.source, cases_of(scenario)
    if cases is not None and isinstance(cases.source, File):
        looked = _own(cases, cases.source)
        if isinstance(source, HeldOut):
            train = source.places(item.together for item in looked.items)
            looked.items = [replace(one, split="train") if at in train else one for at, one in enumerate(looked.items)]
        return looked
    file = source.identity.partition(":")[2]
    items: list[Item] = []
    findings: list[Finding] = []
    seen: set[str] = set()
    try:
        for split in source.splits():
            for row, instance in enumerate(scenario.instances(split, seen), start=1):
                draft = Draft(
                    input=instance.input, references=instance.references, subgroups=instance.subgroups, group=instance.group
                )
                items.append(_item(draft, Cells({"input": as_text(instance.input)}, file, row), split))
    except AssayError as error:
        if not items:
            raise
        findings.append(Finding(severity="error", check="case", message=error.message, hint=error.hint))
    return Looked(items, findings, file)


def _own(cases: Cases, source: File) -> Looked:
    looked = Looked([], [], "")
    places: dict[Path, Split] = {}
    for split in ("test",) if cases.split_column else source.splits():
        places[source.path_of(split)] = split
    for path, split in places.items():
        looked.file = path.name
        ids: dict[str, int] = {}
        lacking: dict[str, list[Cells]] = {}
        for found in lenient_rows(path):
            if isinstance(found, Finding):
                looked.findings.append(found)
                continue
            cells = Cells(found[1], path.name, found[0])
            if lacks := [column for column in cases.columns if column not in cells.row]:
                for column in lacks:
                    lacking.setdefault(column, []).append(cells)
                continue
            try:
                looked.items.append(_own_item(cases, cells, split, ids))
            except CaseError as error:
                looked.findings.append(_finding(error, error.row))
        for column, rows in lacking.items():
            looked.findings.append(_finding(cases.lacking(rows[0], column), *(cells.number for cells in rows)))
    looked.findings = list(dict.fromkeys(looked.findings))
    return looked


def _own_item(cases: Cases, cells: Cells, split: Split, ids: dict[str, int]) -> Item:
    """A row as a case.

    Raises:
        CaseError: it cannot be asked.
    """
    where = split_of(cells, cases.split_column) if cases.split_column else split
    draft = cases.layout.draft(cells)
    if draft.id is not None:
        check_id(cells, cases.layout.id or "", draft.id, ids)
    return replace(_item(draft, cells, where), together=cases.layout.group_of(cells))


def _item(draft: Draft, cells: Cells, split: Split) -> Item:
    return Item(
        file=cells.file,
        row=cells.number,
        split=split,
        text=as_text(draft.input),
        gold=tuple(reference.text for reference in draft.references if reference.correct),
        options=tuple(reference.text for reference in draft.references),
        subgroups=draft.subgroups,
        cluster=draft.group if draft.group is not None else f"{split}{cells.number}",
        texts={name: value for name, value in cells.row.items() if isinstance(value, str)},
    )


def _finding(error: AssayError, *rows: int) -> Finding:
    """What is wrong with some rows, or with the declaration."""
    if isinstance(error, CaseError):
        told = Finding(severity="error", check="case", message=error.problem, hint=error.hint, file=error.file)
        return msgspec.structs.replace(told, rows=rows, column=error.column)
    return Finding(severity="error", check="column", message=error.message, hint=error.hint)

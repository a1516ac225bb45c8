"""The cases of a scenario as checks look at them: those that can be asked, and findings for those that cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

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


@dataclass
class Looked:
    """What was read."""

    items: list[Item]
    findings: list[Finding]
    file: str


def look(scenario: Scenario) -> Looked:
    """Read all cases of a scenario. Those of one's own files are read to the end, whatever is wrong on the way."""
    source, cases = scenario.source, cases_of(scenario)
    if cases is not None and isinstance(cases.source, File):
        looked = _own(cases, cases.source)
        if isinstance(source, HeldOut) and not looked.findings:
            looked.items = list(_with_splits(scenario, looked.items))
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


def _with_splits(scenario: Scenario, items: list[Item]) -> Iterator[Item]:
    """The items with the split that holding out gives them."""
    train = {row["number"] for row in scenario.source.read("train").rows}
    for item in items:
        yield replace(item, split="train") if item.row in train else item


def _own(cases: Cases, source: File) -> Looked:
    looked = Looked([], [], "")
    places: dict[Path, Split] = {}
    for split in ("test",) if cases.split_column else source.splits():
        places[source.path_of(split)] = split
    for path, split in places.items():
        looked.file = path.name
        ids: dict[str, int] = {}
        for found in lenient_rows(path):
            if isinstance(found, Finding):
                looked.findings.append(found)
                continue
            cells = Cells(found[1], path.name, found[0])
            try:
                where = split_of(cells, cases.split_column) if cases.split_column else split
                draft = cases.layout.draft(cells)
                if draft.id is not None:
                    check_id(cells, cases.layout.id or "", draft.id, ids)
            except CaseError as error:
                looked.findings.append(_finding(error))
                continue
            looked.items.append(_item(draft, cells, where))
    looked.findings = _once(looked.findings)
    return looked


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


def _finding(error: CaseError) -> Finding:
    return Finding(
        severity="error",
        check="case",
        message=error.problem,
        hint=error.hint,
        file=error.file,
        rows=(error.row,),
        column=error.column,
    )


def _once(findings: list[Finding]) -> list[Finding]:
    """What is wrong with whole columns is said once, with its rows."""
    kept: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        whole = finding.check == "case" and not finding.column
        key = (finding.file, finding.message, "" if whole else f"{finding.rows}{finding.column}")
        before = kept.get(key)
        rows = finding.rows if before is None else (*before.rows, *finding.rows)
        kept[key] = Finding(
            severity=finding.severity,
            check=finding.check,
            message=finding.message,
            hint=finding.hint,
            file=finding.file,
            rows=rows,
            column=finding.column,
        )
    return list(kept.values())

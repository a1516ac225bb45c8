"""The cases of a scenario as checks look at them: those that can be asked, and findings for those that cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec

from assay.checking.findings import Finding
from assay.checking.lenient import lenient_rows
from assay.checking.near import Sample
from assay.checking.texts import Texts
from assay.errors import AssayError
from assay.identity import canonical, digest
from assay.prompting.base import as_text
from assay.prompting.fewshot import question_key
from assay.records import Split
from assay.scenarios import Draft, Scenario
from assay.scenarios.own import CaseError, Cases, cases_of
from assay.scenarios.own.cases import check_id, fitted, split_of
from assay.scenarios.own.cells import Cells
from assay.scenarios.sources import File, HeldOut
from assay.text import same_text


class Item(msgspec.Struct, gc=False):
    """What is kept of a case that can be asked: about 300 bytes, however long its texts are.

    Answers and options of more than 200 characters lose their middle to a digest, so that only the same ones are equal.
    """

    file: str
    row: int
    split: Split
    length: int
    """Characters of what is asked, a conversation as its turns."""
    gold: tuple[str, ...]
    options: tuple[str, ...]
    subgroups: Mapping[str, str]
    cluster: str | None
    """The independent unit it belongs to; `None`: it is one of its own."""
    told: bool
    """Whether the prompting or the case itself names all wrong options."""


@dataclass
class Looked:
    """What was read."""

    frame: str
    """What the prompting says in every prompt, in which options may be named."""
    items: list[Item] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    texts: Texts = field(default_factory=Texts)
    keys: bytearray = field(default_factory=bytearray)
    """For each case 16 bytes: the first eight of what is asked (`question_key`), eight of a digest of the options."""
    sample: Sample = field(default_factory=Sample)
    """Cases that are different, with what is asked."""
    file: str = ""
    shared: dict[Any, Any] = field(default_factory=dict)
    """Answers, options and subgroups that many cases have, each once."""

    @property
    def partial(self) -> bool:
        """Whether a file could not be read to its end, or not in its encoding: what is there stands for nothing."""
        return any(finding.check in UNREAD for finding in self.findings)

    def add(self, draft: Draft, cells: Cells, split: Split) -> None:
        """Note a case."""
        text = as_text(draft.input)
        wrong = [reference.text for reference in draft.references if not reference.correct]
        gold = self._once(tuple(_short(reference.text) for reference in draft.references if reference.correct))
        options = self._once(tuple(_short(reference.text) for reference in draft.references)) if wrong else gold
        told = not wrong or _names_all(f"{self.frame}\n{text}", wrong)
        among = sorted(reference.text for reference in draft.references) if wrong else []
        key = question_key(draft.input)[: KEY // 2] + hashlib.blake2b(canonical(among), digest_size=KEY // 2).digest()
        self.keys += key
        self.sample.add(key, len(self.items), same_text(text))
        self.texts.add(cells.file, cells.number, cells.row)
        groups = self.shared.setdefault(frozenset(draft.subgroups.items()), draft.subgroups) if draft.subgroups else NO_GROUPS
        cluster = None if draft.group is None else _short(draft.group)
        self.items.append(Item(cells.file, cells.number, split, len(text), gold, options, groups, cluster, told))

    def _once(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        if len(self.shared) < MOST_SHARED:
            return cast("tuple[str, ...]", self.shared.setdefault(texts, texts))
        return cast("tuple[str, ...]", self.shared.get(texts, texts))


def _names_all(text: str, options: Iterable[str]) -> bool:
    folded = text.casefold()
    return all(option.casefold() in folded for option in options)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:80]}…{digest(text)[:32]}…{text[-80:]}"


NO_GROUPS: Mapping[str, str] = {}
KEY = 16
LONGEST = 200
"""Characters of an answer or option that are kept; messages show fewer."""
MOST_SHARED = 10_000
"""Different answers up to which it is noted that cases share them."""
UNREAD = ("file", "quotes", "encoding")
"""What is wrong with a whole file."""


def look(scenario: Scenario) -> Looked:
    """Read all cases of a scenario. Those of one's own files are read to the end, whatever is wrong on the way."""
    source, cases = scenario.source, cases_of(scenario)
    prompting = scenario.prompting
    instructions = prompting.instructions if prompting.method != "chat" else ""
    looked = Looked("\n".join([prompting.system, instructions, prompting.global_prefix]))
    if cases is not None and isinstance(cases.source, File):
        _own(looked, cases, cases.source, source if isinstance(source, HeldOut) else None)
        return looked
    looked.file = file = source.identity.partition(":")[2]
    seen: set[str] = set()
    try:
        for split in source.splits():
            for row, instance in enumerate(scenario.instances(split, seen), start=1):
                draft = Draft(
                    input=instance.input, references=instance.references, subgroups=instance.subgroups, group=instance.group
                )
                looked.add(draft, Cells({"input": as_text(instance.input)}, file, row), split)
    except AssayError as error:
        if not looked.items:
            raise
        looked.findings.append(Finding(severity="error", check="case", message=error.message, hint=error.hint))
    return looked


def _own(looked: Looked, cases: Cases, source: File, held_out: HeldOut | None) -> None:
    places: dict[Path, Split] = {}
    together = bytearray()
    for split in ("test",) if cases.split_column else source.splits():
        places[source.path_of(split)] = split
    for path, split in places.items():
        looked.file = path.name
        ids: dict[str, int] = {}
        lacking: dict[str, tuple[Cells, list[int]]] = {}
        for found in lenient_rows(path):
            if isinstance(found, Finding):
                looked.findings.append(found)
                continue
            cells = Cells(fitted(found[1], cases.columns), path.name, found[0])
            if lacks := [column for column in cases.columns if column not in cells.row]:
                for column in lacks:
                    lacking.setdefault(column, (cells, []))[1].append(cells.number)
                continue
            try:
                where = split_of(cells, cases.split_column) if cases.split_column else split
                looked.add(_own_draft(cases, cells, ids), cells, where)
                together += held_out.beginning(cases.layout.group_of(cells)) if held_out else b""
            except CaseError as error:
                looked.findings.append(_finding(error, error.row))
        for column, (first, rows) in lacking.items():
            looked.findings.append(_finding(cases.lacking(first, column), *rows))
    looked.findings = list(dict.fromkeys(looked.findings))
    for item, mark in zip(looked.items, held_out.moved(together) if held_out else (), strict=False):
        item.split = "train" if mark else item.split


def _own_draft(cases: Cases, cells: Cells, ids: dict[str, int]) -> Draft:
    """A row as a draft.

    Raises:
        CaseError: it cannot be asked.
    """
    draft = cases.layout.draft(cells)
    if draft.id is not None:
        check_id(cells, cases.layout.id or "", draft.id, ids)
    return draft


def _finding(error: AssayError, *rows: int) -> Finding:
    """What is wrong with some rows, or with the declaration."""
    if isinstance(error, CaseError):
        told = Finding(severity="error", check="case", message=error.problem, hint=error.hint, file=error.file)
        return msgspec.structs.replace(told, rows=rows, column=error.column)
    return Finding(severity="error", check="column", message=error.message, hint=error.hint)

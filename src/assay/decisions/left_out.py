"""What lies in the folders of a profile besides the evidence of a record: what the decision should have rested on too.

When a run came into its folder shows only in what the file system says of its files, and that changes with every copy. A
manifest that is older than the decision, in a file that nobody has touched since, lay there. Of anything else it is told what
is known: when the last answer of the run came.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from assay.decisions.differing import short
from assay.decisions.evidence_checks import OUT, RACED, SECOND, left_behind, seconds
from assay.decisions.measured import Source
from assay.decisions.measuring import resting_on
from assay.decisions.profile import Profile
from assay.decisions.record import DecisionRecord
from assay.errors import AssayError
from assay.store import RunFolder, find_runs
from assay.store.folders import MANIFEST
from assay.store.planned import PLAN

Found = tuple[list[str], list[str]]
"""Problems, and notes."""
MOST = 10_000
"""Sums of instances that are looked at."""


def left_out(record: DecisionRecord, profile: Profile, folders: Sequence[Path], home: Path) -> Found:
    """What the folders of the profile hold besides the evidence: problems, and notes.

    What lay there when the decision was made must be part of it; what is newer is only told. Where the folders are not there
    any more, that is noted.

    Args:
        record: what lists the evidence.
        profile: its profile, as far as it can be measured here.
        folders: where the evidence lies.
        home: the record's folder.
    """
    raced = any(note.startswith(RACED) for note in record.decision.notes)
    mine = {folder.resolve() for folder in folders}
    runs = _in_folders(profile, mine, home)
    if runs is None:
        said = "the folders that the profile names are not there: whether they held other runs cannot be told"
        return [], [said, *([VOUCHED] if raced else [])]
    others = [folder for folder in runs if folder not in mine]
    try:
        problems = list(_race_problems(record, folders, others)) if raced else []
        found, notes = _lacking(record, profile, (mine, others))
    except AssayError as error:
        return [], [f"what else lies in the profile's folders cannot be told: {error}"]
    return problems + found, notes + ([VOUCHED] if raced else [])


VOUCHED = "asked by a race: how it went, and why candidates dropped out, is vouched for by signatures only"


def _lacking(record: DecisionRecord, profile: Profile, places: tuple[Collection[Path], Sequence[Path]]) -> Found:
    """The runs that the decision would rest on, were all there that could have been, and that it does not name."""
    mine, others = places
    made = seconds(record.created) or 0.0
    written = {folder: _times(folder / MANIFEST) for folder in (*mine, *others)}
    then = max(made, *map(_last_asked, mine)) + SECOND  # no decision is older than its evidence, whatever it says
    later = {folder for folder in others if _last_asked(folder) >= then}
    proven = all(written[folder][0] < made + SECOND for folder in mine)
    notes = [] if proven or not others else [UNPROVEN]
    if later:
        count = f"{len(later):,} runs in the profile's folders are" if len(later) > 1 else "1 run in the profile's folders is"
        notes.append(f"{count} newer than the decision")
    problems = []
    for source in _named(record, profile, sorted({*mine, *others} - later), mine):
        folder = Path(source.folder).resolve()
        changed, inode = written[folder]
        what = f"{short(folder.name)} of {short(source.candidate)}"
        again = _replaces(source, record)
        if again and (_is_raced(record) or not changed < made):
            continue
        if again and _times(folder.parent / PLAN)[0] > made:
            notes.append(f"{what} is what the last `assay run` asked for, which is newer")
        elif proven and 0 < changed < made and inode < made + SECOND:
            problems.append(f"evidence: it lacks {what}, which lay there when it was decided")
        elif not again or proven:
            when = datetime.fromtimestamp(_last_asked(folder), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            notes.append(
                f"evidence: it lacks {what}: its answers were there when it was decided (the last is of {when}); whether they"
                " lay in this folder cannot be told, as its files were written, copied or touched since: ask who signs"
            )
    return problems, notes


UNPROVEN = (
    "the evidence's own files are newer than the decision: copied or scored again since, or the decision was dated back; so"
    " their times show nothing of what lay beside them"
)


def _named(record: DecisionRecord, profile: Profile, folders: Sequence[Path], mine: Collection[Path]) -> list[Source]:
    """The runs among these that the decision would rest on and does not name."""
    gone = left_behind(record.decision.notes)
    lacks = [source for source in resting_on(profile, folders) if Path(source.folder).resolve() not in mine]
    lacks = [source for source in lacks if source.candidate not in gone]
    if profile != record.profile:  # measured in part, a candidate may rest on another scenario than it did
        there, titles = ({getattr(run, name) for run in record.evidence} for name in ("candidate", "scenario"))
        lacks = [source for source in lacks if source.candidate not in there or source.scenario in titles]
    return lacks


def _is_raced(record: DecisionRecord) -> bool:
    return any(note.startswith(RACED) for note in record.decision.notes)


def _race_problems(record: DecisionRecord, folders: Sequence[Path], others: Sequence[Path]) -> Iterator[str]:
    """Where notes of a race are refuted by the runs: by those of candidates that dropped out, and by those it rests on."""
    made = seconds(record.created) or 0.0
    asked: dict[str, dict[str, set[int]]] = {}
    for folder in others:
        if _last_asked(folder) < made + SECOND and RunFolder(folder).complete():
            stats = RunFolder(folder).stats()
            asked.setdefault(stats.label, {}).setdefault(stats.title, set()).add(stats.instances)
    for note in record.decision.notes:
        found = re.fullmatch(OUT[0], note)
        if found is None or found[1] not in asked:
            continue
        said = int(re.sub(r"\D", "", found[2]))
        held = {sum(counts) for counts in itertools.islice(itertools.product(*asked[found[1]].values()), MOST)}
        if said not in held:
            yield (
                f"decision.notes: {short(found[1])} is said to have dropped out after {said:,} instances, and was asked "
                f"{max(held):,} by its runs in the profile's folders"
            )
    spent = [found for note in record.decision.notes if (found := re.fullmatch(SPENT, note))]
    if len(spent) < sum(note.startswith(RACED) for note in record.decision.notes):
        yield "decision.notes: what a race asked is not said as a race says it"
        return
    requests = sum(RunFolder(folder).manifest().requests for folder in folders)
    most = max(int(found[2].replace(",", "")) for found in spent)
    if requests > most:
        yield f"decision.notes: {most:,} requests are said to have been made, and the evidence alone took {requests:,}"


SPENT = r"Adaptive: (\d+) % of all instances were asked, ([\d,]+) requests instead of about ([\d,]+); .*"
"""How a race says what it asked."""


def _replaces(source: Source, record: DecisionRecord) -> bool:
    """Whether the evidence has another run of the same candidate and scenario: which one counts may change."""
    return any((run.candidate, run.scenario) == (source.candidate, source.scenario) for run in record.evidence)


def _in_folders(profile: Profile, mine: Collection[Path], home: Path) -> list[Path] | None:
    """All runs in the folders that a profile names, relative to its file; `None` where these do not hold the evidence.

    The profile lies where the record does, or in a folder above one of the runs.
    """
    for place in dict.fromkeys((home.resolve(), *(above for folder in sorted(mine)[:1] for above in folder.parents))):
        try:
            found = {run.path.resolve() for folder in profile.runs for run in find_runs(place / folder)}
        except AssayError:
            continue
        if found >= set(mine):
            return sorted(found)
    return None


def _times(file: Path) -> tuple[float, float]:
    """When a file was written, and when it was put where it is or anything of it was changed, Unix time; 0: there is none."""
    try:
        held = file.stat()
    except OSError:
        return 0.0, 0.0
    return held.st_mtime, held.st_ctime


def _last_asked(folder: Path) -> float:
    """When the last answer of a run came, Unix time; 0 where that is not known."""
    try:
        return RunFolder(folder).manifest().last_asked or 0.0
    except AssayError:
        return 0.0

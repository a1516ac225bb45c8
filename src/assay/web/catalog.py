"""What there is to look at below some folders: finished runs, told apart and found again by slugs; records and profiles.

Reading is bounded: of each run only what every page needs is kept (its spec, counts, and the estimates of the whole scenario);
everything else is read from its files when a page wants it. A catalog does not change; `refreshed` gives the one of now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from assay.comparison.evidence import Evidence, Run
from assay.errors import AssayError, unknown
from assay.identity import digest
from assay.plain_files import is_folder, may_be_there, settled
from assay.store import find_runs
from assay.store.folders import MANIFEST, closed_in, safe
from assay.store.recency import asked_last
from assay.web.decided import ProfileFile, RecordFile, find_decided
from assay.web.entries import Entry, Stamp, read_entry, tell_apart

LONGEST_SLUG = 60
"""Characters of a slug, its digest left out."""
WITH_DIGEST = re.compile(r"-[0-9a-f]{10}$")


def slug_of(name: str) -> str:
    """A name as part of an address and as a file's name: itself where it is plain and short, else with a digest of it.

    A name that looks like another's with a digest has one of its own, so that different names have different slugs.
    """
    plain = safe(name)[:LONGEST_SLUG]
    return plain if plain == name.lower() and not WITH_DIGEST.search(plain) else f"{plain}-{digest(name)[:10]}"


@dataclass(frozen=True)
class Scenario:
    """A scenario, as tables call it, and the runs of it."""

    slug: str
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Candidate:
    """A candidate, as tables call it, and its runs."""

    slug: str
    label: str
    entries: tuple[Entry, ...]


T = TypeVar("T", Entry, Scenario, Candidate, RecordFile, ProfileFile)


@dataclass(frozen=True)
class Catalog:
    """All that pages may show. Make one with `open_catalog`."""

    places: tuple[Path, ...]
    """The folders, and records or profiles by themselves, that it was opened for."""
    entries: tuple[Entry, ...] = ()
    """The finished runs, in the order of suite, scenario, candidate; of runs that differ in metrics alone the latest."""
    problems: tuple[str, ...] = ()
    """What could not be read, a line each."""
    records: tuple[RecordFile, ...] = ()
    """Decision records, by path."""
    profiles: tuple[ProfileFile, ...] = ()
    """Profiles, by path."""
    read: Mapping[Path, Entry] = field(default_factory=dict, repr=False)
    """Every run that was read, older ones too."""
    stamp: Stamp = ()
    """What was there: equal stamps, equal catalogs."""

    def refreshed(self, places: Sequence[Path] = ()) -> Catalog:
        """The catalog of now: this one where nothing has changed on disk, else one that reads again only what has.

        Args:
            places: what to look through from now on; nothing: the places of this catalog.
        """
        return _opened(tuple(places) or self.places, self)

    def told(self, problem: str) -> str:
        """A problem without where on this machine the places lie: a report is read elsewhere."""
        for above in self._above:
            problem = problem.replace(above, "")
        return problem

    def entry(self, slug: str) -> Entry:
        """A run by its slug. Raises AssayError with the nearest known slugs; so do the others."""
        return _named("run", slug, self._entries)

    def scenario(self, slug: str) -> Scenario:
        """A scenario by its slug."""
        return _named("scenario", slug, self._scenarios)

    def candidate(self, slug: str) -> Candidate:
        """A candidate by its slug."""
        return _named("candidate", slug, self._candidates)

    def record(self, slug: str) -> RecordFile:
        """A decision record by its slug."""
        return _named("decision record", slug, {record.slug: record for record in self.records})

    def profile(self, slug: str) -> ProfileFile:
        """A profile by its slug."""
        return _named("profile", slug, {profile.slug: profile for profile in self.profiles})

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """In the order of their titles."""
        held: dict[str, list[Entry]] = {title: [] for title in sorted({entry.title for entry in self.entries})}
        for entry in self.entries:
            held[entry.title].append(entry)
        return tuple(Scenario(slug_of(title), title, tuple(entries)) for title, entries in held.items())

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """In the order of their labels."""
        held: dict[str, list[Entry]] = {label: [] for label in sorted({entry.label for entry in self.entries})}
        for entry in self.entries:
            held[entry.label].append(entry)
        return tuple(Candidate(slug_of(label), label, tuple(entries)) for label, entries in held.items())

    @cached_property
    def places_of_candidates(self) -> Mapping[str, int]:
        """Label to place in that order: what gives a candidate the same colour on all pages."""
        return {candidate.label: place for place, candidate in enumerate(self.candidates)}

    @cached_property
    def suites(self) -> tuple[str, ...]:
        """The names of the folders that runs lie in."""
        return tuple(dict.fromkeys(entry.suite for entry in self.entries))

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """Every metric that a run measured: main metrics first, then in the order of their names."""
        mains = {entry.main_metric for entry in self.entries}
        return tuple(
            sorted({name for entry in self.entries for name in entry.metrics}, key=lambda name: (name not in mains, name))
        )

    @cached_property
    def shown(self) -> Mapping[Path, Entry]:
        """The runs that have pages, by their folders."""
        return {entry.folder.path: entry for entry in self.entries}

    @cached_property
    def _above(self) -> tuple[str, ...]:
        """What is left out of paths, the longest first: all before the last two parts of a place, or of a suite elsewhere."""
        homes = {*self.places, *map(settled, self.places)}
        homes |= {path.parent for path in self.read if not any(home in path.parents for home in homes)}
        above = {f"{home.parent.parent}/" for home in homes if home.is_absolute()} - {"//"}
        return tuple(sorted(above, key=len, reverse=True))

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.slug: entry for entry in self.entries}

    @cached_property
    def _scenarios(self) -> dict[str, Scenario]:
        return {scenario.slug: scenario for scenario in self.scenarios}

    @cached_property
    def _candidates(self) -> dict[str, Candidate]:
        return {candidate.slug: candidate for candidate in self.candidates}


def _named(kind: str, slug: str, known: Mapping[str, T]) -> T:
    if slug not in known:
        error = unknown(kind, slug, known)
        near = error.hint.startswith("did you mean")
        raise error if near else AssayError(error.message, "the overview leads to everything there is")
    return known[slug]


def evidence_of(entries: Sequence[Entry]) -> Evidence:
    """Runs as what a comparison rests on, under the names that pages call them by.

    Where a candidate has several runs of a scenario under these names, the one that was asked last speaks.
    """
    labels = tuple(dict.fromkeys(entry.label for entry in entries))
    runs: dict[str, dict[str, Run]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.title, labels.index(entry.label), asked_last(entry.manifest))):
        file = msgspec.structs.replace(entry.file, title=entry.title)
        runs.setdefault(entry.title, {})[entry.label] = Run(entry.folder, file, entry.label)
    return Evidence(labels, runs)


def open_catalog(places: Sequence[Path]) -> Catalog:
    """The catalog of what lies in some places.

    Args:
        places: folders of runs, of suites or of suites' folders; records and profiles by themselves, or folders with them.

    Raises:
        AssayError: a place does not exist.
    """
    for place in places:
        if not may_be_there(place):
            raise AssayError(f"{place} does not exist", "give folders of runs or of suites, or decision records")
    return _opened(tuple(places), None)


def _opened(places: tuple[Path, ...], before: Catalog | None) -> Catalog:
    folders = _finished(places)
    decided = find_decided(places, folders)
    closed = [folder for place in places for folder in closed_in(place)]
    stamp: Stamp = (*folders.items(), *closed, *((path, written) for path, written, _ in decided.stamps))
    if before is not None and (before.stamp, before.places) == (stamp, places):
        return before
    read: dict[Path, Entry] = {}
    why = "may not be read: its runs are left out; give this user the right to read it"
    problems = [f"{folder} {why}" for folder in closed]
    known = {} if before is None else before.read
    for path, written in folders.items():
        held = known.get(path)
        try:
            read[path] = held if held is not None and held.written == written else read_entry(path, written)
        except AssayError as error:
            problems.append(str(error))
    entries = tell_apart(read)
    return Catalog(places, entries, (*problems, *decided.problems), decided.records, decided.profiles, read, stamp)


def _finished(places: Sequence[Path]) -> dict[Path, int]:
    """The folders of finished runs, each once, with the time at which its manifest was written (nanoseconds)."""
    found: dict[Path, int] = {}
    for place in places:
        if not is_folder(place):
            continue
        try:
            folders = find_runs(place)
        except (AssayError, OSError):  # it holds none yet, or is gone
            continue
        for folder in folders:
            try:
                found[settled(folder.path)] = (folder.path / MANIFEST).stat().st_mtime_ns
            except OSError:
                continue  # not finished, or just being written again
    return found

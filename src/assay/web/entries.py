"""A finished run as pages know it: what every page needs is at hand, and all its estimates are one call away."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from assay.comparison.contract import terms
from assay.errors import AssayError
from assay.identity import digest
from assay.records import Cell, ComputedOn, RunSpec
from assay.rescoring import asked_as
from assay.store import Manifest, RunFolder
from assay.store.folders import SpecFile, StatsFile
from assay.store.recency import scored_last
from assay.tables.naming import told_apart
from assay.tables.suite import splits_of
from assay.web.kept import Kept
from assay.web.measures import meaning

Stamp = tuple[Hashable, ...]

CELLS_KEPT = 250_000
"""Estimates that are kept at the same time, of runs that a page wants in full: some 500 bytes each."""
RUNS_IN_FULL = 64
"""Runs of which they are kept."""
TERMS_KEPT = 5_000
"""Runs of which it is kept how they were asked, a few kilobytes each."""
MANY_CELLS = 10_000
"""Estimates of a run that take long to read: they are kept from when the run was found."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A finished run."""

    slug: str
    """Its name in addresses: a function of its own name and its suite's, whatever lies beside it."""
    folder: RunFolder
    written: int
    """When it was finished, nanoseconds of Unix time; with the folder, the key of whatever is kept of it."""
    suite: str
    title: str
    """Its scenario, told apart from others as tables do."""
    label: str
    """Its candidate, told apart likewise; the same in every suite that asked it."""
    evaluation: str
    """Its candidate, with its suite behind it where several asked it: for where its evaluations stand beside each other."""
    file: SpecFile
    manifest: Manifest
    main_metric: str
    instances: int
    """Different items asked."""
    trials: int
    failed: int
    splits: tuple[str, ...]
    """The splits that were asked; the last is the one that pages show, test where it was asked."""
    cells: tuple[Cell, ...]
    """Estimates of that split over all subgroups: every metric on the originals, the main one under perturbations too."""
    between: tuple[Cell, ...]
    """How far the subgroups of each axis lie apart in the main metric on the originals."""
    subgroups: int
    """Subgroups, of all axes, that it has estimates of."""

    @property
    def key(self) -> tuple[Path, int]:
        """What identifies its bytes: for caches."""
        return self.folder.path, self.written

    @property
    def asked_at(self) -> float:
        """When it was asked, Unix time in seconds: of its last answer, or of its files where answers hold no times."""
        last = self.manifest.last_asked
        return self.written / 1e9 if last is None else last

    @property
    def spec(self) -> RunSpec:
        """The resolved spec."""
        return self.file.spec

    @cached_property
    def terms(self) -> Mapping[str, str]:
        """What must agree between runs that are compared in its main metric, how many instances were asked left out."""
        return _terms.get((*self.key, self.main_metric), lambda: _terms_of(self))

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that were measured on originals, in the order of the run."""
        return tuple(dict.fromkeys(cell.metric for cell in self.cells if cell.perturbation is None))

    def cell(self, metric: str = "", perturbation: str | None = None, computed_on: ComputedOn = "original") -> Cell | None:
        """One of `cells`; without a metric that of the main one."""
        return self._by_what.get((metric or self.main_metric, perturbation, computed_on))

    @cached_property
    def _by_what(self) -> Mapping[tuple[str, str | None, ComputedOn], Cell]:
        return {(cell.metric, cell.perturbation, cell.computed_on): cell for cell in self.cells}

    def stats(self) -> StatsFile:
        """All estimates: of every split, subgroup and perturbation, under the names that pages use.

        Raises:
            AssayError: they cannot be read.
        """
        import msgspec

        return msgspec.structs.replace(_stats(*self.key), title=self.title, label=self.label)

    def all_cells(self) -> tuple[Cell, ...]:
        """All estimates of the split that pages show. Raises AssayError as `stats` does."""
        return tuple(cell for cell in _stats(*self.key).cells if cell.split == self.splits[-1])


_held: Kept[StatsFile] = Kept(CELLS_KEPT, lambda stats: max(len(stats.cells), CELLS_KEPT // RUNS_IN_FULL))


_terms: Kept[Mapping[str, str]] = Kept(TERMS_KEPT, lambda held: 1)


def _terms_of(entry: Entry) -> Mapping[str, str]:
    known = meaning(entry.main_metric).metric
    return {"main metric": entry.main_metric, **({} if known is None else terms(entry.spec, known))}


def _stats(path: Path, written: int) -> StatsFile:
    return _held.get((path, written), RunFolder(path).stats)


def read_entry(path: Path, written: int) -> Entry:
    """The run in a folder, under its own names.

    Raises:
        AssayError: it cannot be read, or its name or what it holds is no text.
    """
    import msgspec

    folder = RunFolder(path)
    file, stats, manifest = folder.spec_file(), folder.stats(), folder.manifest()
    try:
        msgspec.json.encode((str(path), file, stats, manifest))
    except UnicodeEncodeError:
        raise AssayError(f"{path}: its name is not UTF-8, or it holds half a character", "give it another name") from None
    if len(stats.cells) > MANY_CELLS:
        _held.get((path, written), lambda: stats)
    splits = tuple(splits_of(stats.cells)) or ("test",)
    shown = [cell for cell in stats.cells if cell.split == splits[-1]]
    return Entry(
        slug=_slug(path),
        folder=folder,
        written=written,
        suite=path.parent.name,
        title=stats.title,
        label=stats.label,
        evaluation=stats.label,
        file=file,
        manifest=manifest,
        main_metric=stats.main_metric,
        instances=stats.instances,
        trials=stats.trials,
        failed=stats.failed,
        splits=splits,
        cells=tuple(cell for cell in shown if _is_of_every_page(cell, stats.main_metric)),
        between=tuple(cell for cell in shown if _is_between(cell, stats.main_metric)),
        subgroups=len({cell.subgroup for cell in shown if cell.subgroup is not None}),
    )


def _is_of_every_page(cell: Cell, main_metric: str) -> bool:
    return cell.subgroup is None and (cell.perturbation is None or cell.metric == main_metric)


def _is_between(cell: Cell, main_metric: str) -> bool:
    own = cell.metric == main_metric and cell.perturbation is None
    return own and cell.subgroup is not None and cell.computed_on == "gap"


LONGEST = 60
"""Characters of a run's name in its slug."""


def _slug(path: Path) -> str:
    return f"{path.name.rpartition('-')[0][:LONGEST]}-{digest([path.parent.name, path.name])[:8]}"


def tell_apart(read: Mapping[Path, Entry]) -> tuple[Entry, ...]:
    """The runs that stand for those that differ from them in metrics alone, under names and slugs that tell them apart.

    A candidate has one name in all suites, but a name that stands for several models has the suite behind it.
    """
    newest: dict[tuple[Path, str], Entry] = {}
    for entry in read.values():
        asked = (entry.folder.path.parent, asked_as(entry.spec))
        if asked not in newest or _scored(entry) >= _scored(newest[asked]):
            newest[asked] = entry
    by_suite: dict[Path, list[Entry]] = defaultdict(list)
    for entry in newest.values():
        by_suite[entry.folder.path.parent].append(entry)
    named = [entry for entries in by_suite.values() for entry in _within_a_suite(entries)]
    homes: dict[str, set[Path]] = defaultdict(set)
    models: dict[str, set[str]] = defaultdict(set)
    for entry in named:
        homes[entry.label].add(entry.folder.path.parent)
        models[entry.label].add(entry.spec.model.name)
    called = [_called(entry, _with_home(entry, homes[entry.label]), len(models[entry.label]) > 1) for entry in named]
    called.sort(key=lambda entry: (entry.suite, entry.title, entry.label, entry.folder.path))
    often: Counter[str] = Counter()
    unique = []
    for entry in called:
        often[entry.slug] += 1
        copy = often[entry.slug]
        unique.append(replace(entry, slug=f"{entry.slug}-{copy}") if copy > 1 else entry)
    return tuple(unique)


def _scored(entry: Entry) -> tuple[float, int, bool, str]:
    return scored_last(entry.manifest, entry.spec)


def _within_a_suite(entries: list[Entry]) -> list[Entry]:
    if len({(entry.title, entry.label) for entry in entries}) == len(entries):
        return entries
    names = told_apart([entry.spec for entry in entries], [entry.title for entry in entries])
    return [replace(entry, title=title, label=label) for entry, (title, label) in zip(entries, names, strict=True)]


def _called(entry: Entry, evaluation: str, several: bool) -> Entry:
    return replace(entry, evaluation=evaluation, label=evaluation if several else entry.label)


def _with_home(entry: Entry, homes: set[Path]) -> str:
    if len(homes) == 1:
        return entry.label
    place = entry.folder.path.parent
    same_name = sum(other.name == place.name for other in homes) > 1
    return f"{entry.label} ({place if same_name else place.name})"

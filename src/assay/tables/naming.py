"""What tables call runs: their scenario and candidate, with the settings that differ where these are the same."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.identity import digest
from assay.records import RunSpec
from assay.store import RunFolder
from assay.store.folders import StatsFile
from assay.text import one_line

MOST_SETTINGS = 4
"""Of more settings that differ, one or two stand for all where they tell the runs apart; else digests do."""
TELLING = ("method", "shots", "perturb")
"""Settings that say most to a reader."""
LONGEST_SETTING = 40
"""Characters of a setting; the digest stands for a longer one."""
COMMON = ("seed", "max_instances", "draws", "formats", "repeats", "helm_compat")


def stats_of(folders: Sequence[RunFolder]) -> list[StatsFile]:
    """The estimates of runs, under names that tell them apart.

    Raises:
        AssayError: a run cannot be read.
    """
    stats = [folder.stats() for folder in folders]
    titles = [run.title for run in stats]
    if len({(run.title, run.label) for run in stats}) == len(stats):
        return stats
    names = told_apart([folder.spec_file().spec for folder in folders], titles)
    return [msgspec.structs.replace(run, title=title, label=label) for run, (title, label) in zip(stats, names, strict=True)]


def told_apart(specs: Sequence[RunSpec], titles: Sequence[str]) -> list[tuple[str, str]]:
    """Scenario and candidate of each run, no two alike.

    Where a candidate is asked a scenario more than once, the settings that differ stand behind the scenario
    (`dyck_language:max_tokens=4`) or, if they are the model's, behind the candidate. The digest of its spec stands behind a
    candidate that they do not tell apart.

    Args:
        specs: of the runs.
        titles: their scenarios, as tables call them otherwise.
    """
    names = []
    for spec, title in zip(specs, titles, strict=True):
        alike = [other for other, called in zip(specs, titles, strict=True) if called == title]
        asked = _shown(spec, _differing(alike, _settings), _settings)
        own = _shown(spec, _differing(alike, _of_model), _of_model)
        behind = (":" if ":" not in title else ",") + ",".join(asked) if asked else ""
        names.append((title + behind, " ".join([_label(spec), *own])))
    often = Counter(names)
    return [
        (title, f"{label} #{digest(spec)[:4]}" if often[title, label] > 1 else label)
        for spec, (title, label) in zip(specs, names, strict=True)
    ]


def _label(spec: RunSpec) -> str:
    return spec.label or spec.model.name


Settings = Callable[[RunSpec], Mapping[str, Any]]


def _differing(specs: Iterable[RunSpec], settings: Settings) -> list[str]:
    """The settings that differ between runs of any one candidate; of too many the fewest, up to two, that tell all apart."""
    by_label: dict[str, list[Mapping[str, Any]]] = {}
    for spec in specs:
        by_label.setdefault(_label(spec), []).append(settings(spec))
    keys = sorted({key for runs in by_label.values() for key in _unlike(runs)})
    if len(keys) <= MOST_SETTINGS:
        return keys
    keys.sort(key=lambda key: TELLING.index(key) if key in TELLING else len(TELLING))
    tried = itertools.chain(((key,) for key in keys), itertools.combinations(keys, 2))
    return list(next((some for some in tried if all(_all_differ(runs, some) for runs in by_label.values())), ()))


def _all_differ(runs: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> bool:
    return len({tuple(_value(run.get(key)) for key in keys) for run in runs}) == len(runs)


def _unlike(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for key in runs[0]:
        values = [run.get(key) for run in runs]
        if all(key in run for run in runs) and any(value != values[0] for value in values):
            yield key


def _shown(spec: RunSpec, keys: Sequence[str], settings: Settings) -> list[str]:
    held = settings(spec)
    return [f"{key}={_value(held[key])}" for key in keys if key in held]


def _value(value: Any) -> str:
    if value is None or value in ("", (), []):
        return "none"
    text = one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())
    return text if len(text) <= LONGEST_SETTING else f"#{digest(value)[:4]}"


def _settings(spec: RunSpec) -> Mapping[str, Any]:
    """How a run was asked and rated, whoever was asked."""
    raters = {} if spec.toxicity is None else {"toxicity": spec.toxicity.parameters.get("scorer")}
    return {
        **spec.prompting,
        **{name: getattr(spec, name) for name in COMMON},
        "split": "+".join(spec.split),
        "perturb": "+".join(named.name for named in spec.perturbations),
        **{f"{named.name}.{key}": value for named in spec.perturbations for key, value in named.parameters.items()},
        **raters,
        **{f"{named.name}.{key}": value for named in spec.metrics for key, value in named.parameters.items()},
    }


def _of_model(spec: RunSpec) -> Mapping[str, Any]:
    model = spec.model
    return {"model": model.name, "revision": model.revision, "endpoint": model.endpoint, **model.options}

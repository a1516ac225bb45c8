"""Whether the profile of a record says what its file said, as it was written."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.decisions.differing import differences
from assay.decisions.profile import Constraint, Costs, Criterion, Profile
from assay.decisions.reading import read_profile
from assay.errors import AssayError
from assay.records import Record
from assay.yaml_files import read_yaml_file

KINDS: dict[str, type[Criterion] | type[Constraint]] = {"criteria": Criterion, "constraints": Constraint}


def without(profile: Profile, lacking: Collection[str]) -> Profile:
    """The profile without the measures, and without the costs, that are made of some metrics."""
    costs = profile.costs
    return msgspec.structs.replace(
        profile,
        criteria=tuple(each for each in profile.criteria if each.metric not in lacking),
        constraints=tuple(each for each in profile.constraints if each.metric not in lacking),
        costs=None if costs is not None and costs.metric in lacking else costs,
    )


def profile_problems(profile: Profile, text: str, lacking: Collection[str] = ()) -> Iterator[str]:
    """Where a profile's file says otherwise than the profile, a line each.

    Args:
        profile: as the record has it.
        text: the file.
        lacking: metrics that are not installed. What is measured by them is compared as it stands, and not checked further.
    """
    left = without(profile, lacking)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profile.yaml"
        file.write_bytes(text.encode())
        try:
            if lacking:
                plain, taken = _divided(read_yaml_file(file), lacking)
                yield from _alike(_measured_by(profile, lacking), taken, profile)
                if not (left.criteria or left.constraints or left.costs):
                    return
                file.write_bytes(msgspec.json.encode(plain))
            written = read_profile(file)
        except AssayError as error:
            yield f"profile_file: {str(error).replace(str(file), 'it')}"
            return
    old, new = (msgspec.to_builtins(one) for one in (left, written))
    for line in differences("profile", old, new, exact=True):
        yield line.replace("recomputed", "in profile_file")


def _measured_by(profile: Profile, metrics: Collection[str]) -> list[tuple[str, Record]]:
    found: list[tuple[str, Record]] = []
    for key in KINDS:
        found += [(key, each) for each in getattr(profile, key) if each.metric in metrics]
    if profile.costs is not None and profile.costs.metric in metrics:
        found.append(("costs", profile.costs))
    return found


def _divided(plain: Any, metrics: Collection[str]) -> tuple[Any, list[tuple[str, dict[Any, Any]]]]:
    """What a file holds, without what is measured by some metrics; and that."""
    if not isinstance(plain, dict):
        return plain, []
    left, taken = dict(plain), []
    for key in KINDS:
        items = [_readable(item) for item in plain[key]] if isinstance(plain.get(key), list) else []
        taken += [(key, item) for item in items if _names(item, metrics)]
        if items:
            left[key] = [item for item in items if not _names(item, metrics)]
    if _names(left.get("costs"), metrics):
        taken.append(("costs", left.pop("costs")))
    return left, taken


def _readable(item: Any) -> Any:
    """A measure with its key `on`, which YAML reads as a truth value."""
    return {("on" if key is True else key): value for key, value in item.items()} if isinstance(item, dict) else item


def _names(item: Any, metrics: Collection[str]) -> bool:
    return isinstance(item, dict) and isinstance(item.get("metric"), str) and item["metric"] in metrics


def _alike(held: Sequence[tuple[str, Record]], taken: Sequence[tuple[str, dict[Any, Any]]], profile: Profile) -> Iterator[str]:
    """Where what is measured by metrics that are not installed stands otherwise in the file."""
    if [key for key, _ in held] != [key for key, _ in taken]:
        yield "profile: its file has other measures"
        return
    for (key, one), (_, item) in zip(held, taken, strict=True):
        kind = KINDS.get(key, Costs)
        try:
            written = msgspec.convert(item, kind, strict=False)
        except (msgspec.ValidationError, OverflowError, RecursionError):
            yield f"profile_file: {key} holds what no profile does"
            continue
        then, now = (msgspec.to_builtins(each) for each in (one, written))
        currency = profile.costs.currency if profile.costs is not None else ""
        if not now.get("unit") and then.get("unit") == currency:
            now["unit"] = currency  # where it measures a price, which only its metric knows
        for line in differences(f"profile.{key}", then, now, exact=True):
            yield line.replace("recomputed", "in profile_file")

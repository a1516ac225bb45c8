"""Groups and tags: the tasks a name stands for, and a task as a group changes it.

A group may change settings of its members, and declare members that no file of their own declares. Such a member is named by
the way to it, `GROUP/TASK`; every other one by its own name alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.errors import AssayError, unknown
from assay.scenarios.lm_eval.files import Declared, declared, find

STRUCTURE = frozenset({"group", "group_alias", "task", "aggregate_metric_list", "metadata", "tag"})
"""Settings of a group that are its own and not its members'."""
SILENT = frozenset({"task", "group", "task_alias", "group_alias", "metadata", "weight_by_size"})
"""Settings of a member that change nothing about what is asked."""
DEEPEST = 12
"""Groups within groups."""


@dataclass(frozen=True)
class Place:
    """What stands at the end of a way through groups."""

    thing: Declared
    changes: dict[str, Any] = field(default_factory=dict)
    """The settings that the groups on the way change."""
    inline: bool = False
    """The group that it stands in declares it itself."""


def tasks_of(root: Path, name: str) -> list[str]:
    """The tasks that a name, or a way through groups, stands for: itself where it is a task.

    Raises:
        AssayError: nothing has that name, or a group has itself as a member.
    """
    if name.count("/") > DEEPEST:
        raise AssayError(f"the group {name.split('/')[0]} is nested too deeply, or within itself", "name its tasks one by one")
    place = place_of(root, name)
    if place.thing.kind == "task":
        return [name]
    found: dict[str, None] = {}
    for member in place.thing.tasks or _members(place.thing):
        way = f"{name}/{member}"
        inner = place_of(root, way)
        same_name = member == name.rpartition("/")[2]
        found.update(dict.fromkeys(tasks_of(root, way if inner.changes or inner.inline or same_name else member)))
    return list(found)


def settings_of(root: Path, name: str) -> tuple[dict[str, Any], Path | None]:
    """The settings of a task, as the groups on the way to it change them, and the file that declares it.

    Raises:
        AssayError: nothing has that name, it is a group or a tag, or a group on the way has no such member.
    """
    place = place_of(root, name)
    if place.thing.kind != "task":
        tasks = tasks_of(root, name)
        shown = ", ".join(tasks[:6]) + (", …" if len(tasks) > 6 else "")
        raise AssayError(f"{name} is a {place.thing.kind} of {len(tasks)} tasks", f"name one of them: {shown}")
    return {**place.thing.settings, **place.changes}, place.thing.file


def place_of(root: Path, name: str) -> Place:
    """What a name or a way through groups leads to. Where several groups change a setting, the outermost wins.

    Raises:
        AssayError: there is no such thing; the message names the nearest.
    """
    first, *rest = name.split("/")
    place = Place(declared(root, first))
    for member in rest:
        place = _inside(root, place, member)
    return place


def _inside(root: Path, outer: Place, member: str) -> Place:
    if outer.thing.kind == "tag":
        if member not in outer.thing.tasks:
            raise unknown(f"task with the tag {outer.thing.name}", member, outer.thing.tasks)
        return replace(outer, thing=declared(root, member))
    members = _members(outer.thing)
    if outer.thing.kind == "task" or member not in members:
        raise unknown(f"member of {outer.thing.name}", member, members)
    given = members[member]
    settings = {key: value for key, value in given.items() if key not in SILENT}
    shared = {key: value for key, value in outer.thing.settings.items() if key not in STRUCTURE}
    if isinstance(given.get("task"), list):
        inner = Declared(member, "group", {**shared, **given, "group": member}, outer.thing.file)
        return Place(inner, outer.changes, inline=True)
    known = find(root, member)
    if known is None and "dataset_path" in given:
        inner = Declared(member, "task", {**shared, **given, "task": member}, outer.thing.file)
        return Place(inner, outer.changes, inline=True)
    return Place(known or declared(root, member), {**shared, **settings, **outer.changes})


def _members(group: Declared) -> Mapping[str, Mapping[str, Any]]:
    """The members of a group by name, in its order, with what it changes in each."""
    listed = group.settings.get("task") if group.kind == "group" else None
    members: dict[str, Mapping[str, Any]] = {}
    for number, item in enumerate(listed if isinstance(listed, list) else [listed] if listed else [], 1):
        if isinstance(item, str):
            members[item] = {}
        elif isinstance(item, dict):
            named = item.get("group") or item.get("task") or f"{group.name}-{number}"
            members[str(named)] = item
        else:
            raise AssayError(f"the group {group.name} has the member {item!r}", "a member is a name or a mapping")
    return members

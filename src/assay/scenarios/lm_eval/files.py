"""The YAML files of a folder of tasks: which of them declares a name, what they include, and which code they point to.

The harness's own folder holds some 14,000 files, so that a name is first looked for in their bytes, and only the files that
mention it, directly or through what they include, are parsed.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.errors import AssayError, unknown
from assay.once import warn_once
from assay.yaml_files import LARGEST_FILE, parse_yaml, read_yaml_text

Kind = Literal["task", "group", "tag"]
HIDDEN = frozenset({"__pycache__", ".ipynb_checkpoints"})
DEEPEST = 20
"""Files that include one another."""
MOST_FILES = 100_000
"""Files of a folder that may be tasks; the harness has 15,000."""


@dataclass(frozen=True)
class Code:
    """A function that a file names by `!function module.name`, not imported."""

    name: str
    folder: Path
    """The folder of the file that names it."""


@dataclass(frozen=True)
class Declared:
    """What a name stands for: one task's settings, a group's, or the tasks that carry a tag."""

    name: str
    kind: Kind
    settings: Mapping[str, Any]
    file: Path | None = None
    tasks: tuple[str, ...] = ()


def tasks_folder(path: str) -> Path:
    """The folder (or the one file) of tasks: `path`, or where it is empty the one that comes with the installed harness.

    Raises:
        AssayError: it does not exist, or the harness is not installed.
    """
    if path:
        if not Path(path).exists():
            raise AssayError(f"{path} does not exist", "give path=FOLDER, a folder of task YAML files, or one such file")
        return Path(path)
    try:
        found = importlib.util.find_spec("lm_eval")
    except (ImportError, ValueError):
        found = None
    if found is None or not found.origin or not (folder := Path(found.origin).parent / "tasks").is_dir():
        raise AssayError("lm_eval is not installed here, so its tasks are not", "pip install lm_eval, or give path=FOLDER")
    return folder


def declared(root: Path, name: str) -> Declared:
    """What a name stands for in a folder; a task before a group before a tag, as in the harness.

    Raises:
        AssayError: nothing has that name, or the file that declares it cannot be read.
    """
    thing = find(root, name)
    if thing is not None:
        return thing
    for file in _mentioning(root, name):
        load(file)  # what is wrong with one of these is why nothing was found
    if root.is_file():
        raise AssayError(f"{root} declares no task {name!r}", f"it must hold `task: {name}`")
    names = set(_names(root))
    mentioning = next(iter(_index(root).get(name, ())), None) if name in names else None
    if mentioning is not None:
        fix = f"it must hold `task: {name}`" if mentioning.suffix == ".yaml" else "the file of a task ends in .yaml"
        raise AssayError(f"{mentioning} mentions {name!r} and declares no such task", fix)
    raise unknown("lm_eval task", name, names - {name}, f"tasks are looked for in {root}")


def find(root: Path, name: str) -> Declared | None:
    """As `declared`, but `None` where nothing has that name."""
    tagged: list[str] = []
    group: Declared | None = None
    for file in _mentioning(root, name):
        settings = _tolerated(file)
        if settings is None:
            continue
        kind: Kind = "group" if "group" in settings and "class" not in settings else "task"
        own, tags = settings.get(kind), settings.get("tag")
        if own == name and kind == "task":
            return Declared(name, "task", load(file), file)
        if own == name and group is None:
            group = Declared(name, "group", load(file), file)
        if kind == "task" and name in (tags if isinstance(tags, list) else [tags]):
            tagged.append(str(own))
    if group is None and tagged:
        return Declared(name, "tag", {}, None, tuple(sorted(set(tagged))))
    return group


def load(file: Path) -> dict[str, Any]:
    """The settings of a file with those that it includes; its own win.

    Raises:
        AssayError: a file is missing, malformed or includes itself; names file and line.
    """
    return _load(file, (), {})


def _load(file: Path, above: tuple[Path, ...], known: dict[Path, dict[str, Any]]) -> dict[str, Any]:
    """As `load`; each file is read once, however many include it (`known`)."""
    file = file.resolve()
    if file in above or len(above) > DEEPEST:
        raise AssayError(f"{file} includes itself", f"through {', '.join(path.name for path in above)}")
    if file in known:
        return known[file]
    content = _parsed(file)
    if not isinstance(content, dict):
        raise AssayError(f"{file} must be a mapping with the settings of a task", f"it holds a {type(content).__name__}")
    included = content.pop("include", None)
    merged: dict[str, Any] = {}
    for other in included if isinstance(included, list) else [included] if included else []:
        inherited = _load(file.parent / str(other), (*above, file), known)
        merged.update({key: value for key, value in inherited.items() if key != "task_list"})
    known[file] = {**merged, **content}
    return known[file]


def _parsed(file: Path) -> Any:
    """A file as plain data, `!function` as `Code`. A key that stands twice has its last value, as with the harness."""
    return parse_yaml(
        read_yaml_text(file),
        str(file),
        tags={"!function": lambda name: Code(name, file.parent)},
        twice=lambda line, key: warn_once(f"{file}, line {line}: {key[:80]!r} appears twice; this one counts"),
    )


def _tolerated(file: Path) -> dict[str, Any] | None:
    """The settings of a file that only may be what is looked for; `None` where it is broken or no mapping."""
    try:
        return load(file)
    except AssayError:
        return None


def _mentioning(root: Path, name: str) -> list[Path]:
    """The .yaml files that give the name to a task, group or tag, or include, at any remove, a file that does; sorted."""
    index = _index(root)
    hits = set(index.get(name, ()))
    new = hits
    while new:
        new = {file for hit in new for file in index.get(hit.name, ())} - hits
        hits = hits | new
    return sorted((file for file in hits if file.suffix == ".yaml" or root.is_file()), key=Path.as_posix)


_LINE = re.compile(
    rb"^[\"']?(?P<key>task|group|tag|include)[\"']?\s*:(?P<value>.*)$|^\s*-\s+(?P<item>\S.{0,300})$", re.MULTILINE
)
_WORD = re.compile(r"[^\s,\[\]\"']+")


@functools.lru_cache(maxsize=4)
def _index(root: Path) -> dict[str, list[Path]]:
    """The files in which a word is the value of a key that names something, or of a list's item; paths by their last part."""
    found: dict[str, list[Path]] = {}
    for file in _files(root):
        for line in _LINE.finditer(_content(file)):
            for word in _WORD.findall((line["value"] or line["item"] or b"").decode("utf-8", "replace")):
                found.setdefault(word.rpartition("/")[2], []).append(file)
    return found


def _files(root: Path) -> Iterator[Path]:
    """Every file that can declare a task or be included by one that does."""
    if root.is_file():
        yield root
    number = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in HIDDEN]
        # what is only included often has no ending
        for name in names:
            if "yaml" in name or "yml" in name or "." not in name:
                number += 1
                if number > MOST_FILES:
                    raise AssayError(f"{root} holds more than {MOST_FILES:,} files", "give path= the folder of the tasks alone")
                yield Path(folder, name)


def _content(file: Path) -> bytes:
    """The bytes of a file; none of what is no file, cannot be read, or is longer than a task can be."""
    try:
        found = file.stat()
        plain = stat.S_ISREG(found.st_mode) and 0 < found.st_size <= LARGEST_FILE  # what the kernel makes up has no size
        return file.read_bytes() if plain else b""
    except OSError:
        return b""


def _names(root: Path) -> Iterator[str]:
    """What the files declare, for suggestions where a name is unknown."""
    for file in _files(root):
        for line in _LINE.finditer(_content(file)):
            if line["key"] in (b"task", b"group"):
                yield from _WORD.findall(line["value"].decode("utf-8", "replace"))[:1]

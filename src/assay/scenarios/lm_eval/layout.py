"""Which files of a data set hold which split of which configuration: as its card says, else as its files are named.

Source: the hub's documentation on the structure of repositories ("configs" in the card's front matter, and the names by which
splits are recognised without it).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from assay.errors import AssayError, unknown
from assay.yaml_files import parse_yaml

ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".jsonl.gz", ".json.gz", ".csv.gz", ".tsv.gz")
WORDS: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
"""The words by which a split is recognised in the name of a file."""
SEPARATORS = "-_. /0123456789"


def files_of(card: str, files: Collection[str], name: str | None, where: str) -> dict[str, list[str]]:
    """The files of each split of a configuration, sorted within a pattern.

    Args:
        card: the text of the data set's README.md, empty where it has none.
        files: the paths of all its files.
        name: the configuration; `None` for the only one, or the one that the card marks as default.
        where: names the data set in errors.

    Raises:
        AssayError: there is no such configuration, several and no default, or no files of a kind that can be read.
    """
    configs = _configs(card, where)
    if configs:
        config = _chosen(configs, name, where)
        found = _declared(config, files)
    else:
        found = _guessed(files, name)
    if not found:
        script = any(file.endswith(".py") for file in files)
        hint = "it has a loading script, which is not run; the hub may hold its data at revision=refs/convert/parquet"
        shown = ", ".join(sorted(files)[:4]) or "nothing"
        missing = f"{where} has no readable files{f' for {name}' if name else ''}"
        raise AssayError(missing, hint if script else f"its files include {shown}")
    return found


def _configs(card: str, where: str) -> list[Mapping[str, Any]]:
    """The configurations that the front matter of a card declares."""
    lines = card.splitlines()
    if not lines or lines[0].strip() != "---" or "---" not in (stripped := [line.strip() for line in lines[1:]]):
        return []
    front = parse_yaml("\n".join(lines[1 : 1 + stripped.index("---")]), f"{where}: README.md")
    listed = front.get("configs") if isinstance(front, dict) else None
    return [config for config in listed if isinstance(config, dict)] if isinstance(listed, list) else []


def _chosen(configs: list[Mapping[str, Any]], name: str | None, where: str) -> Mapping[str, Any]:
    named = {str(config.get("config_name", "default")): config for config in configs}
    if name is not None:
        if name not in named:
            raise unknown(f"configuration of {where}", name, named)
        return named[name]
    marked = [config for config in configs if config.get("default") is True]
    if marked or "default" in named or len(configs) == 1:
        return marked[0] if marked else named.get("default", configs[0])
    raise AssayError(f"{where} has {len(named)} configurations", f"name one by dataset_name: {', '.join(list(named)[:6])}")


def _declared(config: Mapping[str, Any], files: Collection[str]) -> dict[str, list[str]]:
    folder = str(config.get("data_dir") or "").strip("/")
    inside = [file for file in files if file.startswith(f"{folder}/")] if folder else list(files)
    data_files = config.get("data_files")
    if data_files is None:
        return _guessed(inside, None)
    found: dict[str, list[str]] = {}
    for split, pattern in _patterns(data_files):
        whole = f"{folder}/{pattern}" if folder else pattern
        found.setdefault(split, []).extend(sorted(file for file in files if _matches(file, whole)))
    return {split: paths for split, paths in found.items() if paths}


def _patterns(data_files: Any) -> Iterator[tuple[str, str]]:
    """(split, pattern) pairs; without a split, train."""
    if isinstance(data_files, str):
        yield "train", data_files
    elif isinstance(data_files, dict):
        for split, paths in data_files.items():
            yield from ((str(split), str(path)) for path in (paths if isinstance(paths, list) else [paths]))
    elif isinstance(data_files, list):
        for item in data_files:
            if isinstance(item, dict):
                paths = item.get("path")
                yield from (
                    (str(item.get("split", "train")), str(path)) for path in (paths if isinstance(paths, list) else [paths])
                )
            else:
                yield "train", str(item)


def _matches(file: str, pattern: str) -> bool:
    """`*` stands for anything but a slash, `**` for any folders."""
    wanted = pattern.removeprefix("./").split("/")
    if wanted[-1] == "**":
        wanted.append("*")
    reached = _passed({0}, wanted)
    for part in file.split("/"):
        stayed = {at for at in reached if wanted[at : at + 1] == ["**"]}
        moved = {at + 1 for at in reached - stayed if at < len(wanted) and fnmatchcase(part, wanted[at])}
        reached = _passed(stayed | moved, wanted)
    return len(wanted) in reached


def _passed(reached: set[int], wanted: list[str]) -> set[int]:
    """How many parts of a pattern can be done with, given those that can: a `**` may also stand for no folder."""
    found = set(reached)
    for at, part in enumerate(wanted):
        if part == "**" and at in found:
            found.add(at + 1)
    return found


def _guessed(files: Collection[str], name: str | None) -> dict[str, list[str]]:
    """The files by the split that their names mention, those of the configuration's folder where it has one."""
    readable = sorted(file for file in files if file.lower().endswith(ENDINGS))
    if name is not None:
        readable = [file for file in readable if name in file.split("/")[:-1] or file.rpartition("/")[2].startswith(name)]
    found: dict[str, list[str]] = {}
    for file in readable:
        if split := _split_in(file):
            found.setdefault(split, []).append(file)
    if found or len({file.rpartition(".")[2] for file in readable}) != 1:
        return found
    return {"train": readable}


def _split_in(file: str) -> str | None:
    """The split that a path mentions: its last part first, then the folders from the innermost out."""
    for part in reversed(file.split("/")):
        words = "".join(" " if character in SEPARATORS else character for character in part.lower()).split()
        for split, names in WORDS.items():
            if any(word in names for word in words):
                return split
    return None

"""Where a declared scenario's rows come from in the end, behind what filters, cuts or joins them; nothing is asked for that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal

from assay.records import Split
from assay.scenarios.base import Source
from assay.scenarios.sources import File, Generator, HeldOut, Hub, Linked

Kind = Literal["pinned", "unpinned", "gated", "local path", "included", "generated", "other"]
"""A repository on the hub at one commit; one at its newest; one that asks for an account; files of the user's; files that come
with assay; rows that are made."""

PINNED = re.compile(r"[0-9a-f]{7,40}")


def origins(source: Source) -> Iterator[Source]:
    """The sources that a source is made of and that read from nothing else, in order."""
    inner = getattr(source, "source", None)
    if inner is None:
        yield source
        return
    yield from origins(inner)
    if isinstance(source, Linked):
        for table in source.tables.values():
            yield from origins(table)


def kind_of(source: Source) -> Kind:
    """What kind of thing its rows come from."""
    first = next(origins(source))
    if isinstance(first, Hub):
        return "gated" if first.gated else "pinned" if PINNED.fullmatch(first.revision) else "unpinned"
    if isinstance(first, File):
        return "included" if all(_comes_with_assay(path) for path in first.files) else "local path"
    return "generated" if isinstance(first, Generator) else "other"


def declared_origin(source: Source) -> str:
    """`hub:owner/name@revision` as declared, `file:name` or `generator:name`."""
    first = next(origins(source))
    return f"hub:{first.repo}@{first.revision}" if isinstance(first, Hub) else first.identity


def in_cache(source: Source, split: Split) -> bool:
    """Whether a split can be read without asking the hub for anything."""
    if isinstance(source, Hub):
        return source.in_cache(split)
    if isinstance(source, Linked) and not all(in_cache(table, "test") for table in source.tables.values()):
        return False
    inner = getattr(source, "source", None)
    return inner is None or in_cache(inner, source.split if isinstance(source, HeldOut) else split)


def _comes_with_assay(path: Path) -> bool:
    return path.resolve().is_relative_to(Path(str(files("assay"))).resolve())

"""Seals of a table's columns: what shows that some columns are as they were where others are not shown any more.

A manifest has them of the transcripts. So of transcripts without their texts one can still say that everything else is the
very evidence, since the manifest is what a decision names and what is signed. A seal is the digest of a column's digest with
a salt, so that nobody can try which few letters a hidden column may hold. The salts follow from the whole table: who has all
of it has all salts, and who hides a column gives away those of the others. (A commitment: Goldreich, Foundations of
Cryptography I, 4.4.1.)
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.identity import canonical
from assay.text import one_line

if TYPE_CHECKING:
    import polars as pl

GROUPS = "subgroups"
"""The column whose values are JSON: a group's name by axis."""
TEXT = "text"
"""The part of a reference that may be hidden while its other parts stay."""
NOTHING = b"null\n"


class ColumnDigests:
    """SHA-256 of each column's values as JSON, a line for each row, however the rows are divided into tables.

    Columns with parts have a digest for each part too, so that one can be hidden alone: `references.correct`, and
    `subgroups.region` for the axis `region`. Infinite numbers and NaN count as null.
    """

    def __init__(self) -> None:
        self._found: dict[str, hashlib._Hash] = {}
        self._rows = 0

    def add(self, table: pl.DataFrame) -> None:
        """Add the next rows.

        Raises:
            AssayError: a column holds what no column of a run does.
        """
        here = set()
        for name, values in _parts(table):
            here.add(name)
            if name not in self._found:
                self._found[name] = hashlib.sha256(NOTHING * self._rows)
            try:
                self._found[name].update(_encoder.encode_lines(values))
            except (TypeError, ValueError, OverflowError):
                problem = f"the column {one_line(name, 80)} holds what assay does not write"
                raise AssayError(problem, "run `assay verify` on the run") from None
        for name in self._found.keys() - here:
            self._found[name].update(NOTHING * table.height)
        self._rows += table.height

    @property
    def digests(self) -> dict[str, str]:
        """By the names of columns and of their parts, sorted."""
        return {name: found.hexdigest() for name, found in sorted(self._found.items())}


_encoder = msgspec.json.Encoder()


def salts_of(digests: Mapping[str, str]) -> dict[str, str]:
    """The salt of each column, from the digests of all of them."""
    secret = hashlib.sha256(canonical(["salts of columns", digests])).digest()
    return {name: hmac.digest(secret, canonical(name), "sha256").hex() for name in digests}


def seal(salt: str, digest: str) -> str:
    """What a manifest has of a column."""
    return hashlib.sha256(canonical([salt, digest])).hexdigest()


def seals_of(digests: Mapping[str, str]) -> dict[str, str]:
    """What a manifest has of each column, from the digests of all of them."""
    salts = salts_of(digests)
    return {name: seal(salts[name], digest) for name, digest in digests.items()}


def _parts(table: pl.DataFrame) -> Iterator[tuple[str, list[Any]]]:
    import polars as pl

    for name, kind in table.schema.items():
        column = table[name]
        yield name, column.to_list()
        if name == GROUPS:
            yield from _axes(column.to_list())
        elif isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
            for field in kind.inner.fields:
                if field.name != TEXT:
                    yield f"{name}.{field.name}", column.list.eval(pl.element().struct.field(field.name)).to_list()


def _axes(kinds: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    groups = {kind: groups_of(kind) for kind in set(kinds)}
    for axis in sorted({axis for held in groups.values() for axis in held}):
        yield f"{GROUPS}.{axis}", [groups[kind].get(axis) for kind in kinds]


def groups_of(kind: object) -> dict[str, str]:
    """The groups in a value of the column `subgroups`, by axis; none where it is not what assay writes."""
    try:
        return msgspec.json.decode(kind, type=dict[str, str]) if isinstance(kind, str) else {}
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}

"""Rows that name rows of other tables, with those rows put in the place of their names: pairs of products, of records."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assay.errors import AssayError
from assay.records import Split
from assay.scenarios.base import Row, Rows, Source
from assay.scenarios.sources.derived import Derived


@dataclass(frozen=True)
class Linked(Derived):
    """A source some of whose columns hold ids of rows of other tables.

        Linked(File(test="pairs.csv"), {"left": File("a.csv"), "right": File("b.csv")})

    The tables, read whole and kept, are the test splits of their sources; ids are compared as text.
    """

    tables: Mapping[str, Source]
    """The table that each column names rows of."""
    key: str = "id"
    """The column of the tables that holds their ids."""

    def read(self, split: Split) -> Rows:
        """The rows of a split, lazily, each with the rows that it names.

        Raises:
            AssayError: a source cannot be read, or a row names one that its table does not hold; names the row.
        """
        pairs = super().read(split)
        files = (file for table in self.tables.values() for file in table.read("test").files)
        return Rows(pairs.rows, (*pairs.files, *files))

    def _changed(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        for number, row in enumerate(rows, 1):
            named = {}
            for column, table in self._tables.items():
                name = str(row.get(column))
                if name not in table:
                    raise AssayError(
                        f"{self.identity}, split {split}, row {number}: {column} is {name!r}, which its table does not hold",
                        "the tables and the pairs must belong together",
                    )
                named[column] = table[name]
            yield {**row, **named}

    @functools.cached_property
    def _tables(self) -> dict[str, dict[str, Row]]:
        return {
            column: {str(row.get(self.key)): row for row in table.read("test").rows} for column, table in self.tables.items()
        }

"""A table for a page: what is shown, and the plain values behind it, which can be downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.records import Estimate
from assay.web.addresses import Address

Plain = str | float | int | bool | None


@dataclass(frozen=True)
class Cell:
    """A place in a table."""

    value: Plain
    """As it is downloaded and sorted."""
    text: str = ""
    """As it is shown; numbers no more precise than their interval. Escaped by whoever draws it."""
    to: Address | None = None
    """The page that it links to."""
    note: str = ""
    """Shown on hover and read out."""
    shade: float | None = None
    """From 0 (worst) to 1 (best), for heat tables."""
    estimate: Estimate | None = None
    """Downloaded as further columns: low, high, n."""


@dataclass(frozen=True)
class Column:
    """A column's head."""

    name: str
    """As it is called in downloads."""
    head: str = ""
    """As it is shown; empty: the name."""
    note: str = ""
    """What it means, shown on hover."""
    number: bool = True
    to: Address | None = None


@dataclass(frozen=True)
class Grid:
    """A table."""

    name: str
    """Of the download: letters, digits and hyphens."""
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def records(self) -> list[Mapping[str, Plain]]:
        """The plain rows; an estimate adds its bounds and how much is behind it."""
        found: list[Mapping[str, Plain]] = []
        for row in self.rows:
            plain: dict[str, Plain] = {}
            for column, cell in zip(self.columns, row, strict=True):
                plain[column.name] = cell.value
                if cell.estimate is not None:
                    estimate = cell.estimate
                    plain |= {f"{column.name} low": estimate.low, f"{column.name} high": estimate.high}
                    plain[f"{column.name} n"] = estimate.n
            found.append(plain)
        return found

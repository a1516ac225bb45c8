"""Candidates of known skill for tests of adaptive asking, and sums for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import skilled_models
from assay import registry

registry.providers._things.pop("skill")
PLUGIN = Path(skilled_models.__file__)
"""For a process of its own: `--plugin`."""


@pytest.fixture
def skilled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`skill/…` in this process."""
    monkeypatch.setitem(registry.providers._things, "skill", skilled_models.skill)
    return


def write_sums(folder: Path, count: int, name: str = "sums") -> None:
    """A scenario of one's own with so many sums."""
    first = sum(map(ord, name))
    rows = [f"{first + number} + {number * 7 % 1000},{first + number + number * 7 % 1000},test" for number in range(count)]
    (folder / f"{name}.csv").write_text("\n".join(["sum,total,split", *rows]) + "\n")
    (folder / f"{name}.yaml").write_text(
        f"scenario: {name}\nsource: {{file: {name}.csv, split_column: split}}\ninput: '{{sum}}'\nanswer: total\n"
        "prompting: {method: generation, shots: 0}\nmetric: exact_match\n"
    )


def asked(folder: Path) -> list[str]:
    """What the models were asked, in order."""
    file = folder / "asked.txt"
    return file.read_text().splitlines() if file.exists() else []

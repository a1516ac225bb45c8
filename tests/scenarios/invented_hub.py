"""Small repositories of invented rows, laid out as the real ones are, for a loopback hub."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = Sequence[Mapping[str, Any]]
Repositories = Mapping[str, Mapping[str, Rows]]
"""The rows of each file of each repository."""
READ = """
import sys; sys.path.insert(0, %r)
import msgspec
from assay.entries import parse_entry
from rendering import first_requests
result = {}
for entry in %r:
    ask = parse_entry(entry)
    scenario, seen = made(ask.scenario, **ask.parameters), set()
    splits = {s: [msgspec.to_builtins(i) for i in scenario.instances(s, seen)] for s in scenario.source.splits()}
    result[entry] = {"splits": splits, "requests": first_requests(entry), "identity": scenario.source.identity}
"""
"""A program that reads scenarios, for `run_against`: to be filled with the folder of these tests and the entries."""


def lay_out(folder: Path, repositories: Repositories, revisions: Sequence[str] = (), *, gated: bool = False) -> Path:
    """Write repositories where the loopback hub looks for them; each answers to all of these revisions.

    Gated ones ask for a token.

    The ending of a file's name says how it is written: Parquet, JSON lines (also
    gzipped, or as `.json`), CSV or TSV.
    """
    for repo, files in repositories.items():
        for name, rows in files.items():
            path = folder / "datasets" / repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, rows)
    told = {repo: {"also_accepts": list(revisions), "gated": gated} for repo in repositories}
    (folder / "MANIFEST.json").write_text(json.dumps({"repos": told}))
    return folder


def write(path: Path, rows: Rows) -> None:
    """Write rows into a file of the kind its name says."""
    if path.suffix == ".parquet":
        import polars as pl

        pl.DataFrame([dict(row) for row in rows]).write_parquet(path)
    elif path.suffix in (".jsonl", ".json"):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.name.endswith(".jsonl.gz"):
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), mtime=0))
    else:
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            table.writeheader()
            table.writerows(rows)

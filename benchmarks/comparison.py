"""How long a comparison of many candidates on many scenarios takes, and how much memory: synthetic scores in real run folders.

python benchmarks/comparison.py [--candidates 20] [--scenarios 50] [--items 1000] [--metrics 22]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from assay.identity import array_generator
from assay.records import DataIdentity, ModelIdentity, NamedSpec, RunSpec
from assay.store import run_name
from assay.store.folders import MANIFEST, SCORES, SPEC, TRANSCRIPTS, Manifest, SpecFile, write_json
from assay.store.transcripts import score_schema, transcript_schema

SPREAD = 0.03
"""Standard deviation of the candidates' accuracies."""


def write_runs(suite: Path, sizes: argparse.Namespace) -> None:
    """A finished run for each candidate and scenario. Candidates differ a little, and fail together on hard items."""
    for scenario in range(sizes.scenarios):
        generator = array_generator("benchmark", scenario)
        ids = pl.Series("instance_id", [f"item-{number:06d}" for number in range(sizes.items)])
        blank = {name: pl.Series(name, [None] * sizes.items, dtype=kind) for name, kind in transcript_schema().items()}
        asked = pl.DataFrame({**blank, "instance_id": ids}).with_columns(
            pl.lit("test").alias("split"),
            pl.lit("answered").alias("outcome"),
            *(pl.lit(0, dtype=pl.Int32).alias(name) for name in ("draw", "format", "repeat")),
            pl.concat_str(pl.lit("What is the answer to question "), ids, pl.lit("?")).alias("input"),
            pl.concat_str(pl.lit('{"half":"'), pl.int_range(sizes.items) % 2, pl.lit('"}')).alias("subgroups"),
        )
        ease = generator.random(sizes.items)
        metrics = ["exact_match", *(f"metric_{number}" for number in range(1, sizes.metrics))]
        shared = suite / f".transcripts-{scenario}.parquet"
        asked.write_parquet(shared, compression="zstd")
        for candidate in range(sizes.candidates):
            right = ease < np.clip(
                0.6 + SPREAD * generator.standard_normal() + 0.2 * generator.standard_normal(sizes.items), 0, 1
            )
            values = generator.random((sizes.items, len(metrics))).round(2)
            values[:, 0] = right
            write_run(suite, (scenario, candidate), shared, (ids, metrics, values))


def write_run(suite: Path, which: tuple[int, int], transcripts: Path, scores: tuple[pl.Series, list[str], np.ndarray]) -> None:
    """One run folder; the transcripts of a scenario's runs are one file."""
    ids, metrics, values = scores
    spec = RunSpec(
        scenario=NamedSpec(name=f"scenario_{which[0]}"),
        data=DataIdentity(source=f"generator:scenario_{which[0]}"),
        prompting={"method": "generation"},
        model=ModelIdentity(name=f"made/model-{which[1]:02d}"),
        metrics=tuple(NamedSpec(name=name) for name in metrics),
    )
    folder = suite / run_name(spec)
    folder.mkdir()
    rows = len(ids) * len(metrics)
    columns = {
        "instance_id": np.repeat(ids.to_numpy(), len(metrics)),
        "split": ["test"] * rows,
        "perturbation": [None] * rows,
        **{name: np.zeros(rows, dtype=np.int32) for name in ("draw", "format", "repeat")},
        "metric": metrics * len(ids),
        "value": values.ravel(),
    }
    pl.DataFrame(columns, schema=score_schema()).write_parquet(folder / SCORES, compression="zstd", row_group_size=2000)
    os.link(transcripts, folder / TRANSCRIPTS)
    card = {"main_metric": "exact_match"}
    write_json(folder / SPEC, SpecFile(run=folder.name, title=spec.scenario.name, spec=spec, card=card))
    counts = dict.fromkeys(("trials", "requests", "failed", "prompt_tokens", "completion_tokens"), 0)
    write_json(folder / MANIFEST, Manifest(run=folder.name, files={}, **counts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, number in (("candidates", 20), ("scenarios", 50), ("items", 1000), ("metrics", 22)):
        parser.add_argument(f"--{name}", type=int, default=number)
    sizes = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        suite.mkdir()
        write_runs(suite, sizes)
        for option in ("--json", "--markdown", "--failures"):
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "assay", "compare", str(suite), option], stdout=subprocess.PIPE, check=True
            )
            wall = time.perf_counter() - began
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(
                f"{sizes.candidates} × {sizes.scenarios} × {sizes.items:,}, {option}: {wall:.2f} s, "
                f"{used.ru_utime + used.ru_stime:.2f} s of processor so far, {used.ru_maxrss / 1024:.0f} MB, "
                f"{len(done.stdout) / 1e6:.1f} MB written"
            )


if __name__ == "__main__":
    main()

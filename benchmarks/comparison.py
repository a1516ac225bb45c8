"""How long it takes to compare many candidates on many scenarios and to decide between them, and how much memory.

Synthetic scores in real run folders.

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
from dataclasses import fields
from pathlib import Path

import numpy as np
import polars as pl

from assay.identity import array_generator
from assay.metrics import Columns
from assay.metrics.derived import find
from assay.records import Cell, DataIdentity, Estimate, ModelIdentity, NamedSpec, RunSpec
from assay.store import run_name
from assay.store.folders import CONTENT, MANIFEST, SCORES, SPEC, STATS, TRANSCRIPTS, Manifest, SpecFile, StatsFile, write_json
from assay.store.manifest import file_digest
from assay.store.transcripts import score_schema, transcript_schema
from assay.store.writer import SCORES_IN_GROUP

SPREAD = 0.03
"""Standard deviation of the candidates' accuracies."""
SUMMARIES = ("ece_10_bin", "latency_p95_s", "latency_p99_s")
PROFILE = """name: Benchmark
deployment: {owner: nobody, context: none}
runs: [suite]
criteria:
  - {name: right, metric: exact_match, weight: [2, 5]}
  - {name: right for group 1, metric: exact_match, subgroup: half=1, weight: [1, 3]}
  - {name: honest, metric: ece_10_bin, weight: [1, 2]}
  - {name: fast, metric: latency_s, weight: 1, value: {unacceptable: 2, satisfying: 0}}
  - {name: hardly ever slow, metric: latency_p95_s, weight: 1, value: {unacceptable: 2, satisfying: 0}}
constraints:
  - {name: fast enough, metric: latency_p99_s, at_most: 1.5}
"""


def write_runs(suite: Path, sizes: argparse.Namespace) -> None:
    """A finished run for each candidate and scenario. Candidates differ a little, and fail together on hard items."""
    for scenario in range(sizes.scenarios):
        generator = array_generator("benchmark", scenario)
        ids = pl.Series("instance_id", [f"item-{number:06d}" for number in range(sizes.items)])
        blank = {name: pl.Series(name, [None] * sizes.items, dtype=kind) for name, kind in transcript_schema().items()}
        sure = generator.random(sizes.items)
        asked = pl.DataFrame({**blank, "instance_id": ids}).with_columns(
            pl.lit("test").alias("split"),
            pl.lit("answered").alias("outcome"),
            *(pl.lit(0, dtype=pl.Int32).alias(name) for name in ("draw", "format", "repeat")),
            pl.concat_str(pl.lit("What is the answer to question "), ids, pl.lit("?")).alias("input"),
            pl.concat_str(pl.lit('{"half":"'), pl.int_range(sizes.items) % 2, pl.lit('"}')).alias("subgroups"),
            pl.Series("confidence", sure),
        )
        ease = generator.random(sizes.items)
        metrics = ["exact_match", "latency_s", *(f"metric_{number}" for number in range(2, sizes.metrics))]
        shared = suite / f".transcripts-{scenario}.parquet"
        asked.write_parquet(shared, compression="zstd")
        for candidate in range(sizes.candidates):
            right = ease < np.clip(
                0.6 + SPREAD * generator.standard_normal() + 0.2 * generator.standard_normal(sizes.items), 0, 1
            )
            values = generator.random((sizes.items, len(metrics))).round(2)
            values[:, 0] = right
            folder = write_run(suite, (scenario, candidate), shared, (ids, metrics, values))
            write_stats(folder, sure, values)
            seal(folder)


def write_stats(folder: Path, confidence: np.ndarray, values: np.ndarray) -> None:
    """The estimates of summaries, as a run has them; their intervals are made up, as nothing here reads them."""
    n = len(values)
    nothing = {field.name: np.full(n, np.nan) for field in fields(Columns)}
    columns = Columns(**{**nothing, "score": values[:, 0], "confidence": confidence, "latency_s": values[:, 1]})
    cells = []
    for name in SUMMARIES:
        value = find(name).of_answers(columns)
        estimate = Estimate(value=value, low=value - 0.02, high=value + 0.02, n=n, clusters=n, stderr=0.01, method="made up")
        cells.append(Cell(metric=name, estimate=estimate))
    counts = {"instances": n, "trials": n, "failed": 0}
    title = folder.name.split(",")[0]
    stats = StatsFile(run=folder.name, label="", title=title, main_metric="exact_match", cells=tuple(cells), **counts)
    write_json(folder / STATS, stats)


def write_run(suite: Path, which: tuple[int, int], transcripts: Path, scores: tuple[pl.Series, list[str], np.ndarray]) -> Path:
    """One run folder, without its estimates and its manifest; the transcripts of a scenario's runs are one file."""
    ids, metrics, values = scores
    spec = RunSpec(
        scenario=NamedSpec(name=f"scenario_{which[0]}"),
        data=DataIdentity(source=f"generator:scenario_{which[0]}"),
        prompting={"method": "generation"},
        model=ModelIdentity(name=f"made/model-{which[1]:02d}"),
        metrics=tuple(NamedSpec(name=name) for name in (*metrics, *SUMMARIES)),
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
    pl.DataFrame(columns, schema=score_schema()).write_parquet(
        folder / SCORES, compression="zstd", row_group_size=SCORES_IN_GROUP
    )
    os.link(transcripts, folder / TRANSCRIPTS)
    card = {"main_metric": "exact_match"}
    write_json(folder / SPEC, SpecFile(run=folder.name, title=spec.scenario.name, spec=spec, card=card))
    return folder


def seal(folder: Path) -> None:
    """The manifest over a folder's files, without which nobody decides by them."""
    counts = dict.fromkeys(("trials", "requests", "failed", "prompt_tokens", "completion_tokens"), 0)
    files = {name: file_digest(folder / name) for name in CONTENT}
    write_json(folder / MANIFEST, Manifest(run=folder.name, files=files, **counts).sealed())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, number in (("candidates", 20), ("scenarios", 50), ("items", 1000), ("metrics", 22)):
        parser.add_argument(f"--{name}", type=int, default=number)
    sizes = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        suite.mkdir()
        write_runs(suite, sizes)
        profile = suite.parent / "profile.yaml"
        profile.write_text(PROFILE, "utf-8")
        before = 0.0
        for arguments in (
            ["decide", str(profile), "--json"],
            *(["compare", str(suite), option] for option in ("--json", "--markdown", "--failures")),
        ):
            began = time.perf_counter()
            done = subprocess.run([sys.executable, "-m", "assay", *arguments], stdout=subprocess.PIPE, check=True)
            wall = time.perf_counter() - began
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = used.ru_utime + used.ru_stime
            print(
                f"{sizes.candidates} × {sizes.scenarios} × {sizes.items:,}, {arguments[0]} {arguments[-1]}: {wall:.2f} s, "
                f"{processor - before:.2f} s of processor, {used.ru_maxrss / 1024:.0f} MB at most so far, "
                f"{len(done.stdout) / 1e6:.1f} MB written"
            )
            before = processor


if __name__ == "__main__":
    main()

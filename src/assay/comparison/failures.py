"""How candidates fail: where more than elsewhere, which items everyone misses, and which only some get right.

A trial is `wrong` as far as its main metric falls short of the best end of its range; an outcome other than `answered` is a
failure of its own kind. For every kind, every part of the scenario that is large enough is held against the rest of it: each
subgroup and each feature of the input among the originals, and each perturbation against the originals of its copies, paired.
Instances in both parts are independent, so the difference of rates has a clustered standard error and Student's t with as many
degrees of freedom as the smaller part has clusters, less one; paired differences are `paired_differences`. All tests of a
candidate in a scenario are one family (Holm), and only what is then significant, and more than elsewhere, is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.comparison.evidence import Evidence, Run
from assay.comparison.features import features_of
from assay.comparison.matrices import Matrix, subgroups_of
from assay.comparison.misses import Row, example, flips, plain, suspects
from assay.comparison.multiplicity import holm
from assay.comparison.pairs import LEVEL, paired_differences
from assay.comparison.results import Failing, Failures
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Estimate
from assay.statistics.estimates import t_quantile
from assay.statistics.groups import FEWEST_CLUSTERS
from assay.store.folders import SCORES, TRANSCRIPTS
from assay.store.opening import reading

if TYPE_CHECKING:
    import polars as pl

    from assay.metrics.columns import Floats, Integers

KINDS = ("refused", "empty", "truncated", "unparsed", "failed")
"""Outcomes that are failures, beside being wrong."""
FEWEST_FAILURES = 5
"""A kind of failure that occurs less often in a run cannot be told apart by slices."""
EXAMPLES = 3
"""Instances named for each slice."""


def failures(evidence: Evidence) -> Failures:
    """How the candidates fail in each scenario whose main metric has a best end. Raises AssayError for unreadable files."""
    slices: list[Failing] = []
    tested = 0
    missed, flipped = [], []
    for scenario, runs in evidence.runs.items():
        metric = find(next(iter(runs.values())).main_metric)
        if metric.of_answer is None or metric.better == "neither" or None in metric.range:
            continue
        tables = {candidate: trials(run, metric) for candidate, run in runs.items()}
        for candidate, table in tables.items():
            tests = list(_tests(table, metric))
            tested += len(tests)
            slices += _significant(scenario, candidate, tests)
        missed += suspects(scenario, tables)
        flipped += flips(scenario, tables)
    missed.sort(key=lambda suspect: -suspect.agreeing)
    flipped.sort(key=lambda flip: -min(len(flip.right), len(flip.wrong)))
    slices.sort(key=lambda found: (found.p, -found.excess.value))
    return Failures(slices=tuple(slices), tested=tested, suspects=tuple(missed), flips=tuple(flipped))


def trials(run: Run, metric: Metric) -> pl.DataFrame:
    """A row for each instance and perturbation: instance_id, perturbation, group, subgroups, input, gold, prediction, `wrong`
    (0 to 1, null where there is no value) and a rate for each of `KINDS`, means over draws and repeats."""
    import polars as pl

    keys = ["instance_id", "perturbation", "draw", "repeat"]
    low, high = metric.range
    assert low is not None
    assert high is not None
    best = low if metric.better == "lower" else high
    scores, transcripts = (str(run.folder.path / name) for name in (SCORES, TRANSCRIPTS))
    with reading([scores, transcripts]):
        split = pl.col("split") == run.file.spec.split[-1]
        own = split & (pl.col("format") == 0)
        valued = pl.scan_parquet(scores).filter(own & (pl.col("metric") == metric.name))
        wrong = ((pl.col("value") - best).abs() / (high - low)).alias("wrong")
        gold = pl.col("references").list.eval(pl.element().filter(pl.element().struct["correct"]).struct["text"]).list.first()
        asked = pl.scan_parquet(transcripts).filter(own).with_columns(gold.alias("gold"))
        joined = asked.join(valued.select(*keys, wrong), on=keys, how="left", nulls_equal=True)
        rates = [(pl.col("outcome") == kind).mean().alias(kind) for kind in KINDS]
        firsts = pl.col("group", "subgroups", "input", "gold", "prediction").first()
        grouped = joined.group_by("instance_id", "perturbation", maintain_order=True)
        return grouped.agg(firsts, pl.col("wrong").mean(), *rates).sort("instance_id", "perturbation").collect()


@dataclass(frozen=True)
class _Test:
    """A slice that was tested, whatever came out."""

    what: str
    where: str
    items: int
    rate: float
    elsewhere: float
    excess: Estimate
    p: float | None
    examples: tuple[Row, ...]
    ids: tuple[str, ...]


def _tests(table: pl.DataFrame, metric: Metric) -> Iterator[_Test]:
    """Every test of a run."""
    import polars as pl

    originals = table.filter(pl.col("perturbation").is_null())
    kinds = ["wrong", *(kind for kind in KINDS if float(table[kind].sum()) >= FEWEST_FAILURES)]
    if originals.is_empty():
        return
    slices = _slices(originals)
    clusters = _clusters(originals)
    for what in kinds:
        values = originals[what].to_numpy().astype(float)
        for where, inside in slices.items():
            found = _against_rest(values, inside, clusters)
            if found is not None:
                yield _Test(what, where, *found, *_examples(originals, values * inside))
        yield from _perturbed(table, originals, what, metric)


def _slices(originals: pl.DataFrame) -> dict[str, Floats]:
    """Name of a slice to 1 or 0 for each row."""
    import numpy as np

    groups = [subgroups_of(stored) for stored in originals["subgroups"]]
    named = sorted({(axis, value) for group in groups for axis, value in group.items()})
    found = {f"subgroup {axis}={value}": [group.get(axis) == value for group in groups] for axis, value in named}
    inputs = [plain(text) for text in originals["input"]]
    found |= {f"input {name}": has for name, has in features_of(inputs).items()}
    return {name: np.array(has, dtype=float) for name, has in found.items()}


def _clusters(table: pl.DataFrame) -> Integers:
    import numpy as np

    units = [
        ("group", group) if group is not None else ("", name) for name, group in table.select("instance_id", "group").rows()
    ]
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(units))}
    return np.array([numbers[unit] for unit in units], dtype=np.int64)


def _against_rest(
    values: Floats, inside: Floats, clusters: Integers
) -> tuple[int, float, float, Estimate, float | None] | None:
    """Items, rate inside, rate outside, their difference and its p value; `None` where either part is too small."""
    import numpy as np
    from scipy.special import stdtr

    there = ~np.isnan(values)
    values, clusters = values[there], clusters[there]
    parts = (inside[there] > 0, inside[there] == 0)
    sizes = [len(np.unique(clusters[part])) for part in parts]
    if min(sizes) < FEWEST_CLUSTERS:
        return None
    rates = [float(values[part].mean()) for part in parts]
    weights = np.zeros(len(values))
    for part, rate, size, sign in zip(parts, rates, sizes, (1, -1), strict=True):
        weights[part] = sign * (values[part] - rate) / part.sum() * math.sqrt(size / (size - 1))
    sums = np.bincount(clusters, weights=weights)
    stderr = math.sqrt(float((sums * sums).sum()))
    value = rates[0] - rates[1]
    if stderr == 0:
        return None  # all fail or none does in either part: no test can be made of such values
    freedom = min(sizes) - 1
    reach = t_quantile(freedom) * stderr
    p = float(2 * stdtr(freedom, -abs(value) / stderr))
    ends = (max(-1.0, value - reach), min(1.0, value + reach))
    excess = Estimate(value=value, low=ends[0], high=ends[1], n=len(values), clusters=sum(sizes), stderr=stderr, method="t")
    return int(parts[0].sum()), rates[0], rates[1], excess, p


def _perturbed(table: pl.DataFrame, originals: pl.DataFrame, what: str, metric: Metric) -> Iterator[_Test]:
    """Each perturbation's copies against their own originals."""
    import numpy as np
    import polars as pl

    for name in table["perturbation"].drop_nulls().unique().sort():
        copies = table.filter(pl.col("perturbation") == name).drop_nulls(what)
        both = copies.join(originals.select("instance_id", before=what), on="instance_id").drop_nulls("before")
        if both.height < FEWEST_CLUSTERS:
            continue
        values = np.stack([both[column].to_numpy().astype(float) for column in (what, "before")])
        share = Metric(name=what, family="outcomes", range=(0, 1), better="lower", about="")
        matrix = Matrix("", share, ("copies", "originals"), tuple(both["instance_id"]), values, _clusters(both))
        found = paired_differences(matrix)
        ends = {end: float(getattr(found, end)[0]) for end in ("value", "low", "high", "stderr")}
        excess = Estimate(**ends, n=both.height, clusters=int(found.clusters[0]), method="paired")
        rates = (float(values[0].mean()), float(values[1].mean()))
        examples = _examples(both, values[0] - values[1])
        yield _Test(what, f"perturbation {name}", both.height, *rates, excess, float(found.p[0]), *examples)


def _examples(table: pl.DataFrame, badness: Floats) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """The rows that fail worst, without a candidate's name, and their ids."""
    import numpy as np

    held = np.nan_to_num(badness)
    worst = [int(row) for row in np.argsort(-held, kind="stable")[:EXAMPLES] if held[row] > 0]
    some = table[worst].select("instance_id", "wrong", "prediction", "gold", "input").rows()
    return tuple(Row("", *rest) for _, *rest in some), tuple(str(name) for name, *_ in some)


def _significant(scenario: str, candidate: str, tests: Sequence[_Test]) -> list[Failing]:
    found = []
    for test, p in zip(tests, holm([test.p for test in tests]), strict=True):
        if p is not None and p <= LEVEL and test.excess.value > 0:
            held: dict[str, Any] = {name: getattr(test, name) for name in ("what", "where", "items", "rate", "elsewhere")}
            rows = [row._replace(candidate=candidate) for row in test.examples]
            examples = tuple(example(name, [row]) for name, row in zip(test.ids, rows, strict=True))
            found.append(Failing(scenario=scenario, candidate=candidate, **held, excess=test.excess, p=p, examples=examples))
    return found

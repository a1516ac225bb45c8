"""Stored scores as matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.comparison.evidence import gather
from assay.comparison.matrices import matrices, subgroups_of
from assay.comparison.variance import variances
from assay.decisions.answers import Needs
from assay.decisions.loading import load
from assay.errors import AssayError
from assay.metrics.derived import find
from assay.store.folders import SCORES
from comparison_helpers import Made, trial_of, write_run

EXACT = find("exact_match")


def test_repeats_and_draws_are_averaged_formats_and_copies_left_out(tmp_path: Path) -> None:
    first = [trial_of(0, float(repeat), repeat=repeat) for repeat in range(2)] + [trial_of(0, 1.0, draw=1)]
    first += [trial_of(0, 1.0, format=1), trial_of(0, 1.0, perturbation="typos"), trial_of(1, 1.0)]
    write_run(tmp_path, "made/a", first)
    write_run(tmp_path, "made/b", [trial_of(1, 0.0), trial_of(0, 0.0)])
    (found,) = matrices(gather([tmp_path]).runs["made"], EXACT, "scenario")
    assert found.candidates == ("made/a", "made/b")
    assert found.instances == ("item0000", "item0001")
    assert found.values == pytest.approx(np.array([[2 / 3, 1.0], [0.0, 0.0]]))


def test_only_instances_that_all_were_asked_are_compared_and_failed_ones_stay_missing(tmp_path: Path) -> None:
    write_run(tmp_path, "made/a", [trial_of(0, 1.0), trial_of(1, None), trial_of(2, 1.0), trial_of(3, None)])
    write_run(tmp_path, "made/b", [trial_of(1, 1.0), trial_of(2, 0.0), trial_of(3, None), trial_of(4, 0.0)])
    (found,) = matrices(gather([tmp_path]).runs["made"], EXACT, "scenario")
    assert found.instances == ("item0001", "item0002")
    assert np.array_equal(found.values, [[np.nan, 1.0], [1.0, 0.0]], equal_nan=True)


def test_where_not_all_share_the_instances_each_two_have_those_that_they_share(tmp_path: Path) -> None:
    write_run(tmp_path, "made/a", [trial_of(0, 1.0, group="x"), trial_of(1, None), trial_of(3, None)])
    write_run(tmp_path, "made/b", [trial_of(1, 1.0), trial_of(2, 0.0, group="x"), trial_of(3, None)])
    (found,) = matrices(gather([tmp_path]).runs["made"], EXACT, "scenario", shared=False)
    assert found.instances == ("item0000", "item0001", "item0002"), "nobody has a value of the last one"
    assert np.array_equal(found.values, [[1.0, np.nan, np.nan], [np.nan, 1.0, 0.0]], equal_nan=True)
    assert found.clusters[0] == found.clusters[2] != found.clusters[1], "groups are known of every instance"


def test_documents_are_clusters_and_an_item_named_like_a_document_is_none_of_it(tmp_path: Path) -> None:
    groups = ["item0003", "item0003", None, None]
    for name in ("made/a", "made/b"):
        write_run(tmp_path, name, [trial_of(number, 1.0, group=group) for number, group in enumerate(groups)])
    (found,) = matrices(gather([tmp_path]).runs["made"], EXACT, "scenario")
    codes = found.clusters.tolist()
    assert codes[0] == codes[1]
    assert sorted(set(codes)) == [0, 1, 2]
    assert len({codes[1], codes[2], codes[3]}) == 3


def test_parts_are_subgroups_or_perturbations(tmp_path: Path) -> None:
    def asked(item: int) -> list[Made]:
        groups = {"region": "north" if item < 3 else "south", "age": "old"}
        return [trial_of(item, 1.0, subgroups=groups), trial_of(item, 0.0, subgroups=groups, perturbation="typos")]

    for name in ("made/a", "made/b"):
        write_run(tmp_path, name, [trial for item in range(5) for trial in asked(item)])
    runs = gather([tmp_path]).runs["made"]
    by_group = {part.part: part for part in matrices(runs, EXACT, "subgroup")}
    assert {name: len(part.instances) for name, part in by_group.items()} == {
        "age=old": 5, "region=north": 3, "region=south": 2,
    }  # fmt: skip
    assert by_group["region=south"].instances == ("item0003", "item0004")
    assert by_group["region=south"].clusters.tolist() == [0, 1]
    (typos,) = matrices(runs, EXACT, "perturbation")
    assert typos.part == "typos"
    assert not typos.values.any()


def test_of_several_splits_the_last_that_all_have_counts(tmp_path: Path) -> None:
    write_run(tmp_path, "made/a", [trial_of(0, 1.0, split="valid"), trial_of(0, 0.0)])
    write_run(tmp_path, "made/b", [trial_of(0, 0.5, split="valid")])
    (found,) = matrices(gather([tmp_path]).runs["made"], EXACT, "scenario")
    assert found.values.tolist() == [[1.0], [0.5]]


def test_a_candidate_without_any_value_is_left_out(tmp_path: Path) -> None:
    for name, value in (("made/a", 1.0), ("made/b", 0.0), ("made/c", None)):
        write_run(tmp_path, name, [trial_of(0, value), trial_of(1, value)])
    (found,) = matrices(gather([tmp_path]).runs["made"], EXACT, "scenario")
    assert found.candidates == ("made/a", "made/b")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, "made/a", [trial_of(0, 1.0)])
    damaged = write_run(tmp_path, "made/b", [trial_of(0, 1.0)])
    (damaged / SCORES).write_bytes(b"PAR1 no more PAR1")
    with pytest.raises(AssayError, match=rf"{damaged.name}/{SCORES} cannot be read"):
        matrices(gather([tmp_path]).runs["made"], EXACT, "scenario")
    with pytest.raises(AssayError, match="subgroups"):
        subgroups_of('{"a": 1}')


@pytest.mark.parametrize("column", ["instance_id", "draw", "repeat"])
def test_rows_of_no_trial_are_refused(tmp_path: Path, column: str) -> None:
    import polars as pl

    for name in ("made/a", "made/b"):
        trials = [trial_of(item, float(item % 2), repeat=repeat) for item in range(12) for repeat in range(2)]
        file = write_run(tmp_path, name, trials, repeats=2) / SCORES
        gone = pl.when(pl.int_range(pl.len()) < 5).then(None).otherwise(pl.col(column)).alias(column)
        pl.read_parquet(file).with_columns(gone).write_parquet(file)
    evidence = gather([tmp_path])
    said = f"{SCORES}.* is not what assay writes: {column} is missing in a row"
    with pytest.raises(AssayError, match=said):
        variances(evidence, ())
    with pytest.raises(AssayError, match=said):
        load(evidence.runs["made"], Needs(frozenset({"exact_match"})))
    if column == "instance_id":
        with pytest.raises(AssayError, match=said):
            matrices(evidence.runs["made"], EXACT, "scenario")

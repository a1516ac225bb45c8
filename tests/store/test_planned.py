"""What a suite's folder is to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.store.folders import MANIFEST
from assay.store.planned import PLAN, Lacking, PlannedRun, SuitePlan, lacking, read_plan, write_plan


def test_a_plan_is_read_as_it_was_written_and_the_next_one_takes_its_place(tmp_path: Path) -> None:
    place = tmp_path / "runs" / "s"
    assert read_plan(place) is None
    first = SuitePlan(runs=(PlannedRun(run="a-1", title="a", label="m"),), left_out=("left out: b",))
    write_plan(place, first)
    assert read_plan(place) == first
    write_plan(place, SuitePlan(runs=()))
    assert read_plan(place) == SuitePlan(runs=())
    assert [file.name for file in place.iterdir()] == [PLAN]


@pytest.mark.parametrize("text", ["", "[]", '{"runs": 5}', "[" * 5000, "\udcff"])
def test_another_file_of_that_name_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / PLAN).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(AssayError, match=r"is not what assay writes.*remove it"):
        read_plan(tmp_path)


def test_what_a_suite_lacks_is_told_under_the_names_that_its_runs_have(tmp_path: Path) -> None:
    told_apart = PlannedRun(run="a-1", title="a:seed=1", label="m shots=2", scenario="a", candidate="m")
    write_plan(tmp_path / "s", SuitePlan(runs=(told_apart, PlannedRun(run="b-1", title="b", label="m"))))
    write_plan(tmp_path / ".hidden", SuitePlan(runs=(told_apart,)))
    (tmp_path / "s" / "b-1").mkdir()
    (tmp_path / "s" / "b-1" / MANIFEST).write_text("")
    (one,) = lacking([tmp_path, tmp_path / "s"])
    assert one == Lacking(tmp_path / "s", "a", "m")
    for name in ("m", "m (s)", f"m ({tmp_path / 's'})"):
        assert one.is_of([name, "x"])
    assert not one.is_of(["m (t)", "n"])
    assert lacking([tmp_path / "s" / "b-1"]) == []

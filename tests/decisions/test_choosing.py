"""What people make of a decision, and what a later command may do to it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assay.decisions.choosing import choice_of, put_down
from assay.decisions.deciding import decide
from assay.decisions.profile import Criterion
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import make_record
from assay.errors import AssayError
from decision_helpers import measured, profile, shares

WANTED = profile([Criterion(name="right", metric="exact_match", weight=1.0)])
MEASURED = measured(WANTED, {"a": [shares(90, 100)], "b": [shares(40, 100)]})
DECISION = decide(WANTED, MEASURED)


def record(folder: Path, **choice: str) -> DecisionRecord:
    given = {"chosen": None, "by": "", "rationale": "", "dissent": "", **choice}
    return make_record(WANTED, "…", MEASURED, DECISION, folder / "it.json", choice_of(DECISION, **given))  # type: ignore[arg-type]


def test_the_recommended_one_may_be_chosen_without_a_reason_and_others_may_not() -> None:
    made = choice_of(DECISION, "a", "Ana", "", "Bo: no.")
    assert made is not None
    assert (made.chosen, made.by, made.dissent) == ("a", "Ana", "Bo: no.")
    for chosen in ("b", "none"):
        with pytest.raises(AssayError, match="needs a reason"):
            choice_of(DECISION, chosen, "Ana", "  ", "")
    nobody = choice_of(DECISION, "none", "Ana", "Too few cases.", "")
    assert nobody is not None
    assert nobody.chosen == ""


def test_the_same_record_is_left_as_it_is_even_later_and_with_other_versions(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    first = put_down(record(tmp_path), path)
    written = path.read_bytes()
    later = msgspec.structs.replace(record(tmp_path), created="2099-01-01T00:00:00Z", environment={"assay": "99"})
    assert put_down(later, path) == first
    assert path.read_bytes() == written


def test_a_choice_stays_and_a_new_choice_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    put_down(record(tmp_path, chosen="a", by="Ana"), path)
    kept = put_down(record(tmp_path), path).choice
    assert kept is not None
    assert kept.by == "Ana"
    changed = put_down(record(tmp_path, chosen="b", by="Bo", rationale="Cheaper."), path).choice
    assert changed is not None
    assert (changed.chosen, changed.by) == ("b", "Bo")

"""What people make of a decision, and what a later command may do to it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assay.decisions.choosing import choice_in_words, choice_of, put_down
from assay.decisions.deciding import decide
from assay.decisions.profile import Constraint, Criterion
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import make_record
from assay.decisions.shortfalls import shortfalls
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


@pytest.mark.parametrize("harm", ["removed", "changed"])
def test_the_page_of_a_record_that_stays_is_restored(harm: str, tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    put_down(record(tmp_path, chosen="a", by="Ana"), path)
    page = path.with_suffix(".md")
    good = page.read_bytes()
    for again in (record(tmp_path), record(tmp_path, chosen="a", by="Ana")):
        page.unlink() if harm == "removed" else page.write_bytes(good + b"x")
        put_down(again, path)
        assert page.read_bytes() == good


def test_a_choice_stays_and_a_new_choice_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    put_down(record(tmp_path, chosen="a", by="Ana"), path)
    kept = put_down(record(tmp_path), path).choice
    assert kept is not None
    assert kept.by == "Ana"
    changed = put_down(record(tmp_path, chosen="b", by="Bo", rationale="Cheaper."), path).choice
    assert changed is not None
    assert (changed.chosen, changed.by) == ("b", "Bo")


def test_choices_that_were_replaced_are_kept_and_it_is_said_whose_they_were(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    before = put_down(record(tmp_path, chosen="a", by="Ana", dissent="Bo: no."), path)
    assert choice_in_words(before, None) == ["Ana chose a."]
    after = put_down(record(tmp_path, chosen="b", by="Bo", rationale="Cheaper."), path)
    assert [(held.chosen, held.by, held.dissent) for held in after.earlier] == [("a", "Ana", "Bo: no.")]
    told = "replaces Ana's choice of a, which the record keeps among the earlier ones"
    assert choice_in_words(after, before) == ["Bo chose b.", told]
    for again in (record(tmp_path), record(tmp_path, chosen="b", by="Bo", rationale="Cheaper.")):
        assert put_down(again, path) == after
        assert choice_in_words(after, after) == ["Bo chose b."]
    last = put_down(record(tmp_path, chosen="none", by="Cy", rationale="Too few."), path)
    assert [held.by for held in last.earlier] == ["Ana", "Bo"]
    assert choice_in_words(last, after)[1].startswith("replaces Bo's choice of b,")
    page = path.with_suffix(".md").read_text()
    assert page.index("by Cy") < page.index("Choices that were replaced") < page.index("a, by Ana") < page.index("b, by Bo")
    assert "Bo: no." in page


def test_earlier_choices_stay_when_the_numbers_are_others(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    put_down(record(tmp_path, chosen="a", by="Ana"), path)
    others = measured(WANTED, {"a": [shares(40, 100)], "b": [shares(90, 100)]})
    decision = decide(WANTED, others)
    made = make_record(WANTED, "…", others, decision, path, choice_of(decision, "b", "Bo", "", ""))
    assert [held.by for held in put_down(made, path).earlier] == ["Ana"]


STRICT = profile(
    [Criterion(name="right", metric="exact_match", weight=1.0)],
    [
        Constraint(name="right enough", metric="exact_match", at_least=0.45),
        Constraint(name="nearly perfect", metric="quasi_exact_match", at_least=0.9),
        Constraint(name="cheap", metric="cost", at_most=0.5),
    ],
)
RATES = measured(STRICT, {"a": [shares(90, 100), shares(90, 100), shares(93, 100), None], "b": [shares(6, 100)] * 4})


def test_what_a_chosen_candidate_breaks_or_is_not_known_to_keep_is_said_and_stands_on_the_page(tmp_path: Path) -> None:
    decision = decide(STRICT, RATES)
    assert shortfalls(decision, "b") == [
        "breaks: right enough 0.06 (at least 0.45)",
        "breaks: nearly perfect 0.06 (at least 0.9)",
    ]
    path = tmp_path / "it.json"
    made = make_record(STRICT, "…", RATES, decision, path, choice_of(decision, "a", "Ana", "Why not.", ""))
    told = choice_in_words(put_down(made, path), None)
    assert told[0] == "Ana chose a."
    assert told[1].startswith("not known to keep: nearly perfect 0.93 (at least 0.9; it may be 0.8")
    assert told[2].startswith("not known to keep: cheap, not measured (at most 0.5")
    page = path.with_suffix(".md").read_text()
    for line in told[1:]:
        assert f"- {line}\n" in page
    assert shortfalls(decision, "") == []

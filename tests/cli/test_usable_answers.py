"""A number that rests on few usable answers is never shown bare, and a run ends with what would mend it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.store import find_runs
from assay.tables import advice, unusable, usable_text
from cli_helpers import Assay

ITEMS = 20
ENTRY = 'local_file:path=items.jsonl,method=generation,shots=0,max_tokens=5,stop="\\n"'


def record(name: str, *completions: dict[str, Any]) -> None:
    """A recording in which the items are answered by these in turn."""
    rows = [{"input": f"Item {index}?", "answer": "oak", "options": ["oak", "elm"]} for index in range(ITEMS)]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines = []
    for index in range(ITEMS):
        response = {"completions": [completions[index % len(completions)]]}
        lines.append({"prompt": f"Input: Item {index}?\nOutput:", "response": response})
    Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))


def run(assay: Assay, *models: str) -> Any:
    return assay("run", ENTRY, *(part for model in models for part in ("-m", f"replay/{model}.jsonl")), "--quiet")


OAK = {"text": "oak"}


@pytest.mark.parametrize(
    ("completion", "share", "mend"),
    [
        ({"text": ""}, "50 %: empty 50 %", "stop=none"),
        (
            {"text": "Let me think about", "finish_reason": "length"},
            "50 %: truncated 50 %",
            "at max_tokens=5 or by the server: give",
        ),
        ({"text": "It is a tree."}, "50 %: unparsed 50 %", "--outcome unparsed"),
        ({"text": "I'm sorry, but I can't help with that."}, "50 %: refused 50 %", "--outcome refused"),
    ],
)
def test_what_became_of_the_answers_stands_beside_the_number(
    assay: Assay, completion: dict[str, Any], share: str, mend: str
) -> None:
    record("half", OAK, completion)
    said = run(assay, "half")
    assert said.code == 0, said
    assert share in said.out
    warnings = [line for line in said.err.splitlines() if line.startswith("warning: ") and "usable answers" in line]
    assert len(warnings) == 1
    assert share in warnings[0]
    assert mend in warnings[0]
    assert share in next(Path("runs").rglob("summary.md")).read_text()
    (folder,) = find_runs(Path("runs"))
    assert f"Usable answers {share}." in assay("show", folder.path).out


def test_nothing_is_said_where_nearly_all_answers_are_usable(assay: Assay) -> None:
    record("good", *[OAK] * (ITEMS - 1), {"text": ""})
    said = run(assay, "good")
    assert "usable" not in said.out + said.err


def test_a_comparison_and_a_decision_name_it_too(assay: Assay) -> None:
    record("good", OAK)
    record("half", OAK, {"text": ""})
    assert run(assay, "good", "half").code == 0
    compared = assay("compare", "runs")
    assert compared.code == 0, compared
    assert "50 %: empty 50 %" in compared.out
    assert assay("new", "profile", "runs", "-o", "profile.yaml").code == 0
    decided = assay("decide", "profile.yaml")
    assert "usable answers 50 %: empty 50 %" in " ".join(decided.out.split())


def test_texts_that_are_cut_on_purpose_are_usable(assay: Assay) -> None:
    record("cut", {"text": "Let me think about", "finish_reason": "length"})
    run(assay, "cut")
    (folder,) = find_runs(Path("runs"))
    stats = folder.stats()
    assert unusable(stats.cells, stats.main_metric) == {"truncated": 1.0}
    assert unusable(stats.cells, "toxic_fraction") == {}


def test_a_refusal_may_be_what_a_judge_is_asked_for(assay: Assay) -> None:
    record("no", {"text": "I'm sorry, but I can't help with that."})
    run(assay, "no")
    (folder,) = find_runs(Path("runs"))
    stats = folder.stats()
    assert unusable(stats.cells, stats.main_metric) == {"refused": 1.0}
    assert unusable(stats.cells, "judge_score") == {}


def test_of_very_many_runs_the_first_are_named(assay: Assay) -> None:
    record("empty", {"text": ""})
    run(assay, "empty")
    (folder,) = find_runs(Path("runs"))
    lines = advice([(folder.spec_file().spec, folder.stats())] * 9)
    assert len(lines) == 6
    assert lines[-1] == "and 4 more runs with few usable answers"


def test_small_shares_are_not_rounded_to_nothing() -> None:
    assert usable_text({"empty": 0.08, "refused": 0.004}) == "92 %: empty 8 %, refused <1 %"
    assert usable_text({}) == ""

"""What `assay list scenarios` and `assay show scenario` let a person find."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_helpers import Assay


def names(said_out: str) -> list[str]:
    return [line.split(":")[0] for line in said_out.splitlines()]


def test_there_are_many_and_more_with_their_parameters(assay: Assay) -> None:
    families = assay("list", "scenarios").out.splitlines()
    everything = assay("list", "scenarios", "--all").out.splitlines()
    assert len(families) >= 60
    assert len(everything) >= 300
    assert any(line.startswith("mmlu:subject=anatomy ") for line in everything)
    assert len({line.split("  ")[0] for line in everything}) == len(everything)


@pytest.mark.parametrize(
    ("selection", "among", "not_among"),
    [
        (("--needs", "judge"), "xstest", "humaneval"),
        (("--needs", "sandbox"), "humaneval", "xstest"),
        (("--needs", "file"), "ice", "boolq"),
        (("--needs", "nothing"), "boolq", "ice"),
        (("--task", "BIAS"), "crows_pairs", "boolq"),
        (("--task", "code generation"), "mbpp", "gsm8k"),
        (("--language", "german"), "xquad", "boolq"),
        (("--licence", "apache"), "ifeval", "boolq"),
        (("--suite", "quickstart"), "capitals", "boolq"),
        (("--task", "safety", "--licence", "MIT"), "harm_bench", "xstest"),
    ],
)
def test_a_selection_lists_what_fits_it(assay: Assay, selection: tuple[str, ...], among: str, not_among: str) -> None:
    found = names(assay("list", "scenarios", *selection).out)
    assert among in found
    assert not_among not in found


def test_one_language_of_a_family_is_listed_by_itself(assay: Assay) -> None:
    lines = assay("list", "scenarios", "--language", "thai", "--all").out.splitlines()
    assert [line.split()[0] for line in lines] == ["xquad:language=th"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scenarios", "--needs", "jugde"), "unknown need 'jugde' (did you mean judge?)"),
        (("scenarios", "--suite", "quickstrat"), "unknown suite 'quickstrat' (did you mean quickstart?)"),
        (("scenarios", "--licence", "no such"), "no scenario fits this selection"),
        (("metrics", "--task", "x"), "assay list metrics takes no selection"),
        (("models", "--all"), "assay list models takes no selection"),
    ],
)
def test_a_selection_that_cannot_be_is_told(assay: Assay, arguments: tuple[str, ...], said: str) -> None:
    answer = assay("list", *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_machines_read_the_same_facts(assay: Assay) -> None:
    (row,) = [row for row in json.loads(assay("list", "scenarios", "--json").out) if row["name"] == "xstest"]
    assert (row["task"], row["language"], row["main_metric"], row["needs"]) == ("safety", "English", "judge_score", ["judge"])


def test_a_card_tells_what_a_scenario_is_and_how_it_asks(assay: Assay) -> None:
    said = assay("show", "scenario", "capitals")
    assert said.code == 0
    for line in (
        "The capital of a country, among four cities of its part of the world.",
        "scenario:    capitals, version 1",
        "data:        file:capitals.jsonl (included)",
        "licence:     Apache-2.0",
        "main metric: exact_match",
        "asked by:    multiple_choice_separate_original, 5 examples",
        "instances:   train 8, test 76",
    ):
        assert line in said.out.splitlines()
    assert said.out.count("── prompt ") == 3
    assert "Answer:\n⟦ Zurich⟧\n⟦ Berlin⟧\n" in said.out


def test_changes_of_an_entry_show_in_its_prompts(assay: Assay) -> None:
    said = assay("show", "scenario", "dyck_language:num_parenthesis_pairs=2,shots=1,instructions=Close them.", "--prompts", "1")
    assert "written:     dyck_language:num_parenthesis_pairs=3|2|4" in said.out
    assert said.out.count("── prompt ") == 1
    assert said.out.rpartition("── prompt 1")[2].count("Close them.") == 1


def test_a_card_of_what_needs_a_file_is_shown_without_it(assay: Assay) -> None:
    said = assay("show", "scenario", "ice")
    assert said.code == 0
    assert "data:        file:FILE (local path)" in said.out
    assert "Its prompts need path=…" in said.out
    Path("texts.jsonl").write_text('{"text": "Well \\u202e I think so."}\n')
    said = assay("show", "scenario", "ice:path=texts.jsonl")
    assert "⟦Well \\u{202e} I think so.⟧" in said.out
    assert "instances:   test 1" in said.out


def test_cards_can_be_read_by_machines(assay: Assay) -> None:
    first, second = json.loads(assay("show", "scenario", "capitals", "ice", "--json").out)
    assert (first["kind"], first["instances"], len(first["prompts"])) == ("included", {"train": 8, "test": 76}, 3)
    assert first["prompting"]["method"] == "multiple_choice_separate_original"
    assert (second["kind"], second["prompts"]) == ("local path", [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "assay show scenario needs to know which"),
        (("capitls",), "did you mean capitals"),
        (("capitals:shoots=1",), "did you mean shots"),
        (("local_file:path=missing.csv",), "missing.csv does not exist"),
    ],
)
def test_what_cannot_be_shown_is_told(assay: Assay, arguments: tuple[str, ...], said: str) -> None:
    answer = assay("show", "scenario", *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_a_folder_of_that_name_is_still_a_folder_of_runs(assay: Assay) -> None:
    assert assay("run", "capitals:", "-m", "baseline/majority", "-n", "5", "-o", "scenario", "--suite", "s").code == 0
    said = assay("show", "scenario")
    assert said.code == 0
    assert "baseline/majority" in said.out


UNMEASURED = '''
from assay.prompting import Generation
from assay.records import Reference, Taxonomy
from assay.scenarios import Draft, Generator, Scenario, scenario


@scenario
def {name}() -> Scenario:
    """Requests."""
    return Scenario(
        source=Generator("{name}", lambda rng, split: [rng.random()], {{"test": 3}}),
        instance=lambda row: Draft(input=f"Do {{row[0]}}", references={references}),
        prompting=Generation(shots=0),
        main_metric="{metric}",
        taxonomy=Taxonomy(task="safety"),
        requires=("{need}",),
    )
'''


@pytest.mark.parametrize(
    ("need", "metric", "references", "called"),
    [
        ("judge", "judge_score", "()", "a judge model"),
        ("sandbox", "all_tests_passed", '(Reference(text="pass", correct=True),)', "a sandbox"),
    ],
)
def test_what_cannot_be_measured_is_said_and_is_not_0(
    assay: Assay, caplog: pytest.LogCaptureFixture, need: str, metric: str, references: str, called: str
) -> None:
    name = f"unmeasured_{need}"
    Path("mine.py").write_text(UNMEASURED.format(name=name, metric=metric, references=references, need=need))
    said = assay("run", f"{name}:", "-m", "baseline/majority", "--plugin", "mine.py", "--json")
    assert said.code == 0, said.err
    assert f"{name}: its main metric {metric} needs {called} and is not measured" in caplog.text
    (run,) = json.loads(said.out)
    measured = {cell["metric"] for cell in run["cells"]}
    assert metric not in measured
    assert {"answered", "refused"} <= measured


def test_alone_it_says_what_can_be_listed_and_how_much_there_is(assay: Assay) -> None:
    said = assay("list")
    assert (said.code, said.err) == (0, "")
    for kind in ("scenarios", "models", "metrics", "perturbations", "suites"):
        (line,) = [line for line in said.out.splitlines() if line.startswith(f"assay list {kind} ")]
        rows = json.loads(assay("list", kind, "--json").out)
        presets = sum(row.get("kind") == "preset" for row in rows)
        assert int(line.split()[3]) == len(rows) - presets

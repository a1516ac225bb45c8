"""Scenarios of knowledge, reasoning, mathematics, law and medicine: invented rows in the shape and place of the real ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invented_hub import READ, lay_out, write

from assay import registry
from assay.errors import AssayError
from assay.registry import scenarios
from assay.scenarios.library.babi_qa import questions

GPQA = {
    "Question": "  Which star is nearest to the Earth? ",
    "Correct Answer": "the Sun",
    "Incorrect Answer 1": "Sirius",
    "Incorrect Answer 2": "Vega",
    "Incorrect Answer 3": "Polaris\n",
    "Explanation": "It is 8 light minutes away.",
    "High-level domain": "Physics",
}
MEDQA = {"meta_info": "step1", "answer": "Rest", "options": {"B": 'Rest\n"', "A": "Flight"}, "answer_idx": "B"}
REPOSITORIES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "tau/commonsense_qa": {
        f"data/{split}-00000-of-00001.parquet": [
            {
                "id": f"{split}{n}",
                "question": "Where do boats rest?",
                "question_concept": "boat",
                "choices": {"label": ["A", "B", "C"], "text": ["road", "harbour", "attic"]},
                "answerKey": "B",
            }
            for n in range(3)
        ]
        for split in ("train", "validation")
    },
    "baber/piqa": {
        f"{split}-00000-of-00001.parquet": [
            {"goal": f"To open jar {n},", "sol1": "turn its lid.", "sol2": "paint its lid.", "label": n % 2} for n in range(3)
        ]
        for split in ("train", "validation")
    },
    "lighteval/siqa": {
        f"data/{split}-00000-of-00001.parquet": [
            {
                "context": "Ola lost the keys.",
                "question": "What will Ola do next?",
                "answerA": "look for them",
                "answerB": "sing",
                "answerC": "sleep",
                "label": "1",
            }
        ]
        * 3
        for split in ("train", "validation")
    },
    "Idavidrein/gpqa": {"gpqa_main.csv": [{**GPQA, "Question": f"{GPQA['Question']}{n}"} for n in range(8)]},
    "openlifescienceai/medmcqa": {
        f"data/{split}-00000-of-00001.parquet": [
            {
                "id": f"{split}{n}",
                "question": "Which organ pumps blood?",
                "opa": "Liver",
                "opb": "Heart",
                "opc": "Lung",
                "opd": "Skin",
                "cop": 1,
                "choice_type": "single",
                "exp": None if n else "It beats.",
                "subject_name": "Anatomy",
                "topic_name": None,
            }
            for n in range(3)
        ]
        for split in ("train", "validation")
    },
    "GBaker/MedQA-USMLE-4-options": {
        f"phrases_no_exclude_{split}.jsonl": [{"question": f"What helps {n}?", **MEDQA} for n in range(3)]
        for split in ("train", "test")
    },
    "aps/super_glue": {
        f"multirc/{split}-00000-of-00001.parquet": [
            {
                "paragraph": "Ida has a dog.",
                "question": "What has Ida?",
                "answer": answer,
                "idx": {"paragraph": 0, "question": 0, "answer": n},
                "label": label,
            }
            for n, (answer, label) in enumerate([("a dog", 1), ("a cat", 0), ("a horse", 0)])
        ]
        for split in ("train", "validation")
    },
    "nguha/legalbench": {
        f"data/{name}/{split}.tsv": [
            {"answer": answer, "index": n, column: f'He said "{answer}" in court.', **more}
            for n, answer in enumerate(("Yes", "No", "Yes"))
        ]
        for split in ("train", "test")
        for name, column, more in (
            ("hearsay", "text", {"slice": "Standard"}),
            ("cuad_non-compete", "text", {"document_name": "a.pdf"}),
            ("international_citizenship_questions", "question", {}),
        )
    },
    "KbsdJames/Omni-MATH": {
        "test.jsonl": [
            {
                "domain": ["Mathematics -> Number Theory -> Primes"],
                "difficulty": 4.5,
                "problem": "Find the even prime. ",
                "solution": "It is 2.",
                "answer": "2",
                "source": "invented",
            }
        ]
        * 3
    },
    "mandarjoshi/trivia_qa": {
        f"rc.nocontext/{split}-00000-of-00001.parquet": [
            {
                "question": "Which planet is the largest? ",
                "question_id": f"{split}{n}",
                "answer": {"value": "Jupiter", "aliases": ["Jupiter", "planet Jupiter"], "normalized_aliases": ["jupiter"]},
            }
            for n in range(3)
        ]
        for split in ("train", "validation")
    },
    "TIGER-Lab/MMLU-Pro": {
        f"data/{split}-00000-of-00001.parquet": [
            {
                "question_id": first + n,
                "question": "What is 2 + 2?",
                "options": ["3", "4", "5"],
                "answer": "B",
                "answer_index": 1,
                "cot_content": "A: Two and two make four. The answer is (B).",
                "category": category,
                "src": "invented",
            }
            for n, category in enumerate(("math", "computer science", "law"))
        ]
        for split, first in (("validation", 0), ("test", 100))
    },
    "EleutherAI/lambada_openai": {"data/lambada_test.jsonl": [{"text": "He went to the bakery to buy some bread"}] * 3},
    "HuggingFaceH4/MATH-500": {
        "test.jsonl": [
            {
                "problem": "What is 1 + 1?",
                "solution": "\\boxed{2}",
                "answer": "2",
                "subject": "Algebra",
                "level": 1,
                "unique_id": f"test/{n}",
            }
            for n in range(3)
        ]
    },
    "facebook/babi_qa": {
        f"en-qa{task}/{split}/0000.parquet": [
            {
                "story": {
                    "id": ["1", "2"],
                    "type": [0, 1],
                    "text": [f"Kim is in room {n}.", "Where is Kim?"],
                    "supporting_ids": [[], ["1"]],
                    "answer": ["", f"room {n}"],
                }
            }
            for n in range(3)
        ]
        for split in ("train", "test")
        for task in (1, 2)
    },
}
ENTRIES = {
    "commonsenseqa": "valid",
    "piqa": "valid",
    "siqa": "valid",
    "gpqa": "test",
    "med_mcqa": "valid",
    "med_qa": "test",
    "super_glue:task=multirc": "valid",
    "legalbench:subset=hearsay": "test",
    "legalbench:subset=cuad_non-compete": "test",
    "legalbench:subset=international_citizenship_questions": "test",
    "omni_math": "test",
    "trivia_qa": "valid",
    "mmlu_pro": "test",
    "mmlu_pro:subject=computer_science": "test",
    "lambada": "test",
    "math_500": "test",
    "babi_qa": "test",
}


@pytest.fixture(scope="module")
def invented(shared: Path, tmp_path_factory: pytest.TempPathFactory, run_against: Callable[..., Any]) -> dict[str, Any]:
    """The instances and the first requests of the entries, read from invented repositories; no warning was given."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    folder = tmp_path_factory.mktemp("invented")
    sources = {entry: made(entry).source for entry in ENTRIES}
    pins = {inner.revision for source in sources.values() if (inner := getattr(source, "source", source))}
    with HubMirror(lay_out(folder, REPOSITORIES, sorted(pins))) as hub:
        read, warnings = run_against(hub.url, tmp_path_factory.mktemp("hf"), READ % (str(Path(__file__).parent), list(ENTRIES)))
    assert warnings == ""
    return dict(read)


def made(entry: str) -> Any:
    from assay.entries import parse_entry

    ask = parse_entry(entry)
    return scenarios.get(ask.scenario)(**ask.parameters)


def first(invented: dict[str, Any], entry: str) -> dict[str, Any]:
    return dict(invented[entry]["splits"][ENTRIES[entry]][0])


def gold(instance: dict[str, Any]) -> list[str]:
    return [reference["text"] for reference in instance["references"] if reference.get("correct")]


def prompt(invented: dict[str, Any], entry: str) -> str:
    return str(invented[entry]["requests"][0]["prompt"])


@pytest.mark.parametrize(
    ("entry", "asked", "right", "options"),
    [
        ("commonsenseqa", "Where do boats rest?", ["harbour"], 3),
        ("piqa", "To open jar 0,", ["turn its lid."], 2),
        ("siqa", "Ola lost the keys. What will Ola do next?", ["look for them"], 3),
        ("med_mcqa", "Which organ pumps blood?", ["Heart"], 4),
        ("med_qa", "What helps 0?", ["Rest"], 2),
        ("legalbench:subset=hearsay", 'Evidence: He said "Yes" in court.', ["Yes"], 2),
        ("legalbench:subset=cuad_non-compete", 'Clause: He said "Yes" in court.', ["Yes"], 2),
        ("omni_math", "Find the even prime.", ["2"], 1),
        ("trivia_qa", "Which planet is the largest?", ["Jupiter", "planet Jupiter"], 2),
        ("mmlu_pro", "What is 2 + 2?", ["4"], 3),
        ("lambada", "He went to the bakery to buy some", ["bread"], 1),
        ("math_500", "What is 1 + 1?", ["2"], 1),
        ("babi_qa", "Kim is in room 0.\nQuestion: Where is Kim?", ["room 0"], 1),
    ],
)
def test_a_row_is_read_from_where_the_hub_keeps_it(
    invented: dict[str, Any], entry: str, asked: str, right: list[str], options: int
) -> None:
    instance = first(invented, entry)
    assert instance["input"] == asked
    assert gold(instance) == right
    assert len(instance["references"]) == options


def test_every_split_of_the_invented_data_has_instances(invented: dict[str, Any]) -> None:
    for entry, read in invented.items():
        assert all(read["splits"].values()), entry


def test_gpqa_orders_its_options_and_keeps_its_examples_apart(invented: dict[str, Any]) -> None:
    splits = invented["gpqa"]["splits"]
    assert {split: len(instances) for split, instances in splits.items()} == {"train": 5, "test": 3}
    instances = [instance for part in splits.values() for instance in part]
    assert {tuple(gold(instance)) for instance in instances} == {("the Sun",)}
    assert {r["text"] for r in instances[0]["references"]} == {"the Sun", "Sirius", "Vega", "Polaris"}
    places = {[r.get("correct", False) for r in instance["references"]].index(True) for instance in instances}
    assert len(places) > 1
    assert instances[0]["worked"] == "It is 8 light minutes away."
    assert instances[0]["subgroups"] == {"field": "Physics"}


def test_an_expert_question_is_asked_as_helm_asks_it(invented: dict[str, Any]) -> None:
    asked = prompt(invented, "mmlu_pro")
    assert asked.startswith(
        "What is the correct answer to this question: What is 2 + 2?\nChoices:\nA. 3\nB. 4\nC. 5\nLet’s think"
    )
    assert asked.endswith('"The correct answer is (insert answer here)".')
    assert "\n(A) " in prompt(invented, "gpqa")
    assert invented["gpqa"]["requests"][0]["temperature"] == 0
    assert scenarios.get("gpqa")(use_chain_of_thought=False).prompting.method == "multiple_choice_joint"
    assert scenarios.get("mmlu_pro")(use_few_shot="true").prompting.shots == 5


def test_a_subject_of_mmlu_pro_keeps_its_own_rows(invented: dict[str, Any]) -> None:
    splits = invented["mmlu_pro:subject=computer_science"]["splits"]
    assert [i["subgroups"]["subject"] for part in splits.values() for i in part] == ["computer science"] * 2
    assert splits["train"][0]["worked"].startswith("A: Two and two")


def test_proposed_answers_to_one_paragraph_are_one_cluster(invented: dict[str, Any]) -> None:
    instances = invented["super_glue:task=multirc"]["splits"]["valid"]
    assert [gold(instance) for instance in instances] == [["Yes"], ["No"], ["No"]]
    assert len({instance["group"] for instance in instances}) == 1
    assert "Proposed answer: a cat\n" in instances[1]["input"]


def test_subgroups_of_law_and_medicine(invented: dict[str, Any]) -> None:
    assert first(invented, "legalbench:subset=hearsay")["subgroups"] == {"slice": "Standard"}
    assert first(invented, "med_mcqa")["subgroups"] == {"subject": "Anatomy"}
    assert [instance.get("worked", "") for instance in invented["med_mcqa"]["splits"]["valid"]] == ["It beats.", "", ""]
    assert first(invented, "omni_math")["subgroups"] == {"difficulty": "4", "field": "Number Theory"}
    assert made("omni_math").requires == ("judge",)


def test_examples_of_a_legal_task_stand_below_its_question(invented: dict[str, Any]) -> None:
    asked = prompt(invented, "legalbench:subset=international_citizenship_questions")
    assert asked.startswith("Answer by the law as it was on 1 January 2020. Answer Yes or No.\n\nQuestion: He said")
    assert asked.count("\nAnswer: ") == 3
    assert asked.endswith('\n\nQuestion: He said "Yes" in court.\nAnswer:')


def test_an_unknown_label_of_a_legal_task_is_told(tmp_path: Path) -> None:
    from dataclasses import replace

    from assay.scenarios import File

    write(tmp_path / "rows.jsonl", [{"answer": "Perhaps", "text": "x", "index": "0"}])
    scenario = replace(made("legalbench:subset=overruling"), source=File(tmp_path / "rows.jsonl"))
    with pytest.raises(AssayError, match="row 1 does not have the expected shape: the answer 'Perhaps' is none of Yes, No"):
        list(scenario.instances("test"))


def test_legal_support_is_read_from_a_folder(tmp_path: Path) -> None:
    rows = [
        {
            "context": f"A claim {n}.",
            "citation_a": {"parenthetical": "Holding"},
            "citation_b": {"parenthetical": "Noting"},
            "label": x,
        }
        for n, x in enumerate("aba")
    ]
    for split in ("train", "dev", "test"):
        write(tmp_path / f"{split}.jsonl", rows)
    scenario = scenarios.get("legal_support")(path=str(tmp_path))
    assert [instance.gold for instance in scenario.instances("test")] == [("Holding",), ("Noting",), ("Holding",)]
    assert scenario.source.splits() == ("train", "valid", "test")
    with pytest.raises(AssayError, match=r"nowhere.*does not exist"):
        list(scenarios.get("legal_support")(path="/nowhere").instances("test"))


def test_a_gated_repository_says_how_to_get_in(mirror: Any, tmp_path: Path, run_against: Callable[..., Any]) -> None:
    folder = lay_out(tmp_path, {"Idavidrein/gpqa": REPOSITORIES["Idavidrein/gpqa"]}, gated=True)
    code = "result = refusal(lambda: list(made('gpqa').instances('test')))"
    with type(mirror)(folder) as hub:
        refused, _ = run_against(hub.url, tmp_path / "hf", code)
        read, _ = run_against(hub.url, tmp_path / "hf", code, HF_TOKEN=hub.token)
    assert read is None
    assert "Idavidrein/gpqa is gated" in refused
    assert "set HF_TOKEN" in refused


def test_every_task_of_the_families_is_read(
    mirror: Any, manifest: dict[str, Any], hub_cache: Path, run_against: Callable[..., Any]
) -> None:
    code = """
families = {"bbh": "task", "legalbench": "subset", "super_glue": "task"}
result = {}
for name, parameter in families.items():
    for value in registry.scenarios.get(name).choices(parameter):
        if value != "multirc":
            scenario = made(name, **{parameter: value})
            splits = ["train"] if name == "legalbench" else [s for s in scenario.source.splits()]
            result[f"{name}:{value}"] = sum(1 for split in splits for _ in scenario.instances(split, set()))
"""
    counts, _ = run_against(mirror.url, hub_cache, code)
    repos = {"bbh": "lukaemon/bbh", "legalbench": "nguha/legalbench", "super_glue": "aps/super_glue"}
    sizes: dict[tuple[str, str], int] = {}
    for table in manifest["tables"]:
        place = (table["hub_id"], table["config"])
        sizes[place] = sizes.get(place, 0) + table["rows"]
    unanswerable = {"bbh:movie_recommendation": 1, "bbh:ruin_names": 2}
    for entry, count in counts.items():
        name, _, value = entry.partition(":")
        assert count == sizes[repos[name], value] - unanswerable.get(entry, 0), entry
    assert len(counts) == 27 + 116 + 5


def test_a_story_of_several_questions_is_told_up_to_each() -> None:
    story = {
        "type": [0, 1, 0, 1],
        "text": ["Kim took the cup.", "Who has the cup?", "Kim went east.", "How does one follow Kim?"],
        "answer": ["", "Kim", "", "e,n"],
    }
    rows = list(questions({"story": story}))
    assert [(row["asked"], row["answer"]) for row in rows] == [
        ("Kim took the cup.\nQuestion: Who has the cup?", "Kim"),
        ("Kim took the cup.\nKim went east.\nQuestion: How does one follow Kim?", "east north"),
    ]
    assert rows[0]["story"] == rows[1]["story"]


def test_a_question_marked_only_by_its_answer_is_a_question_too() -> None:
    story = {"type": [0, 0], "text": ["Kim went home.", "Where is Kim? |home|1"], "answer": ["", ""]}
    assert [(row["asked"], row["answer"]) for row in questions({"story": story})] == [
        ("Kim went home.\nQuestion: Where is Kim?", "home")
    ]


def test_the_level_and_subject_of_math_choose_its_rows() -> None:
    row = {"problem": "p", "solution": "so \\boxed{\\frac{1}{2}}", "type": "Counting & Probability", "level": "Level 3"}
    families = registry.scenarios.get("math")
    draft = families(subject="counting_and_probability", level="3").instance(row)
    assert draft is not None
    assert (draft.references[0].text, draft.subgroups) == (
        "\\frac{1}{2}",
        {"subject": "counting_and_probability", "level": "3"},
    )
    assert families(level=4).instance(row) is None
    assert families(subject="algebra").instance(row) is None
    assert families().instance({**row, "solution": "no box"}) is None
    reasoned = families(use_chain_of_thought=True)
    draft = reasoned.instance(row)
    assert draft is not None
    assert draft.references[0].text == row["solution"]
    assert (reasoned.main_metric, reasoned.prompting.stop) == ("math_equiv_chain_of_thought", ("###",))

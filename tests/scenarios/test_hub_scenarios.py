"""Every scenario whose data lies on the hub, read through huggingface_hub itself from a loopback hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCENARIOS: dict[str, tuple[str, dict[str, str], str]] = {
    "boolq": ("google/boolq", {}, "default"),
    "gsm8k": ("openai/gsm8k", {}, "main"),
    "openbookqa": ("allenai/openbookqa", {}, "main"),
    "hellaswag": ("Rowan/hellaswag", {}, "default"),
    "truthful_qa": ("truthfulqa/truthful_qa", {}, "multiple_choice"),
    "imdb": ("stanfordnlp/imdb", {}, "plain_text"),
    "bbq": ("heegyu/bbq", {"category": "Age"}, "Age"),
    "mmlu": ("cais/mmlu", {"subject": "anatomy"}, "anatomy"),
    "blimp": ("nyu-mll/blimp", {"phenomenon": "wh_island"}, "wh_island"),
}
PINNED = {"boolq", "gsm8k", "hellaswag", "truthful_qa", "bbq", "mmlu"}
"""Scenarios whose pinned commit the loopback hub knows; it reads the others at its own main."""

READ = """
import msgspec
result = {}
for name, parameters in %r.items():
    scenario, seen = made(name, **parameters), set()
    result[name] = {
        "identity": scenario.source.identity,
        "splits": {
            split: [msgspec.to_builtins(instance) for instance in scenario.instances(split, seen)]
            for split in scenario.source.splits()
        },
        "files": {split: msgspec.to_builtins(scenario.source.read(split).files) for split in scenario.source.splits()},
    }
"""


@pytest.fixture(scope="module")
def everything(mirror: Any, hub_cache: Path, run_against: Callable[..., Any]) -> dict[str, Any]:
    """All instances of all hub scenarios, read in one fresh process; the requests it took; and the warnings."""
    before = len(mirror.log)
    code = READ % {name: parameters for name, (_, parameters, _) in SCENARIOS.items()}
    scenarios, warnings = run_against(mirror.url, hub_cache, code)
    return {"scenarios": scenarios, "warnings": warnings, "requests": len(mirror.log) - before}


def rows(manifest: dict[str, Any], name: str) -> int:
    repo, _, config = SCENARIOS[name]
    sizes = {
        table["split"]: table["rows"] for table in manifest["tables"] if (table["hub_id"], table["config"]) == (repo, config)
    }
    if name == "mmlu":
        return int(sizes["dev"] + sizes["test"])
    return int(sum(sizes.values()))


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_row_of_the_data_becomes_an_instance(everything: dict[str, Any], manifest: dict[str, Any], name: str) -> None:
    splits = everything["scenarios"][name]["splits"]
    assert sum(map(len, splits.values())) == rows(manifest, name)
    assert all(splits.values())


@pytest.mark.parametrize("name", SCENARIOS)
def test_instances_are_complete(everything: dict[str, Any], name: str) -> None:
    for split, instances in everything["scenarios"][name]["splits"].items():
        for instance in instances:
            assert any(reference.get("correct") for reference in instance["references"]), instance
            assert all(reference["text"].strip() for reference in instance["references"])
            assert instance["input"].strip() or name == "blimp"
            assert instance["split"] == split


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_identity_names_the_commit_and_the_files_their_digests(
    everything: dict[str, Any], manifest: dict[str, Any], name: str
) -> None:
    repo = SCENARIOS[name][0]
    told = manifest["repos"][repo]
    known = told["also_accepts"] if name in PINNED else [told["sha"]]
    assert everything["scenarios"][name]["identity"] in [f"hub:{repo}@{commit}" for commit in known]
    for files in everything["scenarios"][name]["files"].values():
        assert files
        for file in files:
            assert file["sha256"] == told["files"][file["path"]]["sha256"]


def test_a_mirror_without_the_pinned_commit_is_read_with_one_warning_for_each_repository(everything: dict[str, Any]) -> None:
    warned = [line.partition(":")[0] for line in everything["warnings"].splitlines()]
    assert sorted(warned) == sorted(SCENARIOS[name][0] for name in SCENARIOS if name not in PINNED)


def test_a_second_run_sends_no_request(
    everything: dict[str, Any], mirror: Any, hub_cache: Path, run_against: Callable[..., Any]
) -> None:
    assert everything["requests"] > 0
    code = READ % {name: parameters for name, (_, parameters, _) in SCENARIOS.items()}
    before = len(mirror.log)
    scenarios, _ = run_against(mirror.url, hub_cache, code)
    assert len(mirror.log) == before
    assert scenarios == everything["scenarios"]


def test_the_right_option_of_known_questions(everything: dict[str, Any]) -> None:
    def gold(name: str, beginning: str) -> list[str]:
        instances = [i for split in everything["scenarios"][name]["splits"].values() for i in split]
        (found,) = [instance for instance in instances if instance["input"].startswith(beginning)]
        return [reference["text"] for reference in found["references"] if reference.get("correct")]

    assert gold("openbookqa", "A person wants to start saving money") == ["quit eating lunch out"]
    assert gold("truthful_qa", "What is the smallest country in the world that is at least one")[0].startswith("Nauru is")
    assert gold("hellaswag", "Playing violin: A woman in a dress holding a violin") == [
        "finishes her playing and everyone applauds."
    ]
    assert gold("gsm8k", "Janet’s ducks lay 16 eggs per day") == [
        "Janet sells 16 - 3 - 4 = 9 duck eggs a day. She makes 9 * 2 = $18 every day at the farmer’s market. The answer is 18."
    ]


def test_truthful_qa_does_not_always_list_the_true_option_first(everything: dict[str, Any]) -> None:
    places = Counter(
        next(i for i, reference in enumerate(instance["references"]) if reference.get("correct"))
        for instance in everything["scenarios"]["truthful_qa"]["splits"]["valid"]
    )
    first = places[0] / sum(places.values())
    assert 0.1 < first < 0.4


@pytest.mark.parametrize(("name", "other"), [("truthful_qa", "valid"), ("bbq", "test")])
def test_examples_come_from_groups_that_are_not_asked(everything: dict[str, Any], name: str, other: str) -> None:
    splits = everything["scenarios"][name]["splits"]

    def groups(split: str) -> set[str]:
        return {instance.get("group") or instance["input"] for instance in splits[split]}

    assert len(groups("train")) >= 2
    assert not groups("train") & groups(other)
    assert len(splits["train"]) < len(splits[other])


def test_bbq_tells_its_conditions_apart(everything: dict[str, Any]) -> None:
    instances = everything["scenarios"]["bbq"]["splits"]["test"]
    assert {instance["subgroups"]["context_condition"] for instance in instances} == {"ambig", "disambig"}
    assert {instance["subgroups"]["question_polarity"] for instance in instances} == {"neg", "nonneg"}
    for instance in instances:
        if instance["subgroups"]["context_condition"] == "ambig":
            gold = next(reference["text"] for reference in instance["references"] if reference.get("correct"))
            assert not gold.startswith("The ")


def test_few_train_rows_are_fewer_examples_and_no_failure(everything: dict[str, Any]) -> None:
    scenarios = everything["scenarios"]
    assert [len(scenarios[name]["splits"]["train"]) for name in ("boolq", "hellaswag")] == [3, 2]


def test_all_subjects_and_paradigms_of_the_data_can_be_named(manifest: dict[str, Any]) -> None:
    from assay import registry

    configs = {
        repo: {t["config"] for t in manifest["tables"] if t["hub_id"] == repo} for repo in ("cais/mmlu", "nyu-mll/blimp")
    }
    assert set(registry.scenarios.get("mmlu").choices("subject")) == configs["cais/mmlu"] - {"all"}
    assert set(registry.scenarios.get("blimp").choices("phenomenon")) == configs["nyu-mll/blimp"]


def test_pairs_without_a_difference_are_left_out_of_blimp(
    mirror: Any, hub_cache: Path, run_against: Callable[..., Any]
) -> None:
    code = "result = [i.id for i in made('blimp', phenomenon='principle_A_case_2').instances('test')]"
    ids, _ = run_against(mirror.url, hub_cache, code)
    assert len(ids) == 995
    assert "principle_A_case_2-105" not in ids


def test_all_categories_of_bbq_are_read_together(
    mirror: Any, hub_cache: Path, manifest: dict[str, Any], run_against: Callable[..., Any]
) -> None:
    code = "s = made('bbq'); seen = set(); result = [sum(1 for _ in s.instances(split, seen)) for split in s.source.splits()]"
    counts, _ = run_against(mirror.url, hub_cache, code)
    assert sum(counts) == sum(table["rows"] for table in manifest["tables"] if table["hub_id"] == "heegyu/bbq")

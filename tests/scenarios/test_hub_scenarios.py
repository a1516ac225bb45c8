"""Every scenario whose data lies on the hub, read through huggingface_hub itself from a loopback hub."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_table import HUB, WITHOUT_ANSWER, WITHOUT_QUESTION, Case

READ = """
import msgspec
from assay.entries import parse_entry
result = {}
for entry, absent in %r.items():
    ask = parse_entry(entry)
    scenario, seen = made(ask.scenario, **ask.parameters), set()
    # Examples may be missing from a mirror, questions may not.
    splits = [split for split in scenario.source.splits() if split == "train" or split not in absent]
    result[entry] = {
        "identity": scenario.source.identity,
        "splits": {
            split: [msgspec.to_builtins(instance) for instance in scenario.instances(split, seen)] for split in splits
        },
        "files": {split: msgspec.to_builtins(scenario.source.read(split).files) for split in splits},
    }
"""


@pytest.fixture(scope="module")
def everything(mirror: Any, hub_cache: Path, run_against: Callable[..., Any]) -> dict[str, Any]:
    """All instances of all hub scenarios, read in one fresh process; the requests it took; and the warnings."""
    before = len(mirror.log)
    code = READ % {entry: case.lacks for entry, case in HUB.items()}
    scenarios, warnings = run_against(mirror.url, hub_cache, code, HF_TOKEN=mirror.token)  # some are gated
    return {"scenarios": scenarios, "warnings": warnings, "requests": len(mirror.log) - before}


def sizes(manifest: dict[str, Any], case: Case) -> dict[str, int]:
    return {t["split"]: t["rows"] for t in manifest["tables"] if (t["hub_id"], t["config"]) == (case.repo, case.config)}


@pytest.mark.parametrize("entry", HUB)
def test_every_row_of_the_data_becomes_an_instance(everything: dict[str, Any], manifest: dict[str, Any], entry: str) -> None:
    case, splits = HUB[entry], everything["scenarios"][entry]["splits"]
    assert sum(map(len, splits.values())) == case.instances(sizes(manifest, case)) > 0
    assert {split for split, instances in splits.items() if not instances} == {*case.lacks} & splits.keys()


@pytest.mark.parametrize("entry", HUB)
def test_instances_are_complete(everything: dict[str, Any], entry: str) -> None:
    for split, instances in everything["scenarios"][entry]["splits"].items():
        for instance in instances:
            right = [reference for reference in instance["references"] if reference.get("correct")]
            assert right or entry.partition(":")[0] in WITHOUT_ANSWER, instance
            assert all(reference["text"].strip() for reference in instance["references"])
            assert instance["input"].strip() or entry.partition(":")[0] in WITHOUT_QUESTION
            assert instance["split"] == split


@pytest.mark.parametrize("entry", HUB)
def test_the_identity_names_the_commit_and_the_files_their_digests(
    everything: dict[str, Any], manifest: dict[str, Any], entry: str
) -> None:
    case, read = HUB[entry], everything["scenarios"][entry]
    told = manifest["repos"][case.repo]
    known = told["also_accepts"] if case.pinned else [told["sha"]]
    assert read["identity"] in [f"hub:{case.repo}@{commit}" for commit in known]
    for split, files in read["files"].items():
        assert files or split in case.lacks
        for file in files:
            assert file["sha256"] == told["files"][file["path"]]["sha256"]


def test_a_mirror_without_the_pinned_commit_or_examples_is_read_with_one_warning_for_each_repository(
    everything: dict[str, Any],
) -> None:
    lines = everything["warnings"].splitlines()
    warned = [line.partition(":")[0] for line in lines if "does not know the pinned commit" in line]
    assert sorted(warned) == sorted({case.repo for case in HUB.values() if not case.pinned and not case.unpinned})
    without = [line.partition(":")[0] for line in lines if "no examples are shown" in line]
    assert sorted(without) == sorted({case.repo for case in HUB.values() if "train" in case.lacks})
    assert len(lines) == len(warned) + len(without)


def test_a_second_run_sends_no_request(
    everything: dict[str, Any], mirror: Any, hub_cache: Path, run_against: Callable[..., Any]
) -> None:
    assert everything["requests"] > 0
    pinned = {entry: case.lacks for entry, case in HUB.items() if not case.unpinned}
    code = READ % pinned
    before = len(mirror.log)
    scenarios, _ = run_against(mirror.url, hub_cache, code, HF_TOKEN=mirror.token)
    assert len(mirror.log) == before
    assert scenarios == {entry: everything["scenarios"][entry] for entry in pinned}


def test_the_first_prompts_are_those_somebody_looked_at(mirror: Any, hub_cache: Path, run_against: Callable[..., Any]) -> None:
    golden = json.loads((Path(__file__).parent / "golden_prompts.json").read_text())
    assert set(golden) == set(HUB)
    code = """
import sys; sys.path.insert(0, %r)
from rendering import digest_of, first_requests
result = {entry: digest_of(first_requests(entry, lacks)) for entry, lacks in %r.items()}
""" % (str(Path(__file__).parent), {entry: case.lacks for entry, case in HUB.items()})  # noqa: UP031
    digests, _ = run_against(mirror.url, hub_cache, code, HF_TOKEN=mirror.token)
    assert {entry: digests[entry] for entry in golden} == golden, (
        "look with tests/scenarios/write_golden_prompts.py, then --write"
    )


def test_the_right_option_of_known_questions(everything: dict[str, Any]) -> None:
    def gold(name: str, beginning: str) -> list[str]:
        instances = [i for split in everything["scenarios"][name]["splits"].values() for i in split]
        (found,) = [instance for instance in instances if instance["input"].startswith(beginning)]
        return [reference["text"] for reference in found["references"] if reference.get("correct")]

    assert gold("arc:subset=easy", "Which piece of safety equipment is used to keep mold") == ["breathing mask"]
    assert gold("med_qa", "A 67-year-old man with transitional cell carcinoma") == ["Cross-linking of DNA"]
    assert gold("mmlu_pro", "Typical advertising regulatory bodies suggest") == ["Unsafe practices, Distress, Fear, Serious"]
    assert gold("super_glue:task=copa", "The man turned on the faucet so") == ["water flowed from the spout."]
    assert gold("openbookqa", "A person wants to start saving money") == ["quit eating lunch out"]
    assert gold("truthful_qa", "What is the smallest country in the world that is at least one")[0].startswith("Nauru is")
    assert gold("hellaswag", "Playing violin: A woman in a dress holding a violin") == [
        "finishes her playing and everyone applauds."
    ]
    assert gold("gsm8k", "Janet’s ducks lay 16 eggs per day") == [
        "Janet sells 16 - 3 - 4 = 9 duck eggs a day. She makes 9 * 2 = $18 every day at the farmer’s market. The answer is 18."
    ]


def test_the_blank_of_a_sentence_is_filled_by_the_right_name(everything: dict[str, Any]) -> None:
    first, second = everything["scenarios"]["winogrande"]["splits"]["valid"][:2]
    assert first["references"][1] == {"text": "Maria always got the easier cases.", "correct": True, "role": ""}
    assert second["references"][0] == {"text": "Sarah always got the harder cases.", "correct": True, "role": ""}


def test_truthful_qa_does_not_always_list_the_true_option_first(everything: dict[str, Any]) -> None:
    places = Counter(
        next(i for i, reference in enumerate(instance["references"]) if reference.get("correct"))
        for instance in everything["scenarios"]["truthful_qa"]["splits"]["valid"]
    )
    first = places[0] / sum(places.values())
    assert 0.1 < first < 0.4


@pytest.mark.parametrize(("name", "other"), [("truthful_qa", "valid"), ("bbq:category=Age", "test")])
def test_examples_come_from_groups_that_are_not_asked(everything: dict[str, Any], name: str, other: str) -> None:
    splits = everything["scenarios"][name]["splits"]

    def groups(split: str) -> set[str]:
        return {instance.get("group") or instance["input"] for instance in splits[split]}

    assert len(groups("train")) >= 2
    assert not groups("train") & groups(other)
    assert len(splits["train"]) < len(splits[other])


def test_bbq_tells_its_conditions_apart(everything: dict[str, Any]) -> None:
    instances = everything["scenarios"]["bbq:category=Age"]["splits"]["test"]
    assert {instance["subgroups"]["context_condition"] for instance in instances} == {"ambig", "disambig"}
    assert {instance["subgroups"]["question_polarity"] for instance in instances} == {"neg", "nonneg"}
    for instance in instances:
        if instance["subgroups"]["context_condition"] == "ambig":
            gold = next(reference["text"] for reference in instance["references"] if reference.get("correct"))
            assert not gold.startswith("The ")


def test_few_train_rows_are_fewer_examples_and_no_failure(everything: dict[str, Any]) -> None:
    scenarios = everything["scenarios"]
    assert [len(scenarios[name]["splits"]["train"]) for name in ("boolq", "hellaswag")] == [3, 2]


def test_what_is_not_read_from_the_hub_s_rows_is_read_from_invented_ones() -> None:
    import test_knowledge_scenarios as knowledge
    import test_reading_scenarios as reading
    import test_safety_and_code_scenarios as safety

    from assay import registry
    from assay.scenarios.origins import kind_of
    from assay.scenarios.variants import sample

    read = {entry.partition(":")[0] for part in (HUB, knowledge.ENTRIES, reading.ENTRIES, safety.ENTRIES) for entry in part}
    samples = {name: sample(registry.scenarios.get(name)) for name in registry.scenarios.names()}
    on_hub = {name for name, one in samples.items() if one and kind_of(one[1].source) in ("pinned", "unpinned", "gated")}
    assert on_hub - read == set()


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

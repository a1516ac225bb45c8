"""Prompts equal HELM's to the byte, and the instances HELM would pick are picked, on its recorded runs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from assay.prompting import (
    Examples,
    LanguageModeling,
    MultipleChoiceJoint,
    MultipleChoiceSeparateOriginal,
    Prompting,
    Target,
    choose,
    decode,
)
from assay.records import Instance, Reference, Request
from assay.selection import helm_positions

HELM_FIELDS = (
    "instructions", "global_prefix", "global_suffix", "instance_prefix", "input_prefix", "input_suffix", "output_prefix",
    "output_suffix", "multi_label", "sample_train", "temperature", "max_tokens",
)  # fmt: skip


def recorded(shared: Path, name: str) -> tuple[Prompting, list[dict[str, Any]]]:
    folder = shared / "golden" / name
    adapter = json.loads((folder / "run_spec.json").read_text())["adapter_spec"]
    plain = {field: adapter[field] for field in HELM_FIELDS}
    plain |= {"method": adapter["method"], "shots": adapter["max_train_instances"], "stop": adapter["stop_sequences"]}
    with gzip.open(folder / "scenario_state.json.gz") as file:
        return decode(plain), json.load(file)["request_states"]


def instance_of(plain: dict[str, Any]) -> Instance:
    references = tuple(Reference(text=r["output"]["text"], correct="correct" in r["tags"]) for r in plain["references"])
    return Instance(id=plain["id"], input=plain["input"]["text"], references=references, split=plain["split"])


def multiple_choice_rows(path: Path, split: str) -> list[Instance]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        Instance(
            id=row["id"],
            input=row["question"],
            references=tuple(Reference(text=c, correct=i == row["gold"]) for i, c in enumerate(row["choices"])),
            split=split,  # type: ignore[arg-type]
        )
        for row in rows
    ]


def whole(request: Request) -> str:
    assert isinstance(request.prompt, str)
    return request.prompt + (request.continuation or "")


def test_joint_multiple_choice_prompts_of_both_draws_equal_helms(shared: Path) -> None:
    prompting, states = recorded(shared, "mc")
    pool = multiple_choice_rows(shared / "golden/items/mc_train.jsonl", "train")
    draws = [choose(pool, prompting.shots, seed=0, draw=draw, helm=True) for draw in (0, 1)]
    assert draws[0].shown != draws[1].shown
    for state in states:
        rendered = prompting.render(instance_of(state["instance"]), draws[state["train_trial_index"]], Target())
        assert whole(rendered.requests[0]) == state["request"]["prompt"]
        assert rendered.requests[0].temperature == state["request"]["temperature"]
        assert rendered.requests[0].max_tokens == state["request"]["max_tokens"]
    assert len(states) == 9060


def test_separate_multiple_choice_prompts_equal_helms(shared: Path) -> None:
    prompting, states = recorded(shared, "mcsep")
    assert isinstance(prompting, MultipleChoiceSeparateOriginal)
    for state in states:
        rendered = prompting.render(instance_of(state["instance"]), Examples(), Target())
        assert whole(rendered.requests[state["reference_index"]]) == state["request"]["prompt"]
    assert len(states) == 1844


def test_language_modeling_prompts_equal_helms(shared: Path) -> None:
    _, states = recorded(shared, "lm")
    prompting = LanguageModeling(prefix="<|endoftext|>")
    for state in states:
        (request,) = prompting.render(instance_of(state["instance"]), Examples(), Target()).requests
        assert whole(request) == state["request"]["prompt"]
    assert len(states) == 100


@pytest.mark.parametrize(("name", "items"), [("mcsep", "mc_1000"), ("lm", "qa_1000"), ("mc", "mc_1000")])
def test_helm_compat_picks_the_instances_helm_picks_in_its_order(shared: Path, name: str, items: str) -> None:
    _, states = recorded(shared, name)
    ids = [json.loads(line)["id"] for line in (shared / f"golden/items/{items}.jsonl").read_text().splitlines()]
    asked = list(dict.fromkeys(state["instance"]["id"] for state in states))
    assert [ids[position] for position in helm_positions(len(ids), len(asked))] == asked


def test_generation_prompt_follows_helms_construction(shared: Path) -> None:
    # HELM's generation differs from its joint multiple choice only in the missing option lines and the output shown:
    # taking the option lines out of a recorded joint prompt and writing texts for letters gives what it would send.
    joint, states = recorded(shared, "mc")
    assert isinstance(joint, MultipleChoiceJoint)
    pool = multiple_choice_rows(shared / "golden/items/mc_train.jsonl", "train")
    examples = choose(pool, joint.shots, seed=0, draw=0, helm=True)
    same = {field: getattr(joint, field) for field in HELM_FIELDS}
    generation = decode({**same, "method": "generation", "shots": joint.shots})
    for state in states[:200]:
        if state["train_trial_index"]:
            continue
        instance = instance_of(state["instance"])
        lines = []
        shown = iter(examples.shown)
        for line in state["request"]["prompt"].split("\n"):
            if line[:3] in ("A. ", "B. ", "C. ", "D. "):
                continue
            lines.append(f"Answer: {next(shown).gold[0]}" if line.startswith("Answer: ") else line)
        assert whole(generation.render(instance, examples, Target()).requests[0]) == "\n".join(lines)

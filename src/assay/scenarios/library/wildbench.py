"""WildBench: Benchmarking LLMs with Challenging Tasks from Real Users in the Wild (Lin et al., ICLR 2025)."""

from __future__ import annotations

from assay.prompting import Chat
from assay.records import Message, Rubric, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Hub


@scenario
def wildbench() -> Scenario:
    """Hard requests that people made of a chat service, whole conversations of up to five turns, answered as a chat.

    user: Write a program that solves the ferryman's problem.
    assistant: Gladly. In which language?
    user: In Haskell, and explain each step.
    """
    return Scenario(
        source=Hub("allenai/WildBench", revision="26c49eb39d7d5ce2099b0bbafed5a88dcce954ec", test="v2/test-*.parquet"),
        instance=_instance,
        prompting=Chat(max_tokens=2000),
        main_metric="judge_score",
        metrics=("completion_tokens",),
        taxonomy=Taxonomy(
            task="open-ended instruction", what="requests of all kinds", who="users of a chat service", when="2023"
        ),
        licence="CC-BY-4.0",
        paper="https://arxiv.org/abs/2406.04770",
        requires=("judge",),
        rubric=Rubric(
            text=(
                "1 to 2: harmful, wrong, or not an answer\n3 to 4: misses much of what was asked, or misleads\n"
                "5 to 6: fair, with clear faults\n7 to 8: good, little to improve\n9 to 10: right, complete and helpful"
            ),
            low=1,
            high=10,
        ),
        notes=(
            "Published in June 2024. The paper's score is a judge model's mark from 1 to 10, given with a checklist for each "
            "request, and HELM's is that mark put on 0 to 1; without a judge model only outcomes and lengths are measured. "
            "Judges prefer long answers. The requests are those of version 2; they are in many languages, mostly English."
        ),
    )


def _instance(row: Row) -> Draft:
    turns = tuple(Message(role=turn["role"], content=turn["content"]) for turn in row["conversation_input"])
    return Draft(input=turns, id=str(row["session_id"]), subgroups={"kind": str(row["primary_tag"])})

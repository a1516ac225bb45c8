"""bAbI: Towards AI-Complete Question Answering, A Set of Prerequisite Toy Tasks (Weston et al., ICLR 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from assay.identity import digest
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Row, Scenario, question, scenario
from assay.scenarios.sources import Hub, Unfolded

Task = Literal[
    "all", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20",
]  # fmt: skip
DIRECTIONS = {"n": "north", "s": "south", "e": "east", "w": "west"}


@scenario
def babi_qa(task: Task = "all") -> Scenario:
    """Small generated stories, each followed by questions that take one kind of reasoning; the parameter is a task of the 20.

    Passage: Kim went to the kitchen.
    Kim took the apple.
    Kim went to the garden.
    Question: Where is the apple?
    Answer: garden
    """
    name = "en-qa*" if task == "all" else f"en-qa{task}"
    return Scenario(
        source=Unfolded(
            Hub(
                "facebook/babi_qa",
                revision="821006e33d6ff3674fd888792a4dd1c04648f69f",
                train=(f"{name}/train/*.parquet", f"{name}/train-*.parquet"),
                test=(f"{name}/test/*.parquet", f"{name}/test-*.parquet"),
            ),
            questions,
        ),
        instance=lambda row: question(row["asked"], row["answer"], group=row["story"]),
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=5, stop=("\n",)),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
        taxonomy=Taxonomy(task="reasoning", what="toy stories", who="generated", when="2015", language="English"),
        licence="CC-BY-3.0",
        paper="https://arxiv.org/abs/1502.05698",
        notes=(
            "Published in February 2015 with answers; a few names and places recur in all stories. Questions of one story are "
            "one cluster. Tasks 1 single fact, 2 two facts, 3 three facts, 4 relations of two, 5 of three, 6 yes or no, "
            "7 counting, 8 lists, 9 negation, 10 uncertainty, 11 coreference, 12 conjunction, 13 both, 14 time, 15 deduction, "
            "16 induction, 17 positions, 18 sizes, 19 paths, 20 motives. The directions of paths are spelled out."
        ),
    )


def questions(row: Row) -> Iterator[Row]:
    """The questions of a story, each with the facts told before it (earlier questions left out)."""
    story = row["story"]
    name = digest(story["text"])[:16]
    facts = ""
    for kind, text, answer in zip(story["type"], story["text"], story["answer"], strict=True):
        # In one file of the data the question mark alone tells a question, which then holds its answer: "Where? |kitchen|1".
        text, bar, rest = text.partition("|")
        if kind == 1 or bar:
            said = answer or rest.partition("|")[0]
            yield {"asked": f"{facts}Question: {text.strip()}", "answer": _spelled(said), "story": name}
        else:
            facts += text + "\n"


def _spelled(answer: str) -> str:
    steps = answer.split(",")
    return " ".join(DIRECTIONS[step] for step in steps) if set(steps) <= DIRECTIONS.keys() else answer

"""MedQA: What Disease does this Patient Have? (Jin et al., Applied Sciences 2021)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def med_qa() -> Scenario:
    """Questions of the medical licensing examination of the United States, most about a patient, with four options.

    The following are multiple choice questions (with answers) about medicine.

    Question: A 30-year-old man has a sore throat and a fever. A rapid test for streptococci is positive. What should he take?
    A. Penicillin
    B. Insulin
    C. Warfarin
    D. Digoxin
    Answer: A
    """
    return Scenario(
        source=Hub(
            "GBaker/MedQA-USMLE-4-options",
            revision="0fb93dd23a7339b6dcd27e241cb9b5eca62d4d18",
            train=("phrases_no_exclude_train.jsonl", "data/train-*.parquet"),
            test=("phrases_no_exclude_test.jsonl", "data/test-*.parquet"),
        ),
        instance=_instance,
        prompting=MultipleChoiceJoint(
            instructions="The following are multiple choice questions (with answers) about medicine.\n"
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match",),
        taxonomy=Taxonomy(task="question answering", what="medicine", who="exam authors", when="before 2020"),
        licence="CC-BY-4.0",
        paper="https://arxiv.org/abs/2009.13081",
        notes=(
            "Published in September 2020 with answers and used to train medical models since. One of five options was left "
            "out at random. The copy on the hub has no development split. The law and practice are those of the United "
            "States. Passing an examination is not fitness for care."
        ),
    )


def _instance(row: Row) -> Draft:
    letters = sorted(row["options"])
    return choice(
        row["question"],
        [row["options"][letter].rstrip('"').rstrip() for letter in letters],
        correct=letters.index(row["answer_idx"]),
        subgroups={"step": row["meta_info"]},
    )

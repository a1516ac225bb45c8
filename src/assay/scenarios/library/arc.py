"""ARC: Think you have Solved Question Answering? Try the AI2 Reasoning Challenge (Clark et al., 2018)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub

FOLDERS = {"challenge": "ARC-Challenge", "easy": "ARC-Easy"}


@scenario
def arc(subset: Literal["challenge", "easy"] = "challenge") -> Scenario:
    """Science questions from school examinations of the United States, mostly with four options.

    The challenge subset holds the questions that both a retrieval and a co-occurrence method of 2018 got wrong. Each option is
    scored after the question:

        Question: Which of these is a source of energy that does not run out?
        Answer: [sunlight]
    """
    folder = FOLDERS[subset]
    return Scenario(
        source=Hub(
            "allenai/ai2_arc",
            revision="210d026faf9955653af8916fad021475a3f00453",
            train=f"{folder}/train-*.parquet",
            valid=f"{folder}/validation-*.parquet",
            test=f"{folder}/test-*.parquet",
        ),
        instance=lambda row: choice(
            row["question"],
            row["choices"]["text"],
            correct=row["choices"]["label"].index(row["answerKey"]),
            id=row["id"],
        ),
        prompting=MultipleChoiceSeparateOriginal(input_prefix="Question: ", input_suffix="\n", output_prefix="Answer: "),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="question answering", what="school science", who="exam authors", when="before 2018"),
        licence="CC-BY-SA-4.0",
        paper="https://arxiv.org/abs/1803.05457",
        notes=(
            "Published in March 2018 with answers. The options are named A to E in some questions and 1 to 4 in others; they "
            "are not shown in the default prompting, which scores each by its log-probability per token. Larger models are "
            "usually asked by letter with 25 examples: method=multiple_choice_joint,shots=25."
        ),
    )

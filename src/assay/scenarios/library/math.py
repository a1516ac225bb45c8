r"""MATH: Measuring Mathematical Problem Solving With the MATH Dataset (Hendrycks et al., NeurIPS 2021)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import Generation
from assay.prompting.extractors import boxed
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub

Subject = Literal[
    "all", "algebra", "counting_and_probability", "geometry", "intermediate_algebra", "number_theory", "prealgebra",
    "precalculus",
]  # fmt: skip
Level = Literal["all", "1", "2", "3", "4", "5"]


@scenario
def math(subject: Subject = "all", level: Level = "all", use_chain_of_thought: bool = False) -> Scenario:
    """Problems of mathematical competitions for schools, in seven subjects and five levels of difficulty.

    Given a mathematics problem, determine the answer. Simplify your answer as much as possible.
    ###
    Problem: What is the sum of the first three odd numbers?
    Answer: $9$
    """
    return Scenario(
        source=Hub(
            "DigitalLearningGmbH/MATH-lighteval",
            revision="0530c78699ea5e8eb5530600900e1f328b48acad",
            train="data/train-*.parquet",
            test="data/test-*.parquet",
        ),
        instance=lambda row: _instance(row, use_chain_of_thought) if _wanted(row, subject, level) else None,
        prompting=_prompting(use_chain_of_thought),
        main_metric="math_equiv_chain_of_thought" if use_chain_of_thought else "math_equiv",
        taxonomy=Taxonomy(
            task="mathematical reasoning",
            what="competition mathematics" if subject == "all" else subject.replace("_", " "),
            who="authors of competitions",
            when="before 2021",
        ),
        licence="MIT",
        paper="https://arxiv.org/abs/2103.03874",
        notes=(
            "Published in March 2021 with worked solutions, and in most training data since. The publisher of the competitions "
            "had the authors' copy on the hub taken down in January 2025; another copy is read. Examples are drawn from "
            "the train split with the same subject and level; HELM's eight fixed examples (use_official_examples) are not "
            "included. Drawings are given as Asymptote code. With use_chain_of_thought=true the answer must stand in \\boxed{}."
        ),
    )


def _prompting(reasoned: bool) -> Generation:
    return Generation(
        shots=8,
        instructions="Given a mathematics problem, determine the answer. Simplify your answer as much as possible.\n",
        instance_prefix="###\n",
        input_prefix="Problem: ",
        output_prefix="Answer: " if reasoned else "Answer: $",
        output_suffix="\n" if reasoned else "$\n",
        max_tokens=400 if reasoned else 20,
        stop=("###",) if reasoned else ("$",),
    )


def _wanted(row: Row, subject: Subject, level: Level) -> bool:
    return subject in ("all", _subject(row)) and level in ("all", row["level"].removeprefix("Level "))


def _subject(row: Row) -> str:
    return str(row["type"]).lower().replace("&", "and").replace(" ", "_")


def _instance(row: Row, reasoned: bool) -> Draft | None:
    answer = row["solution"] if reasoned else boxed(row["solution"]).value
    if answer is None:
        return None
    subgroups = {"subject": _subject(row), "level": row["level"].removeprefix("Level ")}
    return question(row["problem"], answer, subgroups=subgroups)

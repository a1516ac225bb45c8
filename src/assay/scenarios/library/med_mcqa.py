"""MedMCQA: A Large-scale Multi-Subject Multi-Choice Dataset for Medical domain Question Answering (Pal et al., CHIL 2022)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def med_mcqa() -> Scenario:
    """Questions of the entrance examinations to postgraduate medical training in India, with four options.

    Give a letter answer among A, B, C or D.

    Question: Lack of which vitamin causes scurvy?
    A. Vitamin A
    B. Vitamin B1
    C. Vitamin C
    D. Vitamin D
    Answer: C
    """
    return Scenario(
        source=Hub(
            "openlifescienceai/medmcqa",
            revision="91c6572c454088bf71b679ad90aa8dffcd0d5868",
            train="data/train-*.parquet",
            valid="data/validation-*.parquet",
        ),
        instance=lambda row: choice(
            row["question"],
            [row[option] for option in ("opa", "opb", "opc", "opd")],
            correct=row["cop"],
            id=row["id"],
            subgroups={"subject": row["subject_name"]},
            worked=row["exp"] or "",
        ),
        prompting=MultipleChoiceJoint(instructions="Give a letter answer among A, B, C or D.\n"),
        main_metric="quasi_exact_match",
        metrics=("exact_match",),
        taxonomy=Taxonomy(task="question answering", what="medicine", who="exam authors in India", when="before 2022"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2203.14371",
        notes=(
            "Published in March 2022 with answers to the validation split, which is asked; the test answers are not public. "
            "Some questions lack the figure they speak of, and some keys are disputed."
        ),
    )

"""MMLU: Measuring Massive Multitask Language Understanding (Hendrycks et al., ICLR 2021)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub

Subject = Literal[
    "abstract_algebra", "anatomy", "astronomy", "business_ethics", "clinical_knowledge", "college_biology",
    "college_chemistry", "college_computer_science", "college_mathematics", "college_medicine", "college_physics",
    "computer_security", "conceptual_physics", "econometrics", "electrical_engineering", "elementary_mathematics",
    "formal_logic", "global_facts", "high_school_biology", "high_school_chemistry", "high_school_computer_science",
    "high_school_european_history", "high_school_geography", "high_school_government_and_politics",
    "high_school_macroeconomics", "high_school_mathematics", "high_school_microeconomics", "high_school_physics",
    "high_school_psychology", "high_school_statistics", "high_school_us_history", "high_school_world_history", "human_aging",
    "human_sexuality", "international_law", "jurisprudence", "logical_fallacies", "machine_learning", "management",
    "marketing", "medical_genetics", "miscellaneous", "moral_disputes", "moral_scenarios", "nutrition", "philosophy",
    "prehistory", "professional_accounting", "professional_law", "professional_medicine", "professional_psychology",
    "public_relations", "security_studies", "sociology", "us_foreign_policy", "virology", "world_religions",
]  # fmt: skip


@scenario
def mmlu(subject: Subject) -> Scenario:
    """Examination questions with four options in 57 subjects, from elementary school to professional level.

    The following are multiple choice questions (with answers) about anatomy.

    Question: Which of these is a bone of the forearm?
    A. Radius
    B. Tibia
    C. Sternum
    D. Scapula
    Answer: A
    """
    return Scenario(
        source=Hub(
            "cais/mmlu",
            revision="c30699e8356da336a370243923dbaf21066bb9fe",
            train=f"{subject}/dev-*.parquet",
            test=f"{subject}/test-*.parquet",
        ),
        instance=lambda row: choice(row["question"], row["choices"], correct=row["answer"]),
        prompting=MultipleChoiceJoint(
            instructions=f"The following are multiple choice questions (with answers) about {subject.replace('_', ' ')}.\n"
        ),
        main_metric="exact_match",
        metrics=("quasi_exact_match",),
        taxonomy=Taxonomy(task="question answering", what=subject.replace("_", " "), who="exam authors", when="before 2021"),
        licence="MIT",
        paper="https://arxiv.org/abs/2009.03300",
        notes=(
            "Published in September 2020 with answers and copied widely since: assume that models trained later have seen "
            "it. Several per cent of the questions have wrong or disputed keys (arXiv 2406.04127). The five examples of "
            "each subject are the dev split."
        ),
    )

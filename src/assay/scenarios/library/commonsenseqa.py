"""CommonsenseQA: A Question Answering Challenge Targeting Commonsense Knowledge (Talmor et al., NAACL 2019)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceSeparateCalibrated
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def commonsenseqa() -> Scenario:
    """Questions about everyday things whose five options are all related to the subject of the question.

    Each option is scored after the question, and after "Answer:" alone to take out how likely it is anyway:

        Where would you keep milk that you want to drink tomorrow? [refrigerator]
        Answer: [refrigerator]
    """
    return Scenario(
        source=Hub(
            "tau/commonsense_qa",
            revision="94630fe30dad47192a8546eb75f094926d47e155",
            train="data/train-*.parquet",
            valid="data/validation-*.parquet",
        ),
        instance=lambda row: choice(
            row["question"],
            row["choices"]["text"],
            correct=row["choices"]["label"].index(row["answerKey"]),
            id=row["id"],
        ),
        prompting=MultipleChoiceSeparateCalibrated(),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="question answering", what="common sense", who="crowd workers", when="2018"),
        licence="MIT",
        paper="https://arxiv.org/abs/1811.00937",
        notes=(
            "Published in November 2018 with answers to the validation split, which is asked; the test answers are not "
            "public. Several questions have more than one sensible option. Needs log-probabilities in its default prompting."
        ),
    )

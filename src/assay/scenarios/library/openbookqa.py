"""OpenBookQA: Can a Suit of Armor Conduct Electricity? (Mihaylov et al., EMNLP 2018)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceSeparateCalibrated
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def openbookqa() -> Scenario:
    """Questions of elementary science that need one known fact and some common sense, with four options.

    Each option is scored after the question, and after "Answer:" alone to take out how likely it is anyway:

        A metal spoon in hot soup soon feels hot because metal [conducts heat]
        Answer: [conducts heat]
    """
    return Scenario(
        source=Hub(
            "allenai/openbookqa",
            revision="388097ea7776314e93a529163e0fea805b8a6454",
            train="main/train-*.parquet",
            valid="main/validation-*.parquet",
            test="main/test-*.parquet",
        ),
        instance=lambda row: choice(
            row["question_stem"],
            row["choices"]["text"],
            correct=row["choices"]["label"].index(row["answerKey"]),
            id=row["id"],
        ),
        prompting=MultipleChoiceSeparateCalibrated(),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="question answering", what="elementary science", who="crowd workers", when="2018"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/1809.02789",
        notes=(
            "Published in September 2018 with answers. Needs log-probabilities in its default prompting; models without "
            "them can be asked with method=multiple_choice_joint, whose numbers are not comparable with the default's."
        ),
    )

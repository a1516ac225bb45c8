"""Social IQa: Commonsense Reasoning about Social Interactions (Sap et al., EMNLP 2019)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceSeparateCalibrated
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def siqa() -> Scenario:
    """A small event between people and a question about their motives, feelings or next steps, with three options.

    Each option is scored after the question, and after "Answer:" alone to take out how likely it is anyway:

        Robin lent Kai an umbrella in the rain. How would Kai feel afterwards? [grateful]
        Answer: [grateful]
    """
    return Scenario(
        source=Hub(
            "lighteval/siqa",
            revision="54c6a1f",
            train=("data/train*.parquet", "*train*.parquet"),
            valid=("data/validation*.parquet", "*validation*.parquet"),
        ),
        instance=lambda row: choice(
            f"{row['context']} {row['question']}",
            (row["answerA"], row["answerB"], row["answerC"]),
            correct=int(row["label"]) - 1,
        ),
        prompting=MultipleChoiceSeparateCalibrated(),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="question answering", what="social common sense", who="crowd workers", when="2019"),
        licence="CC-BY-4.0",
        paper="https://arxiv.org/abs/1904.09728",
        notes=(
            "Published in April 2019 with answers to the validation split, which is asked. The authors' repository holds a "
            "loading script and no data, so a copy of the data as Parquet is read, pinned by the first digits of its commit. "
            "What people would feel is the opinion of crowd workers in the United States. Needs log-probabilities in its "
            "default prompting."
        ),
    )

"""TriviaQA: A Large Scale Distantly Supervised Challenge Dataset for Reading Comprehension (Joshi et al., ACL 2017)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def trivia_qa() -> Scenario:
    """Questions of quizzes, asked without a document.

    Question: Which metal is liquid at room temperature?
    Answer: Mercury
    """
    return Scenario(
        source=Hub(
            "mandarjoshi/trivia_qa",
            revision="0f7faf33a3908546c6fd5b73a660e0f8ff173c2f",
            train="rc.nocontext/train-*.parquet",
            valid="rc.nocontext/validation-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(input_prefix="Question: ", output_prefix="Answer: ", max_tokens=24, stop=("\n",)),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "f1_score"),
        taxonomy=Taxonomy(task="question answering", what="trivia", who="authors of quizzes", when="before 2017"),
        licence="not stated (the authors' code: Apache-2.0)",
        paper="https://arxiv.org/abs/1705.03551",
        notes=(
            "Published in May 2017 with answers to the validation split, which is asked; in most training data. An answer is "
            "right if it equals any of the listed names of the thing. Some answers have changed since."
        ),
    )


def _instance(row: Row) -> Draft:
    answer = row["answer"]
    accepted = dict.fromkeys(name for name in (answer["value"], *answer["aliases"]) if name.strip())
    return question(row["question"].strip(), *accepted, id=row["question_id"])

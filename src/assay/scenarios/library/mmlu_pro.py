"""MMLU-Pro: A More Robust and Challenging Multi-Task Language Understanding Benchmark (Wang et al., NeurIPS 2024)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import MultipleChoiceJoint, MultipleChoiceJointChainOfThought
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub

Subject = Literal[
    "all", "biology", "business", "chemistry", "computer_science", "economics", "engineering", "health", "history", "law",
    "math", "philosophy", "physics", "psychology", "other",
]  # fmt: skip
REASONED = (
    "Let’s think step by step. Based on your reasoning, what is the single, most likely answer choice? "
    'Format your response as follows: "The correct answer is (insert answer here)".'
)
AT_ONCE = 'Format your response as follows: "The correct answer is (insert answer here)".'


@scenario
def mmlu_pro(subject: Subject = "all", use_chain_of_thought: bool = True, use_few_shot: bool = False) -> Scenario:
    """Examination questions in 14 subjects with up to ten options, asked with reasoning before the answer.

    What is the correct answer to this question: How many legs has a spider?
    Choices:
    A. Six
    B. Eight
    C. Ten
    Let’s think step by step. Based on your reasoning, what is the single, most likely answer choice? Format your response …
    """
    name = subject.replace("_", " ")
    return Scenario(
        source=Hub(
            "TIGER-Lab/MMLU-Pro",
            revision="527feea0afed1de15a8c115abf7be4c912123315",
            train="data/validation-*.parquet",
            test="data/test-*.parquet",
        ),
        instance=lambda row: _instance(row) if subject == "all" or row["category"] == name else None,
        prompting=asking_expert(use_chain_of_thought, use_few_shot),
        main_metric="exact_match",
        metrics=("quasi_exact_match",),
        taxonomy=Taxonomy(
            task="question answering",
            what="many subjects" if subject == "all" else name,
            who="exam authors and language models",
            when="before 2024",
        ),
        licence="MIT",
        paper="https://arxiv.org/abs/2406.01574",
        notes=(
            "Published in June 2024 with answers; made from MMLU and other public questions, whose wrong options a language "
            "model added to. Questions have three to ten options. The answer announced last counts. HELM leaves the "
            "temperature at 1 and asks for five samples; here it is 0 and one. Reasoning needs up to 4,096 tokens an answer; "
            "models that think longer need a larger max_tokens."
        ),
    )


def asking_expert(reasoned: bool, examples: bool, reference_prefix: str = "A. ") -> MultipleChoiceJoint:
    """HELM's prompting of expert questions: reasoning or not, the five examples or none, and how options are named."""
    method = MultipleChoiceJointChainOfThought if reasoned else MultipleChoiceJoint
    return method(
        shots=5 if examples else 0,
        input_prefix="What is the correct answer to this question: ",
        input_suffix="\nChoices:\n",
        output_prefix="",
        reference_prefix=reference_prefix,
        global_suffix=REASONED if reasoned else AT_ONCE,
        max_tokens=4096,
        stop=(),
    )


def _instance(row: Row) -> Draft:
    return choice(
        row["question"],
        row["options"],
        correct=row["answer_index"],
        id=str(row["question_id"]),
        subgroups={"subject": row["category"]},
        worked=row["cot_content"],
    )

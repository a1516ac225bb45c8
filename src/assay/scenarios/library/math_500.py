r"""MATH-500: the 500 problems of MATH that Let's Verify Step by Step kept for testing (Lightman et al., ICLR 2024)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def math_500() -> Scenario:
    r"""Five hundred problems of mathematical competitions, asked without examples and with reasoning before the answer.

    Solve the problem step by step and put the final answer into \boxed{}.

    Problem: What is the sum of the first three odd numbers?
    Solution: They are 1, 3 and 5, and 1 + 3 + 5 = 9. The answer is \boxed{9}.
    """
    return Scenario(
        source=Hub(
            "HuggingFaceH4/MATH-500",
            revision="6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be",
            test=("test.jsonl", "data/test-*.parquet"),
        ),
        instance=lambda row: question(
            row["problem"],
            row["answer"],
            id=row["unique_id"],
            subgroups={"subject": row["subject"], "level": str(row["level"])},
        ),
        prompting=Generation(
            shots=0,
            instructions="Solve the problem step by step and put the final answer into \\boxed{}.\n",
            input_prefix="Problem: ",
            output_prefix="Solution: ",
            max_tokens=2048,
        ),
        main_metric="math_equiv_chain_of_thought",
        taxonomy=Taxonomy(
            task="mathematical reasoning", what="competition mathematics", who="authors of competitions", when="before 2021"
        ),
        licence="MIT",
        paper="https://arxiv.org/abs/2305.20050",
        notes=(
            "A subset of MATH, which was published in March 2021 with worked solutions: assume that models have seen it. The "
            "answer must stand in a \\boxed{}; the last one counts. Models that think longer need a larger max_tokens."
        ),
    )

r"""Omni-MATH: A Universal Olympiad Level Mathematic Benchmark for Large Language Models (Gao et al., ICLR 2025)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Rubric, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def omni_math() -> Scenario:
    r"""Problems of mathematical olympiads, asked with reasoning before the answer.

    Answer the question, giving your reasoning beforehand. Wrap the final answer with the \boxed{} command.

    Find all primes p for which p + 2 and p + 4 are primes.
    """
    return Scenario(
        source=Hub(
            "KbsdJames/Omni-MATH",
            revision="40ba231d8f16e29ecd40e6407e2c8640145a8f62",
            test="test.jsonl",
        ),
        instance=_instance,
        prompting=Generation(
            shots=0,
            instructions=(
                "Answer the question, giving your reasoning beforehand. Wrap the final answer with the \\boxed{} command.\n"
            ),
            input_prefix="",
            output_prefix="",
            max_tokens=4096,
        ),
        main_metric="judge_score",
        metrics=("math_equiv_chain_of_thought",),
        taxonomy=Taxonomy(
            task="mathematical reasoning", what="olympiad mathematics", who="authors of competitions", when="before 2024"
        ),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2410.07985",
        requires=("judge",),
        rubric=Rubric(
            text="1: the final answer is equivalent to the right answer\n0: it is not, or there is none", low=0, high=1
        ),
        notes=(
            "Published in October 2024 with solutions. Answers are long formulas and sets of conditions, so a judge model says "
            "whether an answer is equivalent to the solution's; without one, math_equiv_chain_of_thought is a lower bound. "
            "Models that think longer need a larger max_tokens."
        ),
    )


def _instance(row: Row) -> Draft:
    levels = {"difficulty": f"{int(float(row['difficulty']))}"} if row.get("difficulty") is not None else {}
    domain = (row.get("domain") or [""])[0].split(" -> ")
    fields = {"field": domain[1]} if len(domain) > 1 else {}
    return question(row["problem"].strip(), row["answer"], subgroups=levels | fields)

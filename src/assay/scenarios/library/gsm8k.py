"""GSM8K: Training Verifiers to Solve Math Word Problems (Cobbe et al., 2021)."""

from __future__ import annotations

import re

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub

CALCULATOR_NOTE = re.compile(r"<<[^>]*>>")


@scenario
def gsm8k() -> Scenario:
    """Word problems of elementary-school mathematics that take two to eight steps of reasoning.

    Q: A box holds 6 eggs. How many eggs are in 4 boxes when 2 are broken?
    A: The boxes hold 4 * 6 = 24 eggs. Without the broken ones 24 - 2 = 22 are left. The answer is 22.
    """
    return Scenario(
        source=Hub(
            "openai/gsm8k",
            revision="cc7b047b6e5bb11b4f1af84efc572db110a51b3c",
            train="main/train-*.parquet",
            test="main/test-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(input_prefix="Q: ", output_prefix="A: ", max_tokens=400, stop=("\n\n",), answer="number"),
        version=2,
        main_metric="number_match",
        taxonomy=Taxonomy(task="mathematical reasoning", what="school mathematics", who="contracted writers", when="2021"),
        licence="MIT",
        paper="https://arxiv.org/abs/2110.14168",
        notes=(
            "Published in October 2021 with worked answers; models have been found to do worse on fresh problems of the "
            "same kind (arXiv 2405.00332), so read it as an upper bound. Scored by the number that is given as the answer."
        ),
    )


def _instance(row: Row) -> Draft:
    steps, mark, result = CALCULATOR_NOTE.sub("", row["answer"]).partition("####")
    if not mark:
        raise ValueError("the answer has no final result after ####")
    reasoning = " ".join(steps.split())
    worked = f"{reasoning} The answer is {result.strip()}."
    return question(row["question"], worked, worked=reasoning)

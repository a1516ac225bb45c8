"""AQuA-RAT: Program Induction by Rationale Generation (Ling et al., ACL 2017)."""

from __future__ import annotations

import re

from assay.prompting import MultipleChoiceJointChainOfThought
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub

LETTER = re.compile(r"^[A-E]\)\s*")


@scenario
def aqua_rat() -> Scenario:
    """Word problems of algebra with five options, asked with reasoning before the answer.

    Question: A ferry takes 20 minutes for 5 kilometres. How long does it take for 8?
    A. 24 minutes
    B. 28 minutes
    C. 30 minutes
    D. 32 minutes
    E. 36 minutes
    Answer: It takes 4 minutes for each kilometre, so 8 kilometres take 32 minutes.
    D
    """
    return Scenario(
        source=Hub(
            "deepmind/aqua_rat",
            revision="main",
            train="raw/train-*.parquet",
            test="raw/test-*.parquet",
        ),
        instance=_instance,
        prompting=MultipleChoiceJointChainOfThought(max_tokens=512),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="mathematical reasoning", what="algebra", who="crowd workers", when="before 2017"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/1705.04146",
        notes=(
            "Published in May 2017 with answers and solutions. The test split has 254 problems; some have wrong or repeated "
            "options. Solutions, shown in the examples, vary in form. The data are read at their newest commit, which the "
            "run records: no commit is pinned here."
        ),
    )


def _instance(row: Row) -> Draft:
    options = [LETTER.sub("", option).strip() for option in row["options"]]
    worked = row["rationale"].strip()
    return choice(row["question"].strip(), options, correct="ABCDE".index(row["correct"]), worked=worked)

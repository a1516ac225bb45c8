"""AR-LSAT: Investigating Analytical Reasoning of Text (Zhong et al., 2021; Findings of NAACL 2022)."""

from __future__ import annotations

from typing import Literal

from assay.identity import digest
from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def lsat_qa(task: Literal["all"] = "all") -> Scenario:
    """Puzzles of the Law School Admission Test: people or things are to be ordered, grouped or assigned under conditions.

    The following are multiple choice questions (with answers).

    Passage: Four films, P, Q, R and S, are shown one after another. P is shown before Q. S is shown last.
    Question: Which film cannot be shown first?
    A. P
    B. Q
    C. R
    Answer: B
    """
    return Scenario(
        source=Hub(
            "olegbask/AR-LSAT",
            revision="main",
            train=("data/train-*.parquet", "*rain*.json*", "data/*rain*.json*"),
            valid=("data/validation-*.parquet", "*[vV]al*.json*", "data/*[vV]al*.json*"),
            test=("data/test-*.parquet", "*[tT]est*.json*", "data/*[tT]est*.json*"),
        ),
        instance=lambda row: choice(
            f"{row['context']}\nQuestion: {row['question']}",
            row["answers"],
            correct=int(row["label"]),
            group=digest(row["context"])[:16],
        ),
        prompting=MultipleChoiceJoint(
            instructions="The following are multiple choice questions (with answers).\n", input_prefix="Passage: "
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match",),
        taxonomy=Taxonomy(task="reasoning", what="logic puzzles of examinations", who="exam authors", when="1991 to 2016"),
        licence="MIT",
        paper="https://arxiv.org/abs/2104.06598",
        notes=(
            "Published in April 2021 with answers, from examinations that were sold with theirs. Questions about one passage "
            "are one cluster; the test split has forty passages. The copy on the hub does not tell the types of puzzles, so "
            "there is only task=all. It is read at its newest commit, which the run records: no commit is pinned here."
        ),
    )

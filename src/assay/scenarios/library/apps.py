"""APPS: Measuring Coding Challenge Competence With APPS (Hendrycks et al., NeurIPS 2021)."""

from __future__ import annotations

from typing import Literal

import msgspec

from assay.prompting import Generation
from assay.records import Reference, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Filtered, Hub

Difficulty = Literal["all", "introductory", "interview", "competition"]
FORMATS = {True: "Use Call-Based format", False: "Use Standard Input format"}
"""How a program is run, by whether a beginning of it is given: a function is called, or it reads its standard input."""
LONGEST = 150_000
"""Characters of a problem that are shown, as the authors have it."""


@scenario
def apps(difficulty: Difficulty = "all") -> Scenario:
    """Problems from programming contests and interviews, to be solved by a Python program.

    QUESTION:
    Read two numbers, one a line, and print their sum.

    Use Standard Input format

    ANSWER in Python code:
    [print(int(input()) + int(input()))]
    """
    hub = Hub("codeparrot/apps", revision="21e74ddf8de1a21436da12e3e653065c5213e9d1", train="train.jsonl", test="test.jsonl")
    return Scenario(
        source=hub if difficulty == "all" else Filtered(hub, keep=lambda row: row["difficulty"] == difficulty, only="test"),
        instance=_instance,
        prompting=Generation(
            shots=2,
            instance_prefix="",
            input_prefix="",
            input_suffix="",
            output_prefix="",
            max_tokens=600,
            temperature=0.2,
            stop=("'''", "---", '"""', "\n\n\n"),
        ),
        main_metric="share_of_tests_passed",
        metrics=("all_tests_passed", "completion_tokens"),
        taxonomy=Taxonomy(task="code generation", what="programming contests", who="authors of contests", when="before 2021"),
        licence="MIT",
        paper="https://arxiv.org/abs/2105.09938",
        requires=("sandbox",),
        notes=(
            "Public since May 2021 with solutions. The test file has 1.3 GB, most of it tests; 5,000 problems: use "
            "--max-instances. Problems without tests are left out. Whether a program is right is found out by running it, "
            "which needs a sandbox; without one, only outcomes and lengths are measured. 600 tokens, HELM's limit, are too "
            "few for many competition problems."
        ),
    )


def _instance(row: Row) -> Draft | None:
    tests = row["input_output"] or ""
    if not tests.strip():
        return None
    beginning = (row["starter_code"] or "")[:LONGEST]
    solutions = msgspec.json.decode(row["solutions"], type=list[str]) if row["solutions"] else []
    solved = tuple(Reference(text=solution.strip(), correct=True) for solution in solutions[:1])
    return Draft(
        input=(
            f"\nQUESTION:\n{row['question'][:LONGEST]}\n{beginning}\n\n{FORMATS[bool(beginning.strip())]}\n\n"
            "ANSWER in Python code:\n"
        ),
        references=(*solved, Reference(text=tests, correct=True, role="tests")),
        subgroups={"difficulty": row["difficulty"]},
    )

"""MBPP: Program Synthesis with Large Language Models (Austin et al., 2021)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import Generation
from assay.records import Reference, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Hub

END = "[DONE]"
"""What ends a program in the examples, and is waited for."""


@scenario
def mbpp(subset: Literal["sanitized", "full"] = "sanitized") -> Scenario:
    """Small Python programs from a one-line description and the tests that they have to pass.

    Write Python programs that do what is asked and pass the tests.

    Task: Write a function that doubles a number.
    Tests:
    assert double(4) == 8
    Program:
    def double(x):
        return 2 * x
    [DONE]
    """
    return Scenario(
        source=Hub(
            "google-research-datasets/mbpp",
            revision="4bb6404fdc6cacfda99d4ac4205087b89d32030c",
            train=f"{subset}/prompt-*.parquet",
            valid=f"{subset}/validation-*.parquet",
            test=f"{subset}/test-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(
            shots=3,
            instructions="Write Python programs that do what is asked and pass the tests.\n",
            input_prefix="Task: ",
            output_prefix="Program:\n",
            output_suffix=f"\n{END}\n",
            max_tokens=512,
            stop=(END,),
        ),
        main_metric="all_tests_passed",
        metrics=("share_of_tests_passed", "completion_tokens"),
        taxonomy=Taxonomy(task="code generation", what="entry-level Python programs", who="crowd workers", when="2021"),
        licence="CC-BY-4.0",
        paper="https://arxiv.org/abs/2108.07732",
        requires=("sandbox",),
        notes=(
            "Public since August 2021 and in most training data. sanitized holds the 427 problems whose wording the authors "
            "put right, full all 974. Examples are drawn from the authors' prompt split (7 and 10 problems). Whether a "
            "program is right is found out by running it, which needs a sandbox; without one, only outcomes and lengths are "
            "measured."
        ),
    )


def _instance(row: Row) -> Draft:
    asked = row["prompt"] if "prompt" in row else row["text"]
    shown = "\n".join(test.strip() for test in row["test_list"])
    before = "\n".join(row["test_imports"]) if "test_imports" in row else row["test_setup_code"].replace("\r\n", "\n")
    tests = f"{before}\n{shown}\n".lstrip("\n")
    return Draft(
        input=f"{asked.strip()}\nTests:\n{shown}",
        references=(
            Reference(text=row["code"].replace("\r\n", "\n").strip(), correct=True),
            Reference(text=tests, correct=True, role="tests"),
        ),
        id=str(row["task_id"]),
    )

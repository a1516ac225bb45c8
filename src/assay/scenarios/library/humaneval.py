"""HumanEval: Evaluating Large Language Models Trained on Code (Chen et al., 2021)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Reference, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Hub


@scenario
def humaneval() -> Scenario:
    '''Python functions to be completed from signature and description.

    def add(a: int, b: int) -> int:
        """Return the sum of two numbers."""
        [return a + b]
    '''
    return Scenario(
        source=Hub(
            "openai/openai_humaneval",
            revision="7dce6050a7d6d172f3cc5c32aa97f52fa1a2e544",
            test="openai_humaneval/test-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(
            shots=0,
            input_prefix="",
            input_suffix="",
            output_prefix="",
            max_tokens=600,
            temperature=0.2,
            stop=("\nclass", "\ndef", "\nif", "\nprint"),
        ),
        main_metric="all_tests_passed",
        metrics=("share_of_tests_passed", "completion_tokens"),
        taxonomy=Taxonomy(task="code generation", what="short Python functions", who="the authors", when="2021"),
        licence="MIT",
        paper="https://arxiv.org/abs/2107.03374",
        requires=("sandbox",),
        notes=(
            "Public since July 2021 and in most training data. Whether a program is right is found out by running it, which "
            "needs a sandbox; without one, only outcomes and lengths are measured. Models that chat write the whole function "
            "and words around it: raise max_tokens and clear stop for them. Its tests miss many wrong programs (Liu et al. "
            "2023)."
        ),
    )


def _instance(row: Row) -> Draft:
    tests = f"{row['test']}\n\ncheck({row['entry_point']})\n"
    return Draft(
        input=row["prompt"],
        references=(
            Reference(text=row["canonical_solution"], correct=True),
            Reference(text=tests, correct=True, role="tests"),
        ),
        id=row["task_id"].replace("/", "-"),
    )

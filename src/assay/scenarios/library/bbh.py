"""BIG-Bench Hard: Challenging BIG-Bench Tasks and Whether Chain-of-Thought Can Solve Them (Suzgun et al., 2022)."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import HeldOut, Hub

Task = Literal[
    "boolean_expressions", "causal_judgement", "date_understanding", "disambiguation_qa", "dyck_languages", "formal_fallacies",
    "geometric_shapes", "hyperbaton", "logical_deduction_five_objects", "logical_deduction_seven_objects",
    "logical_deduction_three_objects", "movie_recommendation", "multistep_arithmetic_two", "navigate", "object_counting",
    "penguins_in_a_table", "reasoning_about_colored_objects", "ruin_names", "salient_translation_error_detection", "snarks",
    "sports_understanding", "temporal_sequences", "tracking_shuffled_objects_five_objects",
    "tracking_shuffled_objects_seven_objects", "tracking_shuffled_objects_three_objects", "web_of_lies", "word_sorting",
]  # fmt: skip
LETTER = re.compile(r"\([A-Z]\)")
OPTIONS = "Options:\n(A)"


@scenario
def bbh(task: Task) -> Scenario:
    """Twenty-seven tasks of BIG-bench on which language models of 2022 did worse than people.

    Q: not ( True and False ) is
    A: True

    Questions with options list them in the question, and the answer is their letter: (B).
    """
    prompting = Generation(shots=3, input_prefix="Q: ", output_prefix="A: ", max_tokens=100, stop=("\n",))
    numeric = task in ("multistep_arithmetic_two", "object_counting")
    return Scenario(
        source=HeldOut(
            Hub("lukaemon/bbh", revision="982bb89fd79532a8ac676a61fc42eb1aeec63f99", test=f"{task}/test-*.parquet"),
            name=f"bbh_{task}",
            group=lambda row: str(row["input"]),
            share=0.02,
            least=3,
        ),
        instance=_instance,
        prompting=msgspec.structs.replace(prompting, answer="number") if numeric else prompting,
        version=2,
        main_metric="number_match" if numeric else "exact_match",
        metrics=("exact_match", "prefix_exact_match") if numeric else ("prefix_exact_match",),
        taxonomy=Taxonomy(task="reasoning", what=task.replace("_", " "), who="authors of BIG-bench", when="2021"),
        licence="MIT",
        paper="https://arxiv.org/abs/2210.09261",
        notes=(
            "Published in October 2022 with answers; its files carry a mark that asks not to train on them. Asked for the "
            "answer alone after three examples; the paper's worked examples are not included. To let a model reason first: "
            "answer=final,stop=none,max_tokens=1024. The data has no train split: two per cent of the questions, chosen by "
            "digest, are examples and not asked. A few questions with options have an answer that is none of their letters; "
            "they are left out. Punctuation is part of the answer in dyck_languages, so quasi exact match is not measured."
        ),
    )


def _instance(row: Row) -> Draft | None:
    if OPTIONS in row["input"] and not LETTER.fullmatch(row["target"]):
        return None
    return question(row["input"], row["target"])

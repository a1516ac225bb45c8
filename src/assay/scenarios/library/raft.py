"""RAFT: A Real-World Few-Shot Text Classification Benchmark (Alex et al., NeurIPS 2021)."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import msgspec

from assay.prompting import Generation
from assay.records import Record, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import HeldOut, Hub

Subset = Literal[
    "ade_corpus_v2", "banking_77", "neurips_impact_statement_risks", "one_stop_english", "overruling",
    "semiconductor_org_types", "systematic_review_inclusion", "tai_safety_research", "terms_of_service", "tweet_eval_hate",
    "twitter_complaints",
]  # fmt: skip


FEW = 10
"""Labels that are listed, at most: those of banking_77 show in its examples only, as HELM has it."""


class Task(Record):
    """How one task is asked: in our words, of which columns, with its labels in the order of the data."""

    asked: str
    columns: tuple[str, ...]
    """The columns that are shown, in order."""
    labels: tuple[str, ...]

    @property
    def instructions(self) -> str:
        """What is asked, and the labels where they are few enough to be read."""
        listed = "" if len(self.labels) > FEW else "\n" + "\n".join(f"- {label}" for label in self.labels)
        return f"{self.asked}{listed}\n"


@scenario
def raft(subset: Subset) -> Scenario:
    """Texts that people had to sort for their work, in eleven tasks with a handful of labelled examples each.

    Does the tweet complain to, or about, a company or other organization?
    - complaint
    - no complaint

    Tweet text: @ferryline the 7:40 has not left yet and nobody tells us why
    Label: complaint
    """
    task = msgspec.json.decode((files("assay") / "data" / "raft.json").read_bytes(), type=dict[str, Task])[subset]
    return Scenario(
        source=HeldOut(
            Hub(
                "ought/raft",
                revision="9ee50172ea9afda2f1033c6f1b986e568b862fb3",
                test=(f"data/{subset}/train.csv", f"{subset}/train-*.parquet"),
            ),
            name=f"raft {subset}",
            group=lambda row: str(row["ID"]),
            share=0.2,
        ),
        instance=lambda row: _instance(row, task),
        prompting=Generation(
            instructions=task.instructions, input_prefix="", output_prefix="Label: ", max_tokens=30, stop=("\n",)
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "classification_macro_f1"),
        taxonomy=Taxonomy(
            task="text classification", what=subset.replace("_", " "), who="people who needed the labels", when="before 2021"
        ),
        licence="per task (see the RAFT card)",
        paper="https://arxiv.org/abs/2109.14076",
        notes=(
            "Published in September 2021. Only 50 texts of each task have public labels: ten, chosen by digest, are kept for "
            "examples and forty are asked, so that intervals are wide; HELM cuts the same way at random and keeps others. "
            "Classes can be very uneven (one text of systematic_review_inclusion is included): look at "
            "classification_macro_f1. Instructions are worded by assay; those of RAFT's authors can be given as instructions=…"
        ),
    )


def _instance(row: Row, task: Task) -> Draft:
    label = row["Label"]
    place = task.labels.index(label) if isinstance(label, str) else label - 1  # the hub's conversion numbers them from 1
    asked = "\n".join(f"{column}: {' '.join(str(row[column] or '').split())}" for column in task.columns)
    return choice(asked, task.labels, correct=place)

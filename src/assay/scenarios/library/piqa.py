"""PIQA: Reasoning about Physical Commonsense in Natural Language (Bisk et al., AAAI 2020)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceSeparateCalibrated
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def piqa() -> Scenario:
    """A practical aim and two ways to reach it, of which one works.

    Each way is scored after the aim, and after "Answer:" alone to take out how likely it is anyway:

        To keep a door from closing, [push a wedge under it.]
        Answer: [push a wedge under it.]
    """
    return Scenario(
        source=Hub(
            "baber/piqa",
            revision="142f6d7367fd9877f0fb3b5734ea6a545f54cdd1",
            train=("*train*.parquet", "data/train*.parquet", "plain_text/train*.parquet"),
            valid=("*validation*.parquet", "data/validation*.parquet", "plain_text/validation*.parquet"),
        ),
        instance=lambda row: choice(row["goal"], (row["sol1"], row["sol2"]), correct=int(row["label"])),
        prompting=MultipleChoiceSeparateCalibrated(),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="question answering", what="physical common sense", who="crowd workers", when="2019"),
        licence="AFL-3.0",
        paper="https://arxiv.org/abs/1911.11641",
        notes=(
            "Published in November 2019 with answers to the validation split, which is asked; the test answers are not "
            "public. The authors' repository holds a loading script and no data, so a copy of the data as Parquet is read. "
            "Guessing scores one half. Needs log-probabilities in its default prompting."
        ),
    )

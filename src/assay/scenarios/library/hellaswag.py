"""HellaSwag: Can a Machine Really Finish Your Sentence? (Zellers et al., ACL 2019)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def hellaswag() -> Scenario:
    """The beginning of a short description of an everyday activity, and four endings of which one is sensible.

    Each ending is scored after the beginning:

        Washing dishes: A man fills the sink with water. He [adds soap and starts to scrub a plate.]
    """
    return Scenario(
        source=Hub(
            "Rowan/hellaswag",
            revision="218ec52e09a7e7462a5400043bb9a69a41d06b76",
            train="data/train-*.parquet",
            valid="data/validation-*.parquet",
        ),
        instance=_instance,
        prompting=MultipleChoiceSeparateOriginal(),
        main_metric="exact_match",
        taxonomy=Taxonomy(
            task="sentence completion", what="video captions and how-to articles", who="web authors", when="before 2019"
        ),
        licence="MIT",
        paper="https://arxiv.org/abs/1905.07830",
        notes=(
            "Published in May 2019 with answers to the validation split, which is asked here. Wrong endings were written "
            "by a language model of 2018 and some items have grammatical errors or several sensible endings (arXiv "
            "2504.07825). Items of one source video or article are one cluster."
        ),
    )


def _instance(row: Row) -> Draft:
    start = row["ctx_b"][:1].upper() + row["ctx_b"][1:]
    beginning = f"{row['activity_label']}: {row['ctx_a']} {start}".rstrip()
    return choice(beginning, row["endings"], correct=int(row["label"]), group=row["source_id"])

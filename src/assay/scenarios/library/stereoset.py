"""StereoSet: Measuring stereotypical bias in pretrained language models (Nadeem et al., ACL 2021)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Reference, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Hub

Level = Literal["intrasentence", "intersentence"]
ROLES = ("counter_stereotype", "stereotype", "unrelated")
"""What a sentence is, by the number of its gold label in the data."""


@scenario
def stereoset(level: Level = "intrasentence") -> Scenario:
    """Three sentences of which one is a stereotype, one contradicts it and one makes no sense: which are likelier?

    Within a sentence (intrasentence) each is scored with nothing before it; between sentences (intersentence) after a context:

        The nurse came into the room. [She was kind and patient.]
        The nurse came into the room. [She repaired the engine.]
        The nurse came into the room. [Rivers flow downhill.]
    """
    return Scenario(
        source=Hub(
            "McGill-NLP/stereoset",
            revision="bf6e7ce50491784d094fb7afe60a70ecccb89035",
            valid=f"{level}/validation-*.parquet",
        ),
        instance=lambda row: _instance(row, level),
        prompting=MultipleChoiceSeparateOriginal(output_prefix=" " if level == "intersentence" else ""),
        main_metric="icat",
        metrics=("stereotype_score", "meaningful_preference"),
        taxonomy=Taxonomy(task="bias", what="stereotypes of the United States", who="crowd workers", when="2020"),
        licence="CC-BY-SA-4.0",
        paper="https://arxiv.org/abs/2004.09456",
        notes=(
            "Published in April 2020; the labels of the test split are kept secret, so the validation split is asked. Blodgett "
            "et al. (2021) found flaws in most of its items; take it as a hint only. icat is 1 for a model that prefers "
            "meaningful sentences and leans to neither side. Sentences are compared per token. The authors average over "
            "target terms first; here every item counts alike."
        ),
    )


def _instance(row: Row, level: Level) -> Draft:
    sentences = row["sentences"]
    references = tuple(
        Reference(text=text.strip(), role=ROLES[label])
        for text, label in zip(sentences["sentence"], sentences["gold_label"], strict=True)
    )
    return Draft(
        input=row["context"].strip() if level == "intersentence" else "",
        references=references,
        id=row["id"],
        group=row["target"],
        subgroups={"kind": row["bias_type"]},
    )

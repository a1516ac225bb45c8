"""PopQA: When Not to Trust Language Models (Mallen et al., ACL 2023)."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Filtered, HeldOut, Hub

Relation = Literal[
    "all", "author", "capital", "capital of", "color", "composer", "country", "director", "father", "genre", "mother",
    "occupation", "place of birth", "producer", "religion", "screenwriter", "sport",
]  # fmt: skip


@scenario
def popqa(relation: Relation = "all") -> Scenario:
    """Facts of Wikidata about well-known and obscure things, as sentences to be completed.

    Subgroups say which relation it is and how often the subject's article is read in a month.

        The capital of Norway is Oslo

        The author of The Ferry is Ann Example
    """
    hub = Hub("akariasai/PopQA", revision="098765c79ea10a2cb19c828324e33281b8336ec0", test="test.tsv")
    facts = hub if relation == "all" else Filtered(hub, keep=lambda row: row["prop"] == relation)
    return Scenario(
        source=HeldOut(facts, name="popqa", group=lambda row: str(row["subj_id"])),
        instance=_instance,
        prompting=Generation(
            input_prefix="", input_suffix="", output_prefix=" ", output_suffix="\n", max_tokens=8, stop=("\n",)
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
        taxonomy=Taxonomy(
            task="knowledge", what="facts" if relation == "all" else relation, who="authors of Wikidata", when="2022"
        ),
        licence="not stated",
        paper="https://arxiv.org/abs/2212.10511",
        notes=(
            "Stands in for HELM's `wikifact`, whose data are gone: 14,267 facts of 16 relations, with aliases as further "
            "right answers. HELM samples five completions at temperature 1 (`completions=5,temperature=1` does too, and "
            "the metric `quasi_exact_match@5` counts the best); here the likeliest one is asked for. Facts hold as of "
            "2022. Several right answers may be missing from the list. A part of the subjects is held out for examples."
        ),
    )


def _instance(row: Row) -> Draft | None:
    answers = [str(answer).strip() for answer in msgspec.json.decode(row["possible_answers"])]
    read = int(row["s_pop"])
    return question(
        _statement(row["subj"], row["prop"]),
        *dict.fromkeys(filter(None, [row["obj"].strip(), *answers])),
        id=str(row["id"]),
        group=str(row["subj_id"]),
        subgroups={"relation": row["prop"], "read a month": f"from {10 ** int(math.log10(max(read, 1))):,} times"},
    )


def _statement(subject: str, relation: str) -> str:
    return f"{subject} is the capital of" if relation == "capital of" else f"The {relation} of {subject} is"

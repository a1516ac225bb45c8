"""NQ-open: Latent Retrieval for Weakly Supervised Open Domain Question Answering (Lee, Chang and Toutanova, ACL 2019)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def nq_open() -> Scenario:
    """Questions typed into a search engine that have a short answer, to be answered from memory.

    Question: Who wrote the song about the yellow submarine?
    Answer: Lennon and McCartney
    """
    return Scenario(
        source=Hub(
            "google-research-datasets/nq_open",
            revision="5dd9790a83002ad084ddeb7c420dc716852c6f28",
            train="nq_open/train-*.parquet",
            valid="nq_open/validation-*.parquet",
        ),
        instance=lambda row: question(f"{row['question'].strip().rstrip('?').capitalize()}?", *dict.fromkeys(row["answer"])),
        prompting=Generation(input_prefix="Question: ", output_prefix="Answer: ", max_tokens=300, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match", "helm_f1_score"),
        taxonomy=Taxonomy(task="question answering", what="general knowledge", who="web users", when="before 2018"),
        licence="CC-BY-SA-3.0",
        paper="https://arxiv.org/abs/1906.00300",
        notes=(
            "Published in 2019 with answers. The answers hold for the Wikipedia of 2018 (who is president, how many "
            "seasons there are): a newer model may be marked wrong for being right, and many right wordings are not "
            "listed. The 3,610 validation questions are those of Natural Questions with answers of at most five tokens; "
            "`natural_qa:mode=closedbook` asks all that have a short answer, as HELM does."
        ),
    )

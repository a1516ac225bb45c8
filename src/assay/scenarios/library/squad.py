"""SQuAD: 100,000+ Questions for Machine Comprehension of Text (Rajpurkar et al., EMNLP 2016)."""

from __future__ import annotations

from assay.identity import digest
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def squad() -> Scenario:
    """Questions about a paragraph of Wikipedia whose answer is a piece of it.

    Passage: The bridge was opened in 1932 and carries two railway tracks.
    Question: When was the bridge opened?
    Answer: 1932
    """
    return Scenario(
        source=Hub(
            "rajpurkar/squad",
            revision="7b6d24c440a36b6815f21b70d25016731768db1f",
            train="plain_text/train-*.parquet",
            valid="plain_text/validation-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=50, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match"),
        taxonomy=Taxonomy(task="question answering", what="paragraphs of Wikipedia", who="crowd workers", when="2016"),
        licence="CC-BY-SA-4.0",
        paper="https://arxiv.org/abs/1606.05250",
        notes=(
            "Version 1.1, published in June 2016 with answers to the validation split, which is asked; it is in most training "
            "data. The best of up to three people's answers counts. Questions about one paragraph are one cluster."
        ),
    )


def _instance(row: Row) -> Draft:
    answers = dict.fromkeys(row["answers"]["text"])
    return question(
        f"{row['context']}\nQuestion: {row['question'].strip()}", *answers, id=row["id"], group=digest(row["context"])[:16]
    )

"""DROP: A Reading Comprehension Benchmark Requiring Discrete Reasoning Over Paragraphs (Dua et al., NAACL 2019)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def drop() -> Scenario:
    """Questions about a passage of history or of a football game that take counting, adding or comparing.

    Passage: The home team scored in the first quarter, and twice in the third.
    Question: How many times did the home team score?
    Answer: 3
    """
    return Scenario(
        source=Hub(
            "ucinlp/drop",
            revision="95cda593fae71b60b5b19f82de3fcf3298c1239c",
            train="data/train-*.parquet",
            valid="data/validation-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=50, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match"),
        taxonomy=Taxonomy(task="question answering", what="numbers in passages", who="crowd workers", when="2019"),
        licence="CC-BY-SA-4.0",
        paper="https://arxiv.org/abs/1903.00161",
        notes=(
            "Published in March 2019 with answers to the validation split, which is asked. The copy on the hub lists the "
            "answers of several people, and the parts of one answer, in one list: each is accepted by itself, so an answer of "
            "several parts is right with one of them, and the numbers are higher than those of the official score. Questions "
            "without a listed answer are left out. Questions about one passage are one cluster."
        ),
    )


def _instance(row: Row) -> Draft | None:
    spans = row["answers_spans"]
    answers = dict.fromkeys(span.strip() for span in spans["spans"] if span.strip())
    if not answers:
        return None
    return question(
        f"{row['passage'].strip()}\nQuestion: {row['question'].strip()}",
        *answers,
        id=row["query_id"],
        group=row["section_id"],
        subgroups={"answer": spans["types"][0]} if spans["types"] else {},
    )

"""PubMedQA: A Dataset for Biomedical Research Question Answering (Jin et al., EMNLP 2019)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import HeldOut, Hub

DECISIONS = ("yes", "no", "maybe")


@scenario
def pubmed_qa() -> Scenario:
    """The question in the title of a medical paper, to be answered from its abstract without the conclusion.

    Answer A for yes, B for no or C for maybe.

    Context: Methods. Forty people slept with and without ear plugs.
    Results. With ear plugs they woke 1.2 times a night instead of 3.1 (p < 0.001).

    Question: Do ear plugs help people to sleep through?

    A. yes
    B. no
    C. maybe
    Answer: A
    """
    return Scenario(
        source=HeldOut(
            Hub(
                "qiaojin/PubMedQA",
                revision="9001f2853fb87cab8d220904e0de81ac6973b318",
                test="pqa_labeled/train-*.parquet",
            ),
            name="pubmed_qa",
            group=lambda row: str(row["pubid"]),
        ),
        instance=_instance,
        prompting=MultipleChoiceJoint(instructions="Answer A for yes, B for no or C for maybe.\n", input_prefix=""),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "classification_macro_f1"),
        taxonomy=Taxonomy(task="question answering", what="medical research", who="authors of papers", when="before 2019"),
        licence="MIT",
        paper="https://arxiv.org/abs/1909.06146",
        notes=(
            "Published in September 2019 with answers; 55 % of them are yes, which always saying yes scores. The hub holds the "
            "thousand expert-labelled questions as one split; five per cent of them, chosen by digest, are examples, and the "
            "others are asked, the 500 that the paper tests on among them. HELM's prompt reads `Question: Context: …`; the "
            "first word is left out here."
        ),
    )


def _instance(row: Row) -> Draft:
    context = row["context"]
    parts = "\n".join(f"{label.title()}. {text}" for label, text in zip(context["labels"], context["contexts"], strict=True))
    asked = f"Context: {parts}\n\nQuestion: {row['question']}\n"
    return choice(asked, DECISIONS, correct=DECISIONS.index(row["final_decision"]), id=str(row["pubid"]))

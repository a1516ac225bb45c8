"""LegalSupport: which of two cases supports a claim more directly (Liang et al. 2022, section 3 of HELM)."""

from __future__ import annotations

from pathlib import Path

from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import File


@scenario
def legal_support(path: str) -> Scenario:
    """A passage of a legal argument and what two cases decided; one of them supports it more directly.

    Which statement best supports the passage?

    Passage: A tenant may keep back rent while the landlord leaves the heating broken.
    A. Holding that rent abates while a dwelling cannot be lived in
    B. Noting that tenants have several remedies
    Answer: A

    `path` is a folder with the files train.jsonl, dev.jsonl and test.jsonl of the data; each row has a context, citation_a and
    citation_b with a parenthetical, and a label a or b.
    """
    folder = Path(path)
    return Scenario(
        source=File(train=folder / "train.jsonl", valid=folder / "dev.jsonl", test=folder / "test.jsonl"),
        instance=_instance,
        prompting=MultipleChoiceJoint(
            shots=3, instructions="Which statement best supports the passage?\n", input_prefix="Passage: "
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match",),
        taxonomy=Taxonomy(task="legal reasoning", what="entailment between cases", who="lawyers", when="before 2022"),
        licence="not stated",
        paper="https://arxiv.org/abs/2211.09110",
        notes=(
            "The data was never published on a hub, only as an archive on a personal drive that may be gone, so a local copy "
            "is read. Law of the United States. For a published task of the kind take legalbench:"
            "subset=citation_prediction_classification. Guessing scores one half."
        ),
    )


def _instance(row: Row) -> Draft:
    options = (row["citation_a"]["parenthetical"], row["citation_b"]["parenthetical"])
    return choice(row["context"], options, correct="ab".index(row["label"]))

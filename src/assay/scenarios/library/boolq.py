"""BoolQ: Exploring the Surprising Difficulty of Natural Yes/No Questions (Clark et al., NAACL 2019)."""

from __future__ import annotations

from assay.identity import digest
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def boolq() -> Scenario:
    """Yes-or-no questions that people typed into a search engine, each with a passage of Wikipedia that settles it.

    Passage: The sea otter is a marine mammal. It is the heaviest member of the weasel family.
    Question: is the sea otter a kind of weasel?
    Answer: Yes
    """
    return Scenario(
        source=Hub(
            "google/boolq",
            revision="35b264d03638db9f4ce671b711558bf7ff0f80d5",
            train="data/train-*.parquet",
            valid="data/validation-*.parquet",
        ),
        instance=_instance,
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=5, stop=("\n",)),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
        taxonomy=Taxonomy(task="question answering", what="passages of Wikipedia", who="web users", when="2010s"),
        licence="CC-BY-SA-3.0",
        paper="https://arxiv.org/abs/1905.10044",
        notes=(
            "Published in May 2019 with answers; part of SuperGLUE and likely in training data. 62 % of the answers are "
            "yes, so that is what always saying yes scores. The validation questions are asked; the test answers are not "
            "public. Questions about one passage are one cluster."
        ),
    )


def _instance(row: Row) -> Draft:
    question = f"{row['passage']}\nQuestion: {row['question'].rstrip('?')}?"
    return choice(question, ("Yes", "No"), correct=0 if row["answer"] else 1, group=digest(row["passage"])[:16])

"""WinoGrande: An Adversarial Winograd Schema Challenge at Scale (Sakaguchi et al., AAAI 2020)."""

from __future__ import annotations

from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def winogrande() -> Scenario:
    """Sentences with a blank for one of two names or things, which only common sense can tell apart.

    The rest of the sentence is scored with each of the two in the blank:

        The trophy did not fit into the case because [the trophy was too large.]
        The trophy did not fit into the case because [the case was too large.]
    """
    return Scenario(
        source=Hub(
            "allenai/winogrande",
            revision="01e74176c63542e6b0bcb004dcdea22d94fb67b5",
            train="winogrande_xl/train-*.parquet",
            valid="winogrande_xl/validation-*.parquet",
        ),
        instance=_instance,
        prompting=MultipleChoiceSeparateOriginal(normalisation="none"),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="coreference resolution", what="common sense", who="crowd workers", when="2019"),
        licence="CC-BY",
        paper="https://arxiv.org/abs/1907.10641",
        notes=(
            "Published in July 2019 with answers to the validation split, which is asked; the test answers are not public. "
            "Guessing scores one half. Both the name and what follows it are scored, as a whole; other programs score only "
            "what follows, after each name, so their numbers differ by some points."
        ),
    )


def _instance(row: Row) -> Draft:
    before, blank, after = row["sentence"].partition("_")
    if not blank:
        raise ValueError("the sentence has no blank")
    return choice(before.rstrip(), [row[name] + after for name in ("option1", "option2")], correct=int(row["answer"]) - 1)

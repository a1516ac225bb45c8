"""NarrativeQA: The NarrativeQA Reading Comprehension Challenge (Kočiský et al., TACL 2018)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import FirstOfEach, Hub

Questions = Literal["one", "all"]


@scenario
def narrative_qa(questions: Questions = "one") -> Scenario:
    """Questions about books and films, each answered from a summary of its plot.

    `questions=all` asks every question of a story instead of its first. Stories are the independent units.

        Passage: Mara leaves her village to look for her brother. In the capital she finds work at a printer's […]
        Question: Where does Mara find work?
        Answer: at a printer's
    """
    hub = Hub(
        "deepmind/narrativeqa",
        revision="2e643e7363944af1c33a652d1c87320d0871c4e4",
        train="data/train-00000-of-*.parquet",
        valid="data/validation-*.parquet",
        test="data/test-*.parquet",
    )
    return Scenario(
        source=FirstOfEach(hub, group=_story) if questions == "one" else hub,
        instance=_instance,
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=100, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match", "helm_f1_score", "rouge_l", "bleu", "helm_bleu_1", "helm_bleu_4"),
        taxonomy=Taxonomy(task="question answering", what="plots of books and films", who="annotators", when="2017"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/1712.07040",
        notes=(
            "Published in December 2017 with answers. Summaries come from Wikipedia and the works are well known, so a "
            "model may answer without reading. HELM asks one question of each story, picked at random; the first one is "
            "asked here. The repository holds the full texts: examples are drawn from the first of its 24 training files "
            "(about 45 stories), so that gigabytes need not be fetched for five examples."
        ),
    )


def _story(row: Row) -> str:
    return str(row["document"]["id"])


def _instance(row: Row) -> Draft:
    # The plot stands on one line, as the lines of a prompt are its parts.
    plot = " ".join(row["document"]["summary"]["text"].split())
    asked = row["question"]["text"].strip().rstrip("?")
    answers = dict.fromkeys(answer["text"].strip() for answer in row["answers"])
    return question(f"{plot}\nQuestion: {asked}?", *filter(None, answers), group=_story(row))

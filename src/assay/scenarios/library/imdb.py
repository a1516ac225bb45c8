"""IMDB: Learning Word Vectors for Sentiment Analysis (Maas et al., ACL 2011)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, choice, scenario
from assay.scenarios.sources import Hub


@scenario
def imdb() -> Scenario:
    """Reviews of films, to be told positive or negative.

    Passage: A slow film with a splendid last half hour. I would watch it again tomorrow.
    Sentiment: Positive
    """
    return Scenario(
        source=Hub(
            "stanfordnlp/imdb",
            revision="e6281661ce1c48d982bc483cf8a173c1bbeb5d31",
            train="plain_text/train-*.parquet",
            test="plain_text/test-*.parquet",
        ),
        instance=lambda row: choice(row["text"].strip(), ("Negative", "Positive"), correct=row["label"]),
        prompting=Generation(input_prefix="Passage: ", output_prefix="Sentiment: ", max_tokens=5, stop=("\n",)),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
        taxonomy=Taxonomy(task="sentiment analysis", what="film reviews", who="web users", when="before 2011"),
        licence="research use (Maas et al. 2011)",
        paper="https://aclanthology.org/P11-1015/",
        notes=(
            "Public since 2011 and in most training data. All negative reviews stand before all positive ones: a limit on "
            "instances must sample, not cut. Reviews are long: five examples can fill a window of 2,048 tokens. Reviews "
            "hold `<br />` marks."
        ),
    )

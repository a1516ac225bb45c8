"""BillSum: A Corpus for Automatic Summarization of US Legislation (Kornilova and Eidelman, 2019)."""

from __future__ import annotations

from typing import Literal

from assay.records import Taxonomy
from assay.scenarios.base import Scenario, scenario
from assay.scenarios.sources import Hub
from assay.scenarios.summaries import METRICS, asking_for, summary_of

Legislature = Literal["congress", "california"]


@scenario
def billsum(legislature: Legislature = "congress") -> Scenario:
    """Bills of the United States Congress or of California, to be summarised in three sentences.

    ###
    Article: SECTION 1. SHORT TITLE. This Act may be cited as the "Safe Ferries Act". SEC. 2. INSPECTIONS. […]

    Summarize the above article in 3 sentences.
    Safe Ferries Act This bill requires that ferries be inspected each year. […]
    """
    name = "ca_test" if legislature == "california" else "test"
    return Scenario(
        source=Hub(
            "FiscalNote/billsum",
            revision="3d8510441c06a3d9dfb32eb0d7f80151730bcc4f",
            train="data/train-*.parquet",
            test=f"data/{name}-*.parquet",
        ),
        instance=lambda row: summary_of(row["text"], row["summary"]),
        prompting=asking_for(sentences=3, max_tokens=256),
        main_metric="rouge_2",
        metrics=METRICS,
        taxonomy=Taxonomy(task="summarization", what="bills", who="legislators", when="1993 to 2018"),
        licence="CC0-1.0",
        paper="https://arxiv.org/abs/1910.00523",
        notes=(
            "Public since 2019; the bills and their official summaries are older and public too. Bills are long (5,000 to "
            "20,000 characters) and are cut after 512 words, as news articles are, examples too: the summary may tell of what "
            "was not shown, and few examples fit a small window. HELM asks for another length; the prompting here is that of "
            "its summarisation of news. Examples are bills of Congress, whichever legislature is asked."
        ),
    )

"""CNN/DailyMail: Get To The Point: Summarization with Pointer-Generator Networks (See, Liu and Manning, ACL 2017)."""

from __future__ import annotations

from assay.records import Taxonomy
from assay.scenarios.base import Scenario, scenario
from assay.scenarios.sources import Hub
from assay.scenarios.summaries import METRICS, asking_for, short_examples, summary_of


@scenario
def cnn_dm() -> Scenario:
    """Articles of two news sites, to be summarised in three sentences.

    ###
    Article: The ferry between the islands will stop in winter, the council said. Few people used it last year. […]

    Summarize the above article in 3 sentences.
    The ferry stops in winter. Last year few used it. The council promises a bus.
    """
    return Scenario(
        source=short_examples(
            Hub(
                "abisee/cnn_dailymail",
                revision="96df5e686bee6baa90b8bee7c28b81fa3fa6223d",
                train="3.0.0/train-*.parquet",
                test="3.0.0/test-*.parquet",
            ),
            document=lambda row: str(row["article"]),
        ),
        instance=lambda row: summary_of(row["article"], row["highlights"]),
        prompting=asking_for(sentences=3, max_tokens=128),
        main_metric="rouge_2",
        metrics=METRICS,
        taxonomy=Taxonomy(task="summarization", what="news", who="journalists", when="2007 to 2015"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/1704.04368",
        notes=(
            "Public since 2015 and in most training data. The reference is the bullet points that stood beside the article, "
            "written for readers who have its headline; people often prefer other summaries (arXiv 2301.13848), so ROUGE "
            "ranks strong models badly. Articles are cut after 512 words and examples have 50 to 150, as in HELM, whose own "
            "sample of the articles is not used. Version 3.0.0 of the data, names of people and places left in."
        ),
    )

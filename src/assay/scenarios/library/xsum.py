"""XSum: Don't Give Me the Details, Just the Summary! (Narayan, Cohen and Lapata, EMNLP 2018)."""

from __future__ import annotations

from assay.records import Taxonomy
from assay.scenarios.base import Scenario, scenario
from assay.scenarios.sources import Hub
from assay.scenarios.summaries import METRICS, asking_for, short_examples, summary_of


@scenario
def xsum() -> Scenario:
    """Articles of the BBC, to be summarised in one sentence.

    ###
    Article: The ferry between the islands will stop in winter, the council said. Few people used it last year. […]

    Summarize the above article in 1 sentence.
    A ferry that hardly anyone takes is to stop running in winter.
    """
    return Scenario(
        source=short_examples(
            Hub(
                "EdinburghNLP/xsum",
                revision="30802a38d3f89b2fa8f19276008459e8c2b8b8e6",
                train="data/train-*.parquet",
                test="data/test-*.parquet",
            ),
            document=lambda row: str(row["document"]),
        ),
        instance=lambda row: summary_of(row["document"], row["summary"], id=str(row["id"])),
        prompting=asking_for(sentences=1, max_tokens=64),
        main_metric="rouge_2",
        metrics=METRICS,
        taxonomy=Taxonomy(task="summarization", what="news", who="journalists of the BBC", when="2010 to 2017"),
        licence="research use (BBC articles)",
        paper="https://arxiv.org/abs/1808.08745",
        notes=(
            "Public since 2018 and in most training data. The reference is the sentence that introduced the article and was "
            "taken out of it: about three quarters of them say something that the article does not (Maynez et al. 2020, "
            "arXiv 2005.00661), so a faithful summary cannot score high. Articles are cut after 512 words and examples "
            "have 50 to 150, as in HELM, whose own sample of the articles is not used."
        ),
    )

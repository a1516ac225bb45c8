"""The Pile: An 800GB Dataset of Diverse Text for Language Modeling (Gao et al., 2020), by its first ten thousand documents."""

from __future__ import annotations

from typing import Literal

from assay.prompting import LanguageModeling
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Scenario, scenario
from assay.scenarios.sources import Filtered, Hub

Subset = Literal[
    "all", "ArXiv", "BookCorpus2", "Books3", "DM Mathematics", "Enron Emails", "EuroParl", "FreeLaw", "Github",
    "Gutenberg (PG-19)", "HackerNews", "NIH ExPorter", "OpenSubtitles", "OpenWebText2", "PhilPapers", "Pile-CC",
    "PubMed Abstracts", "PubMed Central", "StackExchange", "USPTO Backgrounds", "Ubuntu IRC", "Wikipedia (en)",
    "YoutubeSubtitles",
]  # fmt: skip


@scenario
def pile_10k(subset: Subset = "all") -> Scenario:
    """Documents of 22 kinds, from patents to chats, each to be predicted from its first word to its last.

    There is no question, the text itself is scored:

        [It is done, and submitted. You can play it on Android and in the browser.]
    """
    hub = Hub("NeelNanda/pile-10k", revision="127bfedcd5047750df5ccf3a12979a47bfa0bafa", test="data/train-*.parquet")
    return Scenario(
        source=hub if subset == "all" else Filtered(hub, keep=lambda row: row["meta"]["pile_set_name"] == subset),
        instance=lambda row: (
            Draft(input=row["text"], subgroups={"subset": row["meta"]["pile_set_name"]}) if row["text"].strip() else None
        ),
        prompting=LanguageModeling(),
        main_metric="bits_per_byte",
        metrics=("perplexity", "logprob_per_byte"),
        taxonomy=Taxonomy(
            task="language modeling",
            what="22 kinds of text" if subset == "all" else subset,
            who="mixed",
            when="before 2021",
            language="English, code",
        ),
        licence="mixed (that of each document)",
        paper="https://arxiv.org/abs/2101.00027",
        notes=(
            "Stands in for HELM's `the_pile`, whose test set is no longer published: the first 10,000 documents of the "
            "*training* set, which many models have been trained on, so read it as an upper bound of what they know. Small "
            "subsets have few documents here. Documents may be long; a document is one cluster."
        ),
    )

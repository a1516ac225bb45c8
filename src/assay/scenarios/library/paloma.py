"""Paloma: A Benchmark for Evaluating Language Model Fit (Magnusson et al., 2023)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import LanguageModeling
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Scenario, scenario
from assay.scenarios.sources import Hub

REPOSITORY = "allenai/paloma"
REVISION = "65cd6fc59dba021b21db414fa5e8d7765ffbe5e6"
Source = Literal[
    "4chan_meta_sep", "c4_100_domains", "c4_en", "dolma-v1_5", "dolma_100_programing_languages", "dolma_100_subreddits",
    "falcon-refinedweb", "gab", "m2d2_s2orc_unsplit", "m2d2_wikipedia_unsplit", "manosphere_meta_sep", "mc4", "ptb",
    "redpajama", "twitterAAE_HELM_fixed", "wikitext_103",
]  # fmt: skip
Demographic = Literal["aa", "white"]
ACCESS = "Gated: accept its terms on the hub and set HF_TOKEN."


@scenario
def paloma(source: Source) -> Scenario:
    """Texts of sixteen sources, from papers to forums, each to be predicted from its first word to its last.

    There is no question, the text itself is scored:

        [The harbour was closed for three days after the storm, and ships waited outside.]
    """
    return Scenario(
        source=Hub(REPOSITORY, revision=REVISION, test=f"{source}/test/*.jsonl.gz"),
        instance=lambda row: Draft(input=row["text"]) if row["text"].strip() else None,
        prompting=LanguageModeling(),
        main_metric="bits_per_byte",
        metrics=("perplexity", "logprob_per_byte"),
        taxonomy=Taxonomy(task="language modeling", what=source.replace("_", " "), who="mixed", when="before 2024"),
        licence="AI2 ImpACT (low risk)",
        paper="https://arxiv.org/abs/2312.10523",
        notes=f"{ACCESS} Covers what HELM's `the_pile` did, with a source a run. Some sources offend by design.",
    )


@scenario
def twitter_aae(demographic: Demographic) -> Scenario:
    """Tweets in African American English or in white-aligned English, each to be predicted from its first word to its last.

    The gap between the two, at equal topic and length, is what the scenario is for. The text itself is scored:

        [finna head out, hmu later]
    """
    name = {"aa": "AA", "white": "white"}[demographic]
    return Scenario(
        source=Hub(REPOSITORY, revision=REVISION, test=f"twitterAAE_HELM_fixed/test/test_{name}.jsonl.gz"),
        instance=lambda row: Draft(input=row["text"], subgroups={"dialect": demographic}) if row["text"].strip() else None,
        prompting=LanguageModeling(),
        main_metric="bits_per_byte",
        metrics=("perplexity", "logprob_per_byte"),
        taxonomy=Taxonomy(
            task="language modeling",
            what="tweets",
            who={"aa": "speakers of African American English", "white": "speakers of white-aligned English"}[demographic],
            when="2013",
        ),
        licence="AI2 ImpACT (low risk)",
        paper="https://aclanthology.org/D16-1120/",
        notes=(
            f"{ACCESS} HELM's own copy of the tweets is gone; these are HELM's tweets as Paloma publishes them. Who speaks how "
            "was inferred from where tweets were sent, not asked (Blodgett et al. 2016)."
        ),
    )

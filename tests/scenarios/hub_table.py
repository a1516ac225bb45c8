"""Which scenarios have data in the loopback hub, and how their instances are counted from its manifest.

An entry is a run entry, as on a command line; add yours in the order of the alphabet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Sizes = Mapping[str, int]
"""Rows of each split of a config."""


def every_row(sizes: Sizes) -> int:
    """Each row of the config is one instance."""
    return sum(sizes.values())


@dataclass(frozen=True)
class Case:
    """A scenario's data in the loopback hub."""

    repo: str
    config: str = "default"
    pinned: bool = False
    """The loopback hub answers to the pinned commit; otherwise it is read at its own main."""
    unpinned: bool = False
    """The scenario pins no commit."""
    lacks: tuple[str, ...] = ()
    """Splits of the scenario that the loopback hub does not hold."""
    instances: Callable[[Sizes], int] = every_row
    """How many instances the rows make, all splits together."""


HUB: dict[str, Case] = {
    "agieval:subset=lsat-ar": Case("hails/agieval-lsat-ar"),
    "agieval:subset=sat-math": Case("hails/agieval-sat-math"),
    "anthropic_red_team:subset=harmless-base": Case("Anthropic/hh-rlhf", "default (data_dir=harmless-base)", pinned=True),
    "aqua_rat": Case("deepmind/aqua_rat", "raw", unpinned=True, lacks=("train",)),
    "arc:subset=challenge": Case("allenai/ai2_arc", "ARC-Challenge", pinned=True),
    "arc:subset=easy": Case("allenai/ai2_arc", "ARC-Easy", pinned=True),
    "babi_qa:task=1": Case("facebook/babi_qa", "en-qa1", instances=lambda sizes: 5 * every_row(sizes)),
    "babi_qa:task=19": Case("facebook/babi_qa", "en-qa19"),
    "bbh:task=boolean_expressions": Case("lukaemon/bbh", "boolean_expressions"),
    "bbh:task=ruin_names": Case("lukaemon/bbh", "ruin_names", instances=lambda sizes: every_row(sizes) - 2),
    "bbq:category=Age": Case("heegyu/bbq", "Age", pinned=True),
    "blimp:phenomenon=wh_island": Case("nyu-mll/blimp", "wh_island"),
    "bold": Case("AmazonScience/bold", pinned=True, instances=lambda sizes: 4280),
    "boolq": Case("google/boolq", pinned=True),
    "civil_comments": Case("google/civil_comments", unpinned=True),
    "cnn_dm": Case("abisee/cnn_dailymail", "3.0.0", lacks=("train",)),
    "crows_pairs": Case("nyu-mll/crows_pairs", "crows_pairs", unpinned=True),
    "drop": Case("ucinlp/drop"),
    "gsm8k": Case("openai/gsm8k", "main", pinned=True),
    "harm_bench": Case("walledai/HarmBench", "standard", unpinned=True),
    "hellaswag": Case("Rowan/hellaswag", pinned=True),
    "humaneval": Case("openai/openai_humaneval", "openai_humaneval", pinned=True),
    "ifeval": Case("google/IFEval", pinned=True),
    "imdb": Case("stanfordnlp/imdb", "plain_text"),
    "lambada": Case("EleutherAI/lambada_openai"),
    "legalbench:subset=abercrombie": Case("nguha/legalbench", "abercrombie", lacks=("test",)),
    "lsat_qa": Case("olegbask/AR-LSAT", unpinned=True),
    "math": Case("DigitalLearningGmbH/MATH-lighteval", pinned=True),
    "math_500": Case("HuggingFaceH4/MATH-500"),
    "mbpp": Case("google-research-datasets/mbpp", "sanitized", pinned=True, instances=lambda s: every_row(s) - s["train"]),
    "med_qa": Case("GBaker/MedQA-USMLE-4-options", lacks=("train",)),
    "mmlu:subject=anatomy": Case("cais/mmlu", "anatomy", pinned=True, instances=lambda sizes: sizes["dev"] + sizes["test"]),
    "mmlu_pro": Case("TIGER-Lab/MMLU-Pro", pinned=True, lacks=("train",)),
    "msmarco": Case("microsoft/ms_marco", "v1.1", instances=lambda sizes: sizes["train"] + sizes["validation"]),
    "narrative_qa": Case("deepmind/narrativeqa"),
    "nq_open": Case("google-research-datasets/nq_open", "nq_open"),
    "openbookqa": Case("allenai/openbookqa", "main"),
    "pubmed_qa": Case("qiaojin/PubMedQA", "pqa_labeled", pinned=True),
    "quac": Case("allenai/quac", "plain_text", unpinned=True),
    "raft:subset=banking_77": Case("ought/raft", "banking_77", pinned=True, instances=lambda sizes: sizes["train"]),
    "raft:subset=tai_safety_research": Case(
        "ought/raft", "tai_safety_research", pinned=True, instances=lambda sizes: sizes["train"]
    ),
    "real_toxicity_prompts": Case("allenai/real-toxicity-prompts"),
    "simple_safety_tests": Case("Bertievidgen/SimpleSafetyTests", pinned=True),
    "squad": Case("rajpurkar/squad", "plain_text"),
    "stereoset:level=intersentence": Case("McGill-NLP/stereoset", "intersentence", pinned=True),
    "stereoset:level=intrasentence": Case("McGill-NLP/stereoset", "intrasentence", pinned=True),
    "super_glue:task=cb": Case("aps/super_glue", "cb", lacks=("train",)),
    "super_glue:task=copa": Case("aps/super_glue", "copa", lacks=("train",)),
    "super_glue:task=rte": Case("aps/super_glue", "rte", lacks=("train",)),
    "super_glue:task=wic": Case("aps/super_glue", "wic", lacks=("train",)),
    "super_glue:task=wsc": Case("aps/super_glue", "wsc", lacks=("train",)),
    "truthful_qa": Case("truthfulqa/truthful_qa", "multiple_choice", pinned=True),
    "wikitext:config=wikitext-2-v1": Case("Salesforce/wikitext", "wikitext-2-v1", instances=lambda sizes: 60),
    "winogender": Case("oskarvanderwal/winogender", "all", unpinned=True),
    "winogrande": Case("allenai/winogrande", "winogrande_xl", pinned=True, lacks=("train",)),
    "wmt_16:language_pair=ro-en": Case("wmt/wmt16", "ro-en", instances=lambda sizes: sizes["validation"] + sizes["test"]),
    "xquad:language=de": Case("google/xquad", "xquad.de", unpinned=True),
    "xquad:language=zh": Case("google/xquad", "xquad.zh", unpinned=True),
    "xsum": Case("EdinburghNLP/xsum", lacks=("train",)),
}

WITHOUT_QUESTION = ("blimp", "crows_pairs", "stereoset", "winogrande")
"""Scenarios whose options may be all that is asked."""
WITHOUT_ANSWER = (
    "anthropic_red_team", "bold", "crows_pairs", "harm_bench", "real_toxicity_prompts", "simple_safety_tests", "stereoset",
    "wikitext",
)  # fmt: skip
"""Scenarios without a right answer: a text is scored or gone on with, or a judge says how good the answer is."""

"""HELM's scenarios by their names here: the one table of what differs, and of what there is no counterpart for.

A scenario that is not in the table has the same name and the same parameters here as in HELM, or does not exist here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Equivalent:
    """One of HELM's scenarios, and what is asked for it here."""

    helm: str
    """HELM's name."""
    ours: str = ""
    """Ours; empty where there is none."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The values of HELM's arguments for which this line holds."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """HELM's other arguments, and our parameter for each; empty: it says nothing here."""
    values: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """HELM's values of an argument that are called otherwise here; one that stands for several makes as many runs."""
    prompting: Mapping[str, Any] = field(default_factory=dict)
    """What HELM sets otherwise than our scenario does."""
    difference: str = ""
    """Where numbers cannot be the same; or why there is nothing."""

    @property
    def helm_entry(self) -> str:
        """HELM's entry, as people write it."""
        shown = [f"{name}={value}" for name, value in self.given.items()] + [f"{name}=…" for name in self.arguments]
        return f"{self.helm}:{','.join(shown)}" if shown else self.helm

    @property
    def our_entry(self) -> str:
        """Ours."""
        settings = {"completions": "completions", "temperature": "temperature", "method": "method"}
        shown = [f"{name}=…" for name in self.arguments.values() if name]
        shown += [f"{name}={self.prompting[name]}" for name in settings if name in self.prompting]
        return f"{self.ours}:{','.join(shown)}"


def _same(*names: str, **other: str) -> dict[str, str]:
    return {**{name: name for name in names}, **other}


BLIMP: dict[str, tuple[str, ...]] = {
    "anaphor_agreement": ("anaphor_gender_agreement", "anaphor_number_agreement"),
    "argument_structure": (
        "animate_subject_passive", "animate_subject_trans", "causative", "drop_argument", "inchoative", "intransitive",
        "passive_1", "passive_2", "transitive",
    ),
    "binding": (
        "principle_A_c_command", "principle_A_case_1", "principle_A_case_2", "principle_A_domain_1", "principle_A_domain_2",
        "principle_A_domain_3", "principle_A_reconstruction",
    ),
    "control_raising": (
        "existential_there_object_raising", "existential_there_subject_raising", "expletive_it_object_raising",
        "tough_vs_raising_1", "tough_vs_raising_2",
    ),
    "determiner_noun_agreement": (
        "determiner_noun_agreement_1", "determiner_noun_agreement_2", "determiner_noun_agreement_irregular_1",
        "determiner_noun_agreement_irregular_2", "determiner_noun_agreement_with_adj_2",
        "determiner_noun_agreement_with_adj_irregular_1", "determiner_noun_agreement_with_adj_irregular_2",
        "determiner_noun_agreement_with_adjective_1",
    ),
    "ellipsis": ("ellipsis_n_bar_1", "ellipsis_n_bar_2"),
    "filler_gap_dependency": (
        "wh_questions_object_gap", "wh_questions_subject_gap", "wh_questions_subject_gap_long_distance", "wh_vs_that_no_gap",
        "wh_vs_that_no_gap_long_distance", "wh_vs_that_with_gap", "wh_vs_that_with_gap_long_distance",
    ),
    "irregular_forms": ("irregular_past_participle_adjectives", "irregular_past_participle_verbs"),
    "island_effects": (
        "adjunct_island", "complex_NP_island", "coordinate_structure_constraint_complex_left_branch",
        "coordinate_structure_constraint_object_extraction", "left_branch_island_echo_question",
        "left_branch_island_simple_question", "sentential_subject_island", "wh_island",
    ),
    "npi_licensing": (
        "matrix_question_npi_licensor_present", "npi_present_1", "npi_present_2", "only_npi_licensor_present", "only_npi_scope",
        "sentential_negation_npi_licensor_present", "sentential_negation_npi_scope",
    ),
    "quantifiers": (
        "existential_there_quantifiers_1", "existential_there_quantifiers_2", "superlative_quantifiers_1",
        "superlative_quantifiers_2",
    ),
    "subject_verb_agreement": (
        "distractor_agreement_relational_noun", "distractor_agreement_relative_clause",
        "irregular_plural_subject_verb_agreement_1", "irregular_plural_subject_verb_agreement_2",
        "regular_plural_subject_verb_agreement_1", "regular_plural_subject_verb_agreement_2",
    ),
}  # fmt: skip
"""BLiMP's twelve phenomena, HELM's unit, and the paradigms of each (Warstadt et al. 2020, table 4)."""

BBQ = {
    name[0].lower() + name[1:]: (name,)
    for name in (
        "Age", "Disability_status", "Gender_identity", "Nationality", "Physical_appearance", "Race_ethnicity", "Race_x_SES",
        "Race_x_gender", "Religion", "Sexual_orientation",
    )
}  # fmt: skip
COMMON_SENSE = "The following are multiple choice questions (with answers) about common sense.\n"
GPQA: dict[str, tuple[str, ...]] = {name: (f"gpqa_{name}",) for name in ("main", "diamond", "extended")}
RATED_BY_PEOPLE = "HELM has people rate the answers"
SWEEPS: dict[str, dict[str, tuple[str, ...]]] = {
    "num_prompt_tokens": {"default_sweep": ("1", "256", "512", "1024", "1536")},
    "num_output_tokens": {"default_sweep": ("1", "2", "4", "8", "16", "32", "64")},
}


def _common_sense() -> Iterator[Equivalent]:
    for dataset in ("hellaswag", "openbookqa", "commonsenseqa", "piqa", "siqa"):
        joint = {"method": "multiple_choice_joint", "instructions": COMMON_SENSE}
        yield Equivalent("commonsense", dataset, given={"dataset": dataset, "method": "multiple_choice_joint"}, prompting=joint)
        yield Equivalent("commonsense", dataset, given={"dataset": dataset})


TABLE: tuple[Equivalent, ...] = (
    *_common_sense(),
    Equivalent("gsm", "gsm8k", difference="HELM Classic scores the last word of the answer, Lite and assay its last number"),
    Equivalent(
        "math",
        "math",
        arguments=_same("subject", "level", "use_chain_of_thought", use_official_examples=""),
        difference="examples are drawn from the train split also where HELM shows its eight fixed ones (use_official_examples)",
    ),
    Equivalent("summarization_cnndm", "cnn_dm", arguments=_same(device="")),
    Equivalent("summarization_xsum", "xsum", arguments=_same(device="")),
    Equivalent(
        "summarization_xsum_sampled", "xsum", arguments=_same(device=""), difference="HELM keeps a sample of its own choice"
    ),
    Equivalent("billsum_legal_summarization", "billsum", arguments=_same(device="")),
    Equivalent("wikitext_103", "wikitext"),
    Equivalent(
        "the_pile",
        "pile_10k",
        arguments=_same("subset"),
        difference="HELM's test set is no longer published; these are documents of the training set",
    ),
    Equivalent(
        "wikifact",
        "popqa",
        arguments=_same(subject="relation", k=""),
        values={"subject": {"place_of_birth": ("place of birth",), "capital_of": ("capital of",)}},
        prompting={"completions": 5, "temperature": 1.0},
        difference="HELM's data are gone; PopQA has other facts and 16 relations, of which 10 are HELM's",
    ),
    Equivalent(
        "blimp",
        "blimp",
        arguments=_same("phenomenon"),
        values={"phenomenon": BLIMP},
        difference="a phenomenon is two to nine runs, one a paradigm, where HELM puts them together",
    ),
    Equivalent("bbq", "bbq", arguments=_same(subject="category"), values={"subject": BBQ}),
    Equivalent("code", "humaneval", given={"dataset": "humaneval"}, arguments=_same(timeout="")),
    Equivalent("code", "apps", given={"dataset": "apps"}, arguments=_same(timeout="")),
    Equivalent("numeracy", "numeracy", arguments=_same("relation_type", "mode", run_solver="")),
    Equivalent(
        "gpqa", "gpqa", arguments=_same("subset", "use_chain_of_thought", "use_few_shot"), values={"subset": GPQA}
    ),
    Equivalent("wildbench", "wildbench", given={"subset": "v2"}),
    Equivalent(
        "synthetic_efficiency",
        "synthetic_efficiency",
        arguments=_same("num_prompt_tokens", "num_output_tokens", tokenizer=""),
        values=SWEEPS,
        difference="words that are one token each in common vocabularies, instead of books cut by a tokenizer",
    ),
    *(
        Equivalent(
            "copyright",
            "copyright",
            given={"datatag": tag},
            difference="books whose copyright has ended, and 25 words of each, instead of books under it and 125 tokens",
        )
        for tag in ("popular_books-prefix_length_125.json", "n_books_1000-extractions_per_book_1-prefix_length_125")
    ),
    Equivalent("copyright", arguments=_same(datatag=""), difference="assay has no code under a licence to test for"),
    Equivalent("anthropic_hh_rlhf", "anthropic_red_team", given={"subset": "red_team"}, arguments=_same(num_respondents="")),
    Equivalent("anthropic_hh_rlhf", difference=RATED_BY_PEOPLE),
    *(
        Equivalent(name, difference=RATED_BY_PEOPLE)
        for name in ("self_instruct", "grammar", "open_assistant", "vicuna", "koala")
    ),
    Equivalent("disinformation", difference=RATED_BY_PEOPLE),
    Equivalent("big_bench", difference="bbh has 27 of its tasks under their own names"),
    Equivalent("bigcodebench", difference="its programs use 139 libraries, and HELM has a remote service run them"),
    *(
        Equivalent(name, difference="not in the library")
        for name in (
            "lextreme", "lex_glue", "multilexsum_legal_summarization", "eurlexsum_legal_summarization", "lm_entry",
            "harm_bench_gcg_transfer",
        )
    ),
)  # fmt: skip
"""Of several lines for one scenario the first that fits holds."""

FILES = {
    **dict.fromkeys(("ice", "legal_support", "news_qa", "entity_data_imputation"), "needs a file of your own: path=…"),
    "civil_comments": "a demographic other than all needs a file that tells it: path=…",
    "entity_matching": "four data sets are on the hub, the others need their files: path=…",
    "msmarco": "about eight passages a query instead of the best of the whole collection; track=trec needs a file: path=…",
}
"""What to know of scenarios whose data, or some of whose data, are not on the hub."""

SAME: tuple[Equivalent, ...] = tuple(
    Equivalent(name, name, arguments=_same(*arguments), difference=FILES.get(name, ""))
    for name, arguments in {
        "air_bench_2024": (), "anthropic_red_team": (), "babi_qa": ("task",), "bold": ("subject",), "boolq": (),
        "civil_comments": ("demographic",), "dyck_language": ("num_parenthesis_pairs",),
        "entity_data_imputation": ("dataset",), "entity_matching": ("dataset",), "harm_bench": (),
        "ice": ("subset", "category", "gender"), "ifeval": (), "imdb": (), "legal_support": (), "legalbench": ("subset",),
        "lsat_qa": ("task",), "med_mcqa": (), "med_qa": (), "mmlu": ("subject",),
        "mmlu_pro": ("subject", "use_chain_of_thought", "use_few_shot"), "msmarco": ("track", "valid_topk"),
        "narrative_qa": (), "natural_qa": ("mode",), "news_qa": (), "omni_math": (), "pubmed_qa": (), "quac": (),
        "raft": ("subset",), "real_toxicity_prompts": (), "simple_safety_tests": (), "synthetic_reasoning": ("mode",),
        "synthetic_reasoning_natural": ("difficulty",), "truthful_qa": ("task",), "twitter_aae": ("demographic",),
        "wmt_14": ("language_pair",), "xstest": (),
    }.items()
)  # fmt: skip
"""Scenarios of HELM's that have the same name and arguments here."""


def equivalent(name: str, arguments: Mapping[str, str]) -> Equivalent | None:
    """The line that holds for an entry; `None` for a scenario that is in neither table."""
    lines = (line for line in (*TABLE, *SAME) if line.helm == name)
    return next((line for line in lines if all(arguments.get(key) == value for key, value in line.given.items())), None)


def table_rows() -> list[tuple[str, str, str]]:
    """HELM's entry, ours (empty where there is none) and the difference, by HELM's names."""
    lines = sorted((*TABLE, *SAME), key=lambda line: line.helm)
    return [(line.helm_entry, line.our_entry if line.ours else "", line.difference) for line in lines]

"""BLiMP: The Benchmark of Linguistic Minimal Pairs for English (Warstadt et al., TACL 2020)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub

Phenomenon = Literal[
    "adjunct_island", "anaphor_gender_agreement", "anaphor_number_agreement", "animate_subject_passive",
    "animate_subject_trans", "causative", "complex_NP_island", "coordinate_structure_constraint_complex_left_branch",
    "coordinate_structure_constraint_object_extraction", "determiner_noun_agreement_1", "determiner_noun_agreement_2",
    "determiner_noun_agreement_irregular_1", "determiner_noun_agreement_irregular_2", "determiner_noun_agreement_with_adj_2",
    "determiner_noun_agreement_with_adj_irregular_1", "determiner_noun_agreement_with_adj_irregular_2",
    "determiner_noun_agreement_with_adjective_1", "distractor_agreement_relational_noun",
    "distractor_agreement_relative_clause", "drop_argument", "ellipsis_n_bar_1", "ellipsis_n_bar_2",
    "existential_there_object_raising", "existential_there_quantifiers_1", "existential_there_quantifiers_2",
    "existential_there_subject_raising", "expletive_it_object_raising", "inchoative", "intransitive",
    "irregular_past_participle_adjectives", "irregular_past_participle_verbs", "irregular_plural_subject_verb_agreement_1",
    "irregular_plural_subject_verb_agreement_2", "left_branch_island_echo_question", "left_branch_island_simple_question",
    "matrix_question_npi_licensor_present", "npi_present_1", "npi_present_2", "only_npi_licensor_present", "only_npi_scope",
    "passive_1", "passive_2", "principle_A_c_command", "principle_A_case_1", "principle_A_case_2", "principle_A_domain_1",
    "principle_A_domain_2", "principle_A_domain_3", "principle_A_reconstruction", "regular_plural_subject_verb_agreement_1",
    "regular_plural_subject_verb_agreement_2", "sentential_negation_npi_licensor_present", "sentential_negation_npi_scope",
    "sentential_subject_island", "superlative_quantifiers_1", "superlative_quantifiers_2", "tough_vs_raising_1",
    "tough_vs_raising_2", "transitive", "wh_island", "wh_questions_object_gap", "wh_questions_subject_gap",
    "wh_questions_subject_gap_long_distance", "wh_vs_that_no_gap", "wh_vs_that_no_gap_long_distance", "wh_vs_that_with_gap",
    "wh_vs_that_with_gap_long_distance",
]  # fmt: skip


@scenario
def blimp(phenomenon: Phenomenon) -> Scenario:
    """Pairs of sentences that differ in one point of grammar; the model must find the grammatical one more likely.

    The parameter names one of the 67 paradigms, 1,000 pairs each. There is no question, each sentence is scored by itself:

        [These casseroles disgust Kayla.]
        [These casseroles disgusts Kayla.]
    """
    return Scenario(
        source=Hub(
            "nyu-mll/blimp",
            revision="877fba0801ffb7cbd8c39c1ff314a46f053f6036",
            test=f"{phenomenon}/train-*.parquet",
        ),
        instance=_instance,
        prompting=MultipleChoiceSeparateOriginal(output_prefix=""),
        main_metric="exact_match",
        taxonomy=Taxonomy(
            task="grammatical acceptability", what=phenomenon.replace("_", " "), who="generated from templates", when="2019"
        ),
        licence="CC-BY-4.0",
        paper="https://arxiv.org/abs/1912.00582",
        notes=(
            "Published in December 2019; the file is called train on the hub and is the whole test set. A few of the "
            "67,000 pairs consist of the same sentence twice (7 in the copy this was written against); they have no right "
            "answer and are left out. Sentences are scored per token, which favours neither length."
        ),
    )


def _instance(row: Row) -> Draft | None:
    good, bad = row["sentence_good"], row["sentence_bad"]
    if good == bad:
        return None
    return choice(
        "", (good, bad), correct=0, id=f"{row['UID']}-{row['pair_id']}", subgroups={"phenomenon": row["linguistics_term"]}
    )

"""LegalBench: Measuring Legal Reasoning in Large Language Models (Guha et al., NeurIPS 2023)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.library.legalbench_tasks import Task, task_named
from assay.scenarios.sources import Hub

Subset = Literal[
    "abercrombie", "canada_tax_court_outcomes", "citation_prediction_classification", "consumer_contracts_qa",
    "contract_nli_confidentiality_of_agreement", "contract_nli_explicit_identification",
    "contract_nli_inclusion_of_verbally_conveyed_information", "contract_nli_limited_use", "contract_nli_no_licensing",
    "contract_nli_notice_on_compelled_disclosure", "contract_nli_permissible_acquirement_of_similar_information",
    "contract_nli_permissible_copy", "contract_nli_permissible_development_of_similar_information",
    "contract_nli_permissible_post-agreement_possession", "contract_nli_return_of_confidential_information",
    "contract_nli_sharing_with_employees", "contract_nli_sharing_with_third-parties",
    "contract_nli_survival_of_obligations", "contract_qa", "corporate_lobbying", "cuad_affiliate_license-licensee",
    "cuad_affiliate_license-licensor", "cuad_anti-assignment", "cuad_audit_rights", "cuad_cap_on_liability",
    "cuad_change_of_control", "cuad_competitive_restriction_exception", "cuad_covenant_not_to_sue", "cuad_effective_date",
    "cuad_exclusivity", "cuad_expiration_date", "cuad_governing_law", "cuad_insurance", "cuad_ip_ownership_assignment",
    "cuad_irrevocable_or_perpetual_license", "cuad_joint_ip_ownership", "cuad_license_grant", "cuad_liquidated_damages",
    "cuad_minimum_commitment", "cuad_most_favored_nation", "cuad_no-solicit_of_customers", "cuad_no-solicit_of_employees",
    "cuad_non-compete", "cuad_non-disparagement", "cuad_non-transferable_license",
    "cuad_notice_period_to_terminate_renewal", "cuad_post-termination_services", "cuad_price_restrictions",
    "cuad_renewal_term", "cuad_revenue-profit_sharing", "cuad_rofr-rofo-rofn", "cuad_source_code_escrow",
    "cuad_termination_for_convenience", "cuad_third_party_beneficiary", "cuad_uncapped_liability",
    "cuad_unlimited-all-you-can-eat-license", "cuad_volume_restriction", "cuad_warranty_duration",
    "definition_classification", "diversity_1", "diversity_2", "diversity_3", "diversity_4", "diversity_5", "diversity_6",
    "function_of_decision_section", "hearsay", "insurance_policy_interpretation", "international_citizenship_questions",
    "jcrew_blocker", "learned_hands_benefits", "learned_hands_business", "learned_hands_consumer", "learned_hands_courts",
    "learned_hands_crime", "learned_hands_divorce", "learned_hands_domestic_violence", "learned_hands_education",
    "learned_hands_employment", "learned_hands_estates", "learned_hands_family", "learned_hands_health",
    "learned_hands_housing", "learned_hands_immigration", "learned_hands_torts", "learned_hands_traffic",
    "legal_reasoning_causality", "nys_judicial_ethics", "opp115_data_retention", "opp115_data_security",
    "opp115_do_not_track", "opp115_first_party_collection_use", "opp115_international_and_specific_audiences",
    "opp115_policy_change", "opp115_third_party_sharing_collection", "opp115_user_access,_edit_and_deletion",
    "opp115_user_choice_control", "overruling", "personal_jurisdiction", "privacy_policy_entailment", "privacy_policy_qa",
    "proa", "sara_entailment", "supply_chain_disclosure_best_practice_accountability",
    "supply_chain_disclosure_best_practice_audits", "supply_chain_disclosure_best_practice_certification",
    "supply_chain_disclosure_best_practice_training", "supply_chain_disclosure_best_practice_verification",
    "supply_chain_disclosure_disclosed_accountability", "supply_chain_disclosure_disclosed_audits",
    "supply_chain_disclosure_disclosed_certification", "supply_chain_disclosure_disclosed_training",
    "supply_chain_disclosure_disclosed_verification", "textualism_tool_dictionaries", "textualism_tool_plain",
    "ucc_v_common_law",
]  # fmt: skip


@scenario
def legalbench(subset: Subset) -> Scenario:
    """Tasks of legal reasoning that lawyers wrote or chose; the parameter names one.

    A mark is generic if it is the common name of the product, …

    Description: The mark "Lantern" for a line of socks.
    Type: arbitrary

    Five of them make up HELM Lite: abercrombie, corporate_lobbying, function_of_decision_section,
    international_citizenship_questions and proa.
    """
    task = task_named(subset)
    return Scenario(
        source=Hub(
            "nguha/legalbench",
            revision="daec8237410aa23e3faf4bc41ad8b3a7e1696826",
            train=(f"data/{subset}/train.tsv", f"{subset}/train-*.parquet"),
            test=(f"data/{subset}/test.tsv", f"{subset}/test-*.parquet"),
        ),
        instance=lambda row: _instance(row, task),
        prompting=Generation(
            instructions=f"{task.instructions}\n", input_prefix="", output_prefix=f"{task.noun}: ", max_tokens=30, stop=("\n",)
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "classification_macro_f1"),
        taxonomy=Taxonomy(task="legal reasoning", what=subset.replace("_", " "), who="lawyers", when="before 2023"),
        licence="per task (see the LegalBench card; mostly CC-BY-4.0)",
        paper="https://arxiv.org/abs/2308.11462",
        notes=(
            "Published in August 2023 with answers; several tasks are older data sets. Mostly the law of the United States. "
            "The train split has two to ten examples. Instructions are worded by assay; with those of LegalBench's authors "
            "(instructions=…) the prompts of the five tasks of HELM Lite are HELM's. Included are the tasks whose answer is a "
            "label; not included are those whose options stand in no column (maud), and those that list or extract things."
        ),
    )


def _instance(row: Row, task: Task) -> Draft:
    asked = "\n".join(f"{name}: {row[column]}" for name, column in task.fields)
    answer = str(row["answer"]).strip()
    if answer not in task.labels:
        raise ValueError(f"the answer {answer!r} is none of {', '.join(task.labels)}")
    subgroups = {task.slice: str(row[task.slice])} if task.slice else {}
    return choice(asked, task.labels, correct=task.labels.index(answer), subgroups=subgroups)

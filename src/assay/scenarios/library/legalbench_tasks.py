"""The tasks of LegalBench: what each asks, in our words, of which columns, and which labels answer it."""

from __future__ import annotations

from dataclasses import dataclass

YES_NO = ("Yes", "No")


@dataclass(frozen=True)
class Task:
    """How one task is asked."""

    instructions: str
    fields: tuple[tuple[str, str], ...] = (("Text", "text"),)
    """(what the prompt calls it, its column), in order."""
    noun: str = "Answer"
    """What stands before the label."""
    labels: tuple[str, ...] = YES_NO
    slice: str = ""
    """The column of a subgroup."""


def task_named(name: str) -> Task:
    """The task of a name: one that is worded on its own, or one of a family whose names tell what is asked."""
    if name in SINGLE:
        return SINGLE[name]
    prefix = next(prefix for prefix in FAMILIES if name.startswith(prefix))
    topic = name.removeprefix(prefix)
    noun, asked = FAMILIES[prefix]
    words = TOPICS.get(topic, topic.replace("_", " "))
    return Task(f"{asked.format(words)} Answer Yes or No.", ((noun, "text"),))


FAMILIES = {
    "contract_nli_": ("Clause", "Does the clause of a non-disclosure agreement say that {}?"),
    "cuad_": ("Clause", "Is the clause of a contract about this: {}?"),
    "learned_hands_": ("Post", "Does the post raise a legal question of this kind: {}?"),
    "opp115_": ("Clause", "Is the clause of a privacy policy about this: {}?"),
    "supply_chain_disclosure_best_practice_": ("Statement", "Does the statement show the good practice that the company {}?"),
    "supply_chain_disclosure_disclosed_": ("Statement", "Does the statement tell to what extent the company {}?"),
}
"""For each family: what its text is called, and the question, with a place for the topic."""

TOPICS = {
    "confidentiality_of_agreement": "the receiving party may not disclose that the agreement was made or negotiated",
    "explicit_identification": "the disclosing party must mark all confidential information as such",
    "inclusion_of_verbally_conveyed_information": "what is said aloud may be confidential information too",
    "limited_use": "the receiving party may use confidential information for the purposes of the agreement only",
    "no_licensing": "the receiving party is granted no right to the confidential information",
    "notice_on_compelled_disclosure": "the receiving party must give notice when the law compels it to disclose",
    "permissible_acquirement_of_similar_information": "the receiving party may obtain similar information from others",
    "permissible_copy": "the receiving party may copy some confidential information in some circumstances",
    "permissible_development_of_similar_information": "the receiving party may develop similar information on its own",
    "permissible_post-agreement_possession": "the receiving party may keep some confidential information after the end",
    "return_of_confidential_information": "the receiving party must return or destroy some information at the end",
    "sharing_with_employees": "the receiving party may share some confidential information with some of its employees",
    "sharing_with_third-parties": "the receiving party may share some confidential information with some third parties",
    "survival_of_obligations": "some obligations outlast the agreement",
    "affiliate_license-licensee": "a licence to affiliates of the licensee",
    "affiliate_license-licensor": "a licence of rights of the licensor's affiliates",
    "ip_ownership_assignment": "one party's intellectual property becomes the other's",
    "joint_ip_ownership": "joint ownership of intellectual property",
    "notice_period_to_terminate_renewal": "the notice needed to end a renewal",
    "post-termination_services": "services after the contract has ended",
    "revenue-profit_sharing": "sharing of revenue or profit",
    "rofr-rofo-rofn": "a right of first refusal, first offer or first negotiation",
    "unlimited-all-you-can-eat-license": "a licence for unlimited use",
    "benefits": "public benefits and social services",
    "business": "running a business or a non-profit organisation",
    "consumer": "debts, purchases, insurance and fraud",
    "courts": "how to deal with courts and lawyers",
    "divorce": "divorce, separation and alimony",
    "estates": "wills, inheritance and guardianship",
    "family": "adoption, custody and child support",
    "housing": "tenancy, mortgages and neighbours",
    "torts": "injuries, defamation and damage to property",
    "traffic": "traffic tickets, licences and cars",
    "first_party_collection_use": "how and why the service collects information of its users",
    "third_party_sharing_collection": "how information is shared with, or collected by, third parties",
    "international_and_specific_audiences": "particular groups, such as children or residents of a region",
    "policy_change": "whether and how users learn of changes to the policy",
    "user_access,_edit_and_deletion": "whether and how users can see, change or delete their information",
    "user_choice_control": "choices that users have",
    "accountability": "holds employees and contractors to standards against slavery and trafficking",
    "audits": "audits its suppliers for compliance with standards against slavery and trafficking",
    "certification": "has its suppliers certify that their materials comply with the laws against slavery and trafficking",
    "training": "trains the people responsible for its supply chain on slavery and trafficking",
    "verification": "verifies its supply chain to find risks of slavery and trafficking",
}

DIVERSITY = Task(
    "Federal courts of the United States have diversity jurisdiction where the plaintiff and the defendant are citizens of "
    "different states and the amount in controversy exceeds $75,000. Is there diversity jurisdiction? Answer Yes or No.",
    (("Facts", "text"),),
)

SINGLE: dict[str, Task] = {
    "abercrombie": Task(
        "A mark is generic if it is the common name of the product, descriptive if it describes a purpose or quality of it, "
        "suggestive if it only hints at one, arbitrary if it is a real word that has nothing to do with the product, and "
        "fanciful if it is an invented word. Name the type of the mark.",
        (("Description", "text"),),
        "Type",
        ("generic", "descriptive", "suggestive", "arbitrary", "fanciful"),
    ),
    "canada_tax_court_outcomes": Task(
        "Was the appeal to the Tax Court of Canada allowed or dismissed, or is the outcome another or unclear?",
        labels=("allowed", "dismissed", "other"),
        noun="Outcome",
    ),
    "citation_prediction_classification": Task(
        "Can the case be cited in support of the text? Answer Yes or No.", (("Text", "text"), ("Citation", "citation"))
    ),
    "consumer_contracts_qa": Task(
        "Answer the question about the terms of service with Yes or No.", (("Contract", "contract"), ("Question", "question"))
    ),
    "contract_qa": Task(
        "Answer the question about the clause with Yes or No.", (("Contract clause", "text"), ("Question", "question"))
    ),
    "corporate_lobbying": Task(
        "You watch the bills of Congress for a company. From the title and summary of a bill and what the company says of its "
        "business, judge whether the bill is at least somewhat relevant to the company, in that it could change its profits "
        "if it became law. Answer Yes or No.",
        (
            ("Official title of bill", "bill_title"),
            ("Official summary of bill", "bill_summary"),
            ("Company name", "company_name"),
            ("Company business description", "company_description"),
        ),
        "Label",
    ),
    "definition_classification": Task("Does the sentence define a term? Answer Yes or No.", (("Sentence", "text"),)),
    **{f"diversity_{number}": DIVERSITY for number in range(1, 7)},
    "function_of_decision_section": Task(
        "Name the function of the paragraph of a decision. Facts: what happened before the suit. Procedural History: the "
        "course of the suit until now. Issue: a question the court must answer. Rule: a rule of law that matters for it. "
        "Analysis: the rule applied to the facts. Conclusion: what the court concludes. Decree: what the court orders.",
        (("Text", "Paragraph"),),
        "Function",
        ("Facts", "Procedural History", "Issue", "Rule", "Analysis", "Conclusion", "Decree"),
    ),
    "hearsay": Task(
        "Hearsay is a statement made out of court that is offered to prove what it asserts. Is the evidence hearsay? Answer "
        "Yes or No.",
        (("Evidence", "text"),),
        slice="slice",
    ),
    "insurance_policy_interpretation": Task(
        "Does the policy cover the claim? Answer A for yes, B for no, C where it is ambiguous.",
        (("Policy", "policy"), ("Claim", "claim")),
        labels=("A", "B", "C"),
    ),
    "international_citizenship_questions": Task(
        "Answer by the law as it was on 1 January 2020. Answer Yes or No.", (("Question", "question"),)
    ),
    "jcrew_blocker": Task(
        "A J.Crew blocker keeps a borrower's important intellectual property from being moved out of the lenders' reach. Is "
        "the provision of a loan agreement one? Answer Yes or No.",
        (("Provision", "text"),),
    ),
    "legal_reasoning_causality": Task(
        "Does the passage of a decision rely on statistical evidence when it reasons about causes? Answer Yes or No."
    ),
    "nys_judicial_ethics": Task(
        "Answer the question of a judge by the rules on judicial conduct of the State of New York. Answer Yes or No.",
        (("Question", "question"),),
        slice="year",
    ),
    "overruling": Task("Does the sentence overrule an earlier case? Answer Yes or No.", (("Sentence", "text"),)),
    "personal_jurisdiction": Task(
        "A court has personal jurisdiction over a defendant who lives in its state, or who has enough contacts with the state "
        "from which the claim arises. Does the court of the state where the suit is brought have it? Answer Yes or No.",
        (("Facts", "text"),),
        slice="slice",
    ),
    "privacy_policy_entailment": Task(
        "Is the description of the clause of a privacy policy correct? Answer Correct or Incorrect.",
        (("Clause", "text"), ("Description", "description")),
        labels=("Correct", "Incorrect"),
    ),
    "privacy_policy_qa": Task(
        "Does the clause of a privacy policy help to answer the question? Answer Relevant or Irrelevant.",
        (("Clause", "text"), ("Question", "question")),
        labels=("Relevant", "Irrelevant"),
    ),
    "proa": Task(
        "A statute has a private right of action where it lets a private person enforce their rights under it in court. Does "
        "the clause give one? Answer Yes or No.",
        (("Statute", "text"),),
    ),
    "sara_entailment": Task(
        "Does the statement follow from the statute and the description of a case, or do they contradict it? Answer Entailment "
        "or Contradiction.",
        (("Statute", "statute"), ("Description", "description"), ("Statement", "question")),
        labels=("Entailment", "Contradiction"),
    ),
    "textualism_tool_dictionaries": Task(
        "Does the paragraph of a decision use a dictionary to find the meaning of a statute? Answer Yes or No.",
        (("Paragraph", "text"),),
    ),
    "textualism_tool_plain": Task(
        "Does the paragraph of a decision rely on the plain or ordinary meaning of a statute? Answer Yes or No.",
        (("Paragraph", "text"),),
    ),
    "ucc_v_common_law": Task(
        "The Uniform Commercial Code governs contracts for the sale of goods, common law those for services and real estate. "
        "Which governs the contract? Answer UCC or Common Law.",
        (("Contract", "contract"),),
        "Governed by",
        ("UCC", "Common Law"),
    ),
}

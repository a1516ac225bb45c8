"""The eleven tasks of RAFT: what each asks, in our words, of which columns, and its labels in the order of the data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """How one task is asked."""

    asked: str
    columns: tuple[str, ...]
    """The columns that are shown, in order."""
    labels: tuple[str, ...]

    @property
    def instructions(self) -> str:
        """What is asked, and the labels where they are few enough to be read."""
        listed = "" if len(self.labels) > FEW else "\n" + "\n".join(f"- {label}" for label in self.labels)
        return f"{self.asked}{listed}\n"


FEW = 10
"""Labels that are listed, at most: those of banking_77 show in its examples only, as HELM has it."""

BANKING = (
    "Refund_not_showing_up", "activate_my_card", "age_limit", "apple_pay_or_google_pay", "atm_support", "automatic_top_up",
    "balance_not_updated_after_bank_transfer", "balance_not_updated_after_cheque_or_cash_deposit", "beneficiary_not_allowed",
    "cancel_transfer", "card_about_to_expire", "card_acceptance", "card_arrival", "card_delivery_estimate", "card_linking",
    "card_not_working", "card_payment_fee_charged", "card_payment_not_recognised", "card_payment_wrong_exchange_rate",
    "card_swallowed", "cash_withdrawal_charge", "cash_withdrawal_not_recognised", "change_pin", "compromised_card",
    "contactless_not_working", "country_support", "declined_card_payment", "declined_cash_withdrawal", "declined_transfer",
    "direct_debit_payment_not_recognised", "disposable_card_limits", "edit_personal_details", "exchange_charge",
    "exchange_rate", "exchange_via_app", "extra_charge_on_statement", "failed_transfer", "fiat_currency_support",
    "get_disposable_virtual_card", "get_physical_card", "getting_spare_card", "getting_virtual_card", "lost_or_stolen_card",
    "lost_or_stolen_phone", "order_physical_card", "passcode_forgotten", "pending_card_payment", "pending_cash_withdrawal",
    "pending_top_up", "pending_transfer", "pin_blocked", "receiving_money", "request_refund", "reverted_card_payment?",
    "supported_cards_and_currencies", "terminate_account", "top_up_by_bank_transfer_charge", "top_up_by_card_charge",
    "top_up_by_cash_or_cheque", "top_up_failed", "top_up_limits", "top_up_reverted", "topping_up_by_card",
    "transaction_charged_twice", "transfer_fee_charged", "transfer_into_account", "transfer_not_received_by_recipient",
    "transfer_timing", "unable_to_verify_identity", "verify_my_identity", "verify_source_of_funds", "verify_top_up",
    "virtual_card_not_working", "visa_or_mastercard", "why_verify_identity", "wrong_amount_of_cash_received",
    "wrong_exchange_rate_for_cash_withdrawal",
)  # fmt: skip
"""What customers of a bank want, by the names and in the order of the data."""

TASKS = {
    "ade_corpus_v2": Task(
        "Does the sentence, from a medical case report, say that a drug had an adverse effect? Label it.",
        ("Sentence",),
        ("ADE-related", "not ADE-related"),
    ),
    "banking_77": Task(
        "A customer of a bank wrote the query. Label it with what the customer wants.",
        ("Query",),
        BANKING,
    ),
    "neurips_impact_statement_risks": Task(
        "Does the statement, from a paper on machine learning, mention a way in which the work could be used to do harm?",
        ("Impact statement", "Paper title"),
        ("doesn't mention a harmful application", "mentions a harmful application"),
    ),
    "one_stop_english": Task(
        "The article was written for people who learn English. Label the level it was written for.",
        ("Article",),
        ("advanced", "elementary", "intermediate"),
    ),
    "overruling": Task(
        "In law, a sentence overrules if it sets aside what an earlier case decided. Label the sentence.",
        ("Sentence",),
        ("not overruling", "overruling"),
    ),
    "semiconductor_org_types": Task(
        "The organization contributed a paper to a conference on semiconductors. Label what kind of organization it is.",
        ("Organization name", "Paper title"),
        ("company", "research institute", "university"),
    ),
    "systematic_review_inclusion": Task(
        "A review collects experiments that studied how donors can be moved to give more to charity. Is this paper to be "
        "included?",
        ("Title", "Abstract", "Journal"),
        ("included", "not included"),
    ),
    "tai_safety_research": Task(
        "Is this a piece of research on the safety of transformative artificial intelligence? Other research on artificial "
        "intelligence does not count.",
        ("Title", "Abstract Note", "Publication Title", "Item Type", "Publication Year"),
        ("TAI safety research", "not TAI safety research"),
    ),
    "terms_of_service": Task(
        "Could the sentence, from the terms of an online service, be unfair to consumers by the law of the European Union?",
        ("Sentence",),
        ("not potentially unfair", "potentially unfair"),
    ),
    "tweet_eval_hate": Task(
        "Is the tweet hate speech against immigrants or women?",
        ("Tweet",),
        ("hate speech", "not hate speech"),
    ),
    "twitter_complaints": Task(
        "Does the tweet complain to, or about, a company or other organization?",
        ("Tweet text",),
        ("complaint", "no complaint"),
    ),
}

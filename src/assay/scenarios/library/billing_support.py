"""Billing enquiries of a fictional supplier: cases written for assay, to choose a model for a customer-support assistant."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import File

ACTIONS = ("refund", "explain", "cancel", "dispute", "human")

INSTRUCTIONS = """\
You sort messages about bills of Halden Energy & Mobile. Answer with one word:
refund: we took money that we admit or plainly owe, give it back
explain: the customer wants to understand a bill, tariff or date
cancel: the customer wants to end a contract, add-on or payment plan
dispute: the customer says that a charge is wrong and wants it examined
human: hardship, bereavement, threats, fraud or a wish to speak to a person
"""


@scenario
def billing_support() -> Scenario:
    """Messages to a supplier of electricity and mobile telephony, each to be sorted into one of five actions.

    Some cases are ambiguous on purpose and accept two actions. Subgroups say where the customer lives, how they write, and
    whether the case is ambiguous, so that a model that serves plain English best shows it.

        Customer: You took my June payment twice, the bank shows both. Please send one back.
        Action: refund
    """
    return Scenario(
        source=File(Path(str(files("assay"))) / "data" / "billing_support.jsonl", split_column="split"),
        instance=_instance,
        prompting=Generation(
            shots=10,
            instructions=INSTRUCTIONS,
            input_prefix="Customer: ",
            output_prefix="Action: ",
            max_tokens=5,
            stop=("\n",),
        ),
        main_metric="exact_match",
        metrics=("quasi_exact_match", "prefix_exact_match"),
        taxonomy=Taxonomy(task="customer support", what="billing enquiries", who="customers of a supplier", when="2020s"),
        licence="Apache-2.0",
        notes=(
            "Written for assay and published with it: fine for choosing between today's models, weak evidence about "
            "models trained on this repository. All customers, amounts and the supplier are invented. With 72 cases, a "
            "difference between two models of less than about fifteen points can be chance."
        ),
    )


def _instance(row: Row) -> Draft:
    accepted = row["accepted"]
    return choice(
        row["message"],
        ACTIONS,
        correct=[ACTIONS.index(action) for action in accepted],
        id=row["id"],
        subgroups={
            "region": row["region"],
            "style": row["style"],
            "ambiguity": "ambiguous" if len(accepted) > 1 else "clear",
        },
    )

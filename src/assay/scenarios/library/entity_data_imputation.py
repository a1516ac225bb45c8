"""Data imputation: Capturing Semantics for Imputation with Pre-trained Language Models (Mei et al., ICDE 2021)."""

from __future__ import annotations

from typing import Literal

from assay.errors import AssayError
from assay.identity import digest
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.library.entity_matching import described
from assay.scenarios.sources import File, Filtered, HeldOut

COLUMNS = {"Buy": "manufacturer", "Restaurant": "city"}
"""The column that is asked for in each of the paper's data sets."""


@scenario
def entity_data_imputation(path: str, dataset: Literal["Buy", "Restaurant", "own"] = "Buy", column: str = "") -> Scenario:
    """A record with one value missing: what is it?

    Give the records as a file at `path`, a table with a header in UTF-8: for Buy the Buy.csv of
    https://dbs.uni-leipzig.de/file/Abt-Buy.zip, for Restaurant the table of https://www.cs.utexas.edu/~ml/riddle/data.html with
    the columns name, addr, city, phone and type. Any table of your own will do: `dataset=own,column=NAME`.

        What is the missing value?

        name: Fjordlight desk lamp. description: LED, brass, dimmable. price: $49.00. manufacturer?
        Answer: Fjordlight
    """
    asked = column or COLUMNS.get(dataset, "")
    if not asked:
        raise AssayError("entity_data_imputation:dataset=own does not say what is asked for", "name the column: column=NAME")
    return Scenario(
        source=HeldOut(
            Filtered(File(path), keep=lambda row: _complete(row, asked, dataset)),
            name=f"entity_data_imputation {dataset}",
            group=lambda row: digest(dict(row)),
            share=0.9,
        ),
        instance=lambda row: _instance(row, asked),
        prompting=Generation(
            instructions="What is the missing value?\n",
            input_prefix="",
            output_prefix="Answer: ",
            max_tokens=5,
            stop=("\n",),
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "f1_score"),
        taxonomy=Taxonomy(task="data imputation", what=f"{asked} of records", who="shops and guides"),
        licence="none stated; the records are those of a shop and a restaurant guide",
        paper="https://doi.org/10.1109/ICDE51399.2021.00013",
        notes=(
            "Needs a file of your own. Nine tenths of the records, chosen by digest, are kept for examples and one tenth is "
            "asked, as in HELM, which chooses others. Often the value stands in another column, as the maker's name does in "
            "the product's. For Buy, records without a description are left out."
        ),
    )


def _complete(row: Row, asked: str, dataset: str) -> bool:
    if asked not in row:
        raise AssayError(f"the records have no column {asked!r}", "column=NAME names one of " + ", ".join(row))
    needed = (asked, "description") if dataset == "Buy" and "description" in row else (asked,)
    return all(str(row[name] or "").strip() for name in needed)


def _instance(row: Row, asked: str) -> Draft:
    known = {name: value for name, value in row.items() if name not in (asked, "id")}
    return question(f"{described(known)}. {asked}?", str(row[asked]).strip())

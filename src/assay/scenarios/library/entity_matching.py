"""Entity matching: Deep Learning for Entity Matching (Mudgal et al., SIGMOD 2018), the DeepMatcher data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from assay.errors import AssayError
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, Source, choice, scenario
from assay.scenarios.sources import File, Hub, Linked

Dataset = Literal[
    "Abt_Buy", "Amazon_Google", "Beer", "Company", "DBLP_ACM", "DBLP_GoogleScholar", "Dirty_DBLP_ACM",
    "Dirty_DBLP_GoogleScholar", "Dirty_Walmart_Amazon", "Dirty_iTunes_Amazon", "Fodors_Zagats", "Walmart_Amazon",
    "iTunes_Amazon",
]  # fmt: skip
REPOSITORIES = {
    "Abt_Buy": "matchbench/Abt-Buy",
    "Amazon_Google": "matchbench/Amazon-Google",
    "DBLP_ACM": "matchbench/DBLP-ACM",
    "Walmart_Amazon": "matchbench/Walmart-Amazon",
}
"""Data sets that somebody put on the hub."""
SIDES = ("ltable_id", "rtable_id")


@scenario
def entity_matching(dataset: Dataset = "Abt_Buy", path: str = "") -> Scenario:
    """Two records of different catalogues: are they the same product, paper or place?

    Four of the data sets are on the hub. For the others give the folder that an archive of
    https://github.com/anhaidgroup/deepmatcher/blob/master/Datasets.md unpacks to (`exp_data`, with tableA.csv, tableB.csv,
    train.csv, valid.csv and test.csv) as `path`.

        Are Product A and Product B the same? Yes or No?

        Product A is name: Fjord Amber Ale. brewery: Halden. abv: 4.7 %. Product B is name: Amber Ale. brewery: Halden Bryggeri.
        abv: 4.7. Are A and B the same?
        Answer: Yes
    """
    return Scenario(
        source=_source(dataset, path),
        instance=_instance,
        prompting=Generation(
            instructions="Are Product A and Product B the same? Yes or No?\n",
            input_prefix="",
            output_prefix="Answer: ",
            max_tokens=5,
            stop=("\n",),
        ),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "classification_macro_f1"),
        taxonomy=Taxonomy(task="entity matching", what=f"records of {dataset}", who="shops and libraries", when="before 2018"),
        licence="none stated; the records are those of shops and libraries",
        paper="https://doi.org/10.1145/3183713.3196926",
        notes=(
            "Public since 2018 with answers. Only about a tenth of the pairs match, so that always saying No scores 0.9: look "
            "at classification_macro_f1; its authors give the F1 of Yes. HELM asks Beer, Abt_Buy and Dirty_iTunes_Amazon from "
            "archives at an address that is often out of reach; those on the hub are copies by others, read at their newest "
            "commit, which the run records: no commit is pinned here. Empty values are shown as `nan`, as HELM shows them."
        ),
    )


def _source(dataset: str, path: str) -> Source:
    tables = dict(zip(SIDES, ("tableA.csv", "tableB.csv"), strict=True))
    if path:
        folder = Path(path)
        pairs = File(train=folder / "train.csv", valid=folder / "valid.csv", test=folder / "test.csv")
        return Linked(pairs, {side: File(folder / name) for side, name in tables.items()})
    repo = REPOSITORIES.get(dataset)
    if repo is None:
        raise AssayError(
            f"entity_matching:dataset={dataset} needs its files",
            f"give path=FOLDER with the unpacked archive, or one of {', '.join(REPOSITORIES)}, which are on the hub",
        )
    hub = Hub(repo, revision="main", train="train.csv", valid="valid.csv", test="test.csv")
    return Linked(hub, {side: Hub(repo, revision="main", test=name) for side, name in tables.items()})


def _instance(row: Row) -> Draft:
    one, other = (described(row[side]) for side in SIDES)
    return choice(
        f"Product A is {one}. Product B is {other}. Are A and B the same?",
        ("No", "Yes"),
        correct=int(row["label"]),
    )


def described(record: Row, without: str = "id") -> str:
    """A record as `column: value. column: value`."""
    return ". ".join(f"{column}: {value or 'nan'}".strip() for column, value in record.items() if column != without)

"""MS MARCO: A Human Generated MAchine Reading COmprehension Dataset (Bajaj et al., 2016), and the TREC Deep Learning track."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from assay.errors import AssayError
from assay.prompting import RankingBinary
from assay.records import Reference, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, Source, scenario
from assay.scenarios.sources import File, Hub

Track = Literal["regular", "trec"]


@scenario
def msmarco(track: Track = "regular", path: str = "", valid_topk: int = 30) -> Scenario:
    """Passages to be ranked by how well they answer a query of a search engine, each judged by itself.

    `regular` ranks the passages that the search engine itself had found. `trec`, and any ranking of your own, reads a file at
    `path`: rows with `query` and `passages`, a list of objects with `text` and `relevance` (0 to 3; 2 and more is relevant),
    the best candidates first, of which `valid_topk` are ranked; `split` says train, valid or test.

        Passage: Cats sleep for twelve to sixteen hours a day.
        Query: how long do cats sleep
        Does the passage answer the query?
        Answer: Yes
    """
    if track == "trec" and not path:
        raise AssayError("msmarco:track=trec needs a file", "give path=FILE with its judged passages, or track=regular")
    return Scenario(
        source=_source(path),
        instance=_reader(valid_topk),
        prompting=RankingBinary(),
        main_metric="ndcg@10" if track == "trec" else "reciprocal_rank@10",
        metrics=("reciprocal_rank@10", "ndcg@10", "recall@10", "success@10", "success@5"),
        taxonomy=Taxonomy(task="information retrieval", what="web pages", who="web users", when="2016"),
        licence="MS MARCO terms (non-commercial research)",
        paper="https://arxiv.org/abs/1611.09268",
        notes=(
            "Public since 2016. HELM ranks BM25's best passages of the whole collection, from files that are gone; here "
            "about eight passages a query come from the data themselves, so the task is easier and numbers do not compare. "
            "One passage of a query is usually marked, though others may answer it too. Queries none of whose passages is "
            "relevant are left out. The grades of TREC become relevant or not; HELM's NDCG uses the grades. One request a "
            "passage."
        ),
    )


def _source(path: str) -> Source:
    if path:
        return File(path, split_column="split")
    return Hub(
        "microsoft/ms_marco",
        revision="a47ee7aae8d7d466ba15f9f0bfac3b3681087b3a",
        train="v1.1/train-*.parquet",
        valid="v1.1/validation-*.parquet",
    )


def _reader(most: int) -> Callable[[Row], Draft | None]:
    def instance(row: Row) -> Draft | None:
        found = row["passages"]
        if isinstance(found, list):
            judged = [(passage["text"], float(passage["relevance"]) >= 2) for passage in found]
        else:
            judged = [(text, bool(chosen)) for text, chosen in zip(found["passage_text"], found["is_selected"], strict=True)]
        references = tuple(Reference(text=text, correct=relevant) for text, relevant in judged[:most] if text.strip())
        if not any(reference.correct for reference in references):
            return None
        return Draft(input=row["query"].strip(), references=references)

    return instance

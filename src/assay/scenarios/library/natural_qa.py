"""Natural Questions: A Benchmark for Question Answering Research (Kwiatkowski et al., TACL 2019)."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub

Mode = Literal["closedbook", "openbook_longans", "openbook_wiki"]
TAG = re.compile(r"<[^>]*>")


@scenario
def natural_qa(mode: Mode) -> Scenario:
    """Questions typed into a search engine that an article of Wikipedia answers in a few words.

    Asked from memory (`closedbook`), or with the paragraph that holds the answer (`openbook_longans`), or with the whole
    article (`openbook_wiki`):

        Passage: The tower was finished in 1889 and was the tallest building of the world for 41 years.

        Question: When was the tower finished?
        Answer: 1889
    """
    return Scenario(
        source=Hub(
            "google-research-datasets/natural_questions",
            revision="e8103d566bef4154c2c12b17c6095ec5275840cc",
            train="dev/validation-00000-of-*.parquet",
            valid=("dev/validation-0000[1-9]-of-*.parquet", "dev/validation-*.parquet"),
        ),
        instance=_reader(mode),
        prompting=Generation(
            input_prefix="Question: " if mode == "closedbook" else "",
            output_prefix="Answer: ",
            max_tokens=300,
            stop=("\n",),
        ),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match", "helm_f1_score"),
        taxonomy=Taxonomy(task="question answering", what="articles of Wikipedia", who="web users", when="before 2018"),
        licence="CC-BY-SA-3.0",
        paper="https://aclanthology.org/Q19-1026/",
        notes=(
            "Published in January 2019 with answers, which hold for the Wikipedia of 2018. The development set is used, "
            "3.5 GB of articles that are fetched whatever the mode (`nq_open` asks without them): examples come from its "
            "first file and questions from the other six, where HELM alternates row by row. Questions without a short "
            "answer are left out; the passage is that of the first annotator who gave one, where HELM picks at random, and "
            "all annotators' short answers are accepted. An article is longer than most windows: its middle is cut then."
        ),
    )


def _reader(mode: Mode) -> Callable[[Row], Draft | None]:
    def instance(row: Row) -> Draft | None:
        page = row["document"]["html"].encode()
        short = row["annotations"]["short_answers"]
        answers = [text for given in short for text in _pieces(page, given["start_byte"], given["end_byte"])]
        if not answers:
            return None
        asked = f"{row['question']['text'].strip().rstrip('?').capitalize()}?"
        if mode == "openbook_longans":
            first = next(place for place, given in enumerate(short) if given["start_byte"])
            long = row["annotations"]["long_answer"][first]
            passage = "".join(_pieces(page, [long["start_byte"]], [long["end_byte"]]))
            asked = f"Passage: {passage}\n\nQuestion: {asked}"
        elif mode == "openbook_wiki":
            article = " ".join(_plain(token) for token in _words(row["document"]["tokens"]))
            asked = f"Title: {row['document']['title']}\n\nPassage: {article}\n\nQuestion: {asked}"
        return question(asked, *dict.fromkeys(answers), id=str(row["id"]))

    return instance


def _pieces(page: bytes, starts: list[int], ends: list[int]) -> list[str]:
    """The text of pieces of a page, given by their first bytes and the bytes after their last; empty ones left out."""
    texts = [_plain(page[start:end].decode("utf-8", "replace")) for start, end in zip(starts, ends, strict=True)]
    return [text for text in texts if text]


def _plain(markup: str) -> str:
    """The text of a piece of HTML on one line."""
    return " ".join(html.unescape(TAG.sub("", markup)).split())


def _words(tokens: Row) -> list[str]:
    return [token for token, markup in zip(tokens["token"], tokens["is_html"], strict=True) if not markup]

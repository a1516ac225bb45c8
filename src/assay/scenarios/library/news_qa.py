"""NewsQA: A Machine Comprehension Dataset (Trischler et al., 2017)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import File, Unfolded

NO_ANSWER = "No Answer"


@scenario
def news_qa(path: str) -> Scenario:
    """Questions about news articles of CNN, written by people who had seen only headline and summary.

    The data may not be passed on. Build `combined-newsqa-data-v1.json` with the authors' tools
    (https://github.com/Maluuba/newsqa), write its stories one a line (`jq -c '.data[]'`) and give that file as `path`: objects
    with `text`, `type` (train, dev or test) and `questions` (`q`, and the `consensus` of the annotators).

        Passage: (CNN) -- The ferry between the islands will stop in winter, the council said on Monday.
        Question: Who said that the ferry will stop?
        Answer: the council
    """
    return Scenario(
        source=Unfolded(File(path, split_column="type"), _questions),
        instance=_instance,
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=50, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match", "helm_f1_score"),
        taxonomy=Taxonomy(task="question answering", what="news", who="crowd workers", when="2007 to 2015"),
        licence="MSR NewsQA licence (research use; articles of CNN)",
        paper="https://arxiv.org/abs/1611.09830",
        notes=(
            "Needs a file of your own. The validation (dev) and test stories are asked; questions that the annotators "
            f"called bad or could not agree on are left out, and those without an answer expect {NO_ANSWER!r}. Questions "
            "about one story are one cluster. Public since 2016; the articles are in most training data."
        ),
    )


def _questions(story: Row) -> Iterator[dict[str, Any]]:
    for asked in story["questions"]:
        agreed = asked.get("consensus") or {}
        if agreed.get("noAnswer"):
            yield {"story": story, "question": asked["q"], "answer": NO_ANSWER}
        elif "s" in agreed and "e" in agreed:
            yield {"story": story, "question": asked["q"], "answer": story["text"][agreed["s"] : agreed["e"]].strip()}


def _instance(row: Row) -> Draft | None:
    story, asked = row["story"], row["question"].strip().rstrip("?")
    if not row["answer"] or not asked:
        return None
    text = " ".join(story["text"].split())
    return question(f"{text}\nQuestion: {asked}?", " ".join(row["answer"].split()), group=str(story["storyId"]))

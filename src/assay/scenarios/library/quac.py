"""QuAC: Question Answering in Context (Choi et al., EMNLP 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from assay.identity import generator
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub, Unfolded

Turns = Literal["one", "all"]
NO_ANSWER = "CANNOTANSWER"
WAYS_TO_SAY_SO = ("Not enough information", "Cannot answer", "Do not know")
SHOWN = 2
"""Questions that stand with their answers before the one that is asked, at least."""


@scenario
def quac(turns: Turns = "one") -> Scenario:
    """Conversations about a section of Wikipedia: a question is answered after all that was said before it.

    `turns=all` asks every question of a conversation from the third on instead of one. Conversations are the independent
    units.

        Title: Halden

        Background: Halden is a town in the south of Norway.

        Section: The fortress
        Passage: Building began in 1661. The fortress was besieged six times and never taken.

        Question: When was it built?
        Answer: Building began in 1661.

        Question: Was it attacked?
        Answer: The fortress was besieged six times

        Question: Who took it?
        Answer: never taken.
    """
    return Scenario(
        source=Unfolded(
            Hub(
                "allenai/quac",
                revision="refs/convert/parquet",
                train=("plain_text/train-*.parquet", "plain_text/train/*.parquet"),
                valid=("plain_text/validation-*.parquet", "plain_text/validation/*.parquet"),
            ),
            _every_turn if turns == "all" else _one_turn,
        ),
        instance=_instance,
        prompting=Generation(input_prefix="", output_prefix="Answer: ", max_tokens=100, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match", "helm_f1_score"),
        taxonomy=Taxonomy(task="question answering", what="articles of Wikipedia", who="crowd workers", when="2018"),
        licence="MIT",
        paper="https://arxiv.org/abs/1808.07036",
        notes=(
            "Published in August 2018 with answers to the validation split, which is asked. The turn is picked at random, "
            "with at least two before it, once for all. HELM leaves out the turn just before the question, on which it "
            "often depends; here it is shown, so numbers are higher than HELM's. About a fifth of the questions have no "
            f"answer in the passage and expect {NO_ANSWER!r} (or one of {', '.join(WAYS_TO_SAY_SO)}). The authors' "
            "repository holds a loading script; the data are read from the hub's own conversion of it, at its newest "
            "commit, which the run records: no commit is pinned here."
        ),
    )


def _every_turn(row: Row) -> Iterator[dict[str, Any]]:
    for place in range(min(SHOWN, len(row["questions"]) - 1), len(row["questions"])):
        yield {**row, "turn": place}


def _one_turn(row: Row) -> Iterator[dict[str, Any]]:
    turns = list(_every_turn(row))
    yield generator("quac", row["dialogue_id"]).choice(turns)


def _instance(row: Row) -> Draft:
    asked, said = row["questions"], row["orig_answers"]["texts"]
    passage = row["context"].removesuffix(f" {NO_ANSWER}")
    before = "".join(f"Question: {asked[place]}\nAnswer: {said[place]}\n\n" for place in range(row["turn"]))
    text = (
        f"Title: {row['wikipedia_page_title']}\n\nBackground: {row['background']}\n\n"
        f"Section: {row['section_title']}\nPassage: {passage}\n\n{before}Question: {asked[row['turn']]}"
    )
    answers = list(dict.fromkeys(row["answers"]["texts"][row["turn"]]))
    if answers == [NO_ANSWER]:
        answers += WAYS_TO_SAY_SO
    return question(text, *answers, id=row["turn_ids"][row["turn"]], group=row["dialogue_id"])

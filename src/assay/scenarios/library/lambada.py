"""LAMBADA: Word prediction requiring a broad discourse context (Paperno et al., ACL 2016)."""

from __future__ import annotations

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub


@scenario
def lambada() -> Scenario:
    """Passages of novels whose last word people can tell from the whole passage, and not from its last sentence.

    The passage stands alone, and the model goes on:

        He had lost the key twice this week. "Look under the mat," she said, and indeed, there lay the [key]
    """
    return Scenario(
        source=Hub(
            "EleutherAI/lambada_openai",
            revision="900124bf3b8235c6daf21033af9948b3f07346c4",
            test=("data/lambada_test.jsonl", "data/lambada_test_en.jsonl", "data/test-*.parquet"),
        ),
        instance=_instance,
        prompting=Generation(shots=0, input_prefix="", input_suffix="", output_prefix=" ", max_tokens=8, stop=("\n",)),
        main_metric="first_word_match",
        taxonomy=Taxonomy(task="language modeling", what="last words of passages", who="authors of novels", when="before 2015"),
        licence="MIT",
        paper="https://arxiv.org/abs/1606.06031",
        notes=(
            "Published in June 2016; the novels are older and widely copied. In the spelling that OpenAI used for GPT-2, with "
            "capitals and usual punctuation. The first word that the model writes must be the right one, capitals included. "
            "Chat models seldom just go on; tell them to: instructions=…"
        ),
    )


def _instance(row: Row) -> Draft:
    before, _, last = row["text"].rstrip().rpartition(" ")
    if not before:
        raise ValueError("the passage has a single word")
    return question(before, last)

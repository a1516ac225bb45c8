"""SuperGLUE: A Stickier Benchmark for General-Purpose Language Understanding Systems (Wang et al., NeurIPS 2019)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from assay.identity import digest
from assay.prompting import Generation, MultipleChoiceSeparateOriginal
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Hub

Task = Literal["cb", "copa", "multirc", "rte", "wic", "wsc"]


@scenario
def super_glue(task: Task) -> Scenario:
    """Six tasks of understanding: entailment (cb, rte), causes (copa), reading (multirc), word senses (wic), pronouns (wsc).

    rte, and the others alike:

        Passage: The bridge was closed in May and pulled down in June.
        Question: The bridge still stands. True or False?
        Answer: False

    copa scores each option after the premise: The lamp was switched on so [the room became bright.]
    """
    what, instance = TASKS[task]
    return Scenario(
        source=Hub(
            "aps/super_glue",
            revision="3de24cf8022e94f4ee4b9d55a6f539891524d646",
            train=f"{task}/train-*.parquet",
            valid=f"{task}/validation-*.parquet",
        ),
        instance=instance,
        prompting=(
            MultipleChoiceSeparateOriginal()
            if task == "copa"
            else Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=5, stop=("\n",))
        ),
        main_metric="exact_match" if task == "copa" else "quasi_exact_match",
        metrics=() if task == "copa" else ("exact_match", "prefix_exact_match", "classification_macro_f1"),
        taxonomy=Taxonomy(task="language understanding", what=what, who="various authors", when="before 2019"),
        licence="per task (see the SuperGLUE card)",
        paper="https://arxiv.org/abs/1905.00537",
        notes=(
            "Published in May 2019 with answers to the validation splits, which are asked; the test answers are not public. "
            "cb has 56 questions, copa 100 and wsc 104: differences of ten points can be chance. The official score of multirc "
            "is F1 over all proposed answers; here each is a question of its own, and those of one paragraph are one cluster. "
            "boolq is a scenario of its own; record is not included."
        ),
    )


def _entailment(row: Row) -> Draft:
    return choice(f"{_claim(row)} True or False?", ("True", "False"), correct=row["label"])


def _three_way(row: Row) -> Draft:
    return choice(f"{_claim(row)} True, False or Neither?", ("True", "False", "Neither"), correct=row["label"])


def _claim(row: Row) -> str:
    return f"{row['premise']}\nQuestion: {row['hypothesis'].rstrip('. ')}."


def _cause(row: Row) -> Draft:
    link = {"cause": "because", "effect": "so"}[row["question"]]
    options = (_continued(row["choice1"]), _continued(row["choice2"]))
    return choice(f"{row['premise'].rstrip('. ')} {link}", options, correct=row["label"])


def _continued(sentence: str) -> str:
    """A sentence as the end of another: its first letter small, unless the word is I."""
    return (
        sentence
        if sentence.split(maxsplit=1)[0] in ("I", "I'm", "I'd", "I'll", "I've")
        else sentence[:1].lower() + sentence[1:]
    )


def _sense(row: Row) -> Draft:
    asked = f"Is the word '{row['word']}' used in the same sense in both sentences?"
    return _yes_no(f"{row['sentence1']}\n{row['sentence2']}\nQuestion: {asked}", row)


def _pronoun(row: Row) -> Draft:
    asked = f"In the passage, does the word '{row['span2_text']}' stand for '{row['span1_text']}'?"
    return _yes_no(f"{row['text']}\nQuestion: {asked}", row)


def _reading(row: Row) -> Draft:
    asked = f"Question: {row['question']}\nProposed answer: {row['answer']}\nIs the proposed answer right?"
    return choice(
        f"{row['paragraph']}\n{asked}",
        ("Yes", "No"),
        correct=1 - row["label"],
        group=digest(row["paragraph"])[:16],
    )


def _yes_no(asked: str, row: Row) -> Draft:
    return choice(asked, ("Yes", "No"), correct=1 - row["label"])


TASKS: dict[str, tuple[str, Callable[[Row], Draft]]] = {
    "cb": ("entailment in dialogues and news", _three_way),
    "copa": ("causes and effects", _cause),
    "multirc": ("reading comprehension", _reading),
    "rte": ("entailment in news", _entailment),
    "wic": ("word senses", _sense),
    "wsc": ("pronouns", _pronoun),
}

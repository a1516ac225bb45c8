"""GPQA: A Graduate-Level Google-Proof Q&A Benchmark (Rein et al., COLM 2024)."""

from __future__ import annotations

from typing import Literal

from assay.identity import generator
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.library.mmlu_pro import asking_expert
from assay.scenarios.sources import HeldOut, Hub

WRONG = ("Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


@scenario
def gpqa(
    subset: Literal["gpqa_main", "gpqa_diamond", "gpqa_extended"] = "gpqa_main",
    use_chain_of_thought: bool = True,
    use_few_shot: bool = False,
) -> Scenario:
    """Questions of biology, physics and chemistry that experts of another field cannot answer even with a search engine.

    What is the correct answer to this question: Which particle carries the strong interaction?
    Choices:
    (A) the photon
    (B) the gluon
    (C) the pion
    (D) the neutrino
    Let’s think step by step. Based on your reasoning, what is the single, most likely answer choice? Format your response …
    """
    return Scenario(
        source=HeldOut(
            Hub("Idavidrein/gpqa", revision="90b8e5be2b1d3d2dbfe016cdab47981150600c4a", test=f"{subset}.csv", gated=True),
            name=subset,
            group=lambda row: str(row["Question"]).strip(),
            share=0.0,
            least=5,
        ),
        instance=_instance,
        prompting=asking_expert(use_chain_of_thought, use_few_shot, "(A) "),
        main_metric="exact_match",
        metrics=("quasi_exact_match",),
        taxonomy=Taxonomy(task="question answering", what="natural sciences", who="doctoral researchers", when="2023"),
        licence="CC-BY-4.0",
        paper="https://arxiv.org/abs/2311.12022",
        notes=(
            "Gated: accept the terms of Idavidrein/gpqa on the hub once and set HF_TOKEN. Its authors ask not to publish the "
            "questions in plain text, and runs hold them. Published in November 2023; diamond (198 questions) is the subset "
            "most often quoted, main has 448, extended 546. The options are put into an order seeded by the question, since "
            "the data lists the right one first. Five questions, chosen by digest, are kept for examples and not asked; "
            "HELM keeps other ones. HELM leaves the temperature at 1; here it is 0."
        ),
    )


def _instance(row: Row) -> Draft:
    options = [row[column].strip() for column in ("Correct Answer", *WRONG)]
    asked = row["Question"].strip()
    order = generator("gpqa", "order of options", asked).sample(range(len(options)), len(options))
    return choice(
        asked,
        [options[index] for index in order],
        correct=order.index(0),
        subgroups={"field": row["High-level domain"]} if row.get("High-level domain") else {},
        worked=(row.get("Explanation") or "").strip(),
    )

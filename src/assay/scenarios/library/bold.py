"""BOLD: Dataset and Metrics for Measuring Biases in Open-Ended Language Generation (Dhamala et al., FAccT 2021)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import Hub, Unfolded

Subject = Literal["all", "gender", "political_ideology", "profession", "race", "religious_ideology"]
ABOUT = {
    "gender": "women and men",
    "political_ideology": "political ideologies",
    "profession": "professions",
    "race": "people of four ethnic groups",
    "religious_ideology": "faiths",
}


@scenario
def bold(subject: Subject = "all") -> Scenario:
    """Beginnings of Wikipedia's sentences about people, professions, ideologies and faiths: how does a model go on?

    Continuations are rated for toxicity, and their words about women and men and about family names are counted:

        Ada Lovelace was an English
    """
    name = "*" if subject == "all" else subject
    return Scenario(
        source=Unfolded(
            Hub(
                "AmazonScience/bold",
                revision="c6efd2b48ef4520096f8a09fca0dac947f40470b",
                test=(f"{name}_prompt_wiki.json", "data/train-*.parquet"),
            ),
            _beginnings(subject),
        ),
        instance=_instance,
        prompting=Generation(shots=0, input_prefix="", input_suffix="", output_prefix="", max_tokens=20, temperature=0.9),
        main_metric="toxic_fraction",
        metrics=(
            "expected_max_toxicity",
            "gender_representation",
            "race_representation",
            "gender_profession_association",
            "gender_adjective_association",
        ),
        taxonomy=Taxonomy(
            task="bias",
            what=f"continuations about {ABOUT.get(subject, 'people, professions and beliefs')}",
            who="authors of Wikipedia",
            when="before 2021",
        ),
        licence="CC-BY-SA-4.0",
        paper="https://arxiv.org/abs/2101.11718",
        notes=(
            "Published in January 2021; 23,679 beginnings, all from Wikipedia, on which models were trained: many go on as the "
            "article does. Compare the subgroups domain and category. The authors' measures of sentiment, regard and gender "
            "polarity are not among the metrics; HELM's edition measures only toxicity and bias. Models that only chat "
            "explain the beginning instead of going on."
        ),
    )


def _beginnings(subject: Subject) -> Callable[[Row], Iterator[dict[str, Any]]]:
    def parts(row: Row) -> Iterator[dict[str, Any]]:
        if subject in ("all", row["domain"]):
            # The hub's files hold the list as Python would print it.
            found = row["prompts"]
            for prompt in ast.literal_eval(found) if isinstance(found, str) else found:
                yield {**row, "prompt": prompt}

    return parts


def _instance(row: Row) -> Draft | None:
    beginning = row["prompt"].strip()
    return question(beginning, subgroups={"domain": row["domain"], "category": row["category"]}) if beginning else None

"""Capitals of countries: knowledge that even a very small model has some of, in data that comes with assay."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from assay.identity import generator
from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import File

CITIES = {
    "europe": (
        "Paris",
        "Berlin",
        "Rome",
        "Madrid",
        "Vienna",
        "Warsaw",
        "Athens",
        "Oslo",
        "Lisbon",
        "Dublin",
        "Prague",
        "Zurich",
    ),
    "asia": ("Tokyo", "Beijing", "Mumbai", "Bangkok", "Hanoi", "Jakarta", "Seoul", "Shanghai", "Karachi", "Istanbul", "Tehran"),
    "africa": ("Cairo", "Lagos", "Nairobi", "Accra", "Casablanca", "Johannesburg", "Dakar", "Harare", "Tripoli", "Kinshasa"),
    "americas": ("Toronto", "Havana", "Lima", "Santiago", "Caracas", "Rio de Janeiro", "Buenos Aires", "New York", "Quito"),
}
"""Large cities of each region, capitals or not, from which wrong options are drawn."""


@scenario
def capitals() -> Scenario:
    """The capital of a country, among four cities of its part of the world.

    Question: What is the capital of Norway?
    Answer: Oslo
    """
    return Scenario(
        source=File(Path(str(files("assay"))) / "data" / "capitals.jsonl", split_column="split"),
        instance=_instance,
        prompting=MultipleChoiceSeparateOriginal(
            shots=5, input_prefix="Question: ", input_suffix="\n", output_prefix="Answer: ", instance_prefix="\n\n"
        ),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="knowledge", what="geography", when="2020s"),
        licence="Apache-2.0",
        notes="Facts that stand in every encyclopaedia: a check of common knowledge, not of reasoning.",
    )


def _instance(row: Row) -> Draft:
    rng = generator("capitals", row["country"])
    wrong = rng.sample([city for city in CITIES[row["region"]] if city != row["capital"]], 3)
    place = rng.randrange(4)
    options = [*wrong[:place], row["capital"], *wrong[place:]]
    asked = f"What is the capital of {row['country']}?"
    return choice(asked, options, correct=place, id=row["country"], subgroups={"region": row["region"]})

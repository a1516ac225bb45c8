"""Numeracy: the value of an unknown polynomial at a new place, from its values at others (generated; after HELM)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from assay.identity import generator
from assay.prompting import Generation
from assay.records import Split, Taxonomy
from assay.scenarios.base import Row, Scenario, question, scenario
from assay.scenarios.sources import Generator

RelationType = Literal["linear", "parabola", "plane", "paraboloid"]
Mode = Literal["example", "standard", "function"]
Coefficients = tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """A class of polynomials: a x^degree of each variable, plus a constant."""

    variables: int
    degree: int
    least: int
    most: int
    """Bounds of each variable."""
    coefficients: tuple[tuple[int, int], ...]
    """Bounds of each variable's coefficient, then of the constant."""
    example: Coefficients
    """The polynomial of the mode `example`."""

    def value(self, coefficients: Coefficients, point: tuple[int, ...]) -> int:
        """The polynomial at a point."""
        return sum(c * int(x**self.degree) for c, x in zip(coefficients, point, strict=False)) + coefficients[-1]

    def drawn(self, rng: random.Random) -> Coefficients:
        """The coefficients of a polynomial of the class."""
        return tuple(rng.randint(low, high) for low, high in self.coefficients)

    def point(self, rng: random.Random) -> tuple[int, ...]:
        """A point at which it is evaluated; of two variables the smaller value stands first."""
        return tuple(sorted(rng.randint(self.least, self.most) for _ in range(self.variables)))


RELATIONS: dict[str, Relation] = {
    "linear": Relation(1, 1, -100, 100, ((1, 5), (1, 5)), (2, 5)),
    "parabola": Relation(1, 2, 0, 200, ((1, 2), (1, 5)), (1, 2)),
    "plane": Relation(2, 1, -10, 10, ((1, 5), (1, 5), (1, 5)), (2, 1, 5)),
    "paraboloid": Relation(2, 2, 0, 20, ((1, 2), (1, 2), (1, 5)), (2, 1, 2)),
}
SHOWN = 20
"""Values shown in a question of the mode `function`."""


@scenario
def numeracy(relation_type: RelationType = "linear", mode: Mode = "function", seed: int = 0) -> Scenario:
    """Values of a polynomial in one or two variables, from which its value at another place is to be found.

    x, y
    3, 11
    -1, 3
    10, 25
    4, 13

    The mode says which polynomial: `example` the same for everybody, `standard` one drawn by the seed, both shown by fifty
    examples; under `function` every question has its own, and shows twenty of its values itself.
    """
    relation = RELATIONS[relation_type]
    header = ", ".join("xyz"[: relation.variables + 1]) + "\n"
    name = f"numeracy_{relation_type}_{mode}_{seed}"
    if mode == "function":
        source = Generator(name, lambda rng, split: several(rng, relation, header), {"test": 500})
    else:
        fixed = relation.example if mode == "example" else relation.drawn(generator("numeracy", relation_type, seed))
        sizes: dict[Split, int] = {"test": 100, "train": 50}
        source = Generator(name, lambda rng, split: one(relation, fixed, relation.point(rng)), sizes)
    return Scenario(
        source=source,
        instance=lambda row: question(row["input"], row["target"]),
        prompting=Generation(
            shots=0 if mode == "function" else 50,
            instructions="" if mode == "function" else header,
            instance_prefix="",
            input_prefix="",
            input_suffix="",
            output_prefix=", ",
            max_tokens=20,
            stop=("\n",),
        ),
        version=2,
        main_metric="number_match",
        metrics=("exact_match", "absolute_value_difference"),
        taxonomy=Taxonomy(task="reasoning", what="induction of polynomials", who="generated", when="any", language="synthetic"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2211.09110",
        notes=(
            "Generated, so never published with answers. HELM breaks each example into two lines, leaves its mode function "
            "without a single question and lacks its distance metric; here an example is one line, and the distance is that "
            "between the numbers. Instances in the mode function are longer than they look: about 150 tokens."
        ),
    )


def one(relation: Relation, coefficients: Coefficients, point: tuple[int, ...]) -> Row:
    """A point and the polynomial's value there."""
    return {"input": ", ".join(map(str, point)), "target": str(relation.value(coefficients, point))}


def several(rng: random.Random, relation: Relation, header: str) -> Row:
    """Values of a polynomial of its own, and a point that is none of theirs."""
    coefficients = relation.drawn(rng)
    points: dict[tuple[int, ...], None] = {}
    while len(points) <= SHOWN:
        points.setdefault(relation.point(rng))
    *shown, asked = points
    lines = [f"{row['input']}, {row['target']}\n" for row in (one(relation, coefficients, point) for point in shown)]
    last = one(relation, coefficients, asked)
    return {"input": header + "".join(lines) + last["input"], "target": last["target"]}

"""Synthetic reasoning in natural language: what follows from rules and a fact (generated; after Clark et al. 2020)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from assay.prompting import Generation
from assay.records import Split, Taxonomy
from assay.scenarios.base import Row, Scenario, question, scenario
from assay.scenarios.sources import Generator

Difficulty = Literal["easy", "medium", "hard"]

SUBJECTS = {
    "a person": ("Amara", "Boris", "Chen", "Dilek", "Emil", "Fatima", "Goran", "Hanna"),
    "an animal": ("the badger", "the camel", "the donkey", "the falcon", "the goat", "the heron", "the lizard", "the seal"),
    "a plant": ("the birch", "the cactus", "the fern", "the lily", "the oak", "the thistle"),
}
"""Kinds of subjects, as a general rule names them, and the subjects of each kind."""
PRONOUNS = {"a person": "the person", "an animal": "the animal", "a plant": "the plant"}
ATTRIBUTES = {
    "angry": ("furious", "enraged"), "big": ("huge", "enormous"), "blue": ("azure", "navy"),
    "bright": ("radiant", "brilliant"), "calm": ("serene", "placid"), "clean": ("spotless", "immaculate"),
    "cold": ("icy", "frosty"), "dirty": ("filthy", "grimy"), "fast": ("swift", "speedy"), "green": ("emerald", "olive"),
    "happy": ("joyful", "merry"), "hot": ("scorching", "boiling"), "hungry": ("starving", "famished"),
    "loud": ("deafening", "noisy"), "old": ("ancient", "aged"), "quiet": ("silent", "mute"), "red": ("scarlet", "crimson"),
    "rich": ("wealthy", "affluent"), "round": ("circular", "spherical"), "sad": ("gloomy", "tearful"),
    "slow": ("sluggish", "plodding"), "small": ("tiny", "minute"), "strong": ("mighty", "muscular"),
    "weak": ("feeble", "frail"), "wet": ("soaked", "drenched"), "wise": ("clever", "sage"),
}  # fmt: skip
"""General attributes, and words that mean one of them in particular: icy things are cold, cold things need not be icy."""
RULES = 5
NOTHING = 0.1
"""Share of the questions from whose fact nothing follows, at most."""
SIZES: dict[Split, int] = {"test": 500, "train": 100}


@dataclass(frozen=True)
class Rule:
    """What has some attributes has another one."""

    subject: str
    conditions: tuple[str, ...]
    link: Literal["and", "or"]
    consequence: str

    def follows(self, attributes: set[str]) -> bool:
        """Whether it says something new of a thing with these attributes."""
        held = [condition in attributes for condition in self.conditions]
        return self.consequence not in attributes and (all(held) if self.link == "and" else any(held))

    def text(self) -> str:
        """The rule as a sentence."""
        again = PRONOUNS.get(self.subject, self.subject)
        return f"If {self.subject} is {f' {self.link} '.join(self.conditions)}, then {again} is {self.consequence}."


@scenario
def synthetic_reasoning_natural(difficulty: Difficulty = "easy") -> Scenario:
    """Rules of the kind if-then and a fact; say everything that follows in one step.

    Rules:
    If an animal is old or wet, then the animal is slow.
    If the goat is small, then the goat is fast.
    Fact:
    The goat is soaked and rich.
    The following can be determined about the goat:
    The goat is slow.

    Under easy, rules and fact name the same subject and attributes; under medium a rule may speak of a kind of subject; under
    hard, as here, the fact also uses more particular words than the rules.
    """
    return Scenario(
        source=Generator(f"synthetic_reasoning_natural_{difficulty}", lambda rng, split: deduction(rng, difficulty), SIZES),
        instance=lambda row: question(row["input"], row["target"]),
        prompting=Generation(
            shots=3,
            instructions="Please solve the following problem.\n",
            input_prefix="Rules:\n",
            output_prefix="",
            max_tokens=20,
            stop=("\n",),
        ),
        main_metric="f1_set_match",
        metrics=("iou_set_match", "exact_set_match"),
        taxonomy=Taxonomy(task="reasoning", what="deduction from rules", who="generated", when="any"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2002.05867",
        notes=(
            "Generated, so never published with answers. No rule's consequence is another's condition: one step is enough. "
            "At most a tenth of the facts lead to nothing, and the answer is then `Nothing.` HELM's task of the same name has "
            "other words and more questions; its difficulties mean the same."
        ),
    )


def deduction(rng: random.Random, difficulty: Difficulty) -> Row:
    """Rules, a fact and what follows: `input` and `target`, and `follows`, the attributes deduced."""
    kind = rng.choice(sorted(SUBJECTS))
    subject = rng.choice(SUBJECTS[kind])
    rules = _rules(rng, (subject,) if difficulty == "easy" else (subject, kind))
    nothing_will_do = rng.random() < NOTHING
    while True:
        attributes = rng.sample(sorted(ATTRIBUTES), 2)
        follows = [rule.consequence for rule in rules if rule.follows(set(attributes))]
        if follows or nothing_will_do:
            break
    told = [rng.choice(ATTRIBUTES[attribute]) for attribute in attributes] if difficulty == "hard" else attributes
    lines = [*(rule.text() for rule in rules), "Fact:", _sentence(subject, told)]
    return {
        "input": "\n".join([*lines, f"The following can be determined about {subject}:"]),
        "target": _sentence(subject, follows) if follows else "Nothing.",
        "follows": follows,
    }


def _rules(rng: random.Random, subjects: tuple[str, ...]) -> list[Rule]:
    """Rules that share no attribute, so that none contradicts another or adds to it."""
    unused = rng.sample(sorted(ATTRIBUTES), len(ATTRIBUTES))
    rules = []
    for _ in range(RULES):
        taken = [unused.pop() for _ in range(rng.randint(2, 3))]
        rules.append(Rule(rng.choice(subjects), tuple(taken[:-1]), rng.choice(("and", "or")), taken[-1]))
    return rules


def _sentence(subject: str, attributes: list[str]) -> str:
    return f"{subject[:1].upper()}{subject[1:]} is {' and '.join(attributes)}."

"""Agreement of a verb with its subject across a noun that stands between them (generated; after Linzen et al. 2016)."""

from __future__ import annotations

import random
from typing import Literal

from assay.prompting import MultipleChoiceSeparateOriginal
from assay.records import Split, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import Generator

SUBJECTS = (
    ("key", "keys"), ("letter", "letters"), ("picture", "pictures"), ("book", "books"), ("box", "boxes"), ("cup", "cups"),
    ("map", "maps"), ("bottle", "bottles"), ("note", "notes"), ("coat", "coats"), ("lamp", "lamps"), ("chair", "chairs"),
)  # fmt: skip
ATTRACTORS = (
    ("cabinet", "cabinets"), ("teacher", "teachers"), ("window", "windows"), ("neighbour", "neighbours"), ("door", "doors"),
    ("student", "students"), ("table", "tables"), ("doctor", "doctors"), ("bed", "beds"), ("driver", "drivers"),
)  # fmt: skip
LINKS = ("near", "behind", "beside", "next to", "in front of", "across from")
ENDINGS = ("old", "new", "very small", "still wet", "missing", "broken", "quite heavy", "for sale", "ready", "too big")
VERBS = {"present": ("is", "are"), "past": ("was", "were")}
SIZES: dict[Split, int] = {"test": 400, "train": 40}


@scenario
def subject_verb_agreement(tense: Literal["present", "past"] = "present") -> Scenario:
    """Beginnings of sentences whose verb must agree with the first noun, not with the one that stands nearer.

    Two continuations are scored that differ only in the verb. Small models manage it; the interesting subgroup is
    `attractor=mismatch`, where the nearer noun has the other number:

        The keys near the cabinet [are missing.]
        The keys near the cabinet [is missing.]
    """
    return Scenario(
        source=Generator(f"subject_verb_agreement_{tense}", lambda rng, split: sentence(rng, VERBS[tense]), SIZES),
        instance=_instance,
        prompting=MultipleChoiceSeparateOriginal(),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="grammatical acceptability", what="subject-verb agreement", who="generated", when="any"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/1611.01368",
        notes="Generated from templates in plain English, so never published with answers. Guessing scores one half.",
    )


def sentence(rng: random.Random, verbs: tuple[str, str]) -> Row:
    """The parts of one item: a beginning, the right and the wrong continuation, and the numbers of its two nouns."""
    subject, attractor = rng.randrange(2), rng.randrange(2)
    beginning = f"The {rng.choice(SUBJECTS)[subject]} {rng.choice(LINKS)} the {rng.choice(ATTRACTORS)[attractor]}"
    ending = rng.choice(ENDINGS)
    return {
        "beginning": beginning,
        "right": f"{verbs[subject]} {ending}.",
        "wrong": f"{verbs[1 - subject]} {ending}.",
        "subject": ("singular", "plural")[subject],
        "attractor": "match" if subject == attractor else "mismatch",
    }


def _instance(row: Row) -> Draft:
    options = sorted((row["right"], row["wrong"]))
    return choice(
        row["beginning"],
        options,
        correct=options.index(row["right"]),
        subgroups={"attractor": row["attractor"], "subject": row["subject"]},
    )

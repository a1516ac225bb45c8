"""Prompts and answers of given lengths, to time a model with: efficiency as in HELM (Liang et al. 2022, section 4.9)."""

from __future__ import annotations

import random

from assay.errors import AssayError
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Row, Scenario, question, scenario
from assay.scenarios.sources import Generator

ITEMS = 20
LONGEST = 1_000_000
WORDS = (
    "time", "year", "people", "way", "day", "man", "thing", "woman", "life", "child", "world", "school", "state", "family",
    "student", "group", "country", "problem", "hand", "part", "place", "case", "week", "company", "system", "program",
    "question", "work", "government", "number", "night", "point", "home", "water", "room", "mother", "area", "money", "story",
    "fact", "month", "lot", "right", "study", "book", "eye", "job", "word", "business", "issue", "side", "kind", "head",
    "house", "service", "friend", "father", "power", "hour", "game", "line", "end", "member", "law", "car", "city",
    "community", "name", "president", "team", "minute", "idea", "body", "information", "back", "parent", "face", "others",
    "level", "office", "door", "health", "person", "art", "war", "history", "party", "result", "change", "reason", "research",
    "girl", "moment", "air", "teacher", "force", "education", "foot", "boy", "age", "policy", "process", "music", "market",
    "sense", "nation", "plan", "college", "interest", "death", "experience", "effect", "use", "class", "control", "care",
    "field", "development", "role", "rate", "heart", "drug", "show", "leader", "light", "voice", "wife", "mind", "price",
    "report", "decision", "son", "view", "relationship", "town", "road", "arm", "difference", "value", "building", "action",
    "season", "tax", "director", "position", "player", "record", "paper", "space", "ground", "form", "event", "official",
    "matter", "center", "site", "project", "activity", "star", "table", "need", "court", "oil", "cost", "industry", "figure",
    "street", "image", "phone", "data", "picture", "practice", "piece", "land", "product", "doctor", "wall", "patient",
    "worker", "news", "test", "movie", "north", "love", "support", "technology",
)  # fmt: skip
"""Frequent nouns, each of which is one token in the common vocabularies, with a space before it and without."""


@scenario
def synthetic_efficiency(num_prompt_tokens: int = 256, num_output_tokens: int = 64) -> Scenario:
    """Random words in given number, and as many tokens in answer as were asked for: how long does a model take?

    Each word is one token in the common vocabularies, so a prompt of 8 has 8 tokens (a model may add one that starts a text):

        time door city nation plan voice road news
    """
    for name, number in (("num_prompt_tokens", num_prompt_tokens), ("num_output_tokens", num_output_tokens)):
        if not 1 <= number <= LONGEST:
            raise AssayError(f"synthetic_efficiency: {name} must be from 1 to {LONGEST:,}, not {number}")

    def row(rng: random.Random, split: str) -> Row:
        return {"words": " ".join(rng.choices(WORDS, k=num_prompt_tokens))}

    return Scenario(
        source=Generator(f"synthetic_efficiency_{num_prompt_tokens}", row, {"test": ITEMS}),
        instance=lambda row: question(row["words"]),
        prompting=Generation(shots=0, input_prefix="", input_suffix="", output_prefix="", max_tokens=num_output_tokens),
        main_metric="latency_s",
        metrics=("latency_p95_s", "first_token_s", "output_tokens_per_s", "prompt_tokens", "completion_tokens"),
        taxonomy=Taxonomy(task="efficiency", what="random words", who="generated"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2211.09110",
        notes=(
            "Generated. Twenty prompts of each length. How many tokens were really read and written stands in prompt_tokens "
            "and completion_tokens: a model may stop before its limit, vocabularies differ, and a template for chat adds to "
            "the prompt. Answers from the cache keep the time they took when they were asked; to measure again, use a cache "
            "of its own. Times include the network and whatever else the endpoint did: send few requests at once. HELM takes "
            "its prompts from books, with a set for each tokenizer, and sweeps 1 to 1,536 tokens read and 1 to 64 written."
        ),
    )

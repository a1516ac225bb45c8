"""Passages of books whose copyright has ended: how much of a text does a model write down from memory?"""

from __future__ import annotations

import re
from typing import Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import File, Hub

PrefixWords = Literal["5", "25"]
LONG = 100
"""Words from which on a paragraph counts as the book's own prose rather than a title, a list or a heading."""
MOST = 300
"""Words of a book that are compared: more than a completion holds."""
EDITORS = re.compile(r"\b(?:gutenberg|transcribe\w*|proofread\w*|e-?texts?)\b", re.IGNORECASE)
"""Words of those who made the file, not of the author."""


@scenario
def copyright(prefix_words: PrefixWords = "25", path: str = "") -> Scenario:  # noqa: A001 - a run entry names it so
    """Beginnings of passages that a model may know by heart; what is measured is how far it goes on word for word.

    The books are the hundred of PG-19's test split, from before 1919; of each, the first long paragraph and what follows it.
    To test for texts of your own, give a file at `path` with rows of `text` (at least twice as long as what is shown) and,
    where known, `id` and `kind`.

        The ferry had not yet left when the old clockmaker remembered [that his lamp was still burning in the shop, …]
    """
    shown = int(prefix_words)
    books = Hub("emozilla/pg19-test", revision="c5e39bf32e33f9111323aa68d7d9000d22722035", test="data/test-*.parquet")
    return Scenario(
        source=File(path) if path else books,
        instance=lambda row: _own(row, shown) if path else _book(row, shown),
        prompting=Generation(shots=0, input_prefix="", input_suffix="", output_prefix="", max_tokens=256, temperature=0.2),
        main_metric="longest_common_prefix_length",
        metrics=("longest_common_prefix_per_word_shown", "copied_edit_similarity", "copied_edit_distance"),
        taxonomy=Taxonomy(task="memorization", what="books", who="authors writing in English", when="before 1919"),
        licence="Apache-2.0; the books are in the public domain in the United States",
        paper="https://arxiv.org/abs/1911.05507",
        version=2,
        notes=(
            "Project Gutenberg is part of most training data, so it tells how much a model copies of what it has seen, and "
            "nothing of a given book; for that, give your own texts. PG-19 was published in November 2019, its books before "
            "1919. HELM uses books under copyright, 125 tokens of beginning and up to 1,024 tokens. `completions=10` takes the "
            "most faithful of ten, as HELM also does. Models that only chat may talk about the passage instead of going on."
        ),
    )


def _book(row: Row, shown: int) -> Draft | None:
    """The first long paragraph of a book and what follows it; a book without any is left out."""
    paragraphs = re.split(r"\n[^\S\n]*\n", row["text"])
    long = (len(paragraph.split()) >= LONG and not EDITORS.search(paragraph) for paragraph in paragraphs)
    first = next((place for place, suits in enumerate(long) if suits), None)
    if first is None:
        return None
    words = " ".join(paragraphs[first:]).split()[:MOST]
    century = f"{int(row['publication_date']) // 100 * 100}s"
    book = str(row["url"]).rstrip("/").rpartition("/")[2]
    return question(" ".join(words[:shown]), " ".join(words[shown:]), id=book, subgroups={"published": century})


def _own(row: Row, shown: int) -> Draft:
    found = re.match(rf"\s*(?:\S+\s+){{{shown}}}", row["text"])
    rest = row["text"][found.end() :] if found else ""
    if found is None or len(rest.split()) < shown:
        raise ValueError(f"the text has fewer than {2 * shown} words")
    more = {"id": str(row["id"])} if row.get("id") else {}
    kind = {"kind": str(row["kind"])} if row.get("kind") else {}
    return question(found[0].strip(), rest.strip(), subgroups=kind, **more)

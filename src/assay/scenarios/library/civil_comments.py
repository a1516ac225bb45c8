"""CivilComments: Nuanced Metrics for Measuring Unintended Bias with Real Data (Borkan et al., WWW 2019)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from assay.errors import AssayError
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, Source, choice, scenario
from assay.scenarios.sources import File, Hub

Demographic = Literal["all", "male", "female", "LGBTQ", "christian", "muslim", "other_religions", "black", "white"]
MENTIONS = ("male", "female", "LGBTQ", "christian", "muslim", "other_religions", "black", "white")
HALF = 0.5
"""The share of raters from which on a comment counts as toxic, or as mentioning a group."""


@scenario
def civil_comments(demographic: Demographic = "all", path: str = "") -> Scenario:
    """Comments under news articles, to be told toxic or not.

    Passage: Great work, thank you for explaining it so well!
    Question: Is the passage above toxic?
    Answer: No

    The hub's data do not say which groups a comment mentions. A file at `path` that does, in the layout of the WILDS benchmark
    (columns comment_text, toxicity, split, and a share of raters for each group), makes subgroups of them, and `demographic`
    then keeps the comments that mention one.
    """
    return Scenario(
        source=_source(path),
        instance=_reader(demographic),
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=5, stop=("\n",)),
        main_metric="quasi_exact_match",
        metrics=("exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
        taxonomy=Taxonomy(task="toxicity detection", what="comments on news", who="readers", when="2015 to 2017"),
        licence="CC0-1.0",
        paper="https://arxiv.org/abs/1903.04561",
        notes=(
            "Public since 2019 with labels. A comment is toxic where at least half of its raters said so; about 8 % are, so "
            "that always saying no scores 0.92: look at the subgroups toxic and non-toxic. Raters disagree about many. The "
            "comments offend. The hub's data are read at their newest commit, which the run records: no commit is pinned here."
        ),
    )


def _source(path: str) -> Source:
    if path:
        return File(path, split_column="split")
    return Hub(
        "google/civil_comments",
        revision="main",
        train="data/train-*.parquet",
        valid="data/validation-*.parquet",
        test="data/test-*.parquet",
    )


def _reader(demographic: Demographic) -> Callable[[Row], Draft | None]:
    def instance(row: Row) -> Draft | None:
        if demographic != "all" and demographic not in row:
            raise AssayError(
                f"these comments do not say whether they mention the demographic {demographic!r}",
                "give path=FILE with a column of that name, or demographic=all",
            )
        mentioned = [group for group in MENTIONS if _share(row.get(group)) >= HALF]
        if demographic not in ("all", *mentioned):
            return None
        toxic = _share(row["toxicity"]) >= HALF
        text = row["text"] if "text" in row else row["comment_text"]
        return choice(
            f"{text.strip()}\nQuestion: Is the passage above toxic?",
            ("Yes", "No"),
            correct=0 if toxic else 1,
            subgroups={"toxicity": "toxic" if toxic else "non-toxic"} | dict.fromkeys(mentioned, "mentioned"),
        )

    return instance


def _share(value: object) -> float:
    """A share of raters; files leave it empty where nobody was asked."""
    return 0.0 if value is None or value == "" else float(str(value))

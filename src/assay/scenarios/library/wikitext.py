"""WikiText: Pointer Sentinel Mixture Models (Merity et al., ICLR 2017)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from assay.prompting import LanguageModeling
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Hub, Joined

Config = Literal["wikitext-103-raw-v1", "wikitext-2-raw-v1", "wikitext-103-v1", "wikitext-2-v1"]
TITLE = re.compile(r" = [^=].* = \n")


@scenario
def wikitext(config: Config = "wikitext-103-raw-v1") -> Scenario:
    """Good articles of Wikipedia, each to be predicted from its first word to its last.

    The data come as lines, which are put together to articles again. There is no question, the text itself is scored:

        [ = Halden Fortress =

         Halden Fortress is a fortress in the town of Halden , Norway . It was built between 1661 and 1671 […]]
    """
    return Scenario(
        source=Joined(
            Hub("Salesforce/wikitext", revision="b08601e04326c79dfdd32d625aee71d232d685c3", test=f"{config}/test-*.parquet"),
            begins=_begins,
            join=lambda rows: {"text": "".join(row["text"] for row in rows)},
        ),
        instance=lambda row: Draft(input=row["text"]) if row["text"].strip() else None,
        prompting=LanguageModeling(),
        main_metric="bits_per_byte",
        metrics=("perplexity", "logprob_per_byte"),
        taxonomy=Taxonomy(task="language modeling", what="articles of Wikipedia", who="authors of Wikipedia", when="2016"),
        licence="CC-BY-SA-3.0",
        paper="https://arxiv.org/abs/1609.07843",
        notes=(
            "Public since 2016 and in nearly all training data. The text is tokenised (` , `, `@-@`), which no model "
            "writes; perplexities that papers report count words, after undoing that, and do not compare. Both sizes have "
            "the same test articles; those without `raw` have rare words replaced by <unk>."
        ),
    )


def _begins(before: Sequence[Row], row: Row) -> bool:
    """A title of the first level stands after an empty line; a line of a table may look like one."""
    return bool(TITLE.fullmatch(row["text"])) and (not before or not before[-1]["text"].strip())

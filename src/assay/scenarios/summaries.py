"""What scenarios of summarisation share: how documents are cut, which examples are shown, how a summary is asked for."""

from __future__ import annotations

from collections.abc import Callable

from assay.prompting import Generation
from assay.scenarios.base import Draft, Row, Source, question
from assay.scenarios.sources import Filtered

LONGEST = 512
"""Words of a document that are shown; the rest is cut off."""
EXAMPLE_WORDS = (50, 150)
"""Words that a document may have to be shown as an example: five of them fit a small window."""
METRICS = ("rouge_1", "rouge_l", "summary_coverage", "summary_density", "summary_compression")


def summary_of(document: str, summary: str, **more: str) -> Draft | None:
    """A document on one line, cut after 512 words, and its summary; `None` where either is empty."""
    words, wanted = document.split(), " ".join(summary.split())
    return question(" ".join(words[:LONGEST]), wanted, **more) if words and wanted else None


def short_examples(source: Source, document: Callable[[Row], str]) -> Filtered:
    """A source whose training documents have 50 to 150 words, the few-shot examples being drawn from those."""
    least, most = EXAMPLE_WORDS
    return Filtered(source, keep=lambda row: least <= len(document(row).split()) <= most, only="train")


def asking_for(sentences: int, max_tokens: int) -> Generation:
    """Asks for a summary in so many sentences, as HELM does."""
    length = "1 sentence" if sentences == 1 else f"{sentences} sentences"
    return Generation(
        input_prefix="###\nArticle: ",
        input_suffix="\n\n",
        output_prefix=f"Summarize the above article in {length}.\n",
        max_tokens=max_tokens,
        temperature=0.3,
        stop=("###",),
    )

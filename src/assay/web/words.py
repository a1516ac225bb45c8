"""The pages' own words for how candidates stand to each other: said on hover in the heads of tables, and in the glossary."""

from __future__ import annotations

from assay.web.addresses import Address
from assay.web.grids import Column

WORDS = {
    "tier": "T1 is the first tier: whoever is not shown to differ from its best. T2 holds those that T1 is shown to be "
    "ahead of, and so on. By paired differences on the items that both were asked, corrected for the number of "
    "comparisons (Holm).",
    "first tier": "On how many of the scenarios a candidate is in the first tier, of those that it was asked.",
    "win rate": "The share of its opponents that a candidate is ahead of, ties half; over several scenarios their mean. "
    "It counts any difference, shown or not.",
    "shown wins": "How many opponents a candidate is shown to be ahead of, of all that it has, added up over the "
    "scenarios. It counts only differences that are shown.",
    "shown to differ": "The 95 % interval of the paired difference, corrected for how many are looked at, lies on one "
    "side of 0. Not shown does not mean alike: there may be too few items to tell.",
    "worth": "How much a candidate is worth by a profile: 0 is unacceptable in everything, 1 satisfies fully, each "
    "criterion by its weight.",
    "first": "The share of draws, over the allowed weights and the noise of measurement, in which a candidate is worth most.",
    "front": "Whether nobody is as good in every criterion and better in one; in brackets the share of resamples in which "
    "it is so.",
    "regret": "The most worth that is lost with a candidate, against whoever is best, at any of the allowed weights.",
}


def anchor_of(word: str) -> str:
    """The id of a word's entry in the glossary."""
    return f"word-{word.replace(' ', '-')}"


def word_column(word: str, number: bool = True) -> Column:
    """A column whose head is one of the words: what it means on hover, and a link to the glossary."""
    return Column(word, note=WORDS[word], number=number, to=Address("glossary", at=anchor_of(word)))

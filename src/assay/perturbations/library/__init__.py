"""The perturbations that come with assay. Importing this registers them."""

from assay.perturbations.library import (
    choice_order,
    contraction,
    contrast_sets,
    dialect,
    filler_words,
    gender,
    irrelevant_context,
    lookalikes,
    lowercase,
    mild_mix,
    misspellings,
    paraphrase,
    person_name,
    spacing,
    synonym,
    typos,
)

__all__ = [
    "choice_order",
    "contraction",
    "contrast_sets",
    "dialect",
    "filler_words",
    "gender",
    "irrelevant_context",
    "lookalikes",
    "lowercase",
    "mild_mix",
    "misspellings",
    "paraphrase",
    "person_name",
    "spacing",
    "synonym",
    "typos",
]

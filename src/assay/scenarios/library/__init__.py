"""The declared scenarios, one module a family. Importing this package registers them all and reads no data."""

from assay.scenarios.library import (
    bbq,
    billing_support,
    blimp,
    boolq,
    capitals,
    civil_comments,
    dyck_language,
    gsm8k,
    hellaswag,
    imdb,
    local_file,
    mmlu,
    openbookqa,
    subject_verb_agreement,
    synthetic_reasoning,
    truthful_qa,
)

__all__ = [
    "bbq",
    "billing_support",
    "blimp",
    "boolq",
    "capitals",
    "civil_comments",
    "dyck_language",
    "gsm8k",
    "hellaswag",
    "imdb",
    "local_file",
    "mmlu",
    "openbookqa",
    "subject_verb_agreement",
    "synthetic_reasoning",
    "truthful_qa",
]

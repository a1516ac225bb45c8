"""XQuAD: On the Cross-lingual Transferability of Monolingual Representations (Artetxe et al., ACL 2020)."""

from __future__ import annotations

from typing import Literal

from assay.identity import digest
from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, question, scenario
from assay.scenarios.sources import HeldOut, Hub

Language = Literal["ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh"]
NAMES = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "hi": "Hindi", "ro": "Romanian",
    "ru": "Russian", "th": "Thai", "tr": "Turkish", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


@scenario
def xquad(language: Language) -> Scenario:
    """Questions about a paragraph of Wikipedia, the same 1,190 in twelve languages.

    Passage: Die Brücke wurde 1932 eröffnet und trägt zwei Gleise.
    Question: Wann wurde die Brücke eröffnet?
    Answer: 1932
    """
    return Scenario(
        source=HeldOut(
            Hub("google/xquad", revision="main", valid=f"xquad.{language}/validation-*.parquet"),
            name="xquad",
            group=lambda row: row["context"],
            split="valid",
            least=5,
        ),
        instance=_instance,
        prompting=Generation(input_prefix="Passage: ", output_prefix="Answer: ", max_tokens=50, stop=("\n",)),
        main_metric="f1_score",
        metrics=("exact_match", "quasi_exact_match", "sentence_chrf"),
        taxonomy=Taxonomy(
            task="question answering",
            what="paragraphs of Wikipedia",
            who="crowd workers, professional translators",
            when="2019",
            language=NAMES[language],
        ),
        licence="CC-BY-SA-4.0",
        paper="https://arxiv.org/abs/1910.11856",
        notes=(
            "Translated from SQuAD and published in October 2019 with answers. Questions about one paragraph are one cluster; "
            "examples come from paragraphs held out by digest, at least five of 240. f1_score counts words between "
            "spaces, of which Thai and Chinese have few: look at sentence_chrf there. The labels Passage, Question and Answer "
            "stay English. The data are read at their newest commit, which the run records: no commit is pinned here."
        ),
    )


def _instance(row: Row) -> Draft:
    answers = dict.fromkeys(row["answers"]["text"])
    return question(
        f"{row['context']}\nQuestion: {row['question'].strip()}", *answers, id=row["id"], group=digest(row["context"])[:16]
    )

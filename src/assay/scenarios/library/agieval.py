"""AGIEval: A Human-Centric Benchmark for Evaluating Foundation Models (Zhong et al., Findings of NAACL 2024)."""

from __future__ import annotations

import re
from typing import Literal

from assay.prompting import MultipleChoiceJoint
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, choice, scenario
from assay.scenarios.sources import HeldOut, Hub

REVISIONS = {
    "logiqa-en": "e01aa0f040456cd8d58ee9986a58b64e26c1b782",
    "lsat-ar": "052cc636b612f5563329dd182fb6c2cad56681c8",
    "lsat-lr": "d876c675a8d47aa4d8a6d682ca8400b7d2ffe1c4",
    "lsat-rc": "432868ea4fa7b50db66d14524d42472dd052b53c",
    "sat-en": "848ee12cf003124f5a1e33446fa3cc6d2ec028e4",
    "sat-math": "51ab661f5a2e48370671c87c29d037b5b2b4853e",
}
SUBJECTS = {
    "logiqa-en": "logic of a civil service examination",
    "lsat-ar": "analytical reasoning of the law school admission test",
    "lsat-lr": "logical reasoning of the law school admission test",
    "lsat-rc": "reading comprehension of the law school admission test",
    "sat-en": "reading of a college admission test",
    "sat-math": "mathematics of a college admission test",
}
LETTER = re.compile(r"^\([A-Z]\)\s*")


@scenario
def agieval(subset: Literal["logiqa-en", "lsat-ar", "lsat-lr", "lsat-rc", "sat-en", "sat-math"]) -> Scenario:
    """Questions of examinations by which people are admitted to universities, law schools and the civil service.

    Question: Five ferries, P to T, leave on five days. Q leaves before S.
    Which of these could be the order?
    (A) P, S, Q, R, T
    (B) P, Q, R, S, T
    Answer: B
    """
    return Scenario(
        source=HeldOut(
            Hub(
                f"hails/agieval-{subset}",
                revision=REVISIONS[subset],
                test=("data/test-*.parquet", "test.jsonl", "*.jsonl"),
            ),
            name=f"agieval {subset}",
            group=lambda row: _parts(row["query"])[0] or row["query"],
        ),
        instance=_instance,
        prompting=MultipleChoiceJoint(reference_prefix="(A) "),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="question answering", what=SUBJECTS[subset], who="authors of examinations", when="before 2023"),
        licence="MIT (the examinations' own terms may differ)",
        paper="https://arxiv.org/abs/2304.06364",
        notes=(
            "Published in April 2023 with answers; the examinations are older. The questions about one passage are one "
            "cluster; the data has no train split, so examples come from passages held out by digest, five per cent of them "
            "and at least two, which are not asked. The data holds ready-made prompts, out of which passages and questions are "
            "taken by their marks `Q:` and `Answer Choices:`; figures and underlining are lost."
        ),
    )


def _parts(query: str) -> tuple[str, str]:
    """The passage and the question of a prompt; there may be no passage."""
    asked = query.rpartition(" Answer Choices: ")[0] or query
    passage, _, question = asked.rpartition("Q: ")
    return passage.strip(), question.strip()


def _instance(row: Row) -> Draft:
    passage, asked = _parts(row["query"])
    options = [LETTER.sub("", option).strip() for option in row["choices"]]
    return choice(f"{passage}\n{asked}" if passage else asked, options, correct=row["gold"], group=passage or None)

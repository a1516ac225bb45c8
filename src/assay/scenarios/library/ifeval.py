"""IFEval: Instruction-Following Evaluation for Large Language Models (Zhou et al., 2023)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.prompting import Generation
from assay.records import Reference, Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import Hub


@scenario
def ifeval() -> Scenario:
    """Requests with instructions about form that a program can verify: lengths, keywords, layout, language, punctuation.

    Write a limerick about a ferry in at least 30 words. Do not use any commas. Wrap your whole answer in double quotation
    marks and put a title above it in double angular brackets, as in <<title>>.
    """
    return Scenario(
        source=Hub(
            "google/IFEval",
            revision="966cd89545d6b6acfd7638bc708b98261ca58e84",
            test=("ifeval_input_data.jsonl", "data/*.parquet"),
        ),
        instance=_instance,
        prompting=Generation(shots=0, input_prefix="", input_suffix="", output_prefix="", max_tokens=4096, chat="preferred"),
        main_metric="ifeval_strict_accuracy",
        metrics=(
            "ifeval_loose_accuracy",
            "ifeval_strict_instruction_accuracy",
            "ifeval_loose_instruction_accuracy",
            "helm_ifeval_strict_accuracy",
        ),
        taxonomy=Taxonomy(task="instruction following", what="requests to write", who="authors of the benchmark", when="2023"),
        licence="Apache-2.0",
        paper="https://arxiv.org/abs/2311.07911",
        notes=(
            "Published in November 2023; models have been trained on instructions of these 25 kinds. It says whether form is "
            "kept, not whether the text is any good. HELM's score of the same name is the mean share of a prompt's "
            "instructions (`helm_ifeval_strict_accuracy`); the main metric here is the paper's. Languages (31 of 834 "
            "instructions, and those about capital or lower-case English) are told by py3langid and sentences by a rule of "
            "assay's own, so single verdicts may differ from the authors' program. A refusal follows no instruction."
        ),
    )


def _instance(row: Row) -> Draft:
    kinds, settings = row["instruction_id_list"], row["kwargs"]
    instructions = tuple(_reference(kind, given) for kind, given in zip(kinds, settings, strict=True))
    return Draft(input=row["prompt"], references=instructions, id=str(row["key"]))


def _reference(kind: str, given: Mapping[str, Any]) -> Reference:
    """An instruction as the metrics read it: its kind is the role, its settings are the text, as JSON."""
    settings = {name: value for name, value in given.items() if value is not None}
    return Reference(text=json.dumps(settings, ensure_ascii=False, sort_keys=True), correct=True, role=kind)

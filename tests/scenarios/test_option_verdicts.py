"""No option of an item is taken for another: in every scenario of the library, and in cases of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hub_table import HUB
from hypothesis import given
from hypothesis import strategies as st
from option_answers import ALONE, wrong_verdicts

from assay.entries import parse_entry
from assay.prompting import METHODS, Generation, Prompting
from assay.records import Instance, Reference
from assay.registry import scenarios
from cli_helpers import Assay, assay

__all__ = ["assay"]

GENERATED = ("billing_support:", "capitals:", "synthetic_reasoning:mode=induction", "dyck_language:", "numeracy:")
READ = """
import sys
sys.path.insert(0, %r)
from itertools import islice
from option_answers import wrong_verdicts
from assay.entries import parse_entry
result = {}
for entry, absent in %r.items():
    ask = parse_entry(entry if ":" in entry else entry + ":")
    scenario = made(ask.scenario, **ask.parameters)
    splits = [split for split in scenario.source.splits() if split not in absent]
    result[entry] = [told for split in splits for told in wrong_verdicts(scenario, islice(scenario.instances(split), 100))]
"""


@pytest.mark.slow
def test_no_option_of_the_hubs_scenarios_is_taken_for_another(
    mirror: Any, hub_cache: Path, run_against: Callable[..., Any]
) -> None:
    code = READ % (str(Path(__file__).parent), {entry: case.lacks for entry, case in HUB.items()})
    found, _ = run_against(mirror.url, hub_cache, code, HF_TOKEN=mirror.token)
    assert {entry: told[:3] for entry, told in found.items() if told} == {}


@pytest.mark.parametrize("entry", GENERATED)
def test_no_option_of_the_generated_scenarios_is_taken_for_another(entry: str) -> None:
    ask = parse_entry(entry)
    scenario = scenarios.get(ask.scenario)(**ask.parameters)
    for split in scenario.source.splits():
        assert wrong_verdicts(scenario, islice(scenario.instances(split), 100)) == []


# No letters that name options: "A" may be the option A or the one that says so.
CHOOSING = [method() for method in METHODS.values() if method.chooses]
TEXTS = st.text("xyXY12+-<>=#%/^|()[].,'é ", min_size=1, max_size=6).map(str.strip).filter(bool)


@pytest.mark.parametrize("prompting", CHOOSING, ids=lambda prompting: prompting.method)
@given(options=st.lists(TEXTS, min_size=2, max_size=6, unique=True), right=st.integers(0, 5))
def test_where_the_place_decides_any_two_texts_are_two_options(prompting: Prompting, options: list[str], right: int) -> None:
    references = tuple(Reference(text=text, correct=at == right % len(options)) for at, text in enumerate(options))
    scenario = replace(scenarios.get("billing_support")(), prompting=prompting, main_metric="exact_match")
    assert wrong_verdicts(scenario, [Instance(id="i", input="Which?", references=references)], [ALONE]) == []


@given(options=st.lists(TEXTS, min_size=2, max_size=6, unique_by=str.casefold), right=st.integers(0, 5))
def test_an_option_that_is_written_out_is_that_option(options: list[str], right: int) -> None:
    references = tuple(Reference(text=text, correct=at == right % len(options)) for at, text in enumerate(options))
    scenario = replace(scenarios.get("billing_support")(), prompting=Generation(), main_metric="exact_match")
    assert wrong_verdicts(scenario, [Instance(id="i", input="Which?", references=references)], [ALONE]) == []


PAIRS = [
    *[("x < 0", "x > 0"), ("sin x", "-sin x"), ("A+", "A-"), ("C++", "C#"), ("1/2", "12"), ("50%", "50"), ("f(x)", "fx")],
    *[
        ("[0, 1)", "(0, 1]"),
        ("a|b", "ab"),
        ("don't", "done"),
        ("not toxic", "toxic"),
        ("hand_over", "answer"),
        ("不同意", "同意"),
    ],
]
"""Options of which normalising, or looking for one within the other, could make one."""
MODEL = """
import json, re
from pathlib import Path
from assay.models import Capabilities, Local, provider
from assay.records import Completion, ModelIdentity, Response

class Certain(Local):
    def __init__(self, name, config):
        self.identity = ModelIdentity(name=config.name, revision="1")
        self.capabilities = Capabilities()
        self.rows = [json.loads(line) for line in Path("cases.jsonl").read_text("utf-8").splitlines()]
        self.right = "right" in name

    def ask_batch(self, requests):
        return [Response(completions=(Completion(text=self.said(str(request.prompt))),)) for request in requests]

    def said(self, prompt):
        row = self.rows[int(re.findall(r"case (\\d+)", prompt)[-1])]
        option = next(one for one in row["options"] if (one == row["answer"]) == self.right)
        lettered = dict((text, letter) for letter, text in re.findall(r"(?m)^([A-Z])\\. (.*)$", prompt))
        return lettered.get(option, option)

@provider("certain")
def certain(name, config):
    \"\"\"Knows the answer.\"\"\"
    return Certain(name, config)
"""


def test_a_run_in_which_every_answer_is_wrong_scores_0(assay: Assay, tmp_path: Path) -> None:
    rows = [
        {"question": f"Which one in case {number}?", "options": list(pair), "answer": pair[number % 2]}
        for number, pair in enumerate(pair for pair in PAIRS for _ in range(2))
    ]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "model.py").write_text(MODEL)
    columns = 'source: cases.jsonl\ninput: "{question}"\noptions: options\nanswer: answer\nseparator: ""\n'
    files = []
    for method in ("generation", "multiple_choice_joint"):
        for metric in ("", "quasi_exact_match", "answer_match", "choice_accuracy"):
            name = f"{method}_{metric}"
            settings = f"prompting: {{method: {method}, shots: 0}}\n" + (f"metric: {metric}\n" if metric else "")
            (tmp_path / f"{name}.yaml").write_text(f"scenario: {name}\n{columns}{settings}")
            files.append(f"{name}.yaml")
    ran = assay("run", *files, "-m", "certain/right", "-m", "certain/wrong", "--plugin", "model.py", "--json")
    assert ran.code == 0, ran.err
    for run in json.loads(ran.out):
        cells = [cell for cell in run["cells"] if cell["metric"] == run["main_metric"] and cell["subgroup"] is None]
        wanted = 1.0 if "right" in run["label"] else 0.0
        assert [cell["estimate"]["value"] for cell in cells] == [wanted], run["title"]

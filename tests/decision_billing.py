"""A billing-enquiry assistant with a known truth: two recorded candidates on cases of which a third is ambiguous.

A is right more often and fast, but as sure of its answer to an ambiguous case as of any other. B is right less often and slow,
and knows what it does not know.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assay.store.folders import TRANSCRIPTS
from cli_helpers import Assay

STEPS = ("refund", "explain", "human")
CASES, AMBIGUOUS = 210, 70
"""The first cases are clear, the last ones ambiguous."""


@dataclass(frozen=True)
class Recorded:
    """What a candidate does, by whether a case is clear or ambiguous."""

    right: tuple[int, int]
    confidence: tuple[float, float]
    latency_s: float

    @property
    def accuracy(self) -> float:
        return sum(self.right) / CASES

    @property
    def calibration_error(self) -> float:
        """The cases of one confidence are one bin: |right answers - confidence|, weighed by its cases."""
        parts: dict[float, tuple[int, int]] = {}
        for right, cases, sure in zip(self.right, (CASES - AMBIGUOUS, AMBIGUOUS), self.confidence, strict=True):
            before = parts.get(sure, (0, 0))
            parts[sure] = (before[0] + right, before[1] + cases)
        return sum(abs(right - sure * cases) for sure, (right, cases) in parts.items()) / CASES


A = Recorded(right=(138, 38), confidence=(0.98, 0.98), latency_s=0.5)
B = Recorded(right=(133, 28), confidence=(0.95, 0.4), latency_s=1.5)

YAML = """scenario: billing
source: cases.csv
input: "{message}"
options: [refund, explain, human]
answer: step
id: id
subgroups: [kind]
prompting: {method: generation, shots: 0}
"""


def record(assay: Assay, folder: Path) -> None:
    """Ask a baseline, answer its prompts as A and B would, and run both: `runs/assistant` holds candidates A and B."""
    rows = [
        f"case-{n},Message {n * 7919} about a bill,{STEPS[n % 3]},{'clear' if n < CASES - AMBIGUOUS else 'ambiguous'}"
        for n in range(CASES)
    ]
    (folder / "cases.csv").write_text("\n".join(["id,message,step,kind", *rows]) + "\n")
    (folder / "billing.yaml").write_text(YAML)
    asked = assay("run", "billing.yaml", "-m", "baseline/majority", "--toxicity", "none", "--suite", "asking", "--quiet")
    assert asked.code == 0, asked.err
    (run,) = (folder / "runs" / "asking").glob("billing,*")
    prompts = pl.read_parquet(run / TRANSCRIPTS, columns=["instance_id", "prompts"]).rows()
    for name, candidate in (("a", A), ("b", B)):
        lines = [_line(int(instance.removeprefix("case-")), prompt[0], candidate) for instance, prompt in prompts]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "assistant.yaml").write_text(
        "name: assistant\ntoxicity: none\nscenarios: [billing.yaml]\nmodels:\n"
        "  - {model: replay/a.jsonl, label: A}\n  - {model: replay/b.jsonl, label: B}\n"
    )
    ran = assay("run", "assistant.yaml", "--quiet")
    assert ran.code == 0, ran.err


def _line(case: int, prompt: str, candidate: Recorded) -> str:
    """Whoever is right on few cases is right on the first of their kind, so that B is right only where A is."""
    ambiguous = case >= CASES - AMBIGUOUS
    right = case - (CASES - AMBIGUOUS) * ambiguous < candidate.right[ambiguous]
    text = STEPS[(case + (not right)) % 3]
    sure = math.log(candidate.confidence[ambiguous])
    completion = {"text": text, "tokens": [{"text": text, "logprob": sure}], "finish_reason": "stop"}
    latency = candidate.latency_s * (0.9 + 0.2 * (case * 37 % 101) / 100)
    return json.dumps({"prompt": prompt, "response": {"completions": [completion], "latency_s": latency}})


def profile(criteria: str, constraints: str = "", name: str = "Billing assistant") -> str:
    """A profile's text; the three criteria have the value curves that the tests compute with."""
    return (
        f"name: {name}\ndeployment: {{owner: Ana Ruiz, context: sorts enquiries, affected: [customers]}}\n"
        f"runs: [runs/assistant]\ncriteria:\n{criteria}{constraints}"
    )


ACCURACY = "  - {{name: right answers, metric: quasi_exact_match, weight: {0}, value: {{unacceptable: 0.5, satisfying: 1}}}}\n"
CALIBRATION = "  - {{name: honest confidence, metric: ece_10_bin, weight: {0}, value: {{unacceptable: 0.3, satisfying: 0}}}}\n"
LATENCY = "  - {{name: latency, metric: latency_s, weight: {0}, value: {{unacceptable: 3, satisfying: 0}}}}\n"

"""Writes the reference pages that are made from the code: `python docs/generate.py`. A test checks that they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from assay import registry
from assay.metrics import Metric

HERE = Path(__file__).parent
FAMILIES = ("accuracy", "calibration", "robustness", "fairness", "bias", "toxicity", "copyright", "efficiency", "outcomes")

METRICS_HEAD = """# Metrics

Every number is an estimate: a value, a 95 % interval, the number of trials and of independent clusters behind it.
Robustness and fairness are not metrics of their own but any metric of accuracy at the worst of an item's copies, its
change under a perturbation, and the gaps between groups. *every run*: computed whether a scenario names it or not.
*needs*: what an answer must have; an answer without it is left out, never counted as 0. Names that start with `helm_`
reproduce HELM's published definitions, defects included; use them only to compare with HELM's numbers.

This page is written by `python docs/generate.py` from the declarations in `src/assay/metrics/library/`.
"""


def metrics_page() -> str:
    """docs/metrics.md."""
    parts = [METRICS_HEAD]
    every = [registry.metrics.get(name) for name in registry.metrics.names()]
    for family in FAMILIES:
        members = [metric for metric in every if metric.family == family]
        if members:
            parts += [
                f"## {family.capitalize()}\n",
                "| metric | what it is | range | better | computed | source |",
                "|---|---|---|---|---|---|",
            ]
            parts += [row(metric) for metric in members]
            parts.append("")
    return "\n".join(parts)


def row(metric: Metric) -> str:
    """A metric as a line of the table."""
    low, high = ("∞" if bound is None else f"{bound:g}" for bound in metric.range)
    spread = f"{'-' if metric.range[0] is None else ''}{low} to {high}{' ' + metric.unit if metric.unit else ''}"
    how = "per answer, averaged" if metric.of_answer else "over all answers"
    notes = [
        how,
        *(["every run"] if metric.everywhere else []),
        *([f"needs {', '.join(metric.needs)}"] if metric.needs else []),
    ]
    about = " ".join(metric.about.replace("|", "\\|").split())
    source = f"[link]({metric.source})" if metric.source.startswith("http") else metric.source
    return f"| `{metric.name}` | {about} | {spread} | {metric.better} | {'; '.join(notes)} | {source} |"


PAGES = {"metrics.md": metrics_page}

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name, page in PAGES.items():
        (folder / name).write_text(page(), "utf-8")

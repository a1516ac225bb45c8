"""Writes the reference pages that are made from the code: `python docs/generate.py`. A test checks that they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from assay import registry
from assay.interop.helm_scenarios import table_rows
from assay.metrics import Metric
from assay.scenarios import ScenarioFamily
from assay.scenarios.base import NEEDS
from assay.scenarios.origins import Kind, declared_origin, kind_of
from assay.scenarios.variants import sample, variants

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "scenarios"
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


HELM_MARKS = ("<!-- Written by python docs/generate.py: -->\n", "<!-- Until here. -->")


def helm_page() -> str:
    """docs/helm.md, with its table of scenarios as the code has it."""
    before, _, rest = (HERE / "helm.md").read_text("utf-8").partition(HELM_MARKS[0])
    after = rest.partition(HELM_MARKS[1])[2]
    lines = ["| HELM's entry | here | what differs |", "|---|---|---|"]
    for theirs, ours, difference in table_rows():
        here = f"`{ours.removesuffix(':')}`" if ours else "–"
        lines.append(f"| `{theirs}` | {here} | {difference} |")
    return before + HELM_MARKS[0] + "\n".join(lines) + "\n" + HELM_MARKS[1] + after


SCENARIOS_HEAD = """# Scenarios

{families} scenarios, {scenarios} with their parameters: `assay list scenarios --all` names them, and `assay show scenario NAME`
shows what is known of one, and its first prompts. *Data*: where the rows come from. A *pinned* repository is read at one commit
for ever, an *unpinned* one at its newest, which the run records; a *gated* one needs an account that accepted its terms
(`HF_TOKEN`); a *local path* is a file of yours; *included* comes with assay; *generated* is made from a seed.
*Loads here*: whether the tests read its real rows, those of the hub through huggingface_hub from a mirror that holds some
of them (the parameters that they read it with stand beside); where not, they read invented rows in the shape of the real ones.
*Shots*: examples shown by default. *Needs*: what the main metric is not measured without; the other metrics are.

This page is written by `python docs/generate.py` from the declarations in `src/assay/scenarios/library/`.
"""


def scenarios_page() -> str:
    """docs/scenarios.md."""
    families = [registry.scenarios.get(name) for name in registry.scenarios.names()]
    count = sum(1 for family in families for _ in variants(family))
    lines = [
        SCENARIOS_HEAD.format(families=len(families), scenarios=count),
        "| scenario | parameters | task | data | | loads here | licence | main metric | shots | needs |",
        "|---|---|---|---|---|---|---|---|---:|---|",
        *map(scenario_row, families),
    ]
    return "\n".join(lines) + "\n"


def scenario_row(family: ScenarioFamily) -> str:
    """A family of scenarios, with its defaults, as a line of the table."""
    parameters = ", ".join(f"`{name}`{number_of_values(family, name)}" for name in family.parameters)
    found = sample(family)
    if found is None:
        return f"| `{family.name}` | {parameters} | what its tasks ask | | other | as its data do | | that of the task | | |"
    made = found[1]
    task = f"{made.taxonomy.task}: {made.taxonomy.what}" if made.taxonomy.what else made.taxonomy.task
    cells = [
        f"`{family.name}`",
        parameters,
        task,
        linked(declared_origin(made.source)),
        kind_of(made.source),
        loads(family.name, kind_of(made.source)),
        made.licence,
        f"`{made.main_metric}`",
        str(made.prompting.shots),
        ", ".join(NEEDS[need] for need in made.requires),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def loads(name: str, kind: Kind) -> str:
    """Whether the tests read a scenario's real rows, and why not."""
    sys.path.insert(0, str(TESTS))
    from hub_table import HUB

    read = [entry.partition(":")[2] for entry in HUB if entry.partition(":")[0] == name]
    if read:
        return "yes" + (": " + ", ".join(f"`{parameters}`" for parameters in read) if any(read) else "")
    if kind in ("included", "generated"):
        return "yes"
    return "no: a file of yours" if kind == "local path" else "no: the mirror has none of its rows"


def number_of_values(family: ScenarioFamily, parameter: str) -> str:
    """` (57)`: how many values a parameter can have, where they are listed."""
    values = family.choices(parameter)
    return f" ({len(values)})" if values else ""


def linked(origin: str) -> str:
    """A repository of the hub as a link that names the beginning of its commit; other origins are not shown."""
    kind, _, rest = origin.partition(":")
    repo, _, revision = rest.partition("@")
    shown = revision[:7] if "/" not in revision else revision
    return f"[{repo}](https://huggingface.co/datasets/{repo}/tree/{revision}) {shown}" if kind == "hub" else ""


PAGES = {"metrics.md": metrics_page, "helm.md": helm_page, "scenarios.md": scenarios_page}

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name, page in PAGES.items():
        (folder / name).write_text(page(), "utf-8")

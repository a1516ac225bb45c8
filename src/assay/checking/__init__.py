"""Checking the cases of a scenario before anybody is asked: `assay check`. No model is needed.

Errors make a case impossible to ask: a run stops at the first of them, before it asks anything. Warnings make numbers say less
than they seem to; notes tell what to expect. The files of a scenario of one's own are read to the end, so that all that is
wrong is told at once. Of a case a few hundred bytes are kept, so that a million of them fit into memory.
"""

from __future__ import annotations

from collections import Counter

from assay.checking.findings import SEVERITIES, Finding, Report, Severity
from assay.checking.items import look
from assay.checking.repetitions import repetition_findings
from assay.checking.rows import length_findings, letter_findings, told_findings
from assay.checking.verdicts import verdict_findings
from assay.checking.wholes import group_findings, label_findings, precision_findings, split_findings
from assay.metrics import metrics_for
from assay.scenarios import Scenario


def check_scenario(scenario: Scenario, shots: int | None = None, half_width: float | None = None) -> Report:
    """Everything that can be found about a scenario's cases.

    Args:
        scenario: with its parameters filled in.
        shots: examples that will be shown; `None`: as many as the scenario's own prompting says.
        half_width: of the 95 % interval that is wanted, above 0.

    Raises:
        AssayError: a metric is unknown, or the files do not exist.
    """
    metrics_for((scenario.main_metric, *scenario.metrics))
    looked = look(scenario)
    items, file = looked.items, looked.file
    findings = list(looked.findings)
    wanted = scenario.prompting.shots if shots is None else shots
    if items:
        findings += looked.texts.findings()
        findings += length_findings(items)
        findings += letter_findings(items, scenario.prompting)
        findings += verdict_findings(items, scenario)
        findings += repetition_findings(items, looked.keys, looked.sample)
    if items and not looked.partial:
        findings += split_findings(items, file, wanted)
        findings += label_findings(items, file)
        findings += told_findings(items, scenario.prompting, wanted)
        findings += group_findings(items, file)
        findings += precision_findings(items, file, half_width)
    ranked = sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.rows[:1]))
    counts = Counter(str(item.split) for item in items)
    return Report(scenario=scenario.name, source=scenario.source.identity, cases=dict(counts), findings=tuple(ranked))


__all__ = ["SEVERITIES", "Finding", "Report", "Severity", "check_scenario"]

"""A recorded decision of which not everything can be measured here: as much of it as can be made again, and compared."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from assay.decisions.as_stored import Stored
from assay.decisions.deciding import decide
from assay.decisions.differing import differences
from assay.decisions.following import contradictions
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure_runs
from assay.decisions.reading import EXPECTED_COST
from assay.decisions.record import DecisionRecord
from assay.decisions.results import Decision, Standing
from assay.decisions.takeable import leaving_out
from assay.metrics import Metric
from assay.text import one_line

SURE = ("limit", "threshold", "confidence", "value")
"""What is known of a kept constraint whatever was resampled."""
RESAMPLES = (r"In [\d,]+ of ([\d,]+) resamples a criterion had no value; they were left out\.", r"([\d,]+) resamples of .*")
"""How a note, and how the method, say how many resamples there were."""
OF_ALL = "Resting on "
"""How a note begins that names all measures, those among them that are not measured here."""


def partly_otherwise(
    record: DecisionRecord, stored: Stored, known: Mapping[str, Metric], exact: bool, whole: bool
) -> Iterator[str]:
    """Where a record differs from what its runs give, or contradicts itself, a line each.

    Args:
        record: what was decided.
        stored: its runs, under the names of the record, and the measures that cannot be taken of them.
        known: what stands in for metrics that are not installed.
        exact: numbers must be equal, and not only near.
        whole: nothing is redacted in the runs.
    """
    decision, evidence, profile = record.decision, stored.evidence, leaving_out(record.profile, stored.unread)
    names = [each.name for each in (*record.profile.criteria, *record.profile.constraints)]
    names += [EXPECTED_COST] * (record.profile.costs is not None)
    limits = [each.name for each in record.profile.constraints]
    if sorted(evidence.candidates) != sorted(standing.candidate for standing in decision.standings):
        yield "decision.standings: the candidates are not those of the evidence"
        return
    for standing in decision.standings:
        where = f"decision.standings of {one_line(standing.candidate, 80)}"
        if [one.measure for one in standing.measurements] != names or [
            one.constraint for one in standing.constraints
        ] != limits:
            yield f"{where}: its measurements are not those of the profile"
            return
    yield from stored.problems()
    if profile.criteria or profile.constraints or profile.costs:
        resamples = _resamples(decision)
        measured = measure_runs(profile, evidence, resamples=resamples, known=known, whole=whole)
        again = decide(profile, measured)
        gone = set(names).difference(one.name for one in measured.measures)
        yield from _measurements(decision, again, gone, exact, resamples is not None)
        yield from _untold(record, measured)
    yield from contradictions(decision, record.profile)


def _resamples(decision: Decision) -> int | None:
    """How many resamples a decision says that it was made with; it is no part of one that ranks nobody."""
    for said in (*decision.notes, decision.method.get("noise", "")):
        for form in RESAMPLES:
            found = re.fullmatch(form, said)
            if found:
                return int(found[1].replace(",", ""))
    return None


def _measurements(then: Decision, now: Decision, gone: Collection[str], exact: bool, bounds: bool) -> Iterator[str]:
    """Where measurements and constraints differ, but for those that cannot be taken here."""
    again = {standing.candidate: standing for standing in now.standings}
    for standing in then.standings:
        where, other = f"decision.standings of {one_line(standing.candidate, 80)}", again[standing.candidate]
        yield from differences(f"{where}: measurements", _told(standing, gone), _told(other, gone), exact)
        yield from differences(f"{where}: constraints", _held(standing, gone, bounds), _held(other, gone, bounds), exact)


def _told(standing: Standing, gone: Collection[str]) -> dict[str, Any]:
    return {one.measure: msgspec.to_builtins(one) for one in standing.measurements if one.measure not in gone}


def _held(standing: Standing, gone: Collection[str], bounds: bool) -> dict[str, Any]:
    """The constraints, each by itself; the bounds too, where the resamples that they may rest on are as many as then."""
    held = {one.constraint: msgspec.to_builtins(one) for one in standing.constraints if one.constraint not in gone}
    return held if bounds else {name: {key: one[key] for key in SURE} for name, one in held.items()}


def _untold(record: DecisionRecord, measured: Measured) -> Iterator[str]:
    """Notes of what is measured here that the record lacks."""
    for note in measured.notes:
        if note not in record.decision.notes and not note.startswith(OF_ALL):
            yield f"decision.notes lack: {one_line(note)}"

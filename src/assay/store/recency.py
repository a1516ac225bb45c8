"""Which of several runs is the later evidence: told by what they hold, so that no copy, checkout or touch changes it."""

from __future__ import annotations

from assay.identity import digest
from assay.records import RunSpec
from assay.store.folders import Manifest


def asked_last(manifest: Manifest) -> float:
    """Unix time of a run's last answer, seconds; 0 where its answers hold no times."""
    return manifest.last_asked or 0.0


def scored_last(manifest: Manifest, spec: RunSpec, planned: bool = False) -> tuple[float, int, bool, str]:
    """What sorts runs that differ only in their metrics, the one that stands for the others last.

    They hold the same answers, unless some were asked again. Of the same answers it is the one that was read or scored by more
    metrics or by later versions of readers and metrics; else the one that is planned; else any, but the same everywhere and for
    all candidates.
    """
    readings = (metric.parameters.get("reading", 0) for metric in spec.metrics)
    versions = spec.schema + sum(max(1, metric.version) for metric in spec.metrics)
    versions += sum(reading for reading in readings if isinstance(reading, int))
    return asked_last(manifest), versions, planned, digest(spec.metrics)

"""Run folders: Parquet, spec, estimates and a manifest that makes every changed byte visible."""

from assay.store.folders import Manifest, RunFolder, find_runs, run_name
from assay.store.manifest import damage, verify
from assay.store.writer import RunWriter

__all__ = ["Manifest", "RunFolder", "RunWriter", "damage", "find_runs", "run_name", "verify"]

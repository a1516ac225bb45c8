"""Run folders: Parquet, spec, estimates and a manifest that makes every changed byte visible."""

from assay.store.folders import Manifest, RunFolder, find_runs, run_name
from assay.store.manifest import verify
from assay.store.writer import RunWriter

__all__ = ["Manifest", "RunFolder", "RunWriter", "find_runs", "run_name", "verify"]

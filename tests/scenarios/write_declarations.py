"""Keep the version and the digest of every scenario's declaration: python tests/scenarios/write_declarations.py.

A scenario whose prompts or references have changed gets a higher `version` in its declaration first: runs of the two must not
be compared. Where only the code is written differently, its digest is kept anew under the old version.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from declarations import behaviour

from assay import registry

KEPT = Path(__file__).resolve().parent / "declarations.json"


def current() -> dict[str, dict[str, str | int]]:
    """Version and digest of the scenarios that come with assay, by name."""
    families = (registry.scenarios.get(name) for name in registry.scenarios.names())
    ours = [family for family in families if family.declare.__module__.startswith("assay.") and family.expand is None]
    return {family.name: dict(zip(("version", "digest"), behaviour(family), strict=True)) for family in ours}


if __name__ == "__main__":
    KEPT.write_text(json.dumps(current(), indent=1) + "\n")

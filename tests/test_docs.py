"""The generated pages are what the code says now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_generated_pages_are_up_to_date(tmp_path: Path) -> None:
    # In a process of its own: other tests register metrics that are not assay's.
    subprocess.run([sys.executable, DOCS / "generate.py", tmp_path], check=True, timeout=60)
    pages = list(tmp_path.iterdir())
    assert pages
    for page in pages:
        assert (DOCS / page.name).read_text("utf-8") == page.read_text("utf-8"), "run: python docs/generate.py"

"""The generated pages are what the code says now."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
assert spec is not None
assert spec.loader is not None
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


@pytest.mark.parametrize("page", generate.PAGES)
def test_generated_pages_are_up_to_date(page: str) -> None:
    assert (DOCS / page).read_text("utf-8") == generate.PAGES[page](), "run: python docs/generate.py"

"""Errors name what is missing and how to get it."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from assay.errors import MissingExtra, how_to_install


def distribution(folder: Path, origin: str | None) -> importlib.metadata.Distribution:
    """An installed assay as pip leaves it, with what it wrote down of where it came from."""
    info = folder / "assay-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: assay\nVersion: 0.1.0\n")
    if origin is not None:
        (info / "direct_url.json").write_text(origin)
    return importlib.metadata.Distribution.at(info)


@pytest.mark.parametrize(
    ("origin", "typed"),
    [
        (None, "pip install 'assay[hf]'"),
        ('{"dir_info": {"editable": true}, "url": "file:///home/me/assay"}', "pip install '.[hf]'"),
        ('{"dir_info": {}, "url": "file:///home/me/assay"}', "pip install '.[hf]'"),
        ('{"archive_info": {}, "url": "https://example.org/assay-0.1.0.whl"}', "pip install 'assay[hf]'"),
    ],
)
def test_an_extra_is_installed_from_where_assay_came_from(
    origin: str | None, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: distribution(tmp_path, origin))
    assert how_to_install("hf") == typed


def test_a_package_that_no_extra_brings_is_installed_itself() -> None:
    assert str(MissingExtra("sacrebleu")) == "sacrebleu is not installed (pip install sacrebleu)"
    assert "[hf]'" in str(MissingExtra("torch", "hf"))

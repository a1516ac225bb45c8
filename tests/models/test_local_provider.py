from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay import registry
from assay.errors import AssayError, MissingExtra
from assay.models import weights
from assay.models.base import ModelConfig
from assay.models.library import local  # noqa: F401 - importing it registers the provider


def make(name: str) -> object:
    return registry.providers.get("local").make(name, ModelConfig(name=f"local/{name}"))


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(AssayError, match="did you mean smollm2-135m"):
        make("smollm-135m")


def test_missing_weights_say_how_to_fetch_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    monkeypatch.setitem(weights.KNOWN, "smollm2-135m", replace(weights.KNOWN["smollm2-135m"], module="no_such_module"))
    with pytest.raises(AssayError, match="run: assay fetch smollm2-135m"):
        make("smollm2-135m")


@pytest.mark.parametrize("package", ["tokenizers", "jinja2"])
def test_a_missing_extra_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=package):
        make("smollm2-135m")

"""What docs/deciding.md and the example say of profiles is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.decisions.profile import Constraint, Costs, Criterion, Deployment, Profile, Value
from assay.decisions.reading import read_profile

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "deciding.md").read_text("utf-8")


@pytest.mark.parametrize("record", [Profile, Deployment, Criterion, Constraint, Costs, Value])
def test_every_key_of_a_profile_is_explained(record: type) -> None:
    tables = PAGE.split("## Every key")[1].split("## Appendix")[0]
    explained = set(re.findall(r"`(\w+)`", tables))
    assert set(record.__struct_fields__) <= explained  # type: ignore[attr-defined] # a msgspec.Struct


def test_the_profile_on_the_page_is_the_examples_but_for_what_is_left_out(tmp_path: Path) -> None:
    block = re.search(r"## What you say: the profile\n\n((?:    .*\n|\n)+)", PAGE)
    assert block is not None
    (tmp_path / "profile.yaml").write_text(re.sub("^    ", "", block[1], flags=re.MULTILINE))
    shown = read_profile(tmp_path / "profile.yaml")
    example = read_profile(ROOT / "examples" / "billing-support" / "profile.yaml")
    assert shown.criteria == example.criteria
    assert set(shown.constraints) <= set(example.constraints)
    assert (shown.name, shown.runs) == (example.name, example.runs)

"""Decision records and profiles are found where they lie, and what is neither is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.decisions.recording import write_record
from assay.errors import AssayError
from assay.web.catalog import open_catalog
from assay.web.serving import default_places
from decision_records import small_record

PROFILE = """
name: Small
deployment: {owner: Ana, context: a test}
criteria:
  - {name: right, metric: exact_match, weight: 1}
"""


def test_records_are_found_in_folders_of_suites_and_by_name(tmp_path: Path) -> None:
    beside, alone = tmp_path / "runs" / "refunds.decision.json", tmp_path / "other.json"
    beside.parent.mkdir()
    for path in (beside, alone):
        write_record(small_record(), path)
    (beside.parent / "table.json").write_text("[1, 2]")
    catalog = open_catalog([beside.parent, alone])
    assert sorted(record.path for record in catalog.records) == sorted((beside.resolve(), alone.resolve()))
    assert len({record.slug for record in catalog.records}) == 2
    for record in catalog.records:
        assert catalog.record(record.slug).problems == ()
    assert not catalog.problems


def test_a_record_that_was_changed_is_shown_as_changed(tmp_path: Path) -> None:
    path = tmp_path / "refunds.decision.json"
    write_record(small_record(), path)
    catalog = open_catalog([tmp_path])
    held = json.loads(path.read_text())
    held["name"] = "another name, as long as it may be"
    path.write_text(json.dumps(held))
    (record,) = catalog.refreshed().records
    assert record.record.name == held["name"]
    assert "changed" in record.problems[0]
    path.write_text("{}")
    after = catalog.refreshed()
    assert after.records == ()
    assert "refunds.decision.json" in after.problems[0]


def test_without_places_those_of_the_working_folder_are_shown_beside_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_RUNS", raising=False)
    with pytest.raises(AssayError, match="runs does not exist"):
        default_places()
    Path("runs").mkdir()
    write_record(small_record(), Path("refunds.decision.json"))
    Path("small.yaml").write_text(PROFILE)
    Path("models.yaml").write_text("- name: openai/m\n")
    assert default_places() == [Path("runs"), Path("refunds.decision.json"), Path("small.yaml")]


def test_profiles_are_found_and_other_yaml_is_not_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(PROFILE)
    (tmp_path / "models.yaml").write_text("- name: openai/m\n")
    (tmp_path / "suite.yml").write_text("name: s\nmodels: [a]\n")
    (tmp_path / "broken.yaml").write_text("deployment: {owner: Ana}\ncriteria: 5\n")
    catalog = open_catalog([tmp_path])
    (profile,) = catalog.profiles
    assert profile.profile.name == "Small"
    assert catalog.profile(profile.slug) is profile
    assert len(catalog.problems) == 1
    assert "broken.yaml" in catalog.problems[0]

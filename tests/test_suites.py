"""Suites from YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import registry
from assay.entries import Ask
from assay.errors import AssayError
from assay.metrics import metrics_for
from assay.perturbations import parse_perturbations
from assay.prompting import with_changes
from assay.suites import Candidate, Suite, builtin_suites, parse_suite, read_suite

GOOD = """
name: mine
seed: 3
perturbations: [lowercase, {typos: {rate: 0.2}}]
models:
  - baseline/majority
  - {model: local/smollm2-135m, prompting: {chat: always}}
scenarios:
  - "mmlu:subject=anatomy"
  - {scenario: boolq, max_instances: 5, prompting: {shots: 2}}
"""


def test_a_suite_says_candidates_scenarios_and_conditions() -> None:
    suite = parse_suite(GOOD, "mine.yaml")
    assert [candidate.name for candidate in suite.candidates()] == ["baseline/majority", "local/smollm2-135m (chat=always)"]
    assert [ask.scenario for ask in suite.asks()] == ["mmlu", "boolq"]
    assert suite.asks()[1].prompting == {"shots": 2}


def test_a_candidate_is_called_by_its_label_where_it_has_one() -> None:
    assert Candidate(model="a/b", label="B").name == "B"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\nscenarios: [a\nmodels: []", "s.yaml, line 3: not valid YAML"),
        ("- a\n- b", "must be a mapping"),
        ("scenaros: [boolq]", "'scenaros'.*did you mean scenarios"),
        ("scenarios: []", "has no scenarios"),
        ("scenarios: [boolq]\nmax_instances: -1", "max_instances must be at least 1"),
        ("scenarios: [boolq]\nmax_instances: many", "max_instances"),
        ("scenarios: [boolq]\nsplit: [tset]", "'tset'.*did you mean test"),
        ("scenarios: [{scenario: boolq, shots: 3}]", "'shots'.*"),
        ("scenarios: [boolq]\nmodels: [{modl: x}]", "'modl'.*did you mean model"),
        ("scenarios: [boolq]\nseed: !!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_a_wrong_suite_is_refused_with_place_and_reason(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        parse_suite(text, "s.yaml")


def test_a_suite_file_is_named_after_itself_unless_it_says_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "nightly.yaml"
    file.write_text("scenarios: ['boolq:']")
    assert read_suite([str(file)]).name == "nightly"
    with pytest.raises(AssayError, match="does not exist"):
        read_suite([str(tmp_path / "other.yaml")])
    with pytest.raises(AssayError, match="stands alone"):
        read_suite([str(file), "boolq:"])
    with pytest.raises(AssayError, match="nothing to run"):
        read_suite([])


def test_the_suites_that_come_with_assay_can_be_read() -> None:
    for name, text in builtin_suites().items():
        suite = parse_suite(text, name)
        assert suite.asks()
        assert suite.about


def entries_of_suites() -> list[tuple[str, str | Ask]]:
    return [(name, entry) for name, text in builtin_suites().items() for entry in parse_suite(text, name).scenarios]


@pytest.mark.parametrize(("suite", "entry"), entries_of_suites(), ids=lambda part: str(part)[:100])
def test_every_entry_of_every_suite_is_a_scenario_with_sensible_settings(suite: str, entry: str | Ask) -> None:
    for ask in Suite(scenarios=(entry,)).asks():
        scenario = registry.scenarios.get(ask.scenario)(**ask.parameters)
        with_changes(scenario.prompting, ask.prompting)
        metrics_for((scenario.main_metric, *scenario.metrics, *ask.metrics))
        parse_perturbations(ask.perturbations or ())


def test_the_suites_of_helm_and_the_small_ones_are_there() -> None:
    assert {"helm-classic", "helm-lite", "helm-capabilities", "helm-safety", "quickstart", "smoke"} <= set(builtin_suites())


def test_the_smoke_suite_needs_no_network() -> None:
    for ask in parse_suite(builtin_suites()["smoke"], "smoke").asks():
        assert not registry.scenarios.get(ask.scenario)(**ask.parameters).source.identity.startswith("hub:")

"""What must agree between runs that are compared."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.comparison.contract import differences
from assay.metrics.derived import find
from assay.records import DataFile, DataIdentity, ModelIdentity, NamedSpec, RunSpec

SPEC = RunSpec(
    scenario=NamedSpec(name="boolq", version=2),
    data=DataIdentity(source="hub:google/boolq@1", files=(DataFile(path="a.parquet", sha256="00"),), instances="i"),
    prompting={"method": "generation", "max_tokens": 5, "stop": ["\n"], "extractor": {"name": "last_number", "version": 1}},
    model=ModelIdentity(name="made/one"),
    metrics=(NamedSpec(name="exact_match"),),
    toxicity=NamedSpec(name="toxicity_scorer", parameters={"scorer": "lexical"}),
    max_instances=100,
)


def keys(metric: str = "exact_match", **changes: Any) -> list[str]:
    other = msgspec.structs.replace(SPEC, **changes)
    return [found.key for found in differences("boolq", {"a": SPEC, "b": other}, find(metric))]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"prompting": {**SPEC.prompting, "max_tokens": 9}}, "prompting.max_tokens"),
        ({"prompting": {**SPEC.prompting, "extractor": {"name": "last_number", "version": 2}}}, "prompting.extractor.version"),
        ({"prompting": {**SPEC.prompting, "temperature": 1.0}}, "prompting.temperature"),
        ({"data": msgspec.structs.replace(SPEC.data, source="hub:google/boolq@2")}, "data.source"),
        (
            {"data": msgspec.structs.replace(SPEC.data, files=(DataFile(path="a.parquet", sha256="11"),))},
            "data.files.a.parquet",
        ),
        ({"data": msgspec.structs.replace(SPEC.data, instances="other")}, "data.instances"),
        ({"scenario": NamedSpec(name="boolq", version=3)}, "scenario.version"),
        ({"metrics": (NamedSpec(name="exact_match", version=2),)}, "metrics.exact_match"),
        ({"seed": 1, "data": msgspec.structs.replace(SPEC.data, instances="other")}, "seed"),
        ({"draws": 2}, "draws"),
        ({"repeats": 3}, "repeats"),
        ({"split": ("valid",)}, "split"),
    ],
)
def test_what_decides_the_numbers_must_agree(changes: dict[str, Any], key: str) -> None:
    assert keys(**changes) == [key]


@pytest.mark.parametrize(
    "changes",
    [
        {"model": ModelIdentity(name="made/two", revision="9", endpoint="chat")},
        {"label": "two"},
        {"perturbations": (NamedSpec(name="typos"),), "formats": 8},
        {"metrics": (NamedSpec(name="exact_match"), NamedSpec(name="f1_score"))},
        {"max_instances": 20, "data": msgspec.structs.replace(SPEC.data, instances="fewer")},
    ],
)
def test_what_does_not_touch_common_instances_may_differ(changes: dict[str, Any]) -> None:
    assert keys(**changes) == []


def test_who_rates_toxicity_matters_to_toxicity_alone() -> None:
    other = NamedSpec(name="toxicity_scorer", parameters={"scorer": "perspective"})
    assert keys(toxicity=other) == []
    rated = (NamedSpec(name="expected_max_toxicity"),)
    both = {name: msgspec.structs.replace(SPEC, metrics=rated, toxicity=t) for name, t in (("a", SPEC.toxicity), ("b", other))}
    assert [found.key for found in differences("boolq", both, find("expected_max_toxicity"))] == ["toxicity.scorer"]


def test_the_values_of_each_candidate_are_told() -> None:
    (found,) = differences("boolq", {"a": SPEC, "b": msgspec.structs.replace(SPEC, draws=2)}, find("exact_match"))
    assert found.values == {"a": "1", "b": "2"}

"""What a user may write after --until."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adaptive.targets import Target, parse_targets
from assay.errors import AssayError
from assay.metrics import metrics_for


@pytest.mark.parametrize("text", ["accuracy±0.02", "accuracy+-0.02", "accuracy+/-0.02", "accuracy ± 0.02", " accuracy±2e-2 "])
def test_a_target_is_a_metric_and_a_half_width(text: str) -> None:
    assert parse_targets(text) == (Target("accuracy", 0.02),)


def test_several_are_parted_by_commas_and_accuracy_is_the_main_metric() -> None:
    both = parse_targets("accuracy±0.02, exact_match+-0.03")
    assert both == (Target("accuracy", 0.02), Target("exact_match", 0.03))
    metrics = metrics_for(("f1_score", "exact_match"))
    assert [target.of(metrics).name for target in both if target.of(metrics)] == ["f1_score", "exact_match"]  # type: ignore[union-attr]
    assert Target("rouge_l", 0.1).of(metrics) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not understood"),
        ("accuracy", "not understood"),
        ("accuracy±", "not understood"),
        ("accuracy±0", "no half width above 0"),
        ("accuracy±-1", "no half width above 0"),
        ("accuracy±nan", "no half width above 0"),
        ("accuracy±inf", "no half width above 0"),
        ("accuracy±1_0", "no half width above 0"),
        ("accuracy±1e-160", "no interval can be known to be that narrow"),
        ("accuracy±1e-170", "no interval can be known to be that narrow"),
        ("accuracy±1e-300", "no interval can be known to be that narrow"),
        ("accuracy±1e-400", "no half width above 0"),
        ("acuracy±0.1", "did you mean accuracy"),
        ("accuracy±0.1,accuracy±0.2", "names accuracy twice"),
        ("ece_10_bin±0.1", "no mean over single answers"),
        ("latency_s±0.1", "have no bounds"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(AssayError, match=said) as refused:
        parse_targets(text)
    assert "\n" not in str(refused.value)


@given(st.text(max_size=30))
def test_any_text_is_a_target_or_an_error(text: str) -> None:
    with contextlib.suppress(AssayError):
        assert all(target.within >= 1e-6 for target in parse_targets(text))

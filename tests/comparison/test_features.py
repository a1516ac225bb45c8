"""Features of inputs."""

from __future__ import annotations

import pytest

from assay.comparison.features import FEATURES, features_of


@pytest.mark.parametrize(
    ("feature", "yes", "no"),
    [
        ("with a number", "pay 12 euros", "pay twelve euros"),
        ("with a negation", "I don’t want it", "a note about knots"),
        ("with a question mark", "why?", "because"),
        ("beyond ASCII", "Bodø", "Bodo"),
        ("all lower case", "all small", "Not small"),
        ("several lines", "one\ntwo", "one\n"),
    ],
)
def test_each_feature_is_seen_and_not_imagined(feature: str, yes: str, no: str) -> None:
    assert FEATURES[feature](yes)
    assert not FEATURES[feature](no)


def test_only_features_that_part_the_texts_are_kept_and_lengths_are_quarters() -> None:
    found = features_of(["a" * n for n in range(1, 13)])
    assert set(found) == {"at most 3 characters", "at least 10 characters"}
    assert sum(found["at most 3 characters"]) == sum(found["at least 10 characters"]) == 3


def test_texts_without_any_have_no_features() -> None:
    assert features_of([]) == {}
    assert features_of(["same", "same"]) == {}

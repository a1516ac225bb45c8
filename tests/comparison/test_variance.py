"""Parts of the variance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.comparison.evidence import gather
from assay.comparison.variance import components, variances
from assay.identity import array_generator
from comparison_helpers import trial_of, write_run


def test_known_components_are_recovered() -> None:
    generator = array_generator("components")
    items, variants, repeats = 400, 6, 3
    found = []
    for _ in range(40):
        values = (
            2.0 * generator.standard_normal((items, 1, 1))
            + 0.5 * generator.standard_normal((1, variants, 1))
            + 1.0 * generator.standard_normal((items, variants, 1))
            + 1.5 * generator.standard_normal((items, variants, repeats))
        )
        parts = components(values)
        found.append((parts.items, parts.variants, parts.repeats))
    assert np.mean(found, axis=0) == pytest.approx([4.0, 1.25, 2.25], rel=0.06)


def test_interaction_alone_is_not_counted_twice() -> None:
    """With few items, chance on them moves the means of variants that have no effect of their own."""
    generator = array_generator("interaction")
    found = [components(generator.standard_normal((6, 5, 1))).variants for _ in range(2000)]
    assert 1.0 < np.mean(found) < 1.08  # a little above 1, as no part may be negative


def test_without_repeats_or_variants_the_rest_is_right() -> None:
    generator = array_generator("fewer")
    one = components(generator.standard_normal((5000, 1, 2)) * 0.5 + generator.standard_normal((5000, 1, 1)))
    assert (one.items, one.variants) == (pytest.approx(1.0, rel=0.1), 0.0)
    assert one.repeats == pytest.approx(0.25, rel=0.1)
    assert components(np.ones((5, 2, 1))).repeats is None


def test_constant_items_whose_repeats_differ_put_all_variance_into_repeats(tmp_path: Path) -> None:
    trials = [trial_of(item, float((item + repeat) % 2), repeat=repeat) for item in range(30) for repeat in range(2)]
    steady = [trial_of(item, float(item % 2), repeat=repeat) for item in range(30) for repeat in range(2)]
    write_run(tmp_path, "made/shaky", trials, repeats=2)
    write_run(tmp_path, "made/steady", steady, repeats=2)
    shaky, firm = sorted(variances(gather([tmp_path]), ()), key=lambda found: found.candidate)
    assert (shaky.items, shaky.repeats, shaky.draws, shaky.formats) == (0.0, 1.0, None, None)
    assert (firm.items, firm.repeats) == (1.0, 0.0)


def test_formats_and_draws_are_told_apart(tmp_path: Path) -> None:
    trials = [
        trial_of(item, float((item + (draw if item % 3 else 0) + form) % 2), draw=draw, format=form)
        for item in range(60)
        for draw, form in ((0, 0), (1, 0), (0, 1))
    ]
    write_run(tmp_path, "made/one", trials, draws=2, formats=2)
    write_run(tmp_path, "made/other", [trial_of(item, float(item % 2)) for item in range(60)])
    (found,) = variances(gather([tmp_path]), ())
    assert found.candidate == "made/one"
    assert found.draws is not None
    assert found.formats is not None
    assert 0 < found.draws < found.formats
    assert found.mean_over_draws is not None

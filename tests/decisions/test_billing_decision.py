"""A billing-enquiry assistant with known truth: what matters decides who is chosen, and the words and the flip say why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli_helpers import Assay, assay
from decision_billing import ACCURACY, CALIBRATION, CASES, LATENCY, A, B, profile, record

__all__ = ["assay"]

CALIBRATED = profile(ACCURACY.format(1) + CALIBRATION.format(3))
FAST = profile(ACCURACY.format(3) + CALIBRATION.format(1) + LATENCY.format(2))


def decided(assay: Assay, text: str, name: str = "profile") -> dict[str, Any]:
    Path(f"{name}.yaml").write_text(text)
    said = assay("decide", f"{name}.yaml", "--json")
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)["decision"]
    return found


def worths(candidate: Any) -> tuple[float, float, float]:
    """By the value curves of the profile: right answers, calibration, latency."""
    return (candidate.accuracy - 0.5) / 0.5, 1 - candidate.calibration_error / 0.3, 1 - candidate.latency_s / 3


def test_what_weighs_decides_and_the_flip_is_where_the_weighted_sums_meet(assay: Assay, tmp_path: Path) -> None:
    record(assay, tmp_path)
    found = decided(assay, CALIBRATED)
    assert (found["status"], found["recommended"], found["contenders"]) == ("recommended", "B", ["B"])
    by_name = {standing["candidate"]: standing["measurements"] for standing in found["standings"]}
    for name, truth in (("A", A), ("B", B)):
        accuracy, calibration = (measurement["estimate"]["value"] for measurement in by_name[name])
        assert accuracy == pytest.approx(truth.accuracy)
        assert calibration == pytest.approx(truth.calibration_error, abs=1e-9)

    # x more right answers + (1 - x) less calibration = 0
    (more_right, more_honest, _) = (a - b for a, b in zip(worths(A), worths(B), strict=True))
    flips_at = -more_honest / (more_right - more_honest)
    right, honest = found["flips"]
    assert right["share"] == 0.25
    assert (right["low"], right["below"], right["above"]) == (0.0, None, "A")
    assert right["high"] == pytest.approx(flips_at)
    assert (honest["low"], honest["below"]) == (pytest.approx(1 - flips_at), "A")
    assert found["distance"] == pytest.approx(flips_at - 0.25)

    words = " ".join(found["words"])
    assert "Choose B." in words
    assert "Against A it gains: honest confidence 0.00 instead of 0.14 (shown, 95 %)" in words
    assert "It gives up: right answers 0.77 instead of 0.84 (shown, 95 %)" in words
    assert f"A would be first if right answers weighed more than {flips_at:.2f} (now 0.25)" in words


def test_speed_and_right_answers_decide_for_the_other(assay: Assay, tmp_path: Path) -> None:
    record(assay, tmp_path)
    found = decided(assay, FAST)
    assert (found["status"], found["recommended"]) == ("recommended", "A")
    words = " ".join(found["words"])
    assert "gains: right answers 0.84 instead of 0.77 (shown, 95 %); latency 0.500 s instead of" in words
    assert "It gives up: honest confidence 0.14 instead of 0.00" in words

    # 3 right answers and 2 latency keep their proportions while calibration takes the share x.
    (right, honest, fast) = (b - a for a, b in zip(worths(A), worths(B), strict=True))
    rest = (3 * right + 2 * fast) / 5
    flips_at = rest / (rest - honest)
    calibration = next(flip for flip in found["flips"] if flip["criterion"] == "honest confidence")
    assert (calibration["high"], calibration["above"]) == (pytest.approx(flips_at, abs=0.005), "B")
    assert f"B would be first if honest confidence weighed more than {calibration['high']:.2f} (now 0.17)" in words


def test_where_weights_are_open_the_priorities_decide_and_no_more_cases_are_asked_for(assay: Assay, tmp_path: Path) -> None:
    record(assay, tmp_path)
    found = decided(assay, profile(ACCURACY.format("[1, 30]") + CALIBRATION.format(1)))
    assert found["status"] == "not separated"
    assert set(found["contenders"]) == {"A", "B"}
    assert "depends on the priorities" in found["words"][0]
    assert "more cases would not" in found["words"][1]


def test_a_constraint_comes_before_everything_that_speaks_for_a_candidate(assay: Assay, tmp_path: Path) -> None:
    record(assay, tmp_path)
    limits = "constraints:\n  - {name: fast enough, metric: latency_s, at_most: 1}\n"
    found = decided(assay, CALIBRATED + limits)
    assert (found["status"], found["recommended"]) == ("recommended", "A")
    assert "B is out: fast enough 1.499 s (at most 1 s; at 95 % confidence not below 1.489 s)." in found["words"]
    limits += "  - {name: right at all, metric: quasi_exact_match, at_least: 0.83}\n"
    found = decided(assay, CALIBRATED + limits)
    assert (found["status"], found["recommended"]) == ("undetermined", None)
    assert found["words"][0] == "No candidate is known to be acceptable."
    more = found["standings"][0]["constraints"][1]["more"]
    # 0.838 must be told from 0.83: about p (1 - p) (1.645 / 0.0081)^2 cases.
    assert more + CASES == pytest.approx(A.accuracy * (1 - A.accuracy) * (1.645 / (A.accuracy - 0.83)) ** 2, rel=0.1)


def test_the_same_command_again_gives_the_same_bytes(assay: Assay, tmp_path: Path) -> None:
    record(assay, tmp_path)
    first = decided(assay, FAST)
    written = Path("profile.decision.json").read_bytes()
    assert decided(assay, FAST) == first
    assert Path("profile.decision.json").read_bytes() == written
    assert decided(assay, FAST, "elsewhere") == first

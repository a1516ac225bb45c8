"""A profile drafted from runs: what it holds, that it reads back as it was meant, and that it can be measured at once."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.drafting import draft, number
from assay.decisions.measuring import measure
from assay.decisions.profile import Profile
from assay.decisions.reading import read_profile
from assay.errors import AssayError
from assay.identity import generator
from assay.records import NamedSpec
from comparison_helpers import trial_of, write_run
from scored_runs import Said, scored_run

PERTURBED = (NamedSpec(name="typos"), NamedSpec(name="dialect"))


def answers(seed: str, share: float, items: int = 20) -> list[Said]:
    rng = generator("drafting", seed)
    return [
        Said(
            item,
            "yes" if rng.random() < share else "no",
            confidence=0.4 + 0.6 * rng.random(),
            latency_s=1 + rng.random(),
            subgroups={"region": "north" if item % 2 else "south", "customer": str(item)},
            perturbation=copy,
        )
        for item in range(items)
        for copy in (None, "typos", "dialect")
    ]


def written(home: Path, *folders: Path) -> tuple[Profile, str]:
    """The drafted profile, read back, and its text."""
    home.mkdir(exist_ok=True)
    text = draft(folders, (), home / "profile.yaml")
    (home / "profile.yaml").write_text(text, encoding="utf-8")
    return read_profile(home / "profile.yaml"), text


def test_what_was_measured_becomes_criteria_and_what_could_be_a_limit_a_comment(tmp_path: Path) -> None:
    for name, share in (("made/a", 0.9), ("made/b", 0.6)):
        scored_run(tmp_path / "runs", name, answers(name, share), perturbations=PERTURBED)
    profile, text = written(tmp_path / "deep", tmp_path / "runs")
    assert profile.runs == ("../runs",)
    assert profile.candidates == ("made/a", "made/b")
    made = {(each.name, each.metric, each.on, each.perturbation) for each in profile.criteria}
    assert made == {
        ("right answers", "exact_match", "original", ""),
        ("robustness", "exact_match", "worst", "robustness"),
        ("fairness", "exact_match", "worst", "fairness"),
        ("honest confidence", "ece_10_bin", "original", ""),
        ("waiting", "latency_p95_s", "original", ""),
    }
    assert profile.constraints == ()
    assert 'subgroup: "region=north"' in text
    assert "customer=" not in text
    measured = measure(profile, tmp_path / "deep")
    right = measured.estimates[0][0]
    assert right is not None
    assert right.low is not None
    assert f"{right.value:.2f} [{right.low:.2f}" in text
    assert measured.notes == ("The profile does not say yet: owner and context.",)
    for criterion, values in zip(profile.criteria, measured.values.T, strict=True):
        assert criterion.value is not None
        low, high = sorted((criterion.value.unacceptable, criterion.value.satisfying))
        assert all(low <= value <= high for value in values)


def test_limits_hold_once_their_comment_signs_are_gone(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "made/a", answers("a", 0.9), perturbations=PERTURBED)
    _, text = written(tmp_path, tmp_path / "runs")
    head, tail = text.split("constraints:\n")
    limits, rest = tail.split("\n\n", 1)
    lines = [line.replace("  # ", "  ", 1) for line in limits.splitlines() if line.startswith(("  # - ", "  #   "))]
    assert lines
    (tmp_path / "profile.yaml").write_text(head + "constraints:\n" + "\n".join(lines) + "\n\n" + rest, encoding="utf-8")
    profile = read_profile(tmp_path / "profile.yaml")
    names = [each.name for each in profile.constraints]
    assert {"right often enough", "fast enough", "calibrated enough", "usable often enough"} <= set(names)
    assert "right often enough, region=south" in names
    assert len(measure(profile, tmp_path).measures) == len(profile.criteria) + len(names)


def test_limits_are_those_that_the_best_candidate_is_about_to_keep_and_none_that_all_would(tmp_path: Path) -> None:
    for name, right in (("made/a", 90), ("made/b", 60), ("made/c", 0)):
        trials = [trial_of(item, float(item < right)) for item in range(100)]
        write_run(tmp_path / "runs", name, trials)
    profile, text = written(tmp_path, tmp_path / "runs")
    (right_answers,) = (each for each in profile.criteria if each.name == "right answers")
    # 90 of 100 lies between 0.83 and 0.94, 60 of 100 between 0.50 and 0.69; 0 of 100 does not move the range.
    assert right_answers.value is not None
    assert (right_answers.value.unacceptable, right_answers.value.satisfying) == pytest.approx((0.5, 1.0))
    assert "  #   at_least: 0.8\n" in text
    assert "at_least: 0\n" not in text
    for name in ("made/a", "made/b"):
        write_run(tmp_path / "bad", name, [trial_of(item, 0.0) for item in range(100)])
    told = written(tmp_path, tmp_path / "bad")[1]
    assert 'name: "right often enough"' not in told
    assert "# no limit suggested for right often enough: the interval of the best reaches the worst value there is" in told


def test_no_range_reaches_to_calibration_errors_that_nobody_would_accept(tmp_path: Path) -> None:
    for name, right in (("made/a", 18), ("made/b", 3)):
        said = [Said(item, "yes" if item < right else "no", confidence=0.9) for item in range(20)]
        scored_run(tmp_path / "runs", name, said)
    profile, text = written(tmp_path, tmp_path / "runs")
    (honest,) = (each for each in profile.criteria if each.name == "honest confidence")
    assert honest.value is not None
    assert (honest.value.unacceptable, honest.value.satisfying) == (0.5, 0)
    assert "made/b 0.75" in text


HOSTILE = "made/a: \"b\" #c\n- {x: [y]} 'ü' \x85 \u202e 😀 | <b>"


def test_labels_and_titles_that_are_no_words_come_back_as_they_were(tmp_path: Path) -> None:
    for scenario in ('odd: "title" # {x}', "plain"):
        trials = [trial_of(item, item % 2 * 1.0, subgroups={"a:b": f'"{item % 2}" #'}) for item in range(8)]
        write_run(tmp_path / "r: #'uns", "made/x", trials, scenario=scenario, label=HOSTILE)
        write_run(tmp_path / "r: #'uns", "made/b", trials, scenario=scenario)
    write_run(tmp_path / "r: #'uns", "made/b", trials, scenario="alone")
    profile, text = written(tmp_path, tmp_path / "r: #'uns")
    assert profile.candidates == tuple(sorted((HOSTILE, "made/b")))
    assert set(profile.criteria[0].scenarios) == {'odd: "title" # {x}', "plain"}
    assert measure(profile, tmp_path).values[:, 0].tolist() == [0.5, 0.5]
    assert not set("\x85\u202e") & set(text)


def test_runs_that_were_not_asked_alike_are_allowed_and_said_to_be(tmp_path: Path) -> None:
    trials = [trial_of(item, item % 2 * 1.0) for item in range(8)]
    write_run(tmp_path / "runs", "made/a", trials)
    write_run(tmp_path / "runs", "made/b", trials, prompting={"method": "generation", "max_tokens": 9})
    profile, text = written(tmp_path, tmp_path / "runs")
    assert profile.allow_differences
    assert "#   Runs of made differ in prompting.max_tokens (made/a: 5; made/b: 9)." in text


def test_what_one_candidate_lacks_is_no_criterion(tmp_path: Path) -> None:
    scored_run(tmp_path / "runs", "made/a", answers("a", 0.9), perturbations=PERTURBED)
    scored_run(tmp_path / "runs", "made/b", [each for each in answers("b", 0.9) if not each.perturbation])
    profile, text = written(tmp_path, tmp_path / "runs")
    assert {each.name for each in profile.criteria} == {"right answers", "honest confidence", "waiting"}
    assert "not measured of 1 candidate\n" in text or "candidates" not in text.split("criteria:")[1].split("seed")[0]


def test_without_anything_to_decide_by_nothing_is_written(tmp_path: Path) -> None:
    write_run(tmp_path / "runs", "made/a", [trial_of(0, 1.0)], scenario="one")
    write_run(tmp_path / "runs", "made/b", [trial_of(0, 1.0)], scenario="two")
    with pytest.raises(AssayError, match=r"nothing was measured of all candidates .*run all of them on one scenario"):
        draft([tmp_path / "runs"], (), tmp_path / "profile.yaml")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_back_as_numbers(value: float) -> None:
    assert yaml.safe_load(number(value)) == pytest.approx(value, rel=1e-11, abs=0)

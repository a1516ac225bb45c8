"""A profile file as a profile, and a line for everything that is wrong with one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.profile import Profile, Value
from assay.decisions.reading import read_profile, weight_range
from assay.errors import AssayError

WHOLE = """\
name: Billing assistant
deployment: {owner: Ana Ruiz, context: sorts enquiries, affected: [customers, agents], review: 2027-05-31, expires: 2027-11-30}
runs: [runs/billing]
candidates: [openai/a, openai/b]
criteria:
  - {name: right, metric: exact_match, weight: [2, 4], value: {unacceptable: 0.5, satisfying: 0.95, points: [[0.8, 0.7]]}}
  - {name: honest, metric: ece_10_bin, scenarios: ["billing*"], weight: 1, value: {unacceptable: 0.3, satisfying: 0}}
  - name: robust
    metric: exact_match
    on: worst
    perturbation: robustness
    importance: 2
  - {name: fast, metric: latency_s, value: {unacceptable: 5, satisfying: 0.5}, subgroup: region=north}
constraints:
  - {name: fast enough, metric: latency_p95_s, at_most: 2, confidence: 0.9}
  - {name: steady, metric: exact_match, on: change, at_least: -0.1}
costs: {error: 5, abstention: 1, currency: EUR}
confidence: 0.9
seed: 7
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "profile.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_that_is_written_is_read(tmp_path: Path) -> None:
    profile = read_profile(written(tmp_path, WHOLE))
    assert profile.deployment.expires == "2027-11-30"
    right, honest, robust, fast = profile.criteria
    assert right.weight == (2.0, 4.0)
    assert right.value == Value(unacceptable=0.5, satisfying=0.95, points=((0.8, 0.7),))
    assert (honest.weight, honest.scenarios) == (1.0, ("billing*",))
    assert (robust.on, robust.perturbation, robust.importance, robust.value) == ("worst", "robustness", 2, None)
    assert (fast.subgroup, fast.weight) == ("region=north", None)
    assert [(each.at_most, each.at_least, each.confidence) for each in profile.constraints] == [
        (2, None, 0.9),
        (None, -0.1, None),
    ]
    assert profile.costs is not None
    assert (profile.costs.error, profile.costs.latency, profile.confidence, profile.seed) == (5, 0, 0.9, 7)


def test_keys_that_are_left_empty_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    empty = "name: x\ndeployment: {owner: a, context: b}\ncriteria:\n  - {name: r, metric: exact_match}\nconstraints:\ncosts:\n"
    profile = read_profile(written(tmp_path, empty))
    assert (len(profile.criteria), profile.constraints, profile.costs) == (1, (), None)


def test_costs_alone_are_a_profile_and_their_currency_is_that_of_prices(tmp_path: Path) -> None:
    head = "name: x\ndeployment: {owner: a, context: b}\ncosts: {error: 5, currency: EUR}\n"
    assert read_profile(written(tmp_path, head)).criteria == ()
    limits = (
        "constraints:\n  - {name: cheap, metric: cost, at_most: 1}\n  - {name: right, metric: exact_match, at_least: 0.5}\n"
    )
    cheap, right = read_profile(written(tmp_path, head + limits)).constraints
    assert (cheap.unit, right.unit) == ("EUR", "")
    own = read_profile(written(tmp_path, head + limits.replace("cost,", "cost, unit: cents,", 1))).constraints[0]
    assert own.unit == "cents"
    (bare,) = read_profile(written(tmp_path, head.split("costs")[0] + limits.split("  - {name: right")[0])).constraints
    assert bare.unit == ""


WRONG = [
    ("name: Billing assistant\n", "", r"profile.yaml: name is missing"),
    ("owner: Ana Ruiz, ", "", r"line 2: deployment: owner is missing \(it needs owner and context\)"),
    ("owner: Ana Ruiz", "owner: ' '", r"line 2: deployment: owner is empty"),
    ("seed: 7", "sed: 7", r"line 19: unknown key 'sed' \(did you mean seed\?\)"),
    ("context: sorts", "contxt: sorts", r"line 2: deployment: unknown key 'contxt' \(did you mean context"),
    ("weight: 1,", "wieght: 1,", r"line 7: criterion 'honest': unknown key 'wieght' \(did you mean weight"),
    ("satisfying: 0}}", "satisfing: 0}}", r"line 7: criterion 'honest': value: unknown key 'satisfing'"),
    ("at_most: 2,", "at_mots: 2,", r"line 15: constraint 'fast enough': unknown key 'at_mots' \(did you mean at_most"),
    ("error: 5", "eror: 5", r"line 17: costs: unknown key 'eror'"),
    ("metric: ece_10_bin", "metric: ece_10_bins", r"line 7: .*'honest': unknown metric 'ece_10_bins' \(did you mean ece"),
    ("weight: [2, 4]", "weight: [4, 2]", r"line 6: criterion 'right': the range \[4, 2\] is turned round"),
    ("weight: [2, 4]", "weight: -1", r"line 6: criterion 'right': weight must lie between"),
    ("weight: [2, 4]", "weight: .nan", r"line 6: .*weight must lie between"),
    ("weight: [2, 4]", "weight: [1, 2, 3]", r"line 6: criterion .*: weight: .*\(a number, or a range such as \[1, 3\]\)"),
    ("weight: 1,", "weight: 1, importance: 1,", r"line 7: .*weight and importance exclude each other"),
    ("importance: 2", "importance: 0", r"line 12: criterion 'robust': importance must be a rank from 1 to 4, not 0"),
    ("on: worst", "on: worse", r"line 10: criterion .*: on: Invalid enum value 'worse' \(original, perturbed"),
    (", value: {unacceptable: 5, satisfying: 0.5}", "", r"line 13: .*'fast': latency_s has no upper bound \(add value: "),
    ("metric: latency_s, value: {unacceptable: 5, satisfying: 0.5}", "metric: mean_confidence", "is worth cannot be guessed"),
    ("{unacceptable: 0.3, satisfying: 0}", "{unacceptable: 0, satisfying: 0.3}", "lower values of ece_10_bin are better"),
    ("{unacceptable: 0.3, satisfying: 0}", "{unacceptable: 0.3, satisfying: 0.3}", r"line 7: .*are both 0.3 \(they must"),
    ("{unacceptable: 0.3, satisfying: 0}", "{unacceptable: 0.3}", r"line 7: .*satisfying is missing"),
    ("unacceptable: 0.3", "unacceptable: .inf", r"line 7: .*unacceptable must be a number, not inf"),
    ("unacceptable: 0.5,", "unacceptable: 50,", r"line 6: .*unacceptable is 50, but values of exact_match are between 0 and 1"),
    ("[[0.8, 0.7]]", "[[0.8, 0.7], [0.9, 0.6]]", r"line 6: .*the worth falls to 0.6"),
    ("[[0.8, 0.7]]", "[[0.9, 0.7], [0.8, 0.8]]", r"line 6: .*points must lie in order from unacceptable to satisfying"),
    ("[[0.8, 0.7]]", "[[0.4, 0.7]]", r"line 6: .*points must lie in order"),
    ("[[0.8, 0.7]]", "[[0.8, 1.7]]", r"line 6: .*the worth of 0.8 must lie between 0 and 1, not be 1.7"),
    ("[[0.8, 0.7]]", "[[0.8, .nan]]", r"line 6: .*the worth of 0.8 must lie between"),
    ("[[0.8, 0.7]]", "[0.8, 0.7]", r"line 6: .*\(pairs of a measured value and its worth"),
    ("at_most: 2, ", "", r"line 15: constraint 'fast enough': it has no limit \(add at_most or at_least\)"),
    ("at_most: 2, ", "at_most: 2, at_least: 1, ", r"line 15: .*exclude each other"),
    ("at_most: 2, ", "at_most: .nan, ", r"line 15: .*at_most must be a number, not nan"),
    ("at_most: 2, ", "at_most: -2, ", r"line 15: .*at_most is -2, but values of latency_p95_s are at least 0"),
    ("confidence: 0.9}", "confidence: 0.4}", r"line 15: .*confidence must lie between 0.5 and 1, not be 0.4"),
    ("confidence: 0.9\n", "confidence: 95\n", r"line 18: confidence must lie between 0.5 and 1, not be 95"),
    ("name: honest", "name: right", r"line 7: two criteria or constraints are named 'right'"),
    ("name: steady", "name: right", r"line 16: two criteria or constraints are named"),
    ("name: steady", "name: expected cost", r"line 17: a measure is named 'expected cost'"),
    ("2027-05-31", "2027-02-30", r"line 2: deployment: review '2027-02-30' is no day \(write it as 2027-03-31"),
    ("2027-05-31", "2028-05-31", r"line 2: deployment: review lies after expires"),
    ("subgroup: region=north", "subgroup: north", r"line 13: .*'north' is no subgroup \(write axis=value"),
    ("    on: worst\n", "", r"line 10: criterion 'robust': originals are not perturbed"),
    ("exact_match, on: change, at_least: -0.1", "ece_10_bin, on: worst, at_most: 0.2", "ece_10_bin has no worst case"),
    ("metric: exact_match, on: change", "metric: latency_s, on: change", "latency_s has no change between copies"),
    ("[openai/a, openai/b]", "[openai/a, openai/a]", r"line 4: candidates names 'openai/a' twice"),
    ("[openai/a, openai/b]", "[1, 2]", r"line 4: candidates number 1 1 is no text \(a list of texts\)"),
    ("error: 5", "error: -5", r"line 17: costs: error must not be negative or endless, but is -5"),
    ("error: 5", "error: 1.0e+155", r"line 17: costs: error must lie between 1e-12 and 1e\+12 or be 0, not be 1e\+155"),
    ("error: 5", "answer: 1.0e+307", r"line 17: costs: answer must lie between"),
    ("error: 5", "latency: 1e-300", r"line 17: costs: latency must lie between"),
    ("weight: 1,", "weight: 1:30,", r"line 7: criterion .*: weight .* is no number or list \(a number, or a range"),
    ("name: honest", 'name: "\\u200b"', r"line 7: .*name is empty"),
    ("    on: worst\n", "    on: worst\n    yes: original\n", r"line \d+: 'yes' appears twice"),
    ("    on: worst\n", "    on: worst\n    'on': original\n", r"line 1\d: 'on' appears twice, quoted and bare"),
    ("seed: 7", "~: 7", r"line 19: unknown key 'None'"),
    ("seed: 7", "true: 7", r"line 19: unknown key 'True'"),
    ("error: 5", "error: 5, metric: latency_s", r"line 17: costs: latency_s does not tell right answers from wrong ones"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in WHOLE
    with pytest.raises(AssayError, match=message) as caught:
        read_profile(written(tmp_path, WHOLE.replace(old, new, 1)))
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "profile.yaml") in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "must be a mapping with the keys name, deployment"),
        ("", "must be a mapping"),
        (
            "name: x\ndeployment: {owner: a, context: b}",
            r"there is nothing to decide by \(add criteria, constraints or costs\)",
        ),
        (
            "name: x\ndeployment: {owner: a, context: b}\ncriteria: {name: r}",
            r"line 3: criteria is no list \(.*start each with - name:",
        ),
        ("name: x\ndeployment: {owner: a, context: b}\ncriteria: [r]", r"line 3: criterion number 1 'r' is no mapping"),
        (
            "name: x\ndeployment: {owner: a, context: b}\ncriteria: [{metric: exact_match}]",
            "criterion number 1: name is missing",
        ),
        ("name: x\nname: y", r"line 2: 'name' appears twice"),
    ],
)
def test_a_file_that_is_no_profile_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        read_profile(written(tmp_path, text))


def test_numbers_that_yaml_takes_for_text_are_numbers(tmp_path: Path) -> None:
    text = WHOLE.replace("weight: [2, 4]", "weight: [1e-06, 1E3]").replace("at_most: 2", "at_most: 2e+0")
    text = text.replace("confidence: 0.9\nseed", "confidence: 9e-1\nseed").replace("error: 5", "error: 5e-3")
    profile = read_profile(written(tmp_path, text.replace("unacceptable: 0.3", "unacceptable: 3e-1")))
    assert profile.criteria[0].weight == (1e-6, 1e3)
    assert profile.criteria[1].value == Value(unacceptable=0.3, satisfying=0)
    assert (profile.constraints[0].at_most, profile.confidence) == (2.0, 0.9)
    assert profile.costs is not None
    assert profile.costs.error == 0.005
    named = read_profile(written(tmp_path, WHOLE.replace("name: steady", "name: 1e5")))
    assert named.constraints[1].name == "1e5"


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize(
    ("key", "most", "said"),
    [("criteria", 50, "51 criteria are more than anybody can weigh"), ("constraints", 1000, "1,001 constraints are more than")],
)
def test_more_measures_than_anybody_can_look_at_are_refused(tmp_path: Path, key: str, most: int, said: str, over: int) -> None:
    limit = ", at_least: 0.5" if key == "constraints" else ""
    rows = "".join(f"  - {{name: c{number}, metric: exact_match{limit}}}\n" for number in range(most + over))
    path = written(tmp_path, f"name: n\ndeployment: {{owner: o, context: c}}\n{key}:\n{rows}")
    if not over:
        assert len(getattr(read_profile(path), key)) == most
        return
    with pytest.raises(AssayError, match=rf"profile\.yaml, line 3: {said}"):
        read_profile(path)


def test_weights_that_all_vanish_are_refused(tmp_path: Path) -> None:
    head = "name: x\ndeployment: {owner: a, context: b}\ncriteria:\n"
    text = head + "  - {name: r, metric: exact_match, weight: 0}\n  - {name: s, metric: f1_score, weight: [0, 0]}\n"
    with pytest.raises(AssayError, match="line 4: all weights are 0"):
        read_profile(written(tmp_path, text))
    read_profile(written(tmp_path, text.replace("weight: [0, 0]", "importance: 1")))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"nowhere\.yaml cannot be read"):
        read_profile(tmp_path / "nowhere.yaml")


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(
    ["exact_match", "ece_10_bin", "worst", "change", "typos", "a=b", "2027-01-01", "*"]
)  # fmt: skip
KEYS = st.sampled_from([
    "name", "deployment", "criteria", "constraints", "metric", "value", "weight", "importance", "unacceptable", "satisfying",
    "points", "at_most", "at_least", "on", "owner", "context", "costs", "error", "confidence", "runs", "seed", "subgroup",
])  # fmt: skip
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=5),
    max_leaves=12,
)
numbers = st.floats() | st.integers(-2, 2) | st.sampled_from([0.2, 0.5, 0.9, 1.0])
almost = st.fixed_dictionaries(
    {"name": scalars, "metric": st.sampled_from(["exact_match", "ece_10_bin", "latency_s", "nothing"])},
    optional={
        "weight": numbers | st.lists(numbers, min_size=2, max_size=2),
        "importance": st.integers(-1, 3),
        "on": st.sampled_from(["original", "worst", "change", "perturbed"]),
        "perturbation": scalars,
        "value": st.fixed_dictionaries(
            {"unacceptable": numbers, "satisfying": numbers},
            optional={"points": st.lists(st.lists(numbers, min_size=2, max_size=2), max_size=2)},
        ),
    },
)
profiles = st.fixed_dictionaries(
    {
        "name": scalars,
        "deployment": st.just({"owner": "a", "context": "b"}),
        "criteria": st.lists(almost | anything, max_size=3),
    },
    optional={
        "confidence": numbers,
        "costs": st.dictionaries(KEYS, numbers, max_size=3),
        "constraints": anything,
        "seed": scalars,
    },
)


@given(profiles | anything)
def test_any_file_gives_a_profile_or_a_line_that_says_why_not(tmp_path_factory: pytest.TempPathFactory, plain: object) -> None:
    folder = tmp_path_factory.getbasetemp()
    with contextlib.suppress(AssayError):
        profile = read_profile(written(folder, yaml.safe_dump(plain, allow_unicode=True)))
        assert isinstance(profile, Profile)
        assert profile.criteria or profile.constraints or profile.costs
        assert all(weight_range(criterion)[0] >= 0 for criterion in profile.criteria)

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.metrics.library import bias
from assay.metrics.mentions import mentions, sections
from assay.metrics.scoring import count_answer
from assay.records import Answer, Reference

NAMES = [
    "gender_representation",
    "race_representation",
    "gender_adjective_association",
    "gender_profession_association",
    "race_adjective_association",
    "race_profession_association",
]


def written(*texts: str) -> Answer:
    return Answer(outcome="answered", prediction=texts[0], completions=texts)


def value(name: str, *answers: Answer) -> float | None:
    """The metric over some answers, by summing its counts."""
    metric = registry.metrics.get(name)
    totals: Counter[str] = Counter()
    for answer in answers:
        totals.update(count_answer(answer, metric) or {})
    assert metric.value is not None
    return metric.value(totals)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["She saw her brother."], abs(2 / 3 - 1 / 2)),
        (["He left.", "The man came back."], 0.5),
        (["A woman and a man", "his wife, her husband"], 0.0),
        (["HE said: 'SHE did it'"], 0.0),
    ],
)
def test_representation_is_the_distance_from_equal_shares(texts: list[str], expected: float) -> None:
    assert value("gender_representation", *map(written, texts)) == pytest.approx(expected)


def test_three_groups_are_compared_with_one_third_each() -> None:
    # Nguyen twice, Garcia once: shares 2/3, 1/3, 0.
    answers = [written("Nguyen met Garcia."), written("Nguyen left.")]
    assert value("race_representation", *answers) == pytest.approx((1 / 3 + 0 + 1 / 3) / 2)


def test_an_association_is_averaged_over_the_targets() -> None:
    # nurse: she x1, her x1 in one text and nurse twice -> female 4; he beside nurse once -> male 1. engineer: male only.
    answers = [written("She is a nurse, a good nurse like her"), written("He was a nurse"), written("He is an engineer")]
    assert value("gender_profession_association", *answers) == pytest.approx((abs(4 / 5 - 1 / 2) + 1 / 2) / 2)
    assert value("gender_adjective_association", *answers) is None


def test_plural_occupations_count_as_the_singular() -> None:
    together = value("gender_profession_association", written("women are nurses"), written("he is a nurse"))
    assert together == pytest.approx(0.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "Yes", "The number is 12.", "東京の看護師 👩‍⚕️"])
def test_nothing_is_measured_where_nobody_is_mentioned(name: str, text: str) -> None:
    assert value(name, written(text)) is None


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_chosen_option_is_not_the_models_own(name: str) -> None:
    references = (Reference(text="She is a shy nurse named Garcia", correct=True), Reference(text="He is"))
    chosen = Answer(outcome="answered", completions=(references[0].text,), references=references, choice=0)
    assert value(name, chosen) is None


def test_helms_runs_without_mentions_are_not_measured_here_either(shared: Path) -> None:
    with (shared / "golden" / "mc" / "stats.json").open() as file:
        stats = json.load(file)
    theirs = [stat for stat in stats if stat["name"]["name"].startswith("bias_metric")]
    assert theirs
    assert all(stat["count"] == 0 for stat in theirs)
    with gzip.open(shared / "golden" / "mc" / "scenario_state.json.gz") as file:
        states = json.load(file)["request_states"][:500]
    answers = [written(state["result"]["completions"][0]["text"]) for state in states]
    assert [value(name, *answers) for name in NAMES] == [None] * len(NAMES)


def test_the_lists_hold_each_word_once_and_groups_of_equal_length() -> None:
    for name in ("gender", "surnames"):
        groups = sections(name)
        assert len({len(words) for words in groups.values()}) == 1
        every = [word for words in groups.values() for word in words]
        assert len(every) == len(set(every))
    assert list(sections("gender")) == ["female", "male"]
    assert list(sections("surnames")) == ["asian", "hispanic", "white"]
    named = {word for words in sections("gender").values() for word in words}
    assert not named & set(sections("professions")["professions"])
    assert len(sections("adjectives")["adjectives"]) > 300
    assert len(sections("professions")["professions"]) > 200


words = st.sampled_from(["he", "she", "nurse", "doctors", "shy", "garcia", "chen", "the", "x", "Man", "—", "\n"])


@given(st.lists(words, max_size=30))
def test_mentions_agree_with_counting_each_listed_word(drawn: list[str]) -> None:
    found = mentions(" ".join(drawn))
    lowered = Counter(word.lower() for word in drawn)
    for name in ("gender", "surnames", "adjectives"):
        for section, listed in sections(name).items():
            assert found.get(section, {}) == {word: lowered[word] for word in listed if lowered[word]}


@given(st.lists(st.lists(words, max_size=12), min_size=1, max_size=6))
def test_every_value_lies_in_its_declared_range(texts: list[list[str]]) -> None:
    answers = [written(" ".join(drawn)) for drawn in texts]
    for name in NAMES:
        low, high = registry.metrics.get(name).range
        found = value(name, *answers)
        assert found is None or (low or 0) - 1e-12 <= found <= (high or 1) + 1e-12


@given(*[st.tuples(*[st.integers(0, 9)] * 2)] * 2)
def test_the_distance_bounds_how_far_two_values_can_differ(one: tuple[int, int], other: tuple[int, int]) -> None:
    metric = registry.metrics.get("gender_representation")
    assert metric.value is not None
    assert metric.distance is not None
    first, second = (dict(zip(("female", "male"), counts, strict=True)) for counts in (one, other))
    apart = metric.distance(first, second)
    values = metric.value(first), metric.value(second)
    if None in values:
        assert apart is None
    else:
        assert apart is not None
        assert abs(values[0] - values[1]) <= apart + 1e-12  # type: ignore[operator]


def test_total_variation_is_half_the_absolute_difference() -> None:
    assert bias.total_variation((1.0, 0.0), (0.0, 1.0)) == 1.0
    assert bias.total_variation((0.5, 0.5), (0.25, 0.75)) == 0.25

"""Deductions and polynomials: the answers recomputed from the prompts alone, by code that shares nothing with their makers."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from assay.metrics.library import sets
from assay.records import Answer, Instance
from assay.registry import scenarios
from assay.scenarios.library.synthetic_reasoning_natural import ATTRIBUTES, SUBJECTS

RULE = re.compile(r"If (.+?) is (\w+)(?: (and|or) (\w+))?, then (.+?) is (\w+)\.")
KIND_OF = {subject: kind for kind, subjects in SUBJECTS.items() for subject in subjects}
MEANS = {word: general for general, words in ATTRIBUTES.items() for word in (general, *words)}


def instances(name: str, **parameters: str) -> list[Instance]:
    made, seen = scenarios.get(name)(**parameters), set[str]()
    return [instance for split in made.source.splits() for instance in made.instances(split, seen)]


def deduced(text: str) -> tuple[str, set[str]]:
    """The subject of a problem and what follows of it, read from the problem's sentences."""
    *rules, _, fact, asked = text.split("\n")
    found = re.fullmatch(r"The following can be determined about (.+):", asked)
    assert found
    subject = found[1]
    told = re.fullmatch(r"(.+) is (\w+) and (\w+)\.", fact)
    assert told
    assert told[1].lower() == subject.lower()
    held = {MEANS[told[2]], MEANS[told[3]]}
    follows = set()
    for rule in rules:
        parts = RULE.fullmatch(rule)
        assert parts, rule
        about, one, link, two, again, consequence = parts.groups()
        assert about in (subject, KIND_OF[subject])
        assert again == (subject if about == subject else about.replace("an ", "the ").replace("a ", "the "))
        conditions = [one in held, *([two in held] if two else [])]
        if (any(conditions) if link == "or" else all(conditions)) and consequence not in held:
            follows.add(consequence)
    return subject, follows


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_everything_that_follows_is_the_answer_and_nothing_else(difficulty: str) -> None:
    empty = 0
    for instance in instances("synthetic_reasoning_natural", difficulty=difficulty):
        subject, follows = deduced(str(instance.input))
        (answer,) = instance.gold
        assert sets.things(answer) == follows
        assert answer == "Nothing." or answer.lower().startswith(f"{subject.lower()} is ")
        empty += not follows
    assert 0 < empty < 90


def test_the_difficulties_differ_in_what_they_claim_to() -> None:
    def general_rules(instance: Instance) -> int:
        return sum(line.startswith(("If a ", "If an ")) for line in str(instance.input).split("\n"))

    def particular_words(instance: Instance) -> set[str]:
        fact = str(instance.input).split("\n")[-2]
        return {word.strip(".") for word in fact.split()} & {w for words in ATTRIBUTES.values() for w in words}

    counted = {
        level: (sum(map(general_rules, made)), sum(len(particular_words(instance)) for instance in made))
        for level in ("easy", "medium", "hard")
        if (made := instances("synthetic_reasoning_natural", difficulty=level))
    }
    assert counted["easy"] == (0, 0)
    assert counted["medium"][0] > 1000
    assert counted["medium"][1] == 0
    assert counted["hard"][0] > 1000
    assert counted["hard"][1] == 2 * 600


def test_no_word_means_two_attributes() -> None:
    words = [word for general, particular in ATTRIBUTES.items() for word in (general, *particular)]
    assert len(set(words)) == len(words)


def test_a_right_deduction_in_another_order_scores_fully() -> None:
    made = next(i for i in instances("synthetic_reasoning_natural") if " and " in i.gold[0])
    subject, follows = deduced(str(made.input))
    said = f"{subject} is {' and '.join(sorted(follows, reverse=True))}."
    answer = Answer(outcome="answered", prediction=said, references=made.references)
    assert (sets.f1_set_match(answer), sets.exact_set_match(answer)) == (1.0, 1.0)


def solved(points: list[list[int]], degree: int) -> list[Fraction]:
    """The coefficients of a x^degree + b y^degree + c through the points, by elimination over fractions."""
    rows = [[Fraction(x) ** degree for x in point[:-1]] + [Fraction(1), Fraction(point[-1])] for point in points]
    size = len(rows[0]) - 1
    for column in range(size):
        pivot = next(row for row in rows[column:] if row[column])
        rows.remove(pivot)
        rows.insert(column, [value / pivot[column] for value in pivot])
        for index, row in enumerate(rows):
            if index != column:
                rows[index] = [value - row[column] * p for value, p in zip(row, rows[column], strict=True)]
    assert all(not any(row) for row in rows[size:]), "the points lie on no such polynomial"
    return [row[-1] for row in rows[:size]]


@pytest.mark.parametrize(("relation", "degree"), [("linear", 1), ("parabola", 2), ("plane", 1), ("paraboloid", 2)])
def test_the_values_shown_determine_the_value_asked(relation: str, degree: int) -> None:
    made = instances("numeracy", relation_type=relation)
    assert len(made) == 500
    for instance in made:
        header, *lines, asked = str(instance.input).split("\n")
        assert header in ("x, y", "x, y, z")
        point = [int(value) for value in asked.split(", ")]
        points = [[int(value) for value in line.split(", ")] for line in lines]
        assert len(points) == 20
        assert point not in [shown[:-1] for shown in points]
        *factors, constant = solved(points, degree)
        value = sum(factor * x**degree for factor, x in zip(factors, point, strict=True)) + constant
        assert instance.gold == (str(value),)


def test_the_modes_with_one_polynomial_show_it_by_examples() -> None:
    by_mode = {mode: instances("numeracy", mode=mode) for mode in ("example", "standard")}
    other = instances("numeracy", mode="standard", seed="1")
    for made in (*by_mode.values(), other):
        assert len(made) == 150
        solved([[int(instance.input), int(instance.gold[0])] for instance in made], 1)  # type: ignore[arg-type]
    assert {i.gold[0] for i in by_mode["example"] if i.input == "10"} <= {"25"}, "the example is 2x + 5"
    assert [i.gold for i in by_mode["standard"]] != [i.gold for i in other]


def test_an_example_is_one_line_and_the_question_ends_in_its_comma() -> None:
    from assay.prompting import choose
    from assay.prompting.target import Target

    scenario = scenarios.get("numeracy")(mode="example")
    pool, (instance, *_) = list(scenario.instances("train")), list(scenario.instances("test"))
    (request,) = scenario.prompting.render(instance, choose(pool, 2, seed=0, draw=0), Target()).requests
    lines = str(request.prompt).split("\n")
    assert lines[0] == "x, y"
    assert all(re.fullmatch(r"-?\d+, -?\d+", line) for line in lines[1:3])
    assert re.fullmatch(r"-?\d+,", lines[3])
    assert len(lines) == 4

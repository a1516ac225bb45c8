"""Declared scenarios: parameters, what is known about them, and rows that do not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay import registry
from assay.errors import AssayError
from assay.prompting import Generation, decode, encode
from assay.records import Taxonomy
from assay.scenarios import Draft, File, Generator, Scenario, choice, question
from assay.scenarios.base import ScenarioFamily, convert
from assay.scenarios.sources import HeldOut

OWN_DATA = {"billing_support", "capitals", "dyck_language", "local_file", "subject_verb_agreement", "synthetic_reasoning"}


def family(name: str) -> ScenarioFamily:
    return registry.scenarios.get(name)


def sample(name: str) -> dict[str, Any]:
    """A value for each parameter that has no default: the first of its choices, else the path of a file."""
    required = [n for n, p in family(name).parameters.items() if p.default is p.empty]
    return {parameter: (*family(name).choices(parameter), "cases.jsonl")[0] for parameter in required}


@pytest.mark.parametrize("name", sorted({*registry.scenarios.names()} - {"lm_eval"}))  # whose tasks another program brings
def test_every_scenario_says_what_it_is(name: str) -> None:
    made = family(name)(**sample(name))
    assert made.about.count("\n") >= 3, "a description and a worked prompt"
    assert made.taxonomy.task
    assert made.notes
    assert {made.main_metric, *made.metrics} <= set(registry.metrics.names())
    assert made.licence or name == "local_file"
    if name not in OWN_DATA:
        assert made.paper.startswith("https://")
    assert decode(encode(made.prompting)) == made.prompting


def test_the_expected_families_are_there() -> None:
    assert {
        "bbq", "billing_support", "blimp", "boolq", "dyck_language", "gsm8k", "hellaswag", "imdb", "mmlu", "openbookqa",
        "subject_verb_agreement", "synthetic_reasoning", "truthful_qa",
    } <= set(registry.scenarios.names())  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parameters", "parts"),
    [
        ("mmlu", {"subjct": "anatomy"}, ("unknown parameter of scenario mmlu 'subjct'", "subject")),
        ("mmlu", {"subject": "anatomi"}, ("anatomi", "anatomy")),
        ("mmlu", {}, ("mmlu needs the parameter subject", "mmlu:subject=abstract_algebra|")),
        ("boolq", {"x": "1"}, ("'x'",)),
        ("dyck_language", {"num_parenthesis_pairs": "5"}, ("num_parenthesis_pairs", "5", "2, 3, 4")),
        ("dyck_language", {"num_parenthesis_pairs": "two"}, ("num_parenthesis_pairs", "two")),
        ("bbq", {"category": "age"}, ("age", "Age")),
        ("blimp", {"phenomenon": "passive"}, ("passive", "passive_1")),
        ("synthetic_reasoning", {"mode": "induce"}, ("induce", "induction")),
    ],
)
def test_a_wrong_parameter_is_told_with_what_would_be_right(
    name: str, parameters: dict[str, Any], parts: tuple[str, ...]
) -> None:
    with pytest.raises(AssayError) as caught:
        family(name)(**parameters)
    for part in parts:
        assert part in str(caught.value)


def test_an_unknown_scenario_is_told_with_the_nearest() -> None:
    with pytest.raises(AssayError, match="did you mean hellaswag"):
        registry.scenarios.get("helaswag")


def test_values_from_the_command_line_get_the_declared_type() -> None:
    assert family("dyck_language").resolve({"num_parenthesis_pairs": "4"}) == {"num_parenthesis_pairs": 4}
    assert family("dyck_language").resolve({}) == {"num_parenthesis_pairs": 3}
    assert [convert(value, bool, "x") for value in ("True", "no", True, 0)] == [True, False, True, False]
    assert (convert("7", int, "x"), convert("0.5", float, "x"), convert(3, str, "x")) == (7, 0.5, "3")


@pytest.mark.parametrize(
    ("value", "kind", "part"), [("maybe", bool, "true or false"), ("1.5", int, "a whole number"), ("x", float, "a number")]
)
def test_a_value_of_the_wrong_type_is_told(value: str, kind: type, part: str) -> None:
    with pytest.raises(AssayError, match=f"s: p must be {part}, not '{value}'"):
        convert(value, kind, "s: p")


def of_rows(
    tmp_path: Path, rows: list[Mapping[str, Any]], instance: Any = lambda row: question(row["q"], row["a"])
) -> Scenario:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Scenario(
        source=File(path), instance=instance, prompting=Generation(), main_metric="exact_match", taxonomy=Taxonomy(task="test")
    )


def test_a_row_of_another_shape_is_named(tmp_path: Path) -> None:
    made = of_rows(tmp_path, [{"q": "1", "a": "1"}, {"question": "2"}])
    with pytest.raises(AssayError, match=r"file:rows\.jsonl, split test, row 2 .*KeyError: 'q'.*its columns are question"):
        list(made.instances("test"))


@pytest.mark.parametrize("row", [{"q": None, "a": "1"}, {"q": "1", "a": None}, {"q": "1", "a": 7}])
def test_a_missing_text_does_not_become_a_question(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(AssayError, match=r"row 1 gives (None|7) where a text is needed"):
        list(of_rows(tmp_path, [row]).instances("test"))


def test_ids_count_source_rows_whatever_is_dropped(tmp_path: Path) -> None:
    rows = [{"q": str(n), "a": "x"} for n in range(4)]
    made = of_rows(tmp_path, rows, lambda row: None if row["q"] in "02" else question(row["q"], "x"))
    assert [instance.id for instance in made.instances("test")] == ["test1", "test3"]


def test_an_id_twice_is_refused_across_splits(tmp_path: Path) -> None:
    made = of_rows(tmp_path, [{"q": "1", "a": "1"}], lambda row: Draft(input=row["q"], id="same"))
    seen: set[str] = set()
    assert len(list(made.instances("test", seen))) == 1
    with pytest.raises(AssayError, match="'same' appears twice"):
        list(made.instances("test", seen))


def test_the_right_option_must_be_one_of_the_options() -> None:
    assert choice("q", ["a", "b"], correct=[0, 1]).references[1].correct
    with pytest.raises(ValueError, match="not among the 2 options"):
        choice("q", ["a", "b"], correct=2)


def test_held_out_groups_do_not_depend_on_the_order_of_rows() -> None:
    def split(order: list[int]) -> set[int]:
        numbers = iter(order)
        source = Generator("numbers", lambda rng, _: {"n": next(numbers)}, {"test": len(order)})
        held = HeldOut(source, name="numbers", group=lambda row: str(row["n"] // 3), share=0.2)
        train, test = ([row["n"] for row in held.read(part).rows] for part in held.splits())
        assert sorted(train + test) == sorted(order)
        assert {n // 3 for n in train}.isdisjoint({n // 3 for n in test})
        return set(train)

    assert split(list(range(60))) == split(list(range(60))[::-1])
    assert len(split(list(range(60)))) == 12


def test_a_single_group_is_never_held_out() -> None:
    source = Generator("numbers", lambda rng, _: {"n": rng.random()}, {"test": 5})
    held = HeldOut(source, name="one", group=lambda row: "all")
    assert [len(list(held.read(split).rows)) for split in held.splits()] == [0, 5]


def test_a_row_without_its_group_is_told() -> None:
    source = Generator("numbers", lambda rng, _: {"n": rng.random()}, {"test": 5})
    with pytest.raises(AssayError, match=r"generator:numbers: a row of split test has no 'm'.*its columns are n"):
        list(HeldOut(source, name="x", group=lambda row: str(row["m"])).read("train").rows)


def test_the_description_is_the_docstring_unless_given() -> None:
    made = family("boolq")()
    assert made.about == family("boolq").about
    own = replace(family("boolq"), declare=lambda: replace(made, about="mine"))
    assert own().about == "mine"


def test_listing_scenarios_imports_nothing_heavy() -> None:
    code = (
        "import sys; from assay import registry; names = registry.scenarios.names(); assert len(names) > 12;"
        "heavy = {'polars', 'numpy', 'scipy', 'huggingface_hub', 'aiohttp', 'tokenizers', 'httpx'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

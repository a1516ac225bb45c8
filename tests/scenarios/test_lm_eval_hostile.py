"""Task files of strangers: whatever stands in them, they are read in a bounded time or refused in one line, and the same
task always asks the same."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import lm_eval_cases as shared
import pytest

from assay import patterns, registry
from assay.errors import AssayError
from assay.prompting.filters import Step, apply
from assay.scenarios.lm_eval import files
from assay.scenarios.lm_eval.templates import render

GROWING = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefg", "bcdefgh", strict=True)
)


def write_task(folder: Path, more: str = "", **changes: Any) -> Path:
    plain = {
        "task": "mine", "dataset_path": str(shared.OWN / "capitals"), "test_split": "test", "training_split": "train",
        "doc_to_text": "{{country}}?", "doc_to_target": "{{capital}}",
    }  # fmt: skip
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in {**plain, **changes}.items())
    (folder / "mine.yaml").write_text(lines + more, "utf-8")
    return folder


def made(folder: Path) -> Any:
    return registry.scenarios.get("lm_eval")(task="mine", path=str(folder))


def refusal(folder: Path) -> str:
    def every_instance() -> None:
        list(made(folder).instances("test"))

    with pytest.raises(AssayError) as caught:
        every_instance()
    assert "\n" not in str(caught.value)
    assert "cannot be declared" not in str(caught.value)
    return str(caught.value)


# Files


def test_yaml_that_grows_when_it_is_read_is_refused(tmp_path: Path) -> None:
    said = refusal(write_task(tmp_path, "metadata:\n" + "".join(f"  {line}\n" for line in GROWING.splitlines())))
    assert "mine.yaml holds too much (at most 100000 values" in said


def test_yaml_that_holds_itself_is_named_with_its_line(tmp_path: Path) -> None:
    assert "mine.yaml, line 7" in refusal(write_task(tmp_path, "metadata: &a [*a]\n"))


def test_a_pipe_is_no_file_of_tasks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    folder = write_task(tmp_path)
    assert next(made(folder).instances("test")).input == "India?"
    assert "pipe.yaml" in refusal(write_task(tmp_path, "include: pipe.yaml\n"))


def test_files_that_the_kernel_makes_up_declare_nothing() -> None:
    with pytest.raises(AssayError, match="unknown lm_eval task"):
        registry.scenarios.get("lm_eval")(task="mine", path="/proc/self")


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.yaml").write_text("a: b\n")
    assert "more than 3 files" in refusal(write_task(tmp_path))


def test_a_file_is_read_once_however_often_it_is_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(14):
        (tmp_path / f"b{number}.yaml").write_text(f"include: [{', '.join([f'b{number + 1}.yaml'] * 3)}]\n")
    (tmp_path / "b14.yaml").write_text('description: "Innermost. "\n')
    write_task(tmp_path, "include: b0.yaml\n")
    parsed: list[Path] = []
    plain = files._parsed
    monkeypatch.setattr(files, "_parsed", lambda file: (parsed.append(file), plain(file))[1])
    assert files.load(tmp_path / "mine.yaml")["description"] == "Innermost. "
    assert len(parsed) == 16


def test_a_key_that_stands_twice_has_its_last_value_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = write_task(tmp_path, 'doc_to_text: "{{capital}}!"\n')
    assert next(made(folder).instances("test")).input == "New Delhi!"
    assert "mine.yaml, line 7: 'doc_to_text' appears twice" in caplog.text


# Settings


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"generation_kwargs": {"max_gen_toks": -1}}, "max_tokens is -1"),
        ({"generation_kwargs": {"top_p": 7}}, "top_p is 7"),
        ({"generation_kwargs": {"temperature": -1}}, "temperature is -1"),
        ({"generation_kwargs": {"temperature": float("inf")}}, "temperature"),
        ({"generation_kwargs": {"temperature": "0.5"}}, "temperature is '0.5' (write a number"),
        ({"generation_kwargs": {"max_gen_toks": "64"}}, "max_gen_toks is '64'"),
        ({"repeats": 1_000_000}, "is 1000000"),
        ({"fewshot_config": {"samples": 5}, "num_fewshot": 1}, "samples of fewshot_config is '5'"),
        ({"fewshot_config": {"samples": ["a", "b"]}, "num_fewshot": 1}, "list of documents"),
        ({"filter_list": [{"name": "x", "filter": [{"function": "map", "mapping_dict": 5}]}]}, "mapping_dict is '5'"),
        ({"filter_list": [{"name": "x", "filter": 5}]}, "list of filters"),
        ({"metric_list": [{"metric": "exact_match", "regexes_to_ignore": 5}]}, "list of patterns"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    assert said in refusal(write_task(tmp_path, **changes))


@pytest.mark.parametrize("value", [".nan", "-.inf"])
def test_a_temperature_is_a_number(tmp_path: Path, value: str) -> None:
    assert "temperature is" in refusal(write_task(tmp_path, f"generation_kwargs: {{temperature: {value}}}\n"))


def test_settings_of_generation_may_have_odd_names(tmp_path: Path) -> None:
    assert next(made(write_task(tmp_path, "generation_kwargs: {5: 6}\n")).instances("test")).input == "India?"


def test_an_answer_beyond_the_options_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = write_task(tmp_path, output_type="multiple_choice", doc_to_choice=["a", "b"], doc_to_target=99)
    asked = next(made(folder).instances("test"))
    assert not any(reference.correct for reference in asked.references)
    assert "doc_to_target gives 99 where there are 2 options" in caplog.text


# Templates

DOCUMENT = {"q": "Why?", "xs": ["one", "two"]}


@pytest.mark.parametrize(
    "template",
    [
        "{{ xs|random }}",
        "{{ range }}",
        "{{ [dict] }}",
        "{{ q.upper }}",
        "{{ q['upper'] ~ '' }}",
        "{{ '%s' % q.upper }}",
        "{{ '{}'.format(q.upper) }}",
        "{{ {'a': q.format}|string }}",
        "{{ q|attr('lower')|pprint }}",
        "{{ cycler('a').next }}",
        "{{ [cycler('a')] }}",
        "{{ joiner() }}",
        "{{ xs|map('upper') }}",
        "{{ [xs|select] }}",
        "{{ xs|reverse }}",
    ],
)
def test_nothing_of_chance_and_no_address_in_memory_gets_into_a_prompt(template: str) -> None:
    with pytest.raises(AssayError):
        render(template, DOCUMENT)


def test_functions_are_called_as_ever_and_fields_may_have_their_names() -> None:
    template = (
        "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }} {{ dict(a=1) }} {{ q.upper is callable }}"
    )
    assert render(template, DOCUMENT) == "aba {'a': 1} True"
    assert render("{{ range }} {{ xs|map('upper')|join('-') }}", {**DOCUMENT, "range": "1-5"}) == "1-5 ONE-TWO"
    assert render("{% set f = q.upper %}{{ f() }}{% for x in xs %}{{ loop.cycle('1', '2') }}{% endfor %}", DOCUMENT) == "WHY?12"


# Regular expressions


def test_patterns_that_would_take_years_are_given_up(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(patterns, "LONGEST", 0.2)
    text = "a" * 40 + "b"
    with pytest.raises(AssayError, match="takes more than"):
        render("{{ q|regex_replace('(a+)+$', 'x') }}", {"q": text})
    step = Step(function="regex", regex_pattern="(a+)+$")
    assert apply([step, Step(function="take_first")], [text], ()) == ("[invalid]", False)
    assert apply([step, Step(function="take_first")], ["b aaa"], ()) == ("aaa", True)
    assert "read as a text without a match" in caplog.text

"""Tasks of lm-evaluation-harness: prompts and scores equal the harness's own, groups stand for their tasks, and what cannot be
done is refused by name.

lm_eval_expected.json was written by the harness itself (lm_eval_comparison.py). Where ASSAY_LM_EVAL names an interpreter that
has the harness, it is asked again and compared request by request.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lm_eval_cases as shared
import lm_eval_comparison as comparison
import lm_eval_ours as ours
import pytest

from assay import registry
from assay.entries import parse_entry
from assay.errors import AssayError, MissingExtra
from assay.perturbations import parse_perturbations, perturb
from assay.records import Message
from assay.scenarios.lm_eval import templates
from assay.scenarios.lm_eval.documents import TaskSource
from assay.scenarios.lm_eval.groups import tasks_of
from assay.suites import Suite

EXPECTED: dict[str, Any] = json.loads(shared.EXPECTED.read_text("utf-8"))
INTERPRETER = os.environ.get(comparison.VARIABLE, "")
ALL = shared.CASES + shared.OWN_CASES


def check_scores(result: dict[str, Any], expected: dict[str, Any], missing: tuple[str, ...] = ()) -> None:
    """Every metric of the harness has the same value here, apart from those that assay says it lacks."""
    known = {**ours.OURS, "bleu": "bleu", "chrf": "chrf"}
    compared = [name for name in expected["totals"] if name not in missing]
    assert compared
    for name in compared:
        assert result["totals"][known[name]] == pytest.approx(expected["totals"][name], rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("case", shared.OWN_CASES, ids=lambda case: case.name)
def test_prompts_and_scores_are_those_that_the_harness_gave(case: shared.Case, tmp_path: Path) -> None:
    result = ours.answered(comparison.described(case, None, tmp_path))
    assert shared.digest_of(result["requests"]) == EXPECTED[case.name]["requests"]
    check_scores(result, EXPECTED[case.name])


@pytest.fixture(scope="session")
def both_sides(mirror: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    if not INTERPRETER:
        pytest.skip(f"{comparison.VARIABLE} names no interpreter that has lm_eval")
    return comparison.compared(INTERPRETER, mirror.url, tmp_path_factory.mktemp("lm_eval"))


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_installed_harness_asks_and_scores_the_same(
    case: shared.Case, both_sides: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    theirs, mine = both_sides[0][case.name], both_sides[1][case.name]
    assert "error" not in theirs
    assert "error" not in mine
    assert mine["requests"] == theirs["requests"]
    assert comparison.expected(theirs)["requests"] == EXPECTED[case.name]["requests"]
    missing = ("ter",) if case.documents == "wmt" else ("f1",) if case.task == "cb" else ()
    check_scores(mine, comparison.expected(theirs), missing)


def test_forty_tasks_and_more_are_compared() -> None:
    assert len({case.task for case in shared.CASES}) >= 40
    assert {case.name for case in ALL} == set(EXPECTED)


def made(task: str, **more: Any) -> Any:
    return registry.scenarios.get("lm_eval")(task=task, path=str(shared.OWN), **more)


def write_task(folder: Path, **changes: Any) -> Path:
    """A task over the capitals in a folder of its own."""
    plain = {
        "task": "mine", "dataset_path": str(shared.OWN / "capitals"), "test_split": "test", "training_split": "train",
        "doc_to_text": "{{country}}?", "doc_to_target": "{{capital}}",
    }  # fmt: skip
    settings = {key: value for key, value in {**plain, **changes}.items() if value is not None}
    (folder / "mine.yaml").write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items()), "utf-8")
    return folder


def refusal(folder: Path, **more: Any) -> str:
    def every_instance() -> None:
        scenario = registry.scenarios.get("lm_eval")(task=more.pop("task", "mine"), path=str(folder), **more)
        list(scenario.instances("test"))

    with pytest.raises(AssayError) as caught:
        every_instance()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# What a name stands for


def test_the_task_stands_first_in_an_entry_without_its_name() -> None:
    ask = parse_entry("lm_eval:own_choice,num_fewshot=2,path=tasks,max_eval_instances=5")
    assert ask.parameters == {"task": "own_choice", "num_fewshot": "2", "path": "tasks"}
    assert ask.max_instances == 5
    assert parse_entry("lm_eval:task=own_choice").parameters == {"task": "own_choice"}


def test_a_parameter_that_may_be_left_out_is_read_by_its_type() -> None:
    with pytest.raises(AssayError, match="num_fewshot must be a whole number"):
        made("own_choice", num_fewshot="two")
    assert made("own_choice", num_fewshot="2").source.shots == 2
    assert made("own_choice", num_fewshot=None).source.shots == 0


def test_a_group_stands_for_its_tasks_and_names_a_changed_member_by_the_way_to_it() -> None:
    assert tasks_of(shared.OWN, "own_group") == [
        "own_choice", "own_template", "own_group/own_inputs", "own_text", "own_stream",
    ]  # fmt: skip
    assert tasks_of(shared.OWN, "own_templates") == ["own_template"]


def test_a_suite_asks_each_task_of_a_group() -> None:
    asks = Suite(scenarios=(f"lm_eval:own_choices,num_fewshot=1,path={shared.OWN}",)).asks()
    assert [ask.parameters["task"] for ask in asks] == ["own_choice", "own_template"]
    assert {ask.parameters["num_fewshot"] for ask in asks} == {"1"}


def test_a_member_has_the_settings_that_its_group_gives_it() -> None:
    source = made("own_group/own_inputs").source
    assert isinstance(source, TaskSource)
    assert source.shots == 2
    assert made("own_inputs").source.shots == 0


def test_a_group_declares_tasks_of_its_own_and_outer_groups_win(tmp_path: Path) -> None:
    write_task(tmp_path, num_fewshot=1)
    inline = '{task: inline, dataset_path: x, test_split: test, doc_to_text: "{{a}}", doc_to_target: b, num_fewshot: 3}'
    (tmp_path / "inner.yaml").write_text(f"group: inner\ntask: [{{task: mine, num_fewshot: 2}}, {inline}]\n")
    (tmp_path / "outer.yaml").write_text("group: outer\ntask: [{group: inner, num_fewshot: 4}]\n")
    assert tasks_of(tmp_path, "inner") == ["inner/mine", "inner/inline"]
    assert tasks_of(tmp_path, "outer") == ["outer/inner/mine", "outer/inner/inline"]
    family = registry.scenarios.get("lm_eval")
    shots = [family(task=task, path=str(tmp_path)).source.shots for task in ("mine", "inner/mine", "outer/inner/mine")]
    assert shots == [1, 2, 4]


def test_a_group_within_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "round.yaml").write_text("group: round\ntask: [{group: round, num_fewshot: 1}]\n")
    with pytest.raises(AssayError, match="within itself"):
        tasks_of(tmp_path, "round")
    (tmp_path / "round.yaml").write_text("group: round\ntask: [round]\n")
    with pytest.raises(AssayError, match="within itself"):
        tasks_of(tmp_path, "round")


def test_one_file_can_be_named_instead_of_a_folder(tmp_path: Path) -> None:
    file = write_task(tmp_path) / "mine.yaml"
    scenario = registry.scenarios.get("lm_eval")(task="mine", path=str(file))
    assert next(scenario.instances("test")).input == "India?"
    assert "declares no task" in refusal(file, task="other")


# What is refused

CHOICE = {"output_type": "multiple_choice"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"class": "x.Y"}, "is a Python class"),
        ({"process_results": "x"}, "scores by code"),
        ({"use_prompt": "promptsource:*"}, "promptsource"),
        ({"doc_to_image": "image"}, "images"),
        ({"doc_to_txt": "x"}, "did you mean doc_to_text"),
        ({"doc_to_text": None}, "has no doc_to_text"),
        ({"output_type": "multiple_choise"}, "did you mean multiple_choice"),
        ({"output_type": "multiple_choice"}, "without doc_to_choice"),
        ({"test_split": None, "training_split": None}, "nothing to ask"),
        ({"test_split": "tset"}, "did you mean test"),
        ({"dataset_path": "nowhere"}, "owner/name"),
        ({"dataset_kwargs": {"features": 1}}, "dataset_kwargs features"),
        ({"num_fewshot": -1}, "num_fewshot is -1"),
        ({"fewshot_config": {"sampler": "balanced"}}, "sampler 'balanced'"),
        ({"fewshot_config": {"simpler": "x"}}, "did you mean sampler"),
        ({**CHOICE, "doc_to_choice": "choices", "metric_list": [{"metric": "acc_mutual_info"}]}, "without its"),
        ({"metric_list": [{"metric": "ter"}]}, "is judged by ter"),
        ({"metric_list": ["exact_match"]}, "list of mappings"),
        ({"filter_list": [{"name": "x", "filter": [{"function": "rejex"}]}]}, "rejex"),
        ({"filter_list": [{"name": "x", "filter": [{"function": "regex", "regex_pattern": "("}]}]}, "no regular expression"),
        ({"filter_list": [{"name": "x", "filter": [{"function": "lowercase"}]}]}, "must end in take_first"),
        ({"generation_kwargs": {"until": 3}}, "until is 3"),
        ({"generation_kwargs": {"max_gen_toks": "many"}}, "max_gen_toks is 'many'"),
        ({"doc_to_text": "{{population}}"}, "split test, row 1"),
        ({"doc_to_text": "{{country"}, "no Jinja template"),
        ({"doc_to_text": "{{country.__class__.__mro__}}"}, "unsafe"),
        ({"doc_to_text": "year"}, "must give a text"),
        ({**CHOICE, "doc_to_choice": "year"}, "list of texts"),
        ({"description": ["no", "text"]}, "description"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_in_one_line(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    assert said in refusal(write_task(tmp_path, **changes))


def test_code_runs_only_where_it_is_allowed_and_only_from_the_tasks_folder(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    (tmp_path / "outside.py").write_text("raise SystemExit('it ran')\n")
    (folder / "inside.py").write_text(
        "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\ntext = lambda d: 'asked'\n"
    )
    write_task(folder)
    task = (folder / "mine.yaml").read_text()
    (folder / "mine.yaml").write_text(task.replace('"{{country}}?"', "!function inside.text"))
    assert "allow_code=true" in refusal(folder)
    assert not (folder / "ran").exists()
    scenario = registry.scenarios.get("lm_eval")(task="mine", path=str(folder), allow_code=True)
    assert next(scenario.instances("test")).input == "asked"
    assert (folder / "ran").exists()
    for name in ("../outside.text", "outside.text", "os.getcwd", "text"):
        (folder / "mine.yaml").write_text(task.replace('"{{country}}?"', f"!function {name}"))
        assert "in no file of that folder" in refusal(folder, allow_code=True)


def test_code_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import a_module_that_nobody_has\n")
    (tmp_path / "odd.py").write_text("def text(document):\n    return document['population']\n\nnumber = 3\n")
    write_task(tmp_path)
    task = (tmp_path / "mine.yaml").read_text()
    wrong = {"broken.text": "a_module_that_nobody_has", "odd.text": "text failed: KeyError", "odd.number": "has no function"}
    for name, said in wrong.items():
        (tmp_path / "mine.yaml").write_text(task.replace('"{{country}}?"', f"!function {name}"))
        assert said in refusal(tmp_path, allow_code=True)


def test_more_examples_than_there_are_and_examples_where_the_task_has_none_are_refused(tmp_path: Path) -> None:
    write_task(tmp_path)
    assert "has 7 documents to take 8 examples from" in refusal(tmp_path, num_fewshot=8)
    assert "num_fewshot is -2" in refusal(tmp_path, num_fewshot=-2)
    write_task(tmp_path, num_fewshot=0)
    assert "shows no examples" in refusal(tmp_path, num_fewshot=1)


def test_files_that_are_broken_missing_or_include_themselves_are_named(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "nowhere")
    assert "unknown lm_eval task 'own_choise' (did you mean own_choice" in refusal(shared.OWN, task="own_choise")
    write_task(tmp_path, include="missing.yaml")
    assert "missing.yaml cannot be read" in refusal(tmp_path)
    file = tmp_path / "mine.yaml"
    file.write_text("task: mine\ninclude: mine.yaml\n")
    assert "includes itself" in refusal(tmp_path)
    file.write_text("task: mine\n  doc: [\n")
    assert "mine.yaml, line 2: not valid YAML" in refusal(tmp_path)
    file.write_bytes(b"task: mine\nabout: \xff\n")
    assert "not UTF-8" in refusal(tmp_path)


def test_a_name_that_only_looks_declared_is_not_suggested_for_itself(tmp_path: Path) -> None:
    write_task(tmp_path)
    (tmp_path / "other.yml").write_text("task: other\n")
    (tmp_path / "third.yaml").write_text("group: third\nclass: x\n")
    problem = "other.yml mentions 'other' and declares no such task (the file of a task ends in .yaml)"
    assert problem in refusal(tmp_path, task="other")
    problem = "third.yaml mentions 'third' and declares no such task (it must hold `task: third`)"
    assert problem in refusal(tmp_path, task="third")


def test_an_unknown_filter_is_refused_with_those_there_are() -> None:
    assert "did you mean last" in refusal(shared.OWN, task="own_filters", filter="lats")


def test_without_the_harness_a_path_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(AssayError, match="lm_eval is not installed"):
        registry.scenarios.get("lm_eval")(task="arc_easy")


def test_without_jinja_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    templates._environment.cache_clear()
    templates._compiled.cache_clear()
    monkeypatch.delitem(sys.modules, "assay.scenarios.lm_eval.sandbox", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2.sandbox", None)
    with pytest.raises(MissingExtra, match="jinja2 is not installed"):
        templates.render("{{country}}", {"country": "Peru"})


def test_a_templates_result_is_no_template(tmp_path: Path) -> None:
    assert templates.render("{{text}}", {"text": "{{ 1 + 1 }} {% raw %}"}) == "{{ 1 + 1 }} {% raw %}"


# What is asked


def test_the_main_metric_is_the_tasks_first_but_no_perplexity() -> None:
    names = {task: (made(task).main_metric, *made(task).metrics) for task in ("own_choice", "own_text", "own_stream")}
    assert names == {
        "own_choice": ("lm_eval_acc", "lm_eval_acc_norm", "lm_eval_acc_bytes"),
        "own_text": ("lm_eval_acc", "lm_eval_perplexity"),
        "own_stream": ("bits_per_byte", "lm_eval_word_perplexity", "lm_eval_byte_perplexity"),
    }


def test_perturbations_change_the_question_and_leave_its_examples_and_its_ending_alone() -> None:
    instance = next(made("own_prefix", num_fewshot=2).instances("test"))
    copy = perturb(instance, parse_perturbations(("lowercase",))[0], 0)
    assert copy is not None
    before, after = instance.input, copy.input
    assert isinstance(before, tuple)
    assert isinstance(after, tuple)
    assert [message.role for message in before] == ["system", "user", "assistant"]
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] == Message(role="user", content=before[1].content.lower())


def test_another_seed_draws_other_examples_and_the_same_one_the_same() -> None:
    def prompts(seed: int) -> list[Any]:
        return [instance.input for instance in made("own_text", num_fewshot=2, fewshot_seed=seed).instances("test")]

    assert prompts(1234) == prompts(1234) != prompts(1)


@pytest.mark.parametrize(
    "more", [{}, {"fewshot_config": {"sampler": "first_n"}}, {"fewshot_split": "test"}, {"training_split": "train"}]
)
def test_no_item_is_shown_its_own_answer(tmp_path: Path, more: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    rows = [json.loads(line) for line in (shared.OWN / "capitals" / "test.jsonl").read_text("utf-8").splitlines()]
    again = [{**row, "country": f" {row['country'].upper()}", "year": 1} for row in rows]  # they ask the same in another dress
    for name in ("test", "train"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows + again))
    files = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": "test.jsonl", "train": "train.jsonl"}}}
    name = tmp_path.name  # a warning is said once of each name
    write_task(tmp_path, task=name, **files, **{"training_split": None, "num_fewshot": 3, **more}, output_type="loglikelihood")
    found = list(registry.scenarios.get("lm_eval")(task=name, path=str(tmp_path)).instances("test"))
    assert len(found) == 2 * len(rows)
    for instance in found:
        assert isinstance(instance.input, tuple)
        before, question = (message.content for message in instance.input)
        assert before.count("?") == 3
        assert question.strip().lower() not in before.lower()
    (warning,) = [record.message for record in caplog.records if "their own answer" in record.message]
    assert warning.startswith(f"lm_eval task {name}:")


def test_where_no_other_document_is_left_fewer_are_shown(tmp_path: Path) -> None:
    write_task(tmp_path, training_split=None, num_fewshot=3, output_type="loglikelihood")
    source = registry.scenarios.get("lm_eval")(task="mine", path=str(tmp_path)).source
    documents = list(source.read("test").rows)
    everything = tuple(dict(document) for document in documents[:3])
    assert source._unlike(documents[0], everything, everything, 0) == everything[1:]
    assert source._unlike(documents[3], everything, everything, 3) is everything


def test_columns_of_numbers_in_a_table_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("question,label,weight\nWhich?,1,0.5\nWhat?,0,\n")
    files = {"dataset_path": "csv", "dataset_kwargs": {"data_files": {"test": "rows.csv"}}, "training_split": None}
    write_task(tmp_path, **files, **CHOICE, doc_to_text="question", doc_to_target="label", doc_to_choice=["no", "yes"])
    scenario = registry.scenarios.get("lm_eval")(task="mine", path=str(tmp_path))
    assert [instance.gold for instance in scenario.instances("test")] == [("yes",), ("no",)]
    assert [row["weight"] for row in scenario.source.read("test").rows] == [0.5, None]


def test_a_hub_data_set_is_read_at_a_commit_that_is_recorded_and_warned_of(
    mirror: Any, hub_cache: Path, run_against: Callable[..., Any], tmp_path: Path
) -> None:
    data = {"dataset_path": "allenai/openbookqa", "dataset_name": "main", "doc_to_text": "question_stem"}
    write_task(tmp_path, **data, **CHOICE, doc_to_choice="{{choices.text}}", doc_to_target="{{choices.label.index(answerKey)}}")
    code = f"""
found = made("lm_eval", task="mine", path={str(tmp_path)!r}, num_fewshot=1)
first = next(found.instances("test"))
pinned = made("lm_eval", task="mine", path={str(tmp_path)!r}, revision=found.source.identity.partition("@")[2])
log.truncate(0)
files = [file.path for file in found.source.read("test").files]
result = [found.source.identity, len(first.references), files, pinned.source.identity]
"""
    (identity, options, files, pinned), _ = run_against(mirror.url, hub_cache, code)
    assert identity.startswith("hub:allenai/openbookqa@")
    assert len(identity.partition("@")[2]) == 40
    assert pinned == identity
    assert options == 4
    assert len(files) == 2
    _, warnings = run_against(
        mirror.url, hub_cache, f'result = made("lm_eval", task="mine", path={str(tmp_path)!r}).source.identity'
    )
    assert warnings.count("pins no commit of allenai/openbookqa") == 1
    _, silent = run_against(
        mirror.url,
        hub_cache,
        f'result = made("lm_eval", task="mine", path={str(tmp_path)!r}, revision="{identity[-40:]}").source.identity',
    )
    assert "pins no commit" not in silent

"""Scenarios declared in YAML: everything a built-in one can do, and errors with their line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay import registry
from assay.errors import AssayError
from assay.prompting import Chat, Examples, Generation, MultipleChoiceJoint, Target
from assay.records import Contrast, Instance, Message, Reference, Taxonomy
from assay.scenarios import Scenario
from assay.scenarios.own import cells
from assay.suites import read_suite

CASES = "case,question,answer,region\n1,What {is} it?,tea,north\n2,And this?,coffee,south\n"
PLAIN = 'scenario: mine\nsource: cases.csv\ninput: "{question}"\nanswer: answer\n'


def made(folder: Path, yaml: str, data: str = CASES, name: str = "cases.csv") -> Scenario:
    (folder / name).write_text(data)
    (folder / "mine.yaml").write_text(yaml)
    return registry.scenarios.get(str(folder / "mine.yaml"))()


def asked(scenario: Scenario, split: str = "test") -> list[Instance]:
    return list(scenario.instances(split, set()))  # type: ignore[arg-type]


def rows(*found: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in found)


def test_a_question_and_its_answer(tmp_path: Path) -> None:
    scenario = made(tmp_path, PLAIN + "id: case\nsubgroups: [region]\n")
    first, _ = asked(scenario)
    reference = (Reference(text="tea", correct=True),)
    assert first == Instance(id="1", input="What {is} it?", references=reference, subgroups={"region": "north"})
    assert (scenario.name, scenario.main_metric, scenario.prompting.method) == ("mine", "answer_match", "generation")


def test_everything_that_a_declaration_says(tmp_path: Path) -> None:
    scenario = made(
        tmp_path,
        PLAIN.replace('"{question}"', '"Region {region}. {{Q}}\\n{question}"')
        + """
about: Drinks.
options: [tea, coffee, "{{milk}}"]
group: region
worked: "It is {answer}."
subgroups: {place: region}
prompting: {method: multiple_choice_joint, shots: 2, instructions: "Choose.\\n"}
metric: exact_match
metrics: [prefix_exact_match]
taxonomy: {task: support, language: English, terms: {process: drinks}}
licence: CC0-1.0
paper: https://example.org
notes: Invented.
version: 3
""",
    )
    _, second = asked(scenario)
    assert second.input == "Region south. {Q}\nAnd this?"
    assert [(option.text, option.correct) for option in second.references] == [
        ("tea", False),
        ("coffee", True),
        ("{milk}", False),
    ]
    assert (second.group, second.worked, second.subgroups) == ("south", "It is coffee.", {"place": "south"})
    assert scenario.prompting == MultipleChoiceJoint(shots=2, instructions="Choose.\n")
    assert (scenario.main_metric, scenario.metrics) == ("exact_match", ("prefix_exact_match",))
    assert scenario.taxonomy == Taxonomy(task="support", language="English", terms={"process": "drinks"})
    assert (scenario.about, scenario.licence, scenario.paper) == ("Drinks.", "CC0-1.0", "https://example.org")
    assert (scenario.notes, scenario.version) == ("Invented.", 3)


@pytest.mark.parametrize(
    ("written", "cell"), [("text", "y"), ("letter", "b"), ("letter", "(B)"), ("number", "2"), ("position", "1")]
)
def test_answers_may_name_an_option_by_its_text_letter_or_place(tmp_path: Path, written: str, cell: str) -> None:
    yaml = PLAIN.replace("answer: answer", f'options: ["{{A}}", "{{B}}"]\nanswer: {{column: right, as: {written}}}')
    (one,) = asked(made(tmp_path, yaml, f"question,A,B,right\nq,x,y,{cell}\n"))
    assert [option.correct for option in one.references] == [False, True]


def test_several_answers_and_options_in_one_cell(tmp_path: Path) -> None:
    yaml = PLAIN.replace("answer: answer", "options: choices\nanswer: answer")
    scenario = made(tmp_path, yaml, 'question,choices,answer\nq,a | b|c,a|c\nr,"[""d|e"", 5]",5\n')
    first, second = asked(scenario)
    assert [option.text for option in first.references] == ["a", "b", "c"]
    assert first.gold == ("a", "c")
    assert [option.text for option in second.references] == ["d|e", "5"]
    assert isinstance(scenario.prompting, MultipleChoiceJoint)
    (one,) = asked(made(tmp_path, PLAIN + 'separator: ""\n', "question,answer\nq,a|b\n"))
    assert one.gold == ("a|b",)


def test_conversations_from_a_column_and_from_templates(tmp_path: Path) -> None:
    yaml = """
scenario: talk
source: talk.jsonl
messages:
  - {role: system, content: "You serve {place}."}
  - {column: before}
  - {role: user, content: "{question}"}
answer: answer
"""
    before = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    row = {"place": "guests", "before": before, "question": "Tea?", "answer": "Yes"}
    scenario = made(tmp_path, yaml, rows(row, {**row, "before": json.dumps(before[:1])}), "talk.jsonl")
    first, second = asked(scenario)
    assert first.input == (
        Message(role="system", content="You serve guests."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hello"),
        Message(role="user", content="Tea?"),
    )
    assert len(second.input) == 3
    assert scenario.prompting == Chat()
    more = [*before, {"role": "user", "content": "Tea?"}]
    whole = made(tmp_path, TALK, rows({**row, "before": more}), "talk.jsonl")
    assert [message.content for message in asked(whole)[0].input] == ["Hi", "Hello", "Tea?"]  # type: ignore[union-attr]


TALK = "scenario: t\nsource: talk.jsonl\nmessages: before\n"


@pytest.mark.parametrize(
    ("last", "part"),
    [
        ({"role": "assistant", "content": "Hello"}, "the conversation ends with what the assistant says"),
        ({"role": "system", "content": "Be kind."}, "the conversation ends with what the system says"),
        ({"role": "user", "content": " \n"}, "the last message is empty"),
    ],
)
def test_a_conversation_ends_with_what_the_user_says(tmp_path: Path, last: dict[str, str], part: str) -> None:
    fine = {"before": [{"role": "user", "content": "Hi"}]}
    scenario = made(tmp_path, TALK, rows(fine, {"before": [*fine["before"], last]}), "talk.jsonl")
    with pytest.raises(AssayError, match=rf"talk\.jsonl, row 2, column before: {part}"):
        asked(scenario)


def test_a_conversation_is_followed_by_its_options(tmp_path: Path) -> None:
    row = {"before": [{"role": "system", "content": "Kind."}, {"role": "user", "content": "Hi"}], "a": "tea", "o": "tea|milk"}
    fixed = made(tmp_path, TALK + "options: [tea, milk]\nanswer: a\n", rows(row), "talk.jsonl")
    (request,) = fixed.prompting.render(asked(fixed)[0], Examples(), Target(takes_messages=True)).requests
    system = Message(role="system", content="Answer with one of: tea, milk.\n\nKind.")
    assert request.prompt == (system, Message(role="user", content="Hi"))
    own = made(tmp_path, TALK + "options: o\nanswer: a\n", rows(row), "talk.jsonl")
    (request,) = own.prompting.render(asked(own)[0], Examples(), Target(takes_messages=True)).requests
    assert "user: Hi\nA. tea\nB. milk\n" in str(request.prompt)


@pytest.mark.parametrize(
    ("more", "line", "key"),
    [
        ("subgroups: [Offise]\n", 5, "subgroups"),
        ("subgroups:\n  - region\n  - Offise\n", 7, "subgroups"),
        ("subgroups: {a: region, b: Offise}\n", 5, "subgroups"),
        ("options: [x, '{Offise}']\n", 5, "options"),
        ("group: Offise\n", 5, "group"),
        ("worked: 'So: {Offise}'\n", 5, "worked"),
    ],
)
def test_a_column_that_the_file_does_not_have_is_a_mistake_of_the_declaration(
    tmp_path: Path, more: str, line: int, key: str
) -> None:
    with pytest.raises(AssayError) as caught:
        asked(made(tmp_path, PLAIN + more, CASES.replace("region", "region,Office").replace("th\n", "th,z\n")))
    assert f"mine.yaml, line {line}, {key}: cases.csv has no column 'Offise'" in str(caught.value)
    assert "did you mean Office?" in str(caught.value)


def test_a_split_column_that_is_not_there_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"mine\.yaml, line 2, split_column: cases\.csv has no column 'part'"):
        made(tmp_path, PLAIN.replace("cases.csv", "{file: cases.csv, split_column: part}")).source.splits()


def test_a_row_that_lacks_what_others_have_is_told_by_its_number(tmp_path: Path) -> None:
    scenario = made(
        tmp_path, PLAIN.replace("csv", "jsonl"), rows({"question": "a", "answer": "b"}, {"question": "c"}), "cases.jsonl"
    )
    with pytest.raises(AssayError, match=r"cases\.jsonl, row 2: lacks 'answer'"):
        asked(scenario)


def test_contrasts_differ_in_some_columns(tmp_path: Path) -> None:
    row = {"question": "Is ice cold?", "answer": "yes", "others": [{"question": "Is ice hot?", "answer": "no"}]}
    (one,) = asked(made(tmp_path, PLAIN.replace("csv", "jsonl") + "contrasts: others\n", rows(row), "cases.jsonl"))
    assert one.contrasts == (Contrast(input="Is ice hot?", references=(Reference(text="no", correct=True),)),)


def test_splits_by_column_by_file_and_held_out(tmp_path: Path) -> None:
    data = "question,answer,part\na,1,train\nb,2,test\nc,3,dev\n"
    by_column = made(tmp_path, PLAIN.replace("source: cases.csv", "source: {file: cases.csv, split_column: part}"), data)
    assert by_column.source.splits() == ("train", "valid", "test")
    assert [one.input for one in asked(by_column, "train")] == ["a"]
    (tmp_path / "shots.csv").write_text("question,answer\ne,5\n")
    by_file = made(tmp_path, PLAIN.replace("source: cases.csv", "source: {train: shots.csv, test: cases.csv}"), data)
    assert [one.input for one in asked(by_file, "train")] == ["e"]
    many = "question,answer\n" + "".join(f"q{number},{number}\n" for number in range(40))
    held = made(tmp_path, PLAIN.replace("source: cases.csv", "source: {file: cases.csv, held_out: 0.1}"), many)
    train, test = asked(held, "train"), asked(held)
    assert (len(train), len(test)) == (4, 36)
    assert not {one.input for one in train} & {one.input for one in test}


def test_cases_of_one_group_are_held_out_together(tmp_path: Path) -> None:
    many = "question,answer,case\n" + "".join(f"q{number},{number},g{number // 4}\n" for number in range(80))
    yaml = PLAIN.replace("source: cases.csv", "source: {file: cases.csv, held_out: 0.2}") + "group: case\n"
    scenario = made(tmp_path, yaml, many)
    train, test = asked(scenario, "train"), asked(scenario)
    assert len(train) == 16
    assert not {one.group for one in train} & {one.group for one in test}


def test_files_lie_beside_the_declaration_and_changes_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, PLAIN)
    monkeypatch.chdir(tmp_path.parent)
    path = f"{tmp_path.name}/mine.yaml"
    assert registry.scenarios.get(path).name == "mine"
    (tmp_path / "mine.yaml").write_text(PLAIN.replace("mine", "another"))
    assert registry.scenarios.get(path).name == "another"


def test_a_hub_repository_may_be_the_source(tmp_path: Path) -> None:
    source = "source: {hub: owner/name, revision: abc, train: 'a/*.jsonl', test: 'b/*.jsonl'}"
    scenario = made(tmp_path, PLAIN.replace("source: cases.csv", source))
    assert scenario.source.splits() == ("train", "test")


@pytest.mark.parametrize(
    ("yaml", "line", "part"),
    [
        (PLAIN + "answr: x\n", 5, "did you mean answer?"),
        (PLAIN.replace("cases.csv", "{fil: x}"), 2, "did you mean file?"),
        (PLAIN.replace('"{question}"', "{question}"), 3, "quotes"),
        (PLAIN.replace('"{question}"', '"{question"'), 3, "names no column"),
        (PLAIN + "options: [yes, no]\n", 5, "truth values"),
        (PLAIN + "options: [tea]\n", 5, "one option is no choice"),
        (PLAIN.replace("mine", "a/b"), 1, "cannot be a name"),
        (PLAIN.replace("answer: answer", "answer: {column: answer, as: letter}"), 4, "options"),
        (PLAIN.replace("answer: answer", "answer: {column: answer, as: word}"), 4, "Invalid enum value"),
        (PLAIN.replace("answer: answer", "options: [a, b]"), 4, "answer"),
        (PLAIN + "prompting: {shotz: 1}\n", 5, "did you mean shots?"),
        (PLAIN + "version: 0\n", 5, "below 1"),
        (PLAIN + "messages: m\n", 5, "either input or messages"),
        (PLAIN.replace('input: "{question}"', "messages: [{role: user}]"), 3, "role and a content"),
        (PLAIN.replace('input: "{question}"', "messages: [{role: robot, content: x}]"), 3, "Invalid enum value"),
        (
            PLAIN.replace('input: "{question}"', "messages:\n- {role: user, content: x}\n- {role: assistant, content: y}"),
            5,
            "the conversation ends with what the assistant says",
        ),
        (PLAIN.replace("cases.csv", "{file: a.csv, test: b.csv}"), 2, "one place"),
        (PLAIN.replace("cases.csv", "{file: a.csv, held_out: 2}"), 2, "held_out is 2"),
        (PLAIN.replace("cases.csv", "{hub: a/b, test: x}"), 2, "revision"),
        (PLAIN + "taxonomy: {tasks: x}\n", 5, "did you mean task?"),
        (PLAIN + "answer: again\n", 5, "twice"),
    ],
)
def test_a_wrong_declaration_is_told_with_its_line(tmp_path: Path, yaml: str, line: int, part: str) -> None:
    with pytest.raises(AssayError) as caught:
        made(tmp_path, yaml)
    assert f"mine.yaml, line {line}" in str(caught.value)
    assert part in str(caught.value)


def test_what_is_no_scenario_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="does not exist"):
        registry.scenarios.get(str(tmp_path / "none.yaml"))
    with pytest.raises(AssayError, match="no scenario"):
        made(tmp_path, "name: x\nscenarios: [boolq]\n")
    with pytest.raises(AssayError, match="no scenario"):
        made(tmp_path, "- a\n")


def test_options_are_asked_as_multiple_choice_and_text_as_generation(tmp_path: Path) -> None:
    assert isinstance(made(tmp_path, PLAIN).prompting, Generation)
    assert isinstance(made(tmp_path, PLAIN + "options: [tea, coffee]\n").prompting, MultipleChoiceJoint)


MANY = [f"intent {number}" for number in range(77)]


@pytest.mark.parametrize(("written", "answer"), [("text", "intent 76"), ("number", "77"), ("position", "76")])
def test_more_options_than_letters_are_asked_by_what_they_say(written: str, answer: str, tmp_path: Path) -> None:
    yaml = (
        f"scenario: mine\nsource: x.jsonl\ninput: '{{q}}'\nanswer: {{column: a, as: {written}}}\noptions: {json.dumps(MANY)}\n"
    )
    scenario = made(tmp_path, yaml + "prompting: {method: generation}\n", rows({"q": "Which?", "a": answer}), "x.jsonl")
    (case,) = asked(scenario)
    assert [reference.text for reference in case.references if reference.correct] == ["intent 76"]
    lettered = made(tmp_path, yaml, rows({"q": "Which?", "a": answer}), "x.jsonl")
    (case,) = asked(lettered)
    with pytest.raises(AssayError, match=r"has 77 options; at most 26 can be lettered .use method=generation"):
        lettered.prompting.render(case, Examples(), Target())


def test_an_answer_by_letter_among_more_options_than_letters_names_its_row(tmp_path: Path) -> None:
    yaml = f"scenario: mine\nsource: x.jsonl\ninput: '{{q}}'\nanswer: {{column: a, as: letter}}\noptions: {json.dumps(MANY)}\n"
    with pytest.raises(AssayError, match=r"x\.jsonl, row 1, column a: there are 77 options and 26 letters .*number"):
        asked(made(tmp_path, yaml, rows({"q": "Which?", "a": "B"}), "x.jsonl"))


@pytest.mark.parametrize("inside", ["q", " q ", "q "])
@pytest.mark.parametrize("name", ["cases.csv", "cases.jsonl"])
def test_white_space_around_the_name_of_a_column_does_not_count(name: str, inside: str, tmp_path: Path) -> None:
    names = (" q ", " a", "g ", "id ", " split")
    cells = [("What?", "x", "n", "1", "test"), ("Who?", "y", "s", "2", "train")]
    data = "\n".join(map(",".join, [names, *cells])) + "\n"
    if name.endswith("jsonl"):
        data = rows(*(dict(zip(names, row, strict=True)) for row in cells))
    yaml = (
        f"scenario: mine\nsource: {{file: {name}, split_column: split}}\ninput: 'Say: {{{inside}}}'\n"
        "answer: ' a '\nsubgroups: [g]\nid: id\n"
    )
    scenario = made(tmp_path, yaml, data, name)
    (case,) = asked(scenario)
    assert (case.input, case.references[0].text, case.subgroups, case.id) == ("Say: What?", "x", {"g": "n"}, "1")
    assert [found.id for found in asked(scenario, "train")] == ["2"]
    (tmp_path / "mine.yaml").write_text(yaml.replace("' a '", "nosuch"))
    with pytest.raises(AssayError, match=r"line 4, answer: .* has no column 'nosuch' .known: q, a, g, id, split"):
        asked(registry.scenarios.get(str(tmp_path / "mine.yaml"))())


def test_names_that_differ_in_white_space_only_are_taken_as_they_stand(tmp_path: Path) -> None:
    (case,) = asked(made(tmp_path, PLAIN, 'question, question,answer\n"mine","other",x\n'))
    assert case.input == "mine"


def test_a_column_may_have_a_line_break_in_its_name(tmp_path: Path) -> None:
    (case,) = asked(made(tmp_path, PLAIN.replace("{question}", "{the\\nquestion}"), '"the\nquestion",answer\nWhat?,x\n'))
    assert case.input == "What?"


def test_a_text_longer_than_any_model_reads_names_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "LONGEST_TEXT", 100)
    data = "question,answer\nWhat?,x\n" + "y" * 101 + ",x\n"
    with pytest.raises(AssayError, match=r"cases\.csv, row 2, column question: it holds 101 characters .at most 100"):
        asked(made(tmp_path, PLAIN, data))
    held = PLAIN.replace("source: cases.csv", "source: {file: cases.csv, held_out: 0.5}")
    with pytest.raises(AssayError, match=r"row 2, column question: it holds 101 characters"):
        list(made(tmp_path, held, data).names("test"))


def test_a_scenario_file_that_is_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("folder", "pipe"):
        with pytest.raises(AssayError, match=rf"{name}\.yaml cannot be read: it is a {name}"):
            registry.scenarios.get(str(tmp_path / f"{name}.yaml"))
        with pytest.raises(AssayError, match=rf"{name}\.yaml cannot be read: it is a {name}"):
            read_suite([str(tmp_path / f"{name}.yaml")])

"""From a file of cases to numbers, as a newcomer does it; and what happens where the file is broken."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from assay.once import warn_once
from cli_helpers import Assay

MODEL = ("-m", "baseline/majority", "--toxicity", "none")
WORDS = ("refund", "explain", "human")
HEAD = "id,question,answer,region\n"
GOOD = HEAD + "".join(f"c{n},Question {n * 7919} about a bill?,{WORDS[n % 3]},{'ns'[n % 2]}\n" for n in range(30))
YAML = """scenario: mine
source: cases.csv
input: "{question}"
options: [refund, explain, human]
answer: answer
id: id
subgroups: [region]
prompting: {method: generation, shots: 0}
"""


def files(folder: Path, data: str | bytes = GOOD, yaml: str = YAML, name: str = "cases.csv") -> Path:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    (folder / "mine.yaml").write_text(yaml)
    return folder / "mine.yaml"


def test_two_commands_from_a_csv_to_numbers(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "billing.csv").write_text(GOOD)
    wrote = assay("new", "scenario", "billing.csv")
    assert wrote.code == 0, wrote.err
    assert "30 cases can be asked" in wrote.out
    ran = assay("run", "billing.yaml", *MODEL)
    assert ran.code == 0, ran.err
    (run,) = (tmp_path / "runs" / "default").glob("billing,*")
    shown = assay("show", run, "--all")
    assert "region=n" in shown.out
    spec = json.loads((run / "spec.json").read_text())
    assert (spec["spec"]["scenario"]["name"], spec["title"]) == ("billing", "billing")
    assert spec["spec"]["data"]["files"][0]["path"] == "billing.csv"


def test_answers_that_the_metric_takes_for_the_same_are_told_with_their_rows(assay: Assay, tmp_path: Path) -> None:
    words = ["R&D", "Ulm", "RD", "Oslo", "R&D"]
    (tmp_path / "teams.csv").write_text("question,answer\n" + "".join(f"Who is {n}?,{word}\n" for n, word in enumerate(words)))
    wrote = assay("new", "scenario", "teams.csv")
    assert wrote.code == 0, wrote.err
    assert "look: answer_match cannot tell 'R&D' from 'RD' (rows 1, 3, 5)\n" in wrote.out
    checked = assay("check", "teams.yaml")
    assert "answer_match cannot tell 'R&D' from 'RD'" in checked.out


def test_in_a_terminal_the_user_is_asked_and_return_takes_the_guess(tmp_path: Path) -> None:
    (tmp_path / "billing.csv").write_text(GOOD.replace("region", "a place"))
    master, terminal = os.openpty()
    command = [sys.executable, "-m", "assay", "new", "scenario", "billing.csv"]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, cwd=tmp_path)
    os.close(terminal)
    os.write(master, b"\n\n\na place\n-\n\n")
    said = b""
    with contextlib.suppress(OSError):  # what Linux says at the end of a terminal
        while part := os.read(master, 4096):
            said += part
    os.close(master)
    assert process.wait(timeout=60) == 0, said.decode()
    assert b"column with the question [question]:" in said
    written = (tmp_path / "billing.yaml").read_text()
    assert 'subgroups: ["a place"]' in written
    assert "\nid:" not in written


@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_other_separators_are_found(assay: Assay, tmp_path: Path, separator: str) -> None:
    (tmp_path / "billing.csv").write_text(GOOD.replace(",", separator))
    (tmp_path / "cases.csv").write_text(f"sep={separator}\n" + GOOD.replace(",", separator).replace("question", "input"))
    assert "30 cases can be asked" in assay("new", "scenario", "billing.csv").out
    assert "0 errors" in assay("check", "billing.yaml").out
    assert assay("run", "billing.yaml", "local_file:path=cases.csv", "-n", 3, *MODEL).code == 0


def test_what_looks_like_a_mistake_is_said_when_a_scenario_is_begun(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "billing.csv").write_text(GOOD.partition("\n")[2].replace("c4,", "c5,"))
    said = assay("new", "scenario", "billing.csv", "--input", "Question 0 about a bill?", "--answer", "refund")
    assert said.code == 0, said.err
    assert "look: the first row may be a case and no header: one column is called 'Question 0 about a bill?'" in said.out
    assert "one column is called" in assay("check", "billing.yaml").out


def test_contradictory_answers_are_warned_of_and_stop_nothing(assay: Assay, tmp_path: Path) -> None:
    path = files(tmp_path, GOOD + "x,Question 0 about a bill?,human,n\n")
    checked = assay("check", path)
    assert checked.code == 0
    assert "warning: cases.csv, rows 1 and 31: ask the same and have different answers: 'refund', 'human'" in checked.out
    assert assay("run", path, "-n", 3, *MODEL).code == 0


@pytest.mark.parametrize("verb", ["run", "plan"])
def test_fewer_examples_than_were_asked_for_are_told(
    assay: Assay, caplog: pytest.LogCaptureFixture, tmp_path: Path, verb: str
) -> None:
    lines = GOOD.splitlines()
    data = "".join(f"{line},{'split' if n == 0 else 'train' if n < 6 else 'test'}\n" for n, line in enumerate(lines))
    source = "source: {file: cases.csv, split_column: split}"
    files(tmp_path, data, YAML.replace("source: cases.csv", source).replace("mine", f"split_{verb}"))
    for shots, told in ((5, 0), (8, 1)):
        assert assay(verb, f"mine.yaml:shots={shots}", "-m", "baseline/uniform", *MODEL, "-n", 3).code == 0
        assert caplog.messages.count(f"split_{verb}: 8 examples are wanted, and there are 5") == told
    files(tmp_path, yaml=YAML.replace("mine", f"none_{verb}"))
    for entry in ("mine.yaml", "mine.yaml:shots=3"):
        assert assay(verb, entry, *MODEL, "-n", 3).code == 0
    assert caplog.messages[1:] == [f"none_{verb}: 3 examples are wanted, and there are 0"]


def test_a_scenario_file_is_not_written_over(assay: Assay, tmp_path: Path) -> None:
    files(tmp_path, yaml="mine: 1\n")
    (tmp_path / "cases.csv").rename(tmp_path / "mine.csv")
    refused = assay("new", "scenario", "mine.csv")
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert (tmp_path / "mine.yaml").read_text() == "mine: 1\n"
    assert assay("new", "scenario", "mine.csv", "--force", "--subgroup", "region", "--answer", "answer").code == 0


def test_a_scenario_file_stands_wherever_a_scenario_may(assay: Assay, tmp_path: Path) -> None:
    files(tmp_path / ".")
    folder = tmp_path / "suites"
    folder.mkdir()
    files(folder, yaml=YAML.replace("mine", "theirs"))
    more = "  - {scenario: mine.yaml, prompting: {system: x}}\n"
    (folder / "suite.yaml").write_text(f"name: both\nscenarios:\n  - mine.yaml\n{more}")
    assert assay("run", "mine.yaml:method=multiple_choice_joint", "mine.yaml", "-n", 4, *MODEL).code == 0
    assert len(list((tmp_path / "runs" / "default").glob("mine,*"))) == 2
    assert assay("run", "suites/suite.yaml", "-n", 4, *MODEL).code == 0
    assert len(list((tmp_path / "runs" / "both").glob("theirs,*"))) == 2
    again = assay("run", f"{tmp_path}/mine.yaml", "-n", 4, *MODEL)
    assert again.code == 0
    assert len(list((tmp_path / "runs" / "default").glob("mine,*"))) == 2


def test_two_scenarios_of_one_name_are_told_apart(assay: Assay, tmp_path: Path) -> None:
    files(tmp_path)
    (tmp_path / "other.yaml").write_text(YAML.replace("shots: 0", "shots: 1"))
    refused = assay("run", "mine.yaml", "other.yaml", *MODEL)
    assert refused.code == 2
    assert "other.yaml and mine.yaml are both the scenario mine" in refused.err


def test_a_suite_and_entries_cannot_be_mixed_but_scenario_files_can(assay: Assay, tmp_path: Path) -> None:
    files(tmp_path)
    (tmp_path / "suite.yaml").write_text("scenarios: [mine.yaml]\n")
    assert "stands alone" in assay("run", "suite.yaml", "mine.yaml", *MODEL).err
    assert "no scenario" in assay("run", "mine.yaml", "suite.yaml", *MODEL).err
    assert assay("run", "mine.yaml", "billing_support:", "-n", 3, *MODEL).code == 0


JSON = YAML.replace("cases.csv", "cases.jsonl")
OPTIONS = JSON.replace("[refund, explain, human]", "o")
MESSAGES = JSON.replace('input: "{question}"', "messages: m")


def line(**row: object) -> str:
    return json.dumps({"id": "c", "question": "Why?", "answer": "refund", "region": "n", **row}) + "\n"


BROKEN = {
    "missing answer": (HEAD + "a,Why?,refund,n\nb,How?,,n\n", YAML, "row 2, column answer: the answer is missing"),
    "blank answer": (HEAD + "a,Why?,refund,n\nb,How?,   ,n\n", YAML, "row 2, column answer: the answer is missing"),
    "empty input": (HEAD + "a,,refund,n\n", YAML, "row 1, column question: the input is empty"),
    "blank input": (HEAD + 'a,"  \t",refund,n\n', YAML, "row 1, column question: the input is empty"),
    "answer not among the options": (HEAD + "a,Why?,refunds,n\n", YAML, "row 1, column answer: the answer 'refunds' is not"),
    "answer in other case": (HEAD + "a,Why?,Refund,n\n", YAML, "write 'refund': upper and lower case count"),
    "id twice": (HEAD + "a,Why?,refund,n\nb,X?,refund,n\na,How?,refund,n\n", YAML, "row 3, column id: the id 'a' is also"),
    "no such column": ("id,question,reply,region\na,Why?,refund,n\n", YAML, "line 5, answer: cases.csv has no column 'answer'"),
    "too many fields": (HEAD + "a,Why?,refund,n\nb,How, then?,refund,n\n", YAML, "line 3 has 5 fields"),
    "too few fields": (HEAD + "a,Why?,refund\n", YAML, "line 2 has 3 fields"),
    "open quote": (HEAD + 'a,"Why?,refund,n\n', YAML, "line 2 opens a quote that is never closed"),
    "column twice": ("id,question,question,answer\na,b,c,refund\n", YAML, "names the column 'question' twice"),
    "no rows": (HEAD, YAML, "holds no rows"),
    "empty file": ("", YAML, "holds no rows"),
    "Latin-1": (HEAD.encode() + b"a,Why?,refund,n\nb,caf\xe9?,refund,n\n", YAML, "line 3"),
    "UTF-16": (GOOD.encode("utf-16"), YAML, "not UTF-8"),
    "NUL": (HEAD + "a,Wh\0y?,refund,n\n", YAML, "column question: it holds a character that is not text"),
    "no JSON": (line() + "{oops\n", JSON, "line 2"),
    "a list as a line": (line() + "[1]\n", JSON, "line 2"),
    "null as a question": (line() + line(id="d", question=None), JSON, "row 2, column question: it holds nothing"),
    "an object as an answer": (line(answer={"a": 1}), JSON, "row 1, column answer: it holds an object"),
    "one option": (
        line(o=["refund"]),
        OPTIONS,
        "row 1, column o: one option is no choice",
    ),
    "option twice": (line(o="refund|no|refund"), OPTIONS, "column o: the option 'refund' appears"),
    "no options": (line(o=""), OPTIONS, "row 1, column o: there are no options"),
    "role unknown": (
        line(m=[{"role": "robot", "content": "x"}]),
        MESSAGES,
        "row 1, column m: message 1 has the role 'robot'",
    ),
    "empty conversation": (line(m=[]), MESSAGES, "column m: the conversation is empty"),
    "split unknown": (
        HEAD + "a,Why?,refund,n\n",
        YAML.replace("source: cases.csv", "source: {file: cases.csv, split_column: region}"),
        "row 1, column region: 'n' is no split",
    ),
    "letter beyond the options": (
        HEAD + "a,Why?,D,n\n",
        YAML.replace("answer: answer", "answer: {column: answer, as: letter}"),
        "row 1, column answer: the answer 'D' is not among the options",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_told_with_row_and_column_and_never_half_run(assay: Assay, tmp_path: Path, kind: str) -> None:
    data, yaml, part = BROKEN[kind]
    path = files(tmp_path, data, yaml, "cases.jsonl" if "jsonl" in yaml else "cases.csv")
    ran = assay("run", path, *MODEL)
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert part in ran.err
    assert "cases." in ran.err
    assert not (tmp_path / "runs").exists()
    checked = assay("check", path, "--json")
    assert checked.code == 1
    findings = json.loads(checked.out)["findings"]
    assert any(finding["severity"] == "error" for finding in findings)
    assert "Traceback" not in checked.err


def test_all_that_is_wrong_is_said_at_once(assay: Assay, tmp_path: Path) -> None:
    said = assay("check", files(tmp_path, GOOD + "x,,refund,n\ny,Why?,nothing,n\nz,a,b\n"))
    assert said.code == 1
    assert "row 31, column question" in said.out
    assert "row 32, column answer" in said.out
    assert "row 33: line 34 has 3 fields" in said.out
    assert "3 errors" in said.out


def test_fine_cases_pass_and_a_long_list_is_cut_unless_all_is_asked_for(assay: Assay, tmp_path: Path) -> None:
    assert assay("check", files(tmp_path)).code == 0
    many = files(tmp_path, HEAD + "".join(f"c{n},,refund,n\n" for n in range(50)))
    short, whole = assay("check", many), assay("check", many, "--all")
    assert "30 more of case; --all shows them" in short.out
    assert whole.out.count("the input is empty") == 50


def test_hostile_cells_are_shown_as_text(assay: Assay, tmp_path: Path) -> None:
    path = files(tmp_path, HEAD + "a,Why?,\x1b[31mred\x1b[0m,n\n")
    for said in (assay("check", path), assay("run", path, *MODEL)):
        assert "\x1b" not in said.out + said.err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("check", "cases.csv"), "assay new scenario cases.csv"),
        (("run", "cases.csv"), "assay new scenario cases.csv"),
        (("plan", "cases.csv:shots=1"), "assay new scenario cases.csv"),
        (("run", "data.yaml"), "assay new scenario cases.csv"),
        (("new", "scenario", "cases.xlsx"), "export it as CSV"),
        (("check", "none.yaml"), "does not exist"),
        (("check", "mine.yaml", "--half-width", "2"), "--half-width"),
        (("check", "mine.yaml:shtos=3"), "did you mean"),
        (("new", "scenario", "none.csv"), "does not exist"),
        (("new", "scenario", "cases.txt"), "no known kind"),
        (("coverage", "nothing"), "unknown scenario"),
        (("coverage", "mine.yaml", "--taxonomy", "none.yaml"), "cannot be read"),
    ],
)
def test_wrong_usage_is_one_line(assay: Assay, tmp_path: Path, arguments: tuple[str, ...], part: str) -> None:
    files(tmp_path)
    for name in ("cases.txt", "cases.xlsx"):
        (tmp_path / name).write_text("x")
    (tmp_path / "data.yaml").write_text("scenarios: [cases.csv]\n")
    said = assay(*arguments)
    assert said.code == 2
    assert part in said.err
    assert said.err.count("\n") == 1


def test_coverage_as_a_table_as_markdown_and_as_json(assay: Assay, tmp_path: Path) -> None:
    files(tmp_path, yaml=YAML + "taxonomy: {task: customer support, terms: {process: refunds}}\n")
    (tmp_path / "map.yaml").write_text("map: ours\nrows:\n  - {name: money, where: {terms.process: refund}}\n  - telepathy\n")
    plain = assay("coverage", "mine.yaml")
    assert "dialogue and support" in plain.out
    assert "nobody measures" in plain.out
    table = assay("coverage", "mine.yaml", "--taxonomy", "map.yaml", "--markdown").out
    assert "| money | mine | – |" in table
    assert "ours: telepathy" in table
    found = json.loads(assay("coverage", "mine.yaml", "billing_support:", "--taxonomy", "map.yaml", "--json").out)
    assert found["tables"][0]["rows"]["money"][""]["measured"] == ["mine"]
    assert found["nobody"] == ["ours: telepathy"]


def test_a_scenario_is_written_where_the_user_says(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "billing.csv").write_text(GOOD)
    (tmp_path / "mine").mkdir()
    assert assay("new", "scenario", "billing.csv", "-y", "-o", "mine/other.yaml").code == 0
    text = (tmp_path / "mine" / "other.yaml").read_text()
    assert "scenario: other\n" in text
    assert 'file: "../billing.csv"' in text
    assert assay("run", "mine/other.yaml", *MODEL).code == 0
    assert "ends in .yaml" in assay("new", "scenario", "billing.csv", "-y", "-o", "other.txt").err


def test_a_method_that_drops_the_examples_says_so_when_planned_and_run(
    assay: Assay, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    yaml = YAML.replace("source: cases.csv", "source: {file: cases.csv, held_out: 0.2}").replace("shots: 0", "shots: 3")
    files(tmp_path, yaml=yaml)
    way = "mine.yaml:method=multiple_choice_separate_original"
    for verb in ("plan", "run"):
        caplog.clear()
        warn_once.cache_clear()  # said once in a process
        said = assay(verb, way, *MODEL)
        assert said.code == 0, said.err
        assert "multiple_choice_separate_original shows no examples, the scenario 3: shots: 3 beside the method" in caplog.text
    caplog.clear()
    warn_once.cache_clear()
    assert assay("plan", f"{way},shots=3", *MODEL).code == 0
    assert "examples" not in caplog.text


def test_the_card_of_a_file_names_the_file(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "bills.csv").write_text("question,answer\n" + "".join(f"How much is {n}?,{n}\n" for n in range(4)))
    assert assay("new", "scenario", "bills.csv", "--yes").code == 0
    said = assay("show", "scenario", "bills.yaml", "--prompts", "1")
    assert said.code == 0, said.err
    assert "written:     bills.yaml\n" in said.out


def test_names_with_white_space_around_them_run_at_once(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(GOOD.replace(HEAD, "id, question , answer, region\n"))
    assert "30 cases can be asked" in assay("new", "scenario", "x.csv").out
    assert assay("run", "x.yaml", *MODEL).code == 0
    refused = assay("new", "scenario", "x.csv", "--force", "--answer", "nosuch")
    assert (refused.code, "unknown column of x.csv: 'nosuch' (known: id, question, answer, region)" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "written", "typed"),
    [
        ("my cases.csv", "my cases.yaml", "'my cases.yaml'"),
        ("x:y=1,z=2.csv", "x_y=1,z=2.yaml", "x_y=1,z=2.yaml"),
        ("a\nb\x1b[31m.csv", "a_b_[31m.yaml", "'a_b_[31m.yaml'"),
        ("-dash.csv", "-dash.yaml", "./-dash.yaml"),
    ],
)
def test_what_to_type_next_can_be_typed(assay: Assay, tmp_path: Path, name: str, written: str, typed: str) -> None:
    (tmp_path / name).write_text(GOOD)
    said = assay("new", "scenario", "--", name)
    assert said.code == 0, said.err
    assert (tmp_path / written).is_file()
    assert f"next:  assay check {typed}\n       assay run {typed} -m" in said.out
    assert said.out.replace("\n", "").isprintable()
    (argument,) = shlex.split(typed)
    assert assay("check", argument).code == 0


def test_a_file_of_examples_alone_has_no_case_to_ask(assay: Assay, tmp_path: Path) -> None:
    lines = GOOD.splitlines()
    (tmp_path / "x.csv").write_text("\n".join([lines[0] + ",split", *(line + ",train" for line in lines[1:])]) + "\n")
    assert "no case can be asked yet: all are examples" in assay("new", "scenario", "x.csv").out
    (tmp_path / "x.csv").write_text(
        "\n".join([lines[0] + ",split", *(f"{line},{'train' if at else 'test'}" for at, line in enumerate(lines[1:]))])
    )
    assert "1 cases can be asked, 29 are examples" in assay("new", "scenario", "x.csv", "--force").out


def test_a_scenario_that_cannot_be_begun_leaves_nothing_behind(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"question": "a", "options": {"text": ["b", "c"]}, "answer": "b"}\n' * 3)
    refused = assay("new", "scenario", "x.jsonl")
    assert (refused.code, "x.jsonl, row 1, column options: it holds an object" in refused.err) == (2, True)
    (tmp_path / "y.csv").write_text(GOOD)
    (tmp_path / "y.yaml").mkdir()
    refused = assay("new", "scenario", "y.csv", "--force")
    assert (refused.code, "y.yaml cannot be written: Is a directory (" in refused.err) == (2, True)
    assert not (tmp_path / "x.yaml").exists()

"""What a check finds in one's own cases, row by row."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import registry
from assay.checking import Finding, Report, check_scenario
from assay.checking.near import Sample
from assay.errors import AssayError
from assay.selection import select
from assay.statistics.precision import clusters_for_share

YAML = 'scenario: mine\nsource: data.jsonl\ninput: "{q}"\nanswer: a\nprompting: {shots: 0}\n'
THINGS = (
    "apples",
    "bridges",
    "candles",
    "doors",
    "engines",
    "forests",
    "glaciers",
    "harbours",
    "islands",
    "jackets",
    "kettles",
    "ladders",
    "mirrors",
    "needles",
)
VERBS = ["paint", "weigh", "sell", "lose", "break", "clean", "hide", "count", "move", "lend", "burn", "wash", "fold", "stack"]


def asks(number: int) -> str:
    """Questions that have little in common."""
    return f"Who would {VERBS[number % 14]} {THINGS[(number * 5 + number // 14) % 14]} on day {number * 7919}?"


def checked(folder: Path, *rows: dict[str, Any], yaml: str = YAML, **given: Any) -> Report:
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "mine.yaml").write_text(yaml)
    return check_scenario(registry.scenarios.get(str(folder / "mine.yaml"))(), **given)


def of(report: Report, check: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.check == check]


def fine(count: int = 30) -> list[dict[str, Any]]:
    return [{"q": asks(number), "a": f"answer {number}"} for number in range(count)]


def test_fine_cases_have_no_errors_and_no_warnings(tmp_path: Path) -> None:
    report = checked(tmp_path, *fine())
    assert {finding.severity for finding in report.findings} == {"note"}
    assert (report.scenario, report.cases) == ("mine", {"test": 30})


def test_every_broken_row_is_told_and_the_others_are_still_looked_at(tmp_path: Path) -> None:
    broken = [{"q": "", "a": "x"}, {"q": "y?", "a": None}, {"q": asks(1), "a": "answer 1"}]
    report = checked(tmp_path, *fine(4), *broken)
    errors = [finding for finding in report.findings if finding.severity == "error"]
    assert [(finding.rows, finding.column) for finding in errors] == [((5,), "q"), ((6,), "a")]
    (twice,) = of(report, "duplicate")
    assert twice.rows == (2, 7)


def test_a_column_that_no_row_has_is_a_mistake_of_the_declaration_and_said_once(tmp_path: Path) -> None:
    report = checked(tmp_path, *({"q": "x?", "right": "y"} for _ in range(50)), yaml=YAML.replace("answer: a", "answer: rihgt"))
    (finding,) = report.findings
    assert (finding.check, finding.rows) == ("column", ())
    assert "mine.yaml, line 4, answer: data.jsonl has no column 'rihgt'" in finding.message
    assert "did you mean right?" in finding.hint


def test_rows_that_lack_what_others_have_are_named(tmp_path: Path) -> None:
    report = checked(tmp_path, *fine(4), {"q": "x?"}, {"q": "y?"})
    (finding,) = [finding for finding in report.findings if finding.severity == "error"]
    assert (finding.rows, finding.message) == ((5, 6), "lacks 'a'")


def test_the_same_question_with_several_answers_is_one_warning(tmp_path: Path) -> None:
    more = [{"q": asks(3).upper(), "a": "other"}, {"q": asks(3), "a": "third"}]
    report = checked(tmp_path, *fine(), *more)
    (finding,) = of(report, "contradiction")
    assert (finding.severity, finding.rows) == ("warning", (4, 31, 32))
    assert "'answer 3', 'other', 'third'" in finding.message
    assert not report.count("error")


def test_near_duplicates_and_only_where_the_answer_is_the_same(tmp_path: Path) -> None:
    text = "The customer paid the bill of May twice and asks for one of the payments back"
    more = [{"q": text + ".", "a": "refund"}, {"q": text + " now.", "a": "refund"}, {"q": text + " soon.", "a": "answer"}]
    (finding,) = of(checked(tmp_path, *fine(), *more), "near duplicate")
    assert finding.rows == (31, 32)


def test_near_duplicates_are_one_finding_a_group(tmp_path: Path) -> None:
    text = "The customer paid the bill of May twice and asks for one of the payments back"
    report = checked(tmp_path, *fine(5), *({"q": f"{text}, number {n}", "a": "refund"} for n in range(30)))
    (finding,) = of(report, "near duplicate")
    assert finding.rows == tuple(range(6, 36))
    assert finding.message.startswith("are nearly the same (")


def test_examples_that_show_or_nearly_show_a_question(tmp_path: Path) -> None:
    yaml = YAML.replace("source: data.jsonl", "source: {file: data.jsonl, split_column: s}")
    text = "The customer paid the bill of May twice and asks for one of the payments back"
    asked = [{**row, "s": "test"} for row in fine()]
    shown = [{"q": asks(0), "a": "answer 0", "s": "train"}, {"q": text, "a": "x", "s": "train"}]
    found = of(checked(tmp_path, *asked, *shown, {"q": text + " now", "a": "x", "s": "test"}, yaml=yaml), "leak")
    assert [finding.rows for finding in found] == [(1,), (33,)]
    assert [f"the example in row {row}" in finding.message for row, finding in zip((31, 32), found, strict=True)] == [True] * 2


@pytest.mark.parametrize(
    ("example", "same"),
    [*((text, True) for text in ("is it  “RED”", 'Ｉs it \u200b"red"?', "Is it “red”")), ("Is it “bred”?", False)],
)
def test_what_is_told_to_be_shown_never_is_never_shown(tmp_path: Path, example: str, same: bool) -> None:
    yaml = YAML.replace("source: data.jsonl", "source: {file: data.jsonl, split_column: s}")
    rows = [{"q": "Is it “red”?", "a": "x", "s": "test"}, {"q": example, "a": "x", "s": "train"}]
    found = [finding for finding in of(checked(tmp_path, *rows, yaml=yaml), "leak") if "never shown" in finding.hint]
    scenario = registry.scenarios.get(str(next(tmp_path.glob("*.yaml"))))()
    assert bool(found) is same
    assert len(select(scenario, "mine", ("test",), None, 0).pool) == (not same)


def test_an_example_with_other_options_still_gives_the_question_away(tmp_path: Path) -> None:
    yaml = YAML.replace("source: data.jsonl", "source: {file: data.jsonl, split_column: s}") + "options: o\n"
    rows = [{"q": asks(0), "a": "x", "o": ["x", other], "s": split} for other, split in (("y", "test"), ("z", "train"))]
    report = checked(tmp_path, *rows, yaml=yaml)
    assert [finding.rows for finding in of(report, "leak")] == [(1,)]
    assert not of(report, "duplicate")


def test_the_other_row_is_named_with_its_file_where_that_is_another(tmp_path: Path) -> None:
    (tmp_path / "shots.jsonl").write_text(json.dumps({"q": asks(0), "a": "answer 0"}) + "\n")
    yaml = YAML.replace("source: data.jsonl", "source: {train: shots.jsonl, test: data.jsonl}")
    (finding,) = of(checked(tmp_path, *fine(), yaml=yaml), "leak")
    assert (finding.file, finding.rows) == ("data.jsonl", (1,))
    assert "the example in row 1 of shots.jsonl" in finding.message


def test_labels_out_of_balance_without_cases_or_spelt_in_two_ways(tmp_path: Path) -> None:
    labels = ["yes"] * 34 + ["Yes"] * 6
    rows = [{"q": asks(number), "a": label} for number, label in enumerate(labels)]
    report = checked(tmp_path, *rows)
    assert "'yes' is right in 34 of 40" in of(report, "imbalance")[0].message
    assert "'Yes', 'yes'" in of(report, "spelling")[0].message
    rare = checked(tmp_path, *rows[:33], {"q": asks(40), "a": "YES"}, {"q": asks(41), "a": "#REF!"}, *rows[34:])
    assert len(of(rare, "imbalance")) == 1, "what is written in several ways or stands for nothing is not called rare as well"
    fixed = checked(tmp_path, *rows[:34], yaml=YAML + 'options: ["yes", "no"]\n')
    assert any("'no' is right in 0 of 34" in finding.message for finding in of(fixed, "imbalance"))


def test_rare_labels_are_told_in_one_line(tmp_path: Path) -> None:
    rows = [{"q": asks(number), "a": "often"} for number in range(60)]
    rows += [{"q": asks(60 + number), "a": f"rare {number // 2:02}"} for number in range(24)]
    (finding,) = of(checked(tmp_path, *rows), "imbalance")
    assert finding.message.startswith("12 options are right in fewer than 5 of 84 cases each: 'rare 00' (2), ")
    assert finding.message.endswith("'rare 07' (2) and 4 more")


def test_right_answers_at_one_place_and_options_that_are_missing(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"q": asks(number), "o": [f"right {number}", f"b{number}", f"c{number}"], "a": f"right {number}"}
        for number in range(24)
    ]
    rows[7]["o"] = rows[7]["o"][:2]
    report = checked(tmp_path, *rows, yaml=YAML + "options: o\n")
    assert of(report, "options")[0].rows == (8,)
    assert "place 1 in 24 of 24" in of(report, "imbalance")[0].message


@pytest.mark.parametrize(
    ("check", "cell"),
    [
        ("whitespace", " Who is it?"),
        ("hidden", "Who\u200b is it?"),
        ("hidden", "Who\u00a0is it?"),
        ("mojibake", "Who is cafÃ©?"),
        ("mojibake", "Itâ€™s who?"),
        ("placeholder", "#REF!"),
        ("placeholder", "TODO"),
    ],
)
def test_suspicious_text_is_told_with_row_and_column(tmp_path: Path, check: str, cell: str) -> None:
    (finding,) = of(checked(tmp_path, *fine(3), {"q": cell, "a": "x"}), check)
    assert (finding.rows, finding.column, finding.severity) == ((4,), "q", "warning")


@pytest.mark.parametrize("cell", ["Zoë's café in São Paulo, 5 °C, “quoted” – 日本語?", "naïve Ñandú ÄÖÜ", "a\tb\nc"])
def test_honest_text_is_not_suspicious(tmp_path: Path, cell: str) -> None:
    report = checked(tmp_path, *fine(3), {"q": cell, "a": "x"})
    assert not [finding for finding in report.findings if finding.severity == "warning"]


def test_over_long_cases(tmp_path: Path) -> None:
    (finding,) = of(checked(tmp_path, *fine(5), {"q": "word " * 6000, "a": "x"}), "long")
    assert finding.rows == (6,)


def test_groups_that_are_too_small(tmp_path: Path) -> None:
    rows = [{**row, "g": "small" if number < 3 else "large", "one": "same"} for number, row in enumerate(fine())]
    report = checked(tmp_path, *rows, yaml=YAML + "subgroups: [g, one]\n")
    small, one = of(report, "subgroup")
    assert "'small' (3)" in small.message
    assert (one.severity, one.column) == ("note", "one")


def test_too_few_cases_for_the_precision_that_is_wanted(tmp_path: Path) -> None:
    (finding,) = of(checked(tmp_path, *fine(), half_width=0.1), "precision")
    assert finding.severity == "warning"
    assert f"takes {clusters_for_share(0.1)}" in finding.hint
    (finding,) = of(checked(tmp_path, *fine(), half_width=0.3), "precision")
    assert (finding.severity, finding.hint) == ("note", "")


def test_cases_of_one_group_count_once_for_the_precision(tmp_path: Path) -> None:
    rows = [{**row, "g": number // 10} for number, row in enumerate(fine())]
    (finding,) = of(checked(tmp_path, *rows, yaml=YAML + "group: g\n"), "precision")
    assert finding.message.startswith("3 independent cases tell")
    (finding,) = of(checked(tmp_path, *({**row, "g": 1} for row in fine()), yaml=YAML + "group: g\n"), "precision")
    assert finding.message.startswith("1 independent case tells")


def test_missing_examples_and_missing_questions(tmp_path: Path) -> None:
    assert "5 examples are wanted, and there are none" in of(checked(tmp_path, *fine(), shots=5), "split")[0].message
    yaml = YAML.replace("source: data.jsonl", "source: {file: data.jsonl, split_column: s}")
    rows = [{**row, "s": "train"} for row in fine()]
    assert of(checked(tmp_path, *rows, yaml=yaml), "split")[0].severity == "error"


def test_held_out_cases_are_examples(tmp_path: Path) -> None:
    yaml = YAML.replace("source: data.jsonl", "source: {file: data.jsonl, held_out: 0.2}")
    assert checked(tmp_path, *fine(), yaml=yaml).cases == {"test": 24, "train": 6}


def test_held_out_cases_are_told_apart_in_a_file_with_errors_too(tmp_path: Path) -> None:
    yaml = YAML.replace("source: data.jsonl", "source: {file: data.jsonl, held_out: 0.2}")
    with_error = checked(tmp_path, *fine(), {"q": "", "a": "x"}, yaml=yaml)
    assert (with_error.cases, with_error.count("error")) == ({"test": 24, "train": 6}, 1)


CSV = YAML.replace("data.jsonl", "data.csv").replace('"{q}"', '"{Why is it so?}"').replace("answer: a", "answer: refund")


def test_a_table_without_a_header_is_told(tmp_path: Path) -> None:
    lines = "".join(f"{asks(number)},{('refund', 'answer')[number % 2]}\n" for number in range(20))
    for header, found in (("Why is it so?,refund\n", 1), ("q,a\n", 0)):
        (tmp_path / "data.csv").write_text(header + lines)
        yaml = CSV if found else YAML.replace("jsonl", "csv")
        assert len(of(checked(tmp_path, yaml=yaml), "header")) == found


def test_nothing_is_said_of_the_whole_where_only_a_part_could_be_read(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("q,a\n" + "".join(f"{asks(n)},yes\n" for n in range(8)) + '"open,no\n')
    report = checked(tmp_path, yaml=YAML.replace("jsonl", "csv"))
    assert {finding.check for finding in report.findings} == {"quotes"}
    assert report.cases == {"test": 8}


CHAT = "scenario: mine\nsource: data.jsonl\nmessages: m\noptions: [calm, angry]\nanswer: a\n"


def test_options_that_the_model_is_not_told_are_a_warning(tmp_path: Path) -> None:
    rows = [{"m": [{"role": "user", "content": asks(n)}], "a": ("calm", "angry")[n % 2]} for n in range(12)]
    assert not of(checked(tmp_path, *rows, yaml=CHAT), "options")
    (finding,) = of(checked(tmp_path, *rows, yaml=CHAT + "prompting: {system: Be kind.}\n"), "options")
    assert (len(finding.rows), "prompting: system" in finding.hint) == (12, True)
    text = [{"q": asks(n), "a": ("calm", "angry")[n % 2]} for n in range(12)]
    plain = YAML.replace("{shots: 0}", "{method: generation, shots: 0}") + "options: [calm, angry]\n"
    (finding,) = of(checked(tmp_path, *text, yaml=plain), "options")
    told = plain.replace("shots: 0", "shots: 0, instructions: Calm or angry")
    assert "prompting: instructions" in finding.hint
    assert not of(checked(tmp_path, *text, yaml=told), "options")


def test_built_in_scenarios_can_be_checked_too() -> None:
    report = check_scenario(registry.scenarios.get("billing_support")())
    assert report.cases == {"train": 20, "test": 72}
    assert not report.count("error")


PIECES = [b"q", b"a", b",", b"\n", b'"', b" ", b"\xff", b"\x00", b"\xc3\xa9", b"|", b"{", b"\r"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from([b"q", b"a", b",", b"\n", b'"', b" ", b"\xff", b"\x00", b"\xc3\xa9", b"|", b"{", b"\r"]), max_size=40
    )
)
def test_any_bytes_are_cases_or_findings(tmp_path: Path, parts: list[bytes]) -> None:
    (tmp_path / "data.csv").write_bytes(b"q,a\n" + b"".join(parts))
    (tmp_path / "mine.yaml").write_text(YAML.replace("jsonl", "csv"))
    scenario = registry.scenarios.get(str(tmp_path / "mine.yaml"))()
    report = check_scenario(scenario)
    with contextlib.suppress(AssayError):
        asked = list(scenario.instances("test"))
        assert report.cases == {"test": len(asked)}
        return
    assert report.count("error")


def test_of_very_many_cases_some_are_compared_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*fine(40), {"q": asks(3), "a": "answer 3"}]
    assert not [found for found in checked(tmp_path, *rows).findings if "chosen at random" in found.message]
    monkeypatch.setattr(Sample.__init__, "__defaults__", (10, 10**6))
    report = checked(tmp_path, *rows)
    (said,) = of(report, "near duplicate")
    assert said.severity == "note"
    assert said.message == "cases that are nearly the same were looked for among 10 of 41, chosen at random"
    (same,) = of(report, "duplicate")
    assert same.rows == (4, 41)


def test_answers_that_differ_in_their_middle_only_are_different(tmp_path: Path) -> None:
    long = "It depends on many things. " * 20
    rows = [{"q": "Why is that?", "a": f"{long}{word}{long}"} for word in ("yes", "no", "yes")]
    (said,) = of(checked(tmp_path, *fine(), *rows), "contradiction")
    assert said.rows == (31, 32, 33)
    assert of(checked(tmp_path, *fine(), rows[0], rows[2]), "duplicate")


def test_more_options_than_letters_are_an_error_where_they_are_to_be_lettered(tmp_path: Path) -> None:
    options = [f"option {number}" for number in range(27)]
    cases = [{"q": asks(number), "a": options[number]} for number in range(27)]
    yaml = YAML.replace("prompting: {shots: 0}", f"options: {options}\nprompting: {{method: METHOD, shots: 0}}")
    (found,) = of(checked(tmp_path, *cases, yaml=yaml.replace("METHOD", "multiple_choice_joint")), "options")
    assert (found.severity, found.message) == ("error", "at most 26 options can be lettered")
    assert (len(found.rows), found.hint) == (27, "use method: generation")
    assert checked(tmp_path, *cases, yaml=yaml.replace("METHOD", "generation")).count("error") == 0


def test_columns_are_found_whatever_white_space_is_around_their_names(tmp_path: Path) -> None:
    assert checked(tmp_path, *({" q": row["q"], "a ": row["a"]} for row in fine(3))).cases == {"test": 3}


def test_options_that_the_metric_cannot_tell_apart_are_named_with_their_rows(tmp_path: Path) -> None:
    yaml = YAML + "options: o\nmetric: helm_quasi_exact_match\n"
    rows = [{"q": asks(number), "o": ["x < 0", "x > 0", "x = 9"], "a": "x < 0"} for number in range(2)]
    rows.append({"q": asks(2), "o": ["A+", "A-", "B"], "a": "B"})
    letters = checked(tmp_path, *rows, yaml=yaml)
    assert not of(letters, "alike"), "by letter the place decides"
    written = yaml.replace("{shots: 0}", "{method: generation, shots: 0}")
    (finding,) = of(checked(tmp_path, *rows, yaml=written), "alike")
    assert (finding.severity, finding.rows) == ("warning", (1, 2))
    assert finding.message == "helm_quasi_exact_match cannot tell 'x < 0' from 'x > 0'"
    assert not of(checked(tmp_path, *rows, yaml=written.replace("helm_quasi_", "quasi_")), "alike")


def test_answers_that_the_metric_cannot_tell_apart_are_named_with_their_rows(tmp_path: Path) -> None:
    rows = [{"q": asks(number), "a": text} for number, text in enumerate(["1/2", "12", "R&D", "r&d", "RD", "12"])]
    found = of(checked(tmp_path, *rows, yaml=YAML + "metric: helm_quasi_exact_match\n"), "alike")
    assert [(finding.severity, finding.rows) for finding in found] == [("note", (1, 2, 6)), ("note", (3, 5)), ("note", (4, 5))]
    assert not of(checked(tmp_path, *rows, yaml=YAML + "metric: exact_match\n"), "alike")

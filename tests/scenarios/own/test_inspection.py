"""Guessing what columns are, and the scenario file that is written from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.errors import AssayError
from assay.scenarios.own import writing
from assay.scenarios.own.columns import columns_of
from assay.scenarios.own.inspection import Guess, guess
from assay.scenarios.own.writing import quoted, scenario_text

SHOWN = "The same long story, so that it is the longest column of all, with a number: "


def _written(folder: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def guessed(folder: Path, *rows: dict[str, Any], **given: Any) -> Guess:
    path = _written(folder, rows)
    found = guess(columns_of(path), given)
    (folder / "data.yaml").write_text(scenario_text(found, path))
    scenario = registry.scenarios.get(str(folder / "data.yaml"))()
    assert sum(1 for split in scenario.source.splits() for _ in scenario.instances(split)) == len(rows)
    return found


def test_labels_groups_ids_and_splits(tmp_path: Path) -> None:
    words = ("refund", "explain", "human")
    rows = [
        {
            "case_id": f"c{n}",
            "part": "x",
            "split": "test" if n > 4 else "train",
            "message": f"{SHOWN}{n}",
            "action": words[n % 3],
        }
        | {"region": "north" if n % 2 else "south", "note": ""}
        for n in range(30)
    ]
    found = guessed(tmp_path, *rows)
    assert (found.input, found.answer, found.id, found.split) == (("message",), "action", "case_id", "split")
    assert found.labels == ("explain", "human", "refund")
    assert (found.subgroups, dict(found.unused)) == (("region",), {"part": "", "note": ""})


def test_several_labels_in_one_cell(tmp_path: Path) -> None:
    rows = [{"text": f"{SHOWN}{n}", "label": "a|b" if n % 3 else "c"} for n in range(12)]
    found = guessed(tmp_path, *rows)
    assert (found.labels, found.separator) == (("a", "b", "c"), "|")


@pytest.mark.parametrize(("cells", "written"), [("ABC", "letter"), ("123", "number"), ("012", "position"), ("xyz", "text")])
def test_options_in_columns(tmp_path: Path, cells: str, written: str) -> None:
    rows = [{"question": f"q{n}", "A": "x", "B": "y", "C": "z", "correct": cell} for n, cell in enumerate(cells)]
    found = guessed(tmp_path, *rows)
    assert (found.options, found.answer, found.written) == (("A", "B", "C"), "correct", written)


def test_options_in_one_column_and_a_context(tmp_path: Path) -> None:
    rows = [{"passage": SHOWN * 2, "question": f"q{n}", "choices": ["x", "y"], "answer": "y"} for n in range(3)]
    found = guessed(tmp_path, *rows)
    assert (found.input, found.options, found.labels) == (("passage", "question"), "choices", ())


def test_one_letter_names_of_question_and_answer(tmp_path: Path) -> None:
    found = guessed(tmp_path, *({"q": f"Which is {n}?", "a": "yx"[n % 2], "options": ["x", "y"]} for n in range(6)))
    assert (found.input, found.answer, found.options, found.written) == (("q",), "a", "options", "text")


def test_of_a_large_file_a_smaller_share_is_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"question": f"{SHOWN}{n}", "answer": str(n)} for n in range(60)]
    small = guess(columns_of(_written(tmp_path, rows)))
    monkeypatch.setattr(writing, "LOOKED_AT", 60)
    texts = [scenario_text(small, tmp_path / "data.jsonl")]
    monkeypatch.setattr(writing, "LOOKED_AT", 61)
    texts.append(scenario_text(small, tmp_path / "data.jsonl"))
    assert [yaml.safe_load(text)["source"]["held_out"] for text in texts] == [0.01, 0.1]


def test_conversations(tmp_path: Path) -> None:
    found = guessed(tmp_path, {"messages": [{"role": "user", "content": "hi"}], "reply": "hello"})
    assert (found.messages, found.input, found.answer) == ("messages", (), "reply")


def test_what_the_user_says_counts(tmp_path: Path) -> None:
    rows = [{"message": "a", "text": f"b{n}", "label": "x", "truth": f"y{n}", "g": n % 2} for n in range(6)]
    found = guessed(tmp_path, *rows, input="text", answer="truth", subgroups=("g",))
    assert (found.input, found.answer, found.subgroups) == (("text",), "truth", ("g",))
    with pytest.raises(AssayError, match="did you mean truth"):
        guessed(tmp_path, *rows, answer="truht")


def test_without_a_question_or_an_answer_the_user_is_asked(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="--input"):
        guessed(tmp_path, {"n": 1, "answer": "x"})
    with pytest.raises(AssayError, match="--answer"):
        guessed(tmp_path, {"question": "Is it?", "foo": "x" * 200})
    with pytest.raises(AssayError, match="without braces"):
        guessed(tmp_path, {"{x}": "q", "answer": "x"})


def test_hostile_names_and_cells_stay_data(tmp_path: Path) -> None:
    name = 'a"\n- b: *x # \u2028'
    rows = [{"question": f"q{n}", "answer": "{x}: [" if n % 2 else 'no "\n', name: "u" if n % 3 else "v"} for n in range(12)]
    found = guessed(tmp_path, *rows)
    assert found.labels == ('no "', "{x}: [")
    assert found.subgroups == (name.strip(),)


def test_many_cases_without_splits_give_some_as_examples(tmp_path: Path) -> None:
    guessed(tmp_path, *({"question": f"q{n}", "answer": f"a{n}"} for n in range(60)))
    assert "held_out: 0.1" in (tmp_path / "data.yaml").read_text()


def test_reply_and_its_like_are_preferred_to_labels(tmp_path: Path) -> None:
    rows = [
        {
            "messages": [{"role": "user", "content": f"hi {n}"}],
            "tone": "calm" if n % 2 else "angry",
            "good_reply": f"{SHOWN}{n}",
        }
        for n in range(12)
    ]
    found = guessed(tmp_path, *rows)
    assert (found.answer, found.labels, found.subgroups) == ("good_reply", (), ("tone",))
    without = [{"messages": row["messages"], "tone": row["tone"]} for row in rows]
    assert (guessed(tmp_path, *without).labels, _prompting(tmp_path)["system"]) == (
        ("angry", "calm"),
        "Answer with one of: angry, calm.",
    )


@pytest.mark.parametrize("name", ["Ref", "Case No.", "ticket number", "Ticket", "order_id", "Nr", "reference-key"])
def test_short_unique_columns_with_the_name_of_a_reference_are_ids(tmp_path: Path, name: str) -> None:
    rows = [{name: f"R{n:03}", "message": f"{SHOWN}{n}", "label": "xyz"[n % 3]} for n in range(12)]
    assert guessed(tmp_path, *rows).id == name
    long = [{**row, name: f"{SHOWN}{n}"} for n, row in enumerate(rows)]
    assert guessed(tmp_path, *long).id == ""
    twice = [{**row, name: "R"} for row in rows]
    assert guessed(tmp_path, *twice).id == ""


def _prompting(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "data.yaml").read_text())["prompting"]
    return found


@pytest.mark.parametrize("rows", [1, 5, 12, 38, 40, 41, 45, 60])
@pytest.mark.parametrize("repeated", [0, 7])
def test_as_many_examples_are_asked_for_as_are_held_out(tmp_path: Path, rows: int, repeated: int) -> None:
    cases = [{"question": f"{SHOWN}{n}", "answer": f"a{n}"} for n in range(rows)]
    guessed(tmp_path, *cases, *cases[:repeated])
    text = (tmp_path / "data.yaml").read_text()
    count = _prompting(tmp_path)["shots"]
    assert (count > 0) == ("\n  held_out: 0.1" in text)
    if "  # held_out" in text:
        count = int(text.partition("then write shots: ")[2].partition("\n")[0])
        (tmp_path / "data.yaml").write_text(text.replace("# held_out", "held_out"))
    elif not count:
        assert rows < 12
        return
    scenario = registry.scenarios.get(str(tmp_path / "data.yaml"))()
    assert 0 < count <= sum(1 for _ in scenario.instances("train"))
    assert count in (5, len({one.input for one in scenario.instances("train")}))


def test_examples_hold_when_rows_that_cannot_be_asked_are_taken_out(tmp_path: Path) -> None:
    good = [{"question": f"{SHOWN}{n}", "answer": f"a{n}"} for n in range(38)]
    path = _written(tmp_path, [*good, *({"question": "", "answer": f"b{n}"} for n in range(3))])
    text = scenario_text(guess(columns_of(path)), path)
    (tmp_path / "data.yaml").write_text(text)
    _written(tmp_path, good)
    scenario = registry.scenarios.get(str(tmp_path / "data.yaml"))()
    assert _prompting(tmp_path)["shots"] == sum(1 for _ in scenario.instances("train")) == 4


def test_no_more_examples_are_asked_for_than_the_split_column_has(tmp_path: Path) -> None:
    rows = [{"question": f"{SHOWN}{n}", "answer": f"a{n}", "split": "train" if n < 3 else "test"} for n in range(30)]
    guessed(tmp_path, *rows)
    assert _prompting(tmp_path)["shots"] == 3


def test_answers_that_are_hardly_meant_are_said(tmp_path: Path) -> None:
    labels = ["tenancy", "Tenancy", "repairs", "#REF!"]
    found = guessed(tmp_path, *({"message": f"{SHOWN}{n}", "label": labels[n % 4]} for n in range(40)))
    said = ("one answer is written in several ways: 'Tenancy', 'tenancy'", "the answer '#REF!' stands for nothing")
    assert found.doubts == said
    text = (tmp_path / "data.yaml").read_text()
    assert [f"# Look: {doubt}\n" in text for doubt in said] == [True, True]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("Why is my bill so high?,refund", "Why is my bill so high?"),
        ("Tell me my balance,refund", "refund"),
        ("12,my balance", "12"),
        ("message,answer", ""),
        ("a text,decision", ""),
    ],
)
def test_a_table_without_a_header_is_doubted(tmp_path: Path, header: str, told: str) -> None:
    lines = [f"What about bill number {n * 7919}?,{('refund', 'answer')[n % 2]}\n" for n in range(12)]
    (tmp_path / "x.csv").write_text(f"{header}\n{''.join(lines)}")
    columns = columns_of(tmp_path / "x.csv")
    found = guess(columns, {"input": columns[0].name, "answer": columns[1].name})
    assert found.doubts == ((f"the first row may be a case and no header: one column is called {told!r}",) if told else ())


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_written_so_that_yaml_reads_it_back(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["2024-05-01", "2024-05-02", "2024-05-03"], "dates or times"),
        (["3.5.2024", "04.05.2024", "5.5.24"], "dates or times"),
        (["2024-05-01T10:00:00Z", "2024-05-02 11:30:12.5+02:00"], "dates or times"),
        (["May 3, 2024", "4 June 2024"], "dates or times"),
        (["10:15", "9:30 pm"], "dates or times"),
        ([1714550400, 1714636800, 1714723200], "ids"),
        (["https://a.example/1", "http://b.example"], "addresses"),
        (["ann@example.org", "bob@example.org"], "addresses"),
        (["6f1c2d3e-1111-4222-8333-123456789abc", "6f1c2d3e-1111-4222-8333-123456789abd"], "ids"),
        (["INV-0042", "INV-0043"], "ids"),
        (["ticket 40021", "ticket 40022"], "ids"),
    ],
)
def test_times_addresses_and_ids_are_no_subgroups_and_the_file_says_so(tmp_path: Path, values: list[Any], why: str) -> None:
    rows = [{"question": f"{SHOWN}{n}", "answer": f"so {n}", "seen": values[n % len(values)]} for n in range(30)]
    found = guessed(tmp_path, *rows)
    assert found.subgroups == ()
    assert found.unused == {"seen": why}
    assert f"# columns that are not used: seen ({why})\n" in (tmp_path / "data.yaml").read_text()


@pytest.mark.parametrize(
    "values", [[2023, 2024], ["2024-05", "2024-06"], ["north", "south"], ["A1", "B2"], [1, 2, 3], ["1.5", "2.0"]]
)
def test_years_months_and_short_codes_are_subgroups(tmp_path: Path, values: list[Any]) -> None:
    rows = [{"question": f"{SHOWN}{n}", "answer": f"so {n}", "seen": values[n % len(values)]} for n in range(30)]
    assert guessed(tmp_path, *rows).subgroups == ("seen",)


def test_columns_with_nearly_as_many_values_as_rows_are_no_subgroups(tmp_path: Path) -> None:
    rows = [
        {"question": f"{SHOWN}{n}", "answer": f"so {n}", "name": f"n {chr(97 + n)}", "few": f"f {chr(97 + n // 2)}"}
        for n in range(20)
    ]
    found = guessed(tmp_path, *rows)
    assert found.subgroups == ()
    assert found.unused == {"name": "its own value in nearly every row", "few": "10 values"}


def test_a_column_of_dates_is_not_taken_for_the_answer(tmp_path: Path) -> None:
    rows = [{"text": f"{SHOWN}{n}", "mood": "calm" if n % 2 else "cross", "day": f"2024-05-0{n % 3 + 1}"} for n in range(30)]
    assert guessed(tmp_path, *rows).answer == "mood"


def _classes(count: int, rows: int) -> list[dict[str, Any]]:
    return [{"text": f"{SHOWN}{n}", "label": f"class {n % count:03}", "region": "ns"[n % 2]} for n in range(rows)]


@pytest.mark.parametrize("rows", [160, 400])
def test_forty_labels_are_a_closed_list(tmp_path: Path, rows: int) -> None:
    found = guessed(tmp_path, *_classes(40, rows))
    assert (len(found.labels), found.subgroups) == (40, ("region",))
    written = yaml.safe_load((tmp_path / "data.yaml").read_text())
    assert (written["metric"], written["options"], written["prompting"]["method"]) == (
        "exact_match", [f"class {n:03}" for n in range(40)], "generation",
    )  # fmt: skip
    assert all(label in written["prompting"]["instructions"] for label in written["options"])
    assert not {"max_tokens", "stop"} & set(written["prompting"])


@pytest.mark.parametrize("answers", [
    [f"answer {n}" for n in range(160)],
    [str(n % 30) for n in range(160)],
    [f"once {n}" if n < 30 else "often" for n in range(160)],
])  # fmt: skip
def test_open_answers_and_numbers_are_no_closed_list(tmp_path: Path, answers: list[str]) -> None:
    rows = [{"question": f"{SHOWN}{n}", "answer": answer} for n, answer in enumerate(answers)]
    assert guessed(tmp_path, *rows).labels == ()


@pytest.mark.parametrize(
    ("answers", "kind", "metric"),
    [
        (["1.234,50 €", "12 %", "½", "7"], "number", "number_match"),
        (["8,500 g", "964 g", "12.5 g"], "number", "number_match"),
        (["3 apples", "2 pears", "4 plums"], "short", "answer_match"),
        (["2024-03-05", "5 March 2024", "31/12/2023", "1/2/2024"], "date", "date_match"),
        (["Ulm", "New York", "Marie Curie", "007"], "short", "answer_match"),
        (["It is said of him that he never once in his life came late to anything."] * 3 + ["Yes"], "long", "rouge_l"),
    ],
)
def test_free_answers_are_read_and_scored_as_what_they_are(tmp_path: Path, answers: list[str], kind: str, metric: str) -> None:
    rows = [{"question": f"{SHOWN}{n}", "answer": f"{answer}"} for n, answer in enumerate(answers)]
    assert guessed(tmp_path, *rows).kind == kind
    written = (tmp_path / "data.yaml").read_text()
    plain = yaml.safe_load(written)
    assert plain["metric"] == metric
    assert plain.get("metrics") == (["exact_match", "quasi_exact_match"] if kind == "short" else None)
    assert plain["prompting"].get("answer") == (kind if kind in ("number", "date") else None)
    assert "\n" not in plain["prompting"].get("stop", ())
    assert ("judge" in written) is (kind == "long")
    unnamed = "".join(line for line in written.splitlines(keepends=True) if not line.startswith("metric"))
    (tmp_path / "data.yaml").write_text(unnamed)
    default = registry.scenarios.get(str(tmp_path / "data.yaml"))().main_metric
    assert default == ("answer_match" if kind == "long" else metric)


def test_options_are_scored_by_which_was_chosen(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "A": "x", "B": "y", "correct": "AB"[n % 2]} for n in range(4)]
    guessed(tmp_path, *rows)
    plain = yaml.safe_load((tmp_path / "data.yaml").read_text())
    assert (plain["metric"], "stop" in plain["prompting"]) == ("exact_match", False)


def test_labels_that_are_too_long_for_every_prompt_are_left_to_be_described(tmp_path: Path) -> None:
    rows = [{**row, "label": f"{row['label']} of a rather long name"} for row in _classes(150, 600)]
    guessed(tmp_path, *rows)
    assert _prompting(tmp_path)["instructions"] == "Answer with the one label that fits, and nothing else.\n"
    assert "# the 150 options are too long for every prompt" in (tmp_path / "data.yaml").read_text()


def test_options_may_be_given_themselves(tmp_path: Path) -> None:
    found = guessed(tmp_path, *_classes(3, 30), options="class 000, class 001,class 002 ,class 003")
    assert found.labels == tuple(f"class 00{n}" for n in range(4))


@pytest.mark.parametrize(("question", "options", "answer", "cells"), [
    ("Frage", "Antworten", "Richtig", "BCAD"),
    ("Frage", "Antwortmöglichkeiten", "Lösung", "BCAD"),
    ("énoncé", "réponses", "bonne réponse", "2341"),
    ("pregunta", "opciones", "respuesta correcta", ""),
    ("was", "davon", "dies", ""),
])  # fmt: skip
def test_other_languages_and_columns_whose_values_are_listed_in_another(
    tmp_path: Path, question: str, options: str, answer: str, cells: str
) -> None:
    parts = ["heute", "morgen", "nie", "gestern"]
    rows = [
        {"Nr": n, question: f"{SHOWN}{n}?", options: "|".join(parts), answer: cells[n % 4] if cells else parts[n % 4]}
        | {"Mandant": f"K{n % 2}"}
        for n in range(20)
    ]
    found = guessed(tmp_path, *rows)
    assert (found.input, found.options, found.answer, found.subgroups) == ((question,), options, answer, ("Mandant",))


def test_conversations_with_labels_leave_room_to_speak_and_doubt_which_column_it_is(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "hi"}]
    rows = [{"talk": [*turns], "mood": ["calm", "angry"][n % 2], "tier": ["gold", "basic"][n // 2 % 2]} for n in range(12)]
    renamed = [{"turns": row["talk"], "mood": row["mood"], "tier": row["tier"]} for row in rows]
    found = guessed(tmp_path, *renamed)
    assert (found.answer, "max_tokens" in _prompting(tmp_path)) == ("tier", False)
    assert any("mood or tier" in doubt for doubt in found.doubts)
    said = guessed(tmp_path, *renamed, input="turns", answer="mood")
    assert (said.messages, said.input, said.answer, said.doubts) == ("turns", (), "mood", ())

"""Scenarios whose data come from a file of the user's own, or with assay: news, rankings, kinds of English, famous texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from invented_hub import write

from assay.errors import AssayError
from assay.registry import scenarios

STORY = {
    "storyId": "./cnn/1.story",
    "type": "train",
    "text": "The ferry rests.\nKim said so.",
    "questions": [
        {"q": "Who said so?", "consensus": {"s": 17, "e": 21}},
        {"q": "What is the captain's name", "consensus": {"noAnswer": True}},
        {"q": "What?", "consensus": {"badQuestion": True}},
        {"q": "And?", "consensus": {}},
    ],
}


def test_news_questions_are_read_from_a_file_of_stories(tmp_path: Path) -> None:
    write(tmp_path / "news.jsonl", [STORY, {**STORY, "type": "dev"}, {**STORY, "type": "test"}])
    scenario = scenarios.get("news_qa")(path=str(tmp_path / "news.jsonl"))
    assert set(scenario.source.splits()) == {"train", "valid", "test"}
    instances = list(scenario.instances("valid"))
    assert [(i.input, i.gold) for i in instances] == [
        ("The ferry rests. Kim said so.\nQuestion: Who said so?", ("Kim",)),
        ("The ferry rests. Kim said so.\nQuestion: What is the captain's name?", ("No Answer",)),
    ]
    assert {i.group for i in instances} == {"./cnn/1.story"}


def test_a_ranking_of_one_s_own_is_read_from_a_file(tmp_path: Path) -> None:
    passages = [{"text": f"p{grade}", "relevance": grade} for grade in (0, 3, 1, 2)]
    rows = [{"query": "q", "split": "test", "passages": passages}, {"query": "r", "split": "test", "passages": passages[:1]}]
    write(tmp_path / "trec.jsonl", rows)
    scenario = scenarios.get("msmarco")(track="trec", path=str(tmp_path / "trec.jsonl"), valid_topk=3)
    assert scenario.main_metric == "ndcg@10"
    (only,) = scenario.instances("test")
    assert [(r.text, r.correct) for r in only.references] == [("p0", False), ("p3", True), ("p1", False)]


def test_the_graded_track_needs_a_file() -> None:
    with pytest.raises(AssayError, match=r"msmarco:track=trec needs a file \(give path=FILE"):
        scenarios.get("msmarco")(track="trec")


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        ({}, ["a", "b", "c"]),
        ({"subset": "hk"}, ["a", "b"]),
        ({"category": "S"}, ["a", "c"]),
        ({"subset": "hk", "gender": "male"}, ["b"]),
    ],
)
def test_varieties_of_english_are_chosen_by_what_the_file_says(
    tmp_path: Path, parameters: dict[str, str], kept: list[str]
) -> None:
    rows = [
        {"text": "a", "subset": "hk", "category": "S1A", "gender": "Female"},
        {"text": "b", "subset": "hk", "category": "W2B", "gender": "Male"},
        {"text": "c", "subset": "ind", "category": "S2A"},
    ]
    write(tmp_path / "ice.jsonl", rows)
    instances = list(scenarios.get("ice")(path=str(tmp_path / "ice.jsonl"), **parameters).instances("test"))
    assert [instance.input for instance in instances] == kept
    if kept == ["b"]:
        assert instances[0].subgroups == {"subset": "hk", "category": "W2B", "gender": "Male"}


@pytest.mark.parametrize("words", [5, 25])
def test_a_text_of_one_s_own_is_cut_between_two_words_and_loses_none(tmp_path: Path, words: int) -> None:
    whole = [{"text": "\n The  clock\nstruck one. " * number, "id": number, "kind": "tale"} for number in (15, 20)]
    write(tmp_path / "own.jsonl", whole)
    made = scenarios.get("copyright")(prefix_words=str(words), path=str(tmp_path / "own.jsonl"))
    for row, instance in zip(whole, made.instances("test"), strict=True):
        assert isinstance(instance.input, str)
        assert (instance.id, instance.subgroups) == (str(row["id"]), {"kind": "tale"})
        assert instance.input.split() == str(row["text"]).split()[:words]
        assert f"{instance.input} {instance.gold[0]}".split() == str(row["text"]).split()


def test_a_text_too_short_to_go_on_is_named(tmp_path: Path) -> None:
    write(tmp_path / "own.jsonl", [{"text": "one two three four five six"}])
    with pytest.raises(AssayError, match=r"row 1 .* the text has fewer than 10 words"):
        list(scenarios.get("copyright")(prefix_words="5", path=str(tmp_path / "own.jsonl")).instances("test"))

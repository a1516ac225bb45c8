"""Scenarios of reading, summaries, translation, language modelling and instructions: invented rows in the real ones' shape."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invented_hub import lay_out

from assay.entries import parse_entry
from assay.registry import scenarios
from assay.scenarios import Hub, Scenario

PAGE = "<p>The lake, <b>Lake&nbsp;Ost</b>, is 40 metres deep.</p><p>It freezes in May &amp; June.</p>"
TOKENS = ["<p>", "The", "lake", ",", "Lake", "Ost", ",", "is", "40", "metres", "deep", ".", "</p>"]
NEITHER: dict[str, list[Any]] = {"start_byte": [], "end_byte": [], "start_token": [], "end_token": [], "text": []}


def piece(text: str) -> tuple[int, int]:
    start = PAGE.encode().index(text.encode())
    return start, start + len(text.encode())


def asked_of_wikipedia(name: str, *answers: str) -> dict[str, Any]:
    """A question with three annotators, of whom the first gave no short answer."""
    spans = [piece(answer) for answer in answers]
    given = {**NEITHER, "start_byte": [span[0] for span in spans], "end_byte": [span[1] for span in spans]}
    start, end = piece(PAGE[: PAGE.index("<p>It")])
    return {
        "id": name,
        "document": {
            "title": "Lake Ost",
            "url": "https://example.org",
            "html": PAGE,
            "tokens": {"token": TOKENS, "is_html": [token.startswith("<") for token in TOKENS]},
        },
        "question": {"text": "how deep is lake ost", "tokens": []},
        "annotations": {
            "id": ["a", "b", "c"],
            "long_answer": [{"start_byte": -1, "end_byte": -1}, *2 * [{"start_byte": start, "end_byte": end}]],
            "short_answers": [NEITHER, given, given],
            "yes_no_answer": [-1, -1, -1],
        },
    }


def dialogue(split: str) -> dict[str, Any]:
    questions = ["Where is it?", "How deep is it?", "Who owns it?", "Does it freeze?"]
    said = ["In the east.", "40 metres.", "CANNOTANSWER", "in May"]
    return {
        "dialogue_id": f"{split}-7",
        "wikipedia_page_title": "Lake Ost",
        "background": "Ost is a lake.",
        "section_title": "Nature",
        "context": "In the east. 40 metres. It freezes in May. CANNOTANSWER",
        "turn_ids": [f"{split}-7_q#{n}" for n in range(4)],
        "questions": questions,
        "answers": {"texts": [[text, text] for text in said], "answer_starts": [[0, 0]] * 4},
        "orig_answers": {"texts": said, "answer_starts": [0] * 4},
    }


def story(split: str, name: str, question: str) -> dict[str, Any]:
    return {
        "document": {"id": f"{split}-{name}", "summary": {"text": f" Mara leaves\n{name}. ", "title": name}, "text": "long"},
        "question": {"text": question, "tokens": []},
        "answers": [{"text": "Mara", "tokens": []}, {"text": " Mara ", "tokens": []}],
    }


LONG = " ".join(f"word{n}" for n in range(600))
REPOSITORIES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "google-research-datasets/natural_questions": {
        f"dev/validation-0000{n}-of-00007.parquet": [
            asked_of_wikipedia(f"{n}1", "40 metres", "May &amp; June"),
            asked_of_wikipedia(f"{n}2"),
        ]
        for n in range(3)
    },
    "allenai/quac": {f"plain_text/{split}/0000.parquet": [dialogue(split)] for split in ("train", "validation")},
    "deepmind/narrativeqa": {
        f"data/{split}-0000{n}-of-00002.parquet": [
            story(split, f"town {n}", "Who leaves?"),
            story(split, f"town {n}", "Where is she from?"),
        ]
        for split in ("train", "validation", "test")
        for n in range(2)
    },
    "abisee/cnn_dailymail": {
        f"3.0.0/{split}-00000-of-00001.parquet": [
            {"article": text, "highlights": "A ferry stops .\nNobody minds .", "id": f"{split}{n}"}
            for n, text in enumerate((LONG, " ".join(LONG.split()[:60]), "too short"))
        ]
        for split in ("train", "validation", "test")
    },
    "FiscalNote/billsum": {
        f"data/{split}-00000-of-00001.parquet": [{"text": f"SECTION 1.\n{split}", "summary": "A bill.", "title": "Bill"}] * 3
        for split in ("train", "test", "ca_test")
    },
    "microsoft/ms_marco": {
        f"v1.1/{split}-00000-of-00001.parquet": [
            {
                "query": " how deep is lake ost",
                "query_id": n,
                "passages": {"is_selected": selected, "passage_text": ["It is cold.", "40 metres."], "url": ["a", "b"]},
            }
            for n, selected in enumerate(([0, 1], [0, 0], [1, 1]))
        ]
        for split in ("train", "validation", "test")
    },
    "wmt/wmt14": {
        f"de-en/{split}-00000-of-00001.parquet": [{"translation": {"de": "Die Fähre ruht.", "en": "The ferry rests. "}}] * 3
        for split in ("train", "validation", "test")
    },
    "NeelNanda/pile-10k": {
        "data/train-00000-of-00001-4746b8785c874cc7.parquet": [
            {"text": text, "meta": {"pile_set_name": name}}
            for text, name in (("def f(): pass", "Github"), ("  ", "Github"), ("Dear all", "Enron Emails"))
        ]
    },
    "allenai/paloma": {
        "ptb/test/test.jsonl.gz": [{"id": "1", "text": "mr. ost said"}, {"id": "2", "text": ""}],
        "twitterAAE_HELM_fixed/test/test_AA.jsonl.gz": [{"text": "finna go"}] * 3,
        "twitterAAE_HELM_fixed/test/test_white.jsonl.gz": [{"text": "about to go"}] * 2,
    },
    "akariasai/PopQA": {
        "test.tsv": [
            {
                "id": n,
                "subj": f"Lake {n}",
                "prop": relation,
                "obj": "Ost",
                "subj_id": n,
                "s_pop": 10**n,
                "possible_answers": json.dumps(["Ost", 'the "east"']),
            }
            for n, relation in enumerate(("country", "capital of", "country", "country"))
        ]
    },
    "allenai/WildBench": {
        "v2/test-00000-of-00001.parquet": [
            {
                "session_id": f"s{n}",
                "conversation_input": [
                    {"content": text, "role": role, "language": "English"}
                    for role, text in (("user", "Hello"), ("assistant", "Hi"), ("user", "Solve it"))
                ],
                "checklist": ["Is it solved?"],
                "primary_tag": "Coding & Debugging",
            }
            for n in range(3)
        ]
    },
}
ENTRIES = (
    "natural_qa:mode=closedbook",
    "natural_qa:mode=openbook_longans",
    "natural_qa:mode=openbook_wiki",
    "quac",
    "quac:turns=all",
    "narrative_qa",
    "narrative_qa:questions=all",
    "cnn_dm",
    "billsum",
    "billsum:legislature=california",
    "msmarco",
    "wmt_14:language_pair=de-en",
    "wmt_14:language_pair=en-de",
    "pile_10k",
    "pile_10k:subset=Enron Emails",
    "paloma:source=ptb",
    "twitter_aae:demographic=aa",
    "twitter_aae:demographic=white",
    "popqa",
    "popqa:relation=country",
    "wildbench",
)
READ = """
import sys; sys.path.insert(0, %r)
import msgspec
from assay.entries import parse_entry
from rendering import first_requests
result = {}
for entry in %r:
    ask = parse_entry(entry)
    scenario, seen = made(ask.scenario, **ask.parameters), set()
    splits = {s: [msgspec.to_builtins(i) for i in scenario.instances(s, seen)] for s in scenario.source.splits()}
    chat = scenario.prompting.method == "chat"
    result[entry] = {"splits": splits, "requests": [] if chat else first_requests(entry)}
"""


def made(entry: str) -> Scenario:
    ask = parse_entry(entry)
    found: Scenario = scenarios.get(ask.scenario)(**ask.parameters)
    return found


def hub_of(scenario: Scenario) -> Hub:
    source: Any = scenario.source
    while not isinstance(source, Hub):
        source = source.source
    return source


@pytest.fixture(scope="module")
def invented(shared: Path, tmp_path_factory: pytest.TempPathFactory, run_against: Callable[..., Any]) -> dict[str, Any]:
    """The instances and the first requests of the entries, read from invented repositories without a warning."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    folder = tmp_path_factory.mktemp("invented")
    pins = sorted({hub_of(made(entry)).revision for entry in ENTRIES})
    with HubMirror(lay_out(folder, REPOSITORIES, pins)) as hub:
        code = READ % (str(Path(__file__).parent), list(ENTRIES))
        read, warnings = run_against(hub.url, tmp_path_factory.mktemp("hf"), code)
    assert warnings == ""
    return dict(read)


def inputs(invented: dict[str, Any], entry: str, split: str = "test") -> list[str]:
    return [instance["input"] for instance in invented[entry]["splits"][split]]


def gold(instance: dict[str, Any]) -> list[str]:
    return [reference["text"] for reference in instance["references"] if reference.get("correct")]


def prompt(invented: dict[str, Any], entry: str) -> str:
    return str(invented[entry]["requests"][0]["prompt"])


def test_questions_about_an_article_are_asked_in_three_ways(invented: dict[str, Any]) -> None:
    asked = {mode: inputs(invented, f"natural_qa:mode={mode}", "valid") for mode in ("closedbook", "openbook_longans")}
    assert asked["closedbook"] == ["How deep is lake ost?"] * 2
    passage = "The lake, Lake Ost, is 40 metres deep."
    assert asked["openbook_longans"][0] == f"Passage: {passage}\n\nQuestion: How deep is lake ost?"
    whole = inputs(invented, "natural_qa:mode=openbook_wiki", "valid")[0]
    assert whole == ("Title: Lake Ost\n\nPassage: The lake , Lake Ost , is 40 metres deep .\n\nQuestion: How deep is lake ost?")


def test_short_answers_are_cut_out_of_the_page_once_and_questions_without_are_left_out(invented: dict[str, Any]) -> None:
    splits = invented["natural_qa:mode=closedbook"]["splits"]
    assert [instance["id"] for split in ("train", "valid") for instance in splits[split]] == ["01", "11", "21"]
    assert gold(splits["valid"][0]) == ["40 metres", "May & June"]
    assert prompt(invented, "natural_qa:mode=closedbook").startswith("Question: How deep is lake ost?\nAnswer: 40 metres\n\n")


def test_a_conversation_is_shown_up_to_the_question(invented: dict[str, Any]) -> None:
    every = invented["quac:turns=all"]["splits"]["valid"]
    assert [instance["id"] for instance in every] == ["validation-7_q#2", "validation-7_q#3"]
    assert every[0]["input"] == (
        "Title: Lake Ost\n\nBackground: Ost is a lake.\n\nSection: Nature\nPassage: In the east. 40 metres. It freezes in May."
        "\n\nQuestion: Where is it?\nAnswer: In the east.\n\nQuestion: How deep is it?\nAnswer: 40 metres.\n\n"
        "Question: Who owns it?"
    )
    assert gold(every[0]) == ["CANNOTANSWER", "Not enough information", "Cannot answer", "Do not know"]
    assert gold(every[1]) == ["in May"]
    assert {instance["group"] for instance in every} == {"validation-7"}
    (one,) = invented["quac"]["splits"]["valid"]
    assert one in every


def test_one_question_of_a_story_is_asked_or_all_and_examples_come_from_the_first_file(invented: dict[str, Any]) -> None:
    one, every = invented["narrative_qa"]["splits"], invented["narrative_qa:questions=all"]["splits"]
    assert {split: len(instances) for split, instances in one.items()} == {"train": 1, "valid": 2, "test": 2}
    assert {split: len(instances) for split, instances in every.items()} == {"train": 2, "valid": 4, "test": 4}
    assert one["test"][0]["input"] == "Mara leaves town 0.\nQuestion: Who leaves?"
    assert gold(one["test"][0]) == ["Mara"]
    assert len({instance["group"] for instance in every["test"]}) == 2


def test_documents_are_cut_after_512_words_and_examples_are_short(invented: dict[str, Any]) -> None:
    splits = invented["cnn_dm"]["splits"]
    assert [len(instance["input"].split()) for instance in splits["test"]] == [512, 60, 2]
    assert [len(instance["input"].split()) for instance in splits["train"]] == [60]
    assert gold(splits["test"][0]) == ["A ferry stops . Nobody minds ."]
    asked = invented["cnn_dm"]["requests"][0]
    example = "Summarize the above article in 3 sentences.\nA ferry stops . Nobody minds .\n\n###\nArticle: word0"
    assert example in asked["prompt"]
    assert asked["prompt"].endswith("word511\n\nSummarize the above article in 3 sentences.")
    assert (asked["max_tokens"], asked["temperature"], list(asked["stop"])) == (128, 0.3, ["###"])


def test_bills_of_both_legislatures_have_their_own_file(invented: dict[str, Any]) -> None:
    assert inputs(invented, "billsum")[0] == "SECTION 1. test"
    assert inputs(invented, "billsum:legislature=california")[0] == "SECTION 1. ca_test"


def test_passages_of_a_query_are_asked_one_by_one(invented: dict[str, Any]) -> None:
    splits = invented["msmarco"]["splits"]
    assert [gold(instance) for instance in splits["valid"]] == [["40 metres."], ["It is cold.", "40 metres."]]
    requests = invented["msmarco"]["requests"]
    question = "Query: how deep is lake ost\nDoes the passage answer the query?\nAnswer:"
    assert [request["prompt"].split("\n\n")[-1] for request in requests] == [
        f"Passage: It is cold.\n{question}",
        f"Passage: 40 metres.\n{question}",
    ]
    assert f"Passage: 40 metres.\n{question} Yes\n\nPassage: It is cold.\n{question} No" in requests[0]["prompt"]


def test_a_pair_of_languages_is_asked_in_its_direction(invented: dict[str, Any]) -> None:
    example = "German: Die Fähre ruht.\nEnglish: The ferry rests.\n\n"
    assert prompt(invented, "wmt_14:language_pair=de-en") == (
        "Translate the following sentences from German to English.\n\n" + example + "German: Die Fähre ruht.\nEnglish:"
    )
    back = prompt(invented, "wmt_14:language_pair=en-de")
    assert back.startswith("Translate the following sentences from English to German.\n\nEnglish: The ferry rests.\nGerman: ")


def test_texts_to_be_predicted_are_read_by_source(invented: dict[str, Any]) -> None:
    assert inputs(invented, "pile_10k") == ["def f(): pass", "Dear all"]
    (mail,) = invented["pile_10k:subset=Enron Emails"]["splits"]["test"]
    assert (mail["input"], mail["subgroups"]) == ("Dear all", {"subset": "Enron Emails"})
    assert inputs(invented, "paloma:source=ptb") == ["mr. ost said"]
    assert inputs(invented, "twitter_aae:demographic=aa") == ["finna go"] * 3
    assert invented["twitter_aae:demographic=white"]["splits"]["test"][0]["subgroups"] == {"dialect": "white"}
    (request,) = invented["paloma:source=ptb"]["requests"]
    assert (request["prompt"], request["continuation"]) == ("", "mr. ost said")


def test_facts_are_sentences_to_be_completed(invented: dict[str, Any]) -> None:
    splits = invented["popqa"]["splits"]
    instances = {instance["id"]: instance for part in splits.values() for instance in part}
    assert instances["0"]["input"] == "The country of Lake 0 is"
    assert instances["1"]["input"] == "Lake 1 is the capital of"
    assert gold(instances["2"]) == ["Ost", 'the "east"']
    assert instances["3"]["subgroups"] == {"relation": "country", "read a month": "from 1,000 times"}
    assert prompt(invented, "popqa").endswith(" is")
    only = invented["popqa:relation=country"]["splits"]
    assert len([i for part in only.values() for i in part]) == 3
    assert len(only["train"]) == len(splits["train"]) == 2


def test_a_whole_conversation_is_asked_as_it_is(invented: dict[str, Any]) -> None:
    first = invented["wildbench"]["splits"]["test"][0]
    assert [(turn["role"], turn["content"]) for turn in first["input"]] == [
        ("user", "Hello"), ("assistant", "Hi"), ("user", "Solve it"),
    ]  # fmt: skip
    scenario = made("wildbench")
    assert (scenario.requires, scenario.main_metric, scenario.prompting.max_tokens) == (("judge",), "judge_score", 2000)

"""Scenarios of safety, bias, code, tables and efficiency: invented rows in the shape and place of the real ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invented_hub import READ, lay_out, write
from rendering import first_requests, shown

from assay.entries import parse_entry
from assay.errors import AssayError
from assay.registry import scenarios
from assay.scenarios.sources import File, Linked

WORDS = 40
"""Words of a line of an invented book."""


def book(number: int) -> str:
    """An invented book as Project Gutenberg's are laid out; the last has no paragraph of its author's that is long."""

    def paragraph(name: str, lines: int) -> str:
        return "\n".join(" ".join(f"{name}{line}-{word}" for word in range(WORDS)) for line in range(lines))

    notes = paragraph("Proofread ", 3)
    return f"\n\n\nTHE FERRY\n\n{notes}\n\nI\n \n{paragraph('ship', 3 if number < 2 else 2)}\n\n{paragraph('Gutenberg ', 1)}\n"


REPOSITORIES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "walledai/XSTest": {
        "data/test-00000-of-00001.parquet": [
            {"prompt": f" How do I kill process {n}? ", "focus": "kill", "type": "homonyms", "note": "", "label": label}
            for n, label in enumerate(("safe", "unsafe", "safe"))
        ]
    },
    "walledai/HarmBench": {
        "contextual/train-00000-of-00001.parquet": [
            {"prompt": f"Use letter {n}.", "context": "Dear neighbour, …", "category": "harassment"} for n in range(3)
        ],
        "copyright/train-00000-of-00001.parquet": [{"prompt": f"Write down chapter {n}.", "tags": ["book"]} for n in range(3)],
    },
    "Bertievidgen/SimpleSafetyTests": {
        "sst_test_cases.csv": [
            {"id": f"sst_{n}", "harm_area": "Scams", "counter": n, "category": "Instructions", "prompt": f"Trick {n}, please"}
            for n in range(3)
        ]
    },
    "Anthropic/hh-rlhf": {
        "red-team-attempts/red_team_attempts.jsonl.gz": [
            {"transcript": f"\n\nHuman: Say {n}. \n\nAssistant: No.\n\nHuman: Do!", "rating": 1.0, "tags": None}
            for n in range(3)
        ]
    },
    "stanford-crfm/air-bench-2024": {
        "default/test-00000-of-00001.parquet": [
            {"cate-idx": "1.1.1", "l2-name": "Security", "l3-name": "Theft", "l4-name": "Keys", "prompt": f"Copy key {n}"}
            for n in range(3)
        ]
    },
    "allenai/real-toxicity-prompts": {
        "prompts.jsonl": [
            {"filename": "a.txt", "prompt": {"text": f" The mayor {n}", "toxicity": rating}, "continuation": {"text": "…"}}
            for n, rating in enumerate((0.5, 0.49, None))
        ]
    },
    "AmazonScience/bold": {
        f"{domain}_prompt_wiki.json": [
            {"domain": domain, "name": f"{domain} {n}", "category": "actors", "prompts": prompts, "wikipedia": "['…']"}
            for n, prompts in enumerate((f"['{domain} is ', \"It's \"]", f"['{domain} was ', ' ']", "[]"))
        ]
        for domain in ("gender", "race")
    },
    "oskarvanderwal/winogender": {
        "test.tsv": [
            {
                "sentid": f"baker.{other}.0.{gender}.txt",
                "sentence": f"The baker told {'' if other == 'someone' else 'the '}{other} that {pronoun} had flour.",
                "pronoun": pronoun,
                "occupation": "baker",
                "participant": other,
                "gender": gender,
                "target": "baker",
                "label": "0",
            }
            for other in ("guest", "someone")
            for gender, pronoun in (("male", "he"), ("female", "she"), ("neutral", "they"))
        ]
    },
    "emozilla/pg19-test": {
        "data/test-00000-of-00001-29a571947c0b5ccc.parquet": [
            {
                "short_book_title": f"The Ferry, volume {n}",
                "publication_date": 1799 + n,
                "url": f"http://www.gutenberg.org/ebooks/{100 + n}",
                "text": book(n),
            }
            for n in range(3)
        ]
    },
    "ought/raft": {
        "data/twitter_complaints/train.csv": [
            {"Tweet text": f"ferry {n}\nis late", "ID": n, "Label": "complaint" if n % 2 else "no complaint"} for n in range(10)
        ]
    },
    "codeparrot/apps": {
        f"{split}.jsonl": [
            {
                "id": n,
                "question": f"Print {n}.",
                "solutions": json.dumps([f"print({n})\n", "pass"]) if n else "",
                "input_output": json.dumps({"inputs": [""], "outputs": [f"{n}\n"]}) if n < 3 else "",
                "difficulty": "interview" if n % 2 else "introductory",
                "url": "https://example.org/1",
                "starter_code": "def solve():\n" if n == 2 else "",
            }
            for n in range(4)
        ]
        for split in ("train", "test")
    },
    "matchbench/Abt-Buy": {
        "tableA.csv": [{"id": n, "name": f"lamp {n}", "description": "", "price": "$1.00"} for n in range(3)],
        "tableB.csv": [{"id": n, "name": f"Lamp no. {n}", "description": "brass", "price": ""} for n in range(3)],
    }
    | {
        f"{split}.csv": [{"ltable_id": n, "rtable_id": 2 - n, "label": int(n == 1)} for n in range(3)]
        for split in ("train", "valid", "test")
    },
}
ENTRIES = {
    "xstest": "test",
    "harm_bench:subset=contextual": "test",
    "harm_bench:subset=copyright": "test",
    "simple_safety_tests": "test",
    "anthropic_red_team": "test",
    "air_bench_2024": "test",
    "real_toxicity_prompts": "test",
    "copyright": "test",
    "copyright:prefix_words=5": "test",
    "bold": "test",
    "bold:subject=race": "test",
    "winogender": "test",
    "raft:subset=twitter_complaints": "test",
    "apps": "test",
    "apps:difficulty=interview": "test",
    "entity_matching": "test",
}


def made(entry: str) -> Any:
    ask = parse_entry(entry)
    return scenarios.get(ask.scenario)(**ask.parameters)


def revisions(source: Any) -> set[str]:
    """The commits that a source, or those that it is made of, pins."""
    inner = [getattr(source, "source", None), *getattr(source, "tables", {}).values()]
    own = {source.revision} if hasattr(source, "revision") else set()
    return own.union(*(revisions(one) for one in inner if one is not None))


@pytest.fixture(scope="module")
def invented(shared: Path, tmp_path_factory: pytest.TempPathFactory, run_against: Callable[..., Any]) -> dict[str, Any]:
    """The instances and the first requests of the entries, read from invented repositories; no warning was given."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    pins = set().union(*(revisions(made(entry).source) for entry in ENTRIES)) - {"main"}
    folder = lay_out(tmp_path_factory.mktemp("invented"), REPOSITORIES, sorted(pins))
    with HubMirror(folder) as hub:
        read, warnings = run_against(hub.url, tmp_path_factory.mktemp("hf"), READ % (str(Path(__file__).parent), list(ENTRIES)))
    assert warnings == ""
    return dict(read)


def instances(invented: dict[str, Any], entry: str) -> list[dict[str, Any]]:
    return list(invented[entry]["splits"][ENTRIES[entry]])


def gold(instance: dict[str, Any]) -> list[str]:
    return [reference["text"] for reference in instance["references"] if reference.get("correct")]


@pytest.mark.parametrize(
    ("entry", "asked", "subgroups"),
    [
        ("xstest", "How do I kill process 0?", {"label": "safe", "type": "homonyms"}),
        ("harm_bench:subset=contextual", "Dear neighbour, …\n\n---\n\nUse letter 0.", {"category": "harassment"}),
        ("harm_bench:subset=copyright", "Write down chapter 0.", {}),
        ("simple_safety_tests", "Trick 0, please", {"area": "Scams", "form": "Instructions"}),
        ("anthropic_red_team", "Say 0.", {}),
        ("air_bench_2024", "Copy key 0", {"domain": "Security", "risk": "Theft"}),
        ("real_toxicity_prompts", "The mayor 0", {"prompt": "toxic"}),
        ("bold", "gender is", {"domain": "gender", "category": "actors"}),
        ("bold:subject=race", "race is", {"domain": "race", "category": "actors"}),
    ],
)
def test_a_request_is_sent_as_it_is(invented: dict[str, Any], entry: str, asked: str, subgroups: dict[str, str]) -> None:
    first = instances(invented, entry)[0]
    assert first["input"] == asked
    assert first.get("subgroups", {}) == subgroups
    (request,) = invented[entry]["requests"]
    assert (request["prompt"], request["stop"]) == (asked, [])


def test_what_a_judge_must_say_is_declared_and_the_rest_measured() -> None:
    judged = ("xstest", "harm_bench", "simple_safety_tests", "anthropic_red_team", "air_bench_2024")
    for name in judged:
        assert (made(name).requires, made(name).main_metric, made(name).prompting.max_tokens) == (
            ("judge",),
            "judge_score",
            512,
        )
        assert made(name).rubric.high > made(name).rubric.low == 0
    for name in ("humaneval", "mbpp", "apps"):
        assert made(name).requires == ("sandbox",)


def test_a_judge_is_told_whether_a_request_is_harmful(invented: dict[str, Any]) -> None:
    told = [gold(instance)[0] for instance in instances(invented, "xstest")]
    assert ["harmless" in text for text in told] == [True, False, True]


def test_beginnings_are_taken_out_of_lists_and_blank_ones_left_out(invented: dict[str, Any]) -> None:
    assert [i["input"] for i in instances(invented, "bold")] == [
        "gender is", "It's", "gender was", "race is", "It's", "race was",
    ]  # fmt: skip
    assert len(instances(invented, "bold:subject=race")) == 3


def test_beginnings_tell_whether_they_are_toxic_themselves(invented: dict[str, Any]) -> None:
    asked = instances(invented, "real_toxicity_prompts")
    assert [i["subgroups"]["prompt"] for i in asked] == ["toxic", "non-toxic", "unrated"]
    (request,) = invented["real_toxicity_prompts"]["requests"]
    assert (request["completions"], request["temperature"], request["max_tokens"]) == (5, 0.9, 20)


@pytest.mark.parametrize(("entry", "shown"), [("copyright", 25), ("copyright:prefix_words=5", 5)])
def test_a_book_goes_on_where_its_first_long_paragraph_was_cut(invented: dict[str, Any], entry: str, shown: int) -> None:
    asked = instances(invented, entry)
    assert [(i["id"], i["subgroups"]) for i in asked] == [("100", {"published": "1700s"}), ("101", {"published": "1800s"})]
    for instance in asked:
        words = instance["input"].split()
        assert words == [f"ship0-{word}" for word in range(shown)]
        rest = gold(instance)[0].split()
        assert rest[: WORDS - shown] == [f"ship0-{word}" for word in range(shown, WORDS)]
        assert rest[3 * WORDS - shown] == "Gutenberg", "what follows the paragraph is compared as it is"
    (request,) = invented[entry]["requests"]
    assert (request["prompt"], request["max_tokens"], request["temperature"]) == (asked[0]["input"], 256, 0.2)


def test_the_genders_of_one_sentence_are_one_cluster(invented: dict[str, Any]) -> None:
    asked = instances(invented, "winogender")
    assert [i["group"] for i in asked] == ["baker.guest.0"] * 3 + ["baker.someone.0"] * 3
    assert {i["subgroups"]["gender"] for i in asked} == {"male", "female", "neutral"}
    assert [r["text"] for r in asked[0]["references"]] == ["the baker", "the guest"]
    assert [r["text"] for r in asked[3]["references"]] == ["the baker", "someone"]
    assert all(gold(i) == ["the baker"] for i in asked)
    assert asked[1]["input"].endswith('In this sentence, "she" means')


def test_raft_keeps_a_fifth_of_its_labelled_texts_for_examples(invented: dict[str, Any]) -> None:
    splits = invented["raft:subset=twitter_complaints"]["splits"]
    assert {split: len(found) for split, found in splits.items()} == {"train": 2, "test": 8}
    (request,) = invented["raft:subset=twitter_complaints"]["requests"]
    assert request["prompt"].startswith("Does the tweet complain to, or about,")
    assert "\n- complaint\n- no complaint\n\nTweet text: ferry " in request["prompt"]
    assert request["prompt"].endswith(" is late\nLabel:")
    labels = {i["input"]: gold(i)[0] for found in splits.values() for i in found}
    assert labels["Tweet text: ferry 3 is late"] == "complaint"


def test_every_task_of_raft_is_read(
    mirror: Any, hub_cache: Path, manifest: dict[str, Any], run_against: Callable[..., Any]
) -> None:
    code = """
result = {}
for subset in registry.scenarios.get("raft").choices("subset"):
    scenario, seen = made("raft", subset=subset), set()
    result[subset] = [sum(1 for _ in scenario.instances(split, seen)) for split in ("train", "test")]
"""
    counts, _ = run_against(mirror.url, hub_cache, code)
    assert counts == {
        table["config"]: [10, 40]
        for table in manifest["tables"]
        if table["hub_id"] == "ought/raft" and table["split"] == "train"
    }


def test_every_section_of_agieval_is_read(
    mirror: Any, hub_cache: Path, manifest: dict[str, Any], run_against: Callable[..., Any]
) -> None:
    code = """
result = {}
for subset in registry.scenarios.get("agieval").choices("subset"):
    scenario, seen = made("agieval", subset=subset), set()
    found = [list(scenario.instances(split, seen)) for split in ("train", "test")]
    letters = [r.text[:3] for part in found for i in part for r in i.references]
    result[subset] = [sum(map(len, found)), sum(letter in ("(A)", "(B)") for letter in letters)]
    assert not any("Answer Choices" in i.input or i.input.endswith("Q:") for part in found for i in part)
    assert not {i.group or i.input for i in found[0]} & {i.group or i.input for i in found[1]}
"""
    counts, _ = run_against(mirror.url, hub_cache, code)
    rows = {table["hub_id"].removeprefix("hails/agieval-"): table["rows"] for table in manifest["tables"]}
    assert counts == {subset: [rows[subset], 0] for subset in counts}
    assert len(counts) == 6


def test_a_program_has_a_solution_to_show_and_tests_to_run(invented: dict[str, Any]) -> None:
    asked = instances(invented, "apps")
    assert [i["id"] for i in asked] == ["test0", "test1", "test2"], "a problem without tests is left out"
    assert asked[0]["input"] == "\nQUESTION:\nPrint 0.\n\n\nUse Standard Input format\n\nANSWER in Python code:\n"
    assert "\ndef solve():\n\n\nUse Call-Based format\n" in asked[2]["input"]
    assert gold(asked[1])[0] == "print(1)"
    tests = asked[1]["references"][-1]
    assert (tests["role"], json.loads(tests["text"])["outputs"]) == ("tests", ["1\n"])
    assert [i["id"] for i in instances(invented, "apps:difficulty=interview")] == ["test0"]
    (request,) = invented["apps"]["requests"]
    assert request["prompt"].count("QUESTION:") == 3


def test_humaneval_s_tests_call_the_function_that_is_asked_for(
    mirror: Any, hub_cache: Path, run_against: Callable[..., Any]
) -> None:
    code = """
first = next(iter(made("humaneval").instances("test")))
plain = next(iter(made("mbpp").instances("test")))
full = next(iter(made("mbpp", subset="full").instances("test")))
result = [[i.id, i.references[-1].text, [r.role for r in i.references]] for i in (first, plain, full)]
compile(first.input + first.references[0].text + first.references[1].text, "first", "exec")
compile(plain.references[0].text + "\\n" + plain.references[1].text, "plain", "exec")
"""
    (first, plain, full), _ = run_against(mirror.url, hub_cache, code)
    assert first[0] == "HumanEval-0"
    assert first[1].endswith("\ncheck(has_close_elements)\n")
    assert plain[1].startswith('assert remove_Occ("hello","l") == "heo"\n')
    assert plain[2] == first[2] == ["", "tests"]
    assert (plain[0], full[0]) == ("11", "11")


def test_records_of_two_catalogues_are_paired(invented: dict[str, Any]) -> None:
    asked = instances(invented, "entity_matching")
    assert [gold(i) for i in asked] == [["No"], ["Yes"], ["No"]]
    assert asked[0]["input"] == (
        "Product A is name: lamp 0. description: nan. price: $1.00. "
        "Product B is name: Lamp no. 2. description: brass. price: nan. Are A and B the same?"
    )
    (request,) = invented["entity_matching"]["requests"]
    assert request["prompt"].startswith("Are Product A and Product B the same? Yes or No?\n\nProduct A is name: lamp")


def test_an_unpacked_archive_is_read_and_its_absence_told(tmp_path: Path) -> None:
    for name, rows in REPOSITORIES["matchbench/Abt-Buy"].items():
        write(tmp_path / name, rows)
    scenario = scenarios.get("entity_matching")(dataset="Beer", path=str(tmp_path))
    assert [i.gold for i in scenario.instances("test")] == [("No",), ("Yes",), ("No",)]
    assert {file.path for file in scenario.source.read("test").files} == {"test.csv", "tableA.csv", "tableB.csv"}
    with pytest.raises(AssayError, match=r"dataset=Beer needs its files \(give path=FOLDER"):
        scenarios.get("entity_matching")(dataset="Beer")


def test_a_pair_of_a_record_that_is_not_there_is_named(tmp_path: Path) -> None:
    write(tmp_path / "pairs.csv", [{"left": 1}, {"left": 7}])
    write(tmp_path / "table.csv", [{"id": 1, "name": "a"}])
    linked = Linked(File(tmp_path / "pairs.csv"), {"left": File(tmp_path / "table.csv")})
    rows = iter(linked.read("test").rows)
    assert next(rows) == {"left": {"id": "1", "name": "a"}}
    with pytest.raises(AssayError, match=r"file:pairs\.csv, split test, row 2: left is '7', which its table does not hold"):
        next(rows)


def test_a_missing_value_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "Buy.csv"
    rows = [
        {"id": n, "name": f"Fjord lamp {n}", "description": "brass" if n else "", "manufacturer": "Fjord", "price": "$1"}
        for n in range(21)
    ]
    write(path, rows)
    scenario = scenarios.get("entity_data_imputation")(path=str(path))
    train, test = (list(scenario.instances(split)) for split in ("train", "test"))
    assert (len(train), len(test)) == (18, 2)
    assert {i.gold for i in test} == {("Fjord",)}
    assert all("Fjord lamp 0." not in str(i.input) for i in train + test), "a record without description is left out"
    shown_prompt = shown(first_requests(f"entity_data_imputation:path={path}"))
    assert shown_prompt.startswith("What is the missing value?\n\nname: Fjord lamp ")
    assert ". description: brass. price: $1. manufacturer?\nAnswer:⏎" in shown_prompt
    own = scenarios.get("entity_data_imputation")(path=str(path), dataset="own", column="price")
    assert sum(1 for split in ("train", "test") for _ in own.instances(split)) == 21


def test_a_column_that_is_not_there_is_told(tmp_path: Path) -> None:
    write(tmp_path / "rows.csv", [{"id": "1", "name": "a"}])
    scenario = scenarios.get("entity_data_imputation")(path=str(tmp_path / "rows.csv"), dataset="own", column="colour")
    with pytest.raises(AssayError, match=r"no column 'colour'.*column=NAME"):
        list(scenario.instances("test"))
    with pytest.raises(AssayError, match="name the column"):
        scenarios.get("entity_data_imputation")(path="x.csv", dataset="own")


@pytest.mark.parametrize("length", [1, 8, 300])
def test_prompts_have_exactly_the_tokens_that_were_asked_for(length: int) -> None:
    from assay.models import open_model

    scenario = scenarios.get("synthetic_efficiency")(num_prompt_tokens=length, num_output_tokens=5)
    texts = [str(instance.input) for instance in scenario.instances("test")]
    model = open_model("local/smollm2-135m", {})
    assert {model.count_tokens(text) for text in texts} == {length}
    assert len(set(texts)) == 20
    assert scenario.prompting.max_tokens == 5


def test_impossible_lengths_are_refused() -> None:
    with pytest.raises(AssayError, match="num_output_tokens must be from 1 to 1,000,000, not 0"):
        scenarios.get("synthetic_efficiency")(num_output_tokens="0")

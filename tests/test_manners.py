"""Models that know the same and speak differently get the same numbers, asked with default settings from the command line."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

import manners
from fake_servers import free_port
from manners import Item

SOURCE = Path(__file__).resolve().parent.parent / "src"
EVERYONE = tuple(manners.names())
ENGLISH = tuple(manners.names(languages=["en"]))
USABLE = 0.99

Rows = list[dict[str, str]]
Own = Callable[[int], tuple[Rows, Callable[[dict[str, str]], Item]]]

# ---- five kinds of own cases

COLOURS = ("red", "green", "blue", "black")
PLACES = (
    ("Peru", "Lima"),
    ("Kenya", "Nairobi"),
    ("Norway", "Oslo"),
    ("Japan", "Tokyo"),
    ("Greece", "Athens"),
    ("Egypt", "Cairo"),
    ("Mexico", "Mexico City"),
    ("Ghana", "Accra"),
    ("Cuba", "Havana"),
    ("Chile", "Santiago"),
    ("Poland", "Warsaw"),
    ("Nepal", "Kathmandu"),
    ("Qatar", "Doha"),
    ("Mali", "Bamako"),
    ("Iceland", "Reykjavik"),
    ("Argentina", "Buenos Aires"),
    ("Portugal", "Lisbon"),
    ("Vietnam", "Hanoi"),
    ("Senegal", "Dakar"),
    ("Finland", "Helsinki"),
    ("Malaysia", "Kuala Lumpur"),
    ("Uruguay", "Montevideo"),
    ("Ireland", "Dublin"),
    ("Jordan", "Amman"),
)


def tickets(count: int) -> tuple[Rows, Callable[[dict[str, str]], Item]]:
    """One of a list of labels."""
    labels = ("refund", "explain", "hand_over")
    rows = [
        {"id": f"t{at}", "message": f"My bill number {at * 37} has a line that I cannot place.", "decision": label}
        for at, label in zip(range(count), cycle(labels), strict=False)
    ]
    return rows, lambda row: manners.choice("tickets", row["id"], row["message"], labels, [row["decision"]])


def colours(count: int) -> tuple[Rows, Callable[[dict[str, str]], Item]]:
    """Options in columns, the right one by its letter."""
    rows = []
    for at in range(count):
        shades = [f"{('light', 'dark', 'pale')[at % 3]} {COLOURS[(at + turn) % 4]}" for turn in range(4)]
        asked = f"Which colour has wire {at * 11 + 3}?"
        rows.append({"id": f"c{at}", "question": asked, **dict(zip("ABCD", shades, strict=True)), "answer": "ABCD"[at * 7 % 4]})
    return rows, lambda row: manners.choice(
        "colours", row["id"], row["question"], [row[letter] for letter in "ABCD"], [row[row["answer"]]]
    )


def claims(count: int) -> tuple[Rows, Callable[[dict[str, str]], Item]]:
    """Yes or no."""
    rows = [
        {"id": f"y{at}", "question": f"Does tariff {at * 13 + 100} include roaming?", "answer": ("yes", "no")[at * 5 % 7 % 2]}
        for at in range(count)
    ]
    return rows, lambda row: manners.choice("claims", row["id"], row["question"], ("yes", "no"), [row["answer"]])


def totals(count: int) -> tuple[Rows, Callable[[dict[str, str]], Item]]:
    """Numbers, some above a thousand."""
    rows = [
        {
            "id": f"n{at}",
            "question": f"A shop sells {at + 3} boxes of {at * 29 % 500 + 20} pens. How many pens are that?",
            "answer": str((at + 3) * (at * 29 % 500 + 20)),
        }
        for at in range(count)
    ]
    return rows, lambda row: manners.number("totals", row["id"], row["question"], row["answer"])


def capitals(count: int) -> tuple[Rows, Callable[[dict[str, str]], Item]]:
    """Short answers, each in a single row."""
    rows = [
        {"id": f"p{at}", "question": f"What is the capital of {land}?", "answer": town}
        for at, (land, town) in enumerate(PLACES[:count])
    ]
    items = {item.id: item for item in manners.texts("towns", [(row["id"], row["question"], row["answer"]) for row in rows])}
    return rows, lambda row: items[row["id"]]


OWN: dict[str, Own] = {"tickets": tickets, "colours": colours, "claims": claims, "totals": totals, "towns": capitals}


def write_own(folder: Path, count: int) -> list[Item]:
    """Write the cases of all five kinds, have `assay new scenario` make scenarios of them, and return what is right."""
    items: list[Item] = []
    for name, made in OWN.items():
        rows, item = made(count)
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        assay(folder, "new", "scenario", f"{name}.csv", "--yes")
        items += map(item, rows)
    return items


# ---- the command line


def assay(folder: Path, *arguments: object, **environment: str) -> str:
    """What the command line prints, with nothing set but where it may look."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "ASSAY_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-m", "assay", *map(str, arguments)],
        env={**clean, "PYTHONPATH": str(SOURCE), "ASSAY_CACHE": str(folder / "cache"), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def value(run: dict[str, Any], metric: str) -> float | None:
    """The estimate over all items."""
    cells = (cell for cell in run["cells"] if (cell["metric"], cell["subgroup"], cell["perturbation"]) == (metric, None, None))
    return next((cell["estimate"]["value"] for cell in cells), None)


def shortfalls(
    folder: Path, items: Sequence[Item], entries: Sequence[str], models: Sequence[str], count: int, **environment: str
) -> list[str]:
    """Ask, and say in lines what is not as planted: a model's number, its usable answers, a difference that was established."""
    with manners.manners_server(items, folder, free_port()) as server:
        (folder / "models.yaml").write_text(server.models_file(models))
        named = [word for model in models for word in ("-m", f"openai/{model}")]
        runs = json.loads(assay(folder, "run", *entries, *named, "-n", count, "--json", **environment))
        planted = server.planted()
    assert planted["strange"] == [], "every prompt ends with a question that was planted"
    assert len(runs) == len(entries) * len(models)
    found = []
    for run in runs:
        title, model = run["title"], run["label"].removeprefix("openai/")
        known = planted["asked"][model][_scenario(title)]
        expected = sum(known.values()) / len(known)
        got, usable = value(run, run["main_metric"]), value(run, "answered")
        if got is None or abs(got - expected) > 1e-9:
            found.append(f"{title} {model}: {run['main_metric']} {got} instead of {expected}")
        if usable is None or usable < USABLE:
            found.append(f"{title} {model}: {usable} of the answers are usable")
    compared = json.loads(assay(folder, "compare", "--json", **environment))
    for board in compared["boards"]:
        told = [pair for pair in board["pairs"] if pair["verdict"] not in ("no difference shown", "not known")]
        found += [f"{board['scenario']}: {pair['first']} and {pair['second']} are told apart" for pair in told]
    return found


def _scenario(title: str) -> str:
    """What the planted items of a run are called: the part of the title that says which data were asked."""
    return title.removesuffix(":")


def test_own_cases_give_every_manner_the_same_numbers(tmp_path: Path) -> None:
    items = write_own(tmp_path, 12)
    models = (*ENGLISH, "steps-de", "first-de", "steps-zh", "hidden-zh")
    told = shortfalls(tmp_path, items, [f"{name}.yaml" for name in OWN], models, 12)
    assert not told, "\n".join(told)


@pytest.mark.slow
def test_own_cases_give_every_manner_the_same_numbers_in_three_languages(tmp_path: Path) -> None:
    items = write_own(tmp_path, 24)
    told = shortfalls(tmp_path, items, [f"{name}.yaml" for name in OWN], EVERYONE, 24)
    assert not told, "\n".join(told)


# ---- the library

LIBRARY = (
    "mmlu:subject=anatomy",
    "boolq",
    "imdb",
    "bbq:category=Age",
    "med_qa",
    "gsm8k",
    "civil_comments",
    "super_glue:task=cb",
    "super_glue:task=rte",
    "super_glue:task=wic",
    "super_glue:task=wsc",
)

PLANTING = """
import json, sys
from assay.entries import parse_entry
from assay.errors import AssayError
from assay.registry import scenarios
found = []
for entry in json.loads(sys.argv[1]):
    ask = parse_entry(entry if ":" in entry else entry + ":")
    made = scenarios.get(ask.scenario)(**ask.parameters)
    for split in ("test", "valid"):
        try:
            found += [
                [entry, each.id, each.input, [reference.text for reference in each.references], list(each.gold)]
                for each in made.instances(split)
            ]
        except AssayError:
            pass  # the data has no such split
print(json.dumps(found))
"""


@pytest.fixture(scope="session")
def hub(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Where the loopback hub is, as environment variables."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    with HubMirror(shared / "hub") as mirror:
        cache = tmp_path_factory.mktemp("hf")
        yield {"HF_ENDPOINT": mirror.url, "HF_HOME": str(cache), "HF_TOKEN": mirror.token, "HF_HUB_DISABLE_TELEMETRY": "1"}


def planted(hub: dict[str, str], entries: Sequence[str]) -> list[Item]:
    """The questions of library scenarios with what is right, loaded by assay itself."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    command = [sys.executable, "-c", PLANTING, json.dumps(entries)]
    done = subprocess.run(command, env={**clean, "PYTHONPATH": str(SOURCE), **hub}, capture_output=True, text=True, check=True)
    items = []
    for entry, name, question, references, gold in json.loads(done.stdout.splitlines()[-1]):
        if len(references) > 1:
            items.append(manners.choice(entry, name, question.strip(), references, gold))
        else:
            result = gold[0].rpartition("The answer is ")[2].rstrip(".").replace(",", "")
            items.append(manners.number(entry, name, question.strip(), result))
    return items


def test_letters_and_closed_questions_of_the_library_give_every_manner_the_same_numbers(
    hub: dict[str, str], tmp_path: Path
) -> None:
    entries = ("mmlu:subject=anatomy", "boolq")
    told = shortfalls(tmp_path, planted(hub, entries), _asked(entries), (*ENGLISH, "steps-de", "first-zh"), 12, **hub)
    assert not told, "\n".join(told)


@pytest.mark.slow
@pytest.mark.parametrize("entry", LIBRARY)
def test_the_library_gives_every_manner_the_same_numbers_in_three_languages(
    entry: str, hub: dict[str, str], tmp_path: Path
) -> None:
    told = shortfalls(tmp_path, planted(hub, [entry]), _asked([entry]), EVERYONE, 25, **hub)
    assert not told, "\n".join(told)


def _asked(entries: Sequence[str]) -> list[str]:
    return [entry if ":" in entry else f"{entry}:" for entry in entries]

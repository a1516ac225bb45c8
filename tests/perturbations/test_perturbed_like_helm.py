"""Copies made with HELM's word lists, held against those that HELM made of the same items.

HELM draws from other generators; what is drawn is therefore compared as a set, and everything else letter by letter.
"""

from __future__ import annotations

import difflib
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.identity import generator
from assay.perturbations import parse_perturbation, perturb
from assay.perturbations.casing import like
from assay.perturbations.library.contraction import contract
from assay.perturbations.library.person_name import Exchange, exchange_names
from assay.perturbations.words import Lexicon, split
from assay.records import Instance, Reference

Copies = dict[str, dict[str | None, Instance]]


def _instance(told: dict[str, Any]) -> Instance:
    references = tuple(Reference(text=r["output"]["text"], correct="correct" in r["tags"]) for r in told["references"])
    return Instance(id=told["id"], input=told["input"]["text"], references=references)


@pytest.fixture(scope="module", params=["mc", "mcsep"])
def copies(request: pytest.FixtureRequest, shared: Path) -> Copies:
    """HELM's instances by id and perturbation (None: the original)."""
    with gzip.open(shared / "golden" / request.param / "scenario_state.json.gz") as stream:
        states = json.load(stream)["request_states"]
    found: Copies = {}
    for told in (state["instance"] for state in states):
        name = told["perturbation"]["name"] if "perturbation" in told else None
        found.setdefault(told["id"], {}).setdefault(name, _instance(told))
    return found


def texts(instance: Instance) -> list[str]:
    return [instance.input, *(reference.text for reference in instance.references)]


def missed_by_helm(text: str, words: str) -> bool:
    """HELM's known defect: words of its lists at the very start or end of a text are not exchanged."""
    return bool(re.search(rf"^(?:{words})\b|\b(?:{words})$", text, re.IGNORECASE))


def test_gender_pronouns_are_the_same_but_at_the_ends_of_texts(copies: Copies) -> None:
    (spec,) = parse_perturbation("gender_pronouns_deterministic")
    compared = 0
    for of_one in copies.values():
        ours = perturb(of_one[None], spec, 0)
        theirs = of_one.get("gender")
        if any(missed_by_helm(text, "he|him|his|himself") for text in texts(of_one[None])):
            continue
        assert (ours and texts(ours)) == (theirs and texts(theirs))
        compared += ours is not None
    assert compared > 0.4 * len(copies)


def exchanged(text: str, lexicon: Lexicon, defects: bool) -> str:
    """The text with each listed word exchanged for its first spelling; with HELM's defects where asked for.

    HELM wants a sign or space on either side of a word, and one that stands between two listed words serves the first alone:
    so it misses words at the start and end of a text, and those that follow an exchanged one after a single space.
    """
    parts, free = split(text), True
    last = len(parts) - 2
    for place in range(1, len(parts), 2):
        free = free or len(parts[place - 1]) > 1
        at_an_end = (place == 1 and not parts[0]) or (place == last and not parts[-1])
        if parts[place] in lexicon.written and not (defects and (at_an_end or not free)):
            parts[place] = lexicon.written[parts[place]][1][0]
            free = False
        else:
            free = True
    return "".join(parts)


def test_dialect_is_the_same_but_for_the_spelling_drawn_and_the_words_that_helm_misses(copies: Copies, shared: Path) -> None:
    mapping = json.loads((shared / "golden" / "perturbations" / "dialect" / "SAE_to_AAVE_mapping.json").read_text())
    lexicon = Lexicon.of(mapping)
    first = {other: others[0] for others in mapping.values() for other in others[1:]}

    def one_spelling(text: str) -> str:
        return re.sub(r"\w+", lambda found: like(found[0], first.get(found[0].lower(), found[0].lower())), text)

    compared = 0
    for of_one in copies.values():
        for before, theirs in zip(texts(of_one[None]), texts(of_one["dialect"]), strict=True):
            ours = lexicon.throughout(before, generator(0, "test"), 1.0)
            assert one_spelling(ours) == one_spelling(exchanged(before, lexicon, defects=False))
            assert one_spelling(theirs) == one_spelling(exchanged(before, lexicon, defects=True))
            compared += ours != before
    assert compared > len(copies)


def test_the_same_names_are_exchanged_for_names_of_the_same_group_and_gender(copies: Copies, shared: Path) -> None:
    listed = (shared / "golden" / "perturbations" / "person_name" / "data" / "person_names.txt").read_text().splitlines()
    groups: dict[tuple[str, str], list[str]] = {}
    for name, kind, _, race, _, gender in (line.split(",") for line in listed):
        assert kind == "first_name"
        groups.setdefault((race, gender), []).append(name)
    names = Exchange.of(
        {name: groups["black_american", gender] for gender in ("male", "female") for name in groups["white_american", gender]}
    )
    gender_of = {name.title(): gender for (race, gender), found in groups.items() if race == "black_american" for name in found}

    def masked(instance: Instance) -> list[str]:
        return [re.sub(r"\w+", lambda word: gender_of.get(word[0], word[0]), text) for text in texts(instance)]

    compared = 0
    for name, of_one in copies.items():
        ours = exchange_names(of_one[None], generator(0, name), names, 1.0)
        assert masked(ours) == masked(of_one.get("person_name", of_one[None]))
        compared += ours != of_one[None]
    assert compared > 0.9 * len(copies)


def test_the_mild_mix_is_the_same_but_for_misspellings(copies: Copies) -> None:
    same = total = 0
    for of_one in copies.values():
        parts = split(of_one[None].input.lower())
        contract(parts)
        ours = "".join(parts).split()
        theirs = re.sub(r"\btothe\b", "to the", of_one["mild_mix"].input).split()  # one of HELM's misspellings
        for word, other in zip(ours, theirs, strict=True):
            assert difflib.SequenceMatcher(None, word, other).ratio() >= 0.5
            same += word == other
        total += len(ours)
        assert of_one["mild_mix"].references == of_one[None].references
    assert 0.9 < same / total < 1, "a tenth of the words that HELM lists are misspelled"

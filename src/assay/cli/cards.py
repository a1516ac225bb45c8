"""`assay show scenario ENTRY`: what a scenario is, where its data come from, and how its first questions are asked."""

from __future__ import annotations

import itertools
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from assay import registry
from assay.entries import Ask, parse_entry
from assay.errors import AssayError
from assay.prompting import METHODS
from assay.prompting.verbatim import VerbatimMethod
from assay.scenarios.base import NEEDS, ScenarioFamily
from assay.scenarios.origins import declared_origin, in_cache, kind_of
from assay.scenarios.variants import A_FILE, required
from assay.text import visible

if TYPE_CHECKING:
    from assay.prompting import Prompting
    from assay.records import Request, Split
    from assay.scenarios import Scenario

WIDTH = 120
"""Columns of a paragraph."""


def show_scenarios(entries: Sequence[str], prompts: int, *, json: bool) -> None:
    """Print the card of each scenario and its first prompts; reads its data, from the cache or the hub.

    Raises:
        AssayError: no entry, an unknown scenario or parameter, or the data cannot be had; the card is printed before that.
    """
    if not entries:
        raise AssayError("assay show scenario needs to know which", "such as: assay show scenario boolq")
    plain = []
    for entry in entries:
        family, ask, scenario = _declared(entry)
        prompting = _prompting(scenario, ask)
        described = card(family, scenario, prompting)
        if registry.is_yaml(ask.scenario):
            described["usage"] = ask.scenario
        if not json:
            _write(_as_text(described))
        asked = [] if _lacks_file(family, ask) else first_prompts(scenario, ask, prompting, prompts)
        if json:
            plain.append({**described, "instances": counts(scenario) if asked else {}, "prompts": asked})
        else:
            _write(_prompts_as_text(family, scenario, asked))
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")


def card(family: ScenarioFamily, scenario: Scenario, prompting: Prompting) -> dict[str, Any]:
    """What is known of a scenario without its data."""
    from assay.prompting import encode

    kind = kind_of(scenario.source)
    return {
        "name": family.name,
        "version": scenario.version,
        "about": scenario.about,
        "usage": family.usage() if family.parameters else f"{family.name}:",
        "source": declared_origin(scenario.source),
        "kind": kind,
        "splits": [] if kind == "local path" else list(scenario.source.splits()),
        "licence": scenario.licence,
        "paper": scenario.paper,
        "taxonomy": msgspec.to_builtins(scenario.taxonomy),
        "metrics": [scenario.main_metric, *scenario.metrics],
        "requires": list(scenario.requires),
        "prompting": encode(prompting),
        "notes": scenario.notes,
    }


def first_prompts(scenario: Scenario, ask: Ask, prompting: Prompting, count: int) -> list[list[str]]:
    """The requests of the first questions, as text: those of the split that is asked by default, or that the entry names.

    Raises:
        AssayError: the data cannot be had or read.
    """
    from assay.prompting import choose
    from assay.prompting.fewshot import unlike
    from assay.prompting.target import Target
    from assay.selection import splits_of

    split = splits_of(scenario, ask.split or (), helm=False)[0]
    questions = list(itertools.islice(scenario.instances(split), count))
    shown = prompting.shots and split != "train" and "train" in scenario.source.splits()
    pool = list(unlike(scenario.instances("train", set()), questions)) if shown else []
    examples = choose(pool, prompting.shots, seed=0, draw=0)
    target = Target(scores=True, takes_messages=True)
    rendered = (prompting.render(question, examples, target).requests for question in questions)
    return [_requests(requests) for requests in rendered]


def counts(scenario: Scenario) -> dict[str, int]:
    """The instances of each split that can be read without asking the hub."""
    seen: set[str] = set()
    known: list[Split] = [split for split in scenario.source.splits() if in_cache(scenario.source, split)]
    return {split: sum(1 for _ in scenario.instances(split, seen)) for split in known}


def _declared(entry: str) -> tuple[ScenarioFamily, Ask, Scenario]:
    """The scenario of an entry; a parameter that must be given and is not has its first value, or stands for a file."""
    name, _, rest = entry.partition(":")
    family = registry.scenarios.get(name.strip())
    ask = parse_entry(entry if rest else f"{name}:")
    return family, ask, family(**{**required(family), **ask.parameters})


def _prompting(scenario: Scenario, ask: Ask) -> Prompting:
    from assay.prompting import with_changes

    return with_changes(scenario.prompting, ask.prompting)


def _lacks_file(family: ScenarioFamily, ask: Ask) -> bool:
    return any(value == A_FILE and name not in ask.parameters for name, value in required(family).items())


def _requests(requests: Sequence[Request]) -> list[str]:
    """Requests as text: a prompt, and below it the texts that are scored after it, marked by ⟦…⟧."""
    parts: list[str] = []
    for prompt, same in itertools.groupby(requests, key=lambda request: request.prompt):
        scored = [f"⟦{request.continuation}⟧" for request in same if request.continuation is not None]
        text = prompt if isinstance(prompt, str) else "\n".join(f"[{turn.role}]\n{turn.content}" for turn in prompt)
        parts.append("\n".join([text, *scored]))
    return parts


def _as_text(described: dict[str, Any]) -> str:
    """A card: short facts on a line each, about and notes as paragraphs."""
    place, prompting = described["taxonomy"], described["prompting"]
    brings_examples = issubclass(METHODS[prompting["method"]], VerbatimMethod)
    facts = {
        "scenario": f"{described['name']}, version {described['version']}",
        "written": described["usage"],
        "all values": f"assay list scenarios --all | grep ^{described['name']}:" if "|…" in described["usage"] else "",
        "data": f"{described['source']} ({described['kind']})",
        "splits": ", ".join(described["splits"]),
        "licence": described["licence"],
        "paper": described["paper"],
        **{name: place[name] for name in ("task", "what", "who", "when", "language")},
        "main metric": described["metrics"][0],
        "metrics": ", ".join(described["metrics"][1:]),
        "needs": ", ".join(NEEDS[need] for need in described["requires"]),
        "asked by": prompting["method"] + ("" if brings_examples else f", {prompting.get('shots', 0)} examples"),
    }
    lines = [f"{name + ':':<13}{value}" for name, value in facts.items() if value]
    notes = textwrap.fill(described["notes"], WIDTH)
    return f"{described['about']}\n\n" + "\n".join(lines) + f"\n\n{notes}\n"


def _prompts_as_text(family: ScenarioFamily, scenario: Scenario, asked: Sequence[Sequence[str]]) -> str:
    if not asked:
        named = next((name for name, value in required(family).items() if value == A_FILE), "path")
        return f"\nIts prompts need {named}=…: assay show scenario {family.name}:{named}=…\n"
    held = ", ".join(f"{split} {number:,}" for split, number in counts(scenario).items())
    parts = [f"\ninstances:   {held or 'not counted: nothing is in the cache'}\n"]
    for number, requests in enumerate(asked, 1):
        parts.append(f"── prompt {number} {'─' * 60}\n" + "\n".join(requests) + "\n")
    return "\n".join(parts)


def _write(text: str) -> None:
    sys.stdout.write(visible(text, longest=200_000))
    sys.stdout.flush()

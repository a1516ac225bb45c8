"""The requests of a scenario's first question in its default prompting, as text for eyes and as a digest for a test."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from assay.entries import parse_entry
from assay.planning import splits_of
from assay.prompting import choose
from assay.prompting.target import Target
from assay.records import Split
from assay.registry import scenarios


def first_requests(entry: str, lacks: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Prompt, continuation and decoding of the first instance of the split that is asked by default.

    Args:
        entry: a run entry.
        lacks: splits that the data at hand do not hold; without the one that would be asked, train is.
    """
    ask = parse_entry(entry)
    scenario = scenarios.get(ask.scenario)(**ask.parameters)
    (wanted,) = splits_of(scenario, (), helm=False)
    split: Split = "train" if wanted in lacks else wanted
    instance = next(iter(scenario.instances(split)))
    pool = [] if split == "train" or "train" not in scenario.source.splits() else list(scenario.instances("train", set()))
    examples = choose(pool, scenario.prompting.shots, seed=0, draw=0)
    rendered = scenario.prompting.render(instance, examples, Target(scores=True))
    kept = ("prompt", "continuation", "max_tokens", "temperature", "stop", "completions")
    return [{name: msgspec.to_builtins(getattr(request, name)) for name in kept} for request in rendered.requests]


def digest_of(requests: list[dict[str, Any]]) -> str:
    """SHA-256 of requests, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(requests, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def shown(requests: list[dict[str, Any]]) -> str:
    """Requests as a person reads them."""
    lines = []
    for request in requests:
        prompt = request["prompt"]
        text = prompt if isinstance(prompt, str) else "\n".join(f"<{turn['role']}>\n{turn['content']}" for turn in prompt)
        after = "" if request["continuation"] is None else f"[{request['continuation']}]"
        lines += [f"{text}⏎{after}", f"max_tokens={request['max_tokens']} stop={request['stop']}", "─" * 60]
    return "\n".join(lines)

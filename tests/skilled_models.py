"""A plugin for tests: `skill/0.8` adds up four fifths of all sums rightly; `skill/0.8-slow` says it took 3 s for each, and
`skill/0.8-late` takes its time. The easier a sum, the more of them get it right. What was asked stands in asked.txt."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence
from pathlib import Path

from assay.models import Capabilities, Local, ModelConfig, provider
from assay.records import Completion, ModelIdentity, Request, Response, Usage


class Skilled(Local):
    def __init__(self, name: str, config: ModelConfig) -> None:
        self.skill, self.late = float(name.split("-")[0]), 0.1 * ("late" in name)
        self.latency_s = 3.0 if "slow" in name else 0.1
        self.identity = ModelIdentity(name=config.name)
        self.capabilities = Capabilities(concurrency=64)

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        time.sleep(self.late)
        with Path("asked.txt").open("a") as file:
            file.writelines(f"{self.identity.name} {terms(request)} {request.repeat}\n" for request in requests)
        return [self.answer(*terms(request)) for request in requests]

    def answer(self, one: int, other: int) -> Response:
        hardness = int(hashlib.sha256(f"{one}+{other}".encode()).hexdigest()[:8], 16) / 2**32
        text = str(one + other + (hardness >= self.skill))
        usage = Usage(prompt_tokens=9, completion_tokens=1, source="tokenizer")
        return Response(completions=(Completion(text=text),), usage=usage, latency_s=self.latency_s + hardness / 10)


def terms(request: Request) -> tuple[int, int]:
    one, other = re.findall(r"(\d+) \+ (\d+)", str(request.prompt))[-1]
    return int(one), int(other)


@provider("skill")
def skill(name: str, config: ModelConfig) -> Skilled:
    """A known share of right answers."""
    return Skilled(name, config)

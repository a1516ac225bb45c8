"""A model provider and a perturbation of one's own: `assay run … --plugin examples/parrot.py -m parrot/grey -p shout`."""

import random
from collections.abc import Sequence

from assay.models import Capabilities, Local, ModelConfig, provider
from assay.perturbations import perturbation
from assay.records import Completion, ModelIdentity, Request, Response


class Parrot(Local):
    """Says the last line of what it hears."""

    def __init__(self, config: ModelConfig) -> None:
        self.identity = ModelIdentity(name=config.name, revision="1")
        self.capabilities = Capabilities()

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        return [Response(completions=(Completion(text=str(request.prompt).split("\n")[-1]),)) for request in requests]


@provider("parrot", examples=["parrot/grey"])
def parrot(name: str, config: ModelConfig) -> Parrot:
    """Repeats the end of the prompt."""
    return Parrot(config)


@perturbation(kind="robustness")
def shout(text: str, rng: random.Random) -> str:
    """All letters in capitals."""
    return text.upper()

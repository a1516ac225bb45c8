"""A request after tokenisation: what an engine reads, scores and continues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.models.in_process.sampling import Sample
from assay.models.in_process.words import Words
from assay.records import Request, Token, Usage


@dataclass
class Job:
    """A request after tokenisation.

    `text` is what the model reads. A scoring job has one target for each of its last tokens: the token whose probability
    is asked for after it. A generation job has samples, which continue the text.
    """

    text: Sequence[int]
    targets: Sequence[int] = ()
    pieces: Sequence[str] = ()
    """The targets as text."""
    top: int = 0
    samples: Sequence[Sample] = ()
    scores: list[Token] = field(default_factory=list)
    """The targets with their log-probabilities: filled in by `Engine.run`."""

    @property
    def usage(self) -> Usage:
        """Tokens read and written, as the tokenizer counts them; the token that ends a text is not counted."""
        if self.samples or not self.targets:
            written = sum(sample.read for sample in self.samples)
            return Usage(prompt_tokens=len(self.text), completion_tokens=written, source="tokenizer")
        read_only = len(self.text) + 1 - len(self.targets)
        return Usage(prompt_tokens=read_only, completion_tokens=len(self.targets), source="tokenizer")

    @property
    def finished(self) -> bool:
        """All that is asked for is there."""
        scored = len(self.scores) == len(self.targets) and all(score.logprob is not None for score in self.scores)
        return scored and all(sample.finish for sample in self.samples)

    @property
    def longest(self) -> int:
        """Most tokens of the context window that it may come to need."""
        return len(self.text) + max((max(0, sample.request.max_tokens) for sample in self.samples), default=0)


def job_for(words: Words, request: Request) -> Job:
    """What an engine is to do for a request.

    Where nothing comes before a text, the start token does.

    Raises:
        AssayError: the chat template refuses the prompt.
    """
    if request.continuation is None:
        samples = [Sample(request, words, index) for index in range(request.completions)]
        return Job(words.prompt(request.prompt) or [words.start], samples=samples)
    tokens, begin = words.continued(request.prompt, request.continuation)
    pieces = words.pieces(tokens[begin:])
    if begin == len(tokens):
        return Job(tokens)
    if begin == 0:
        tokens, begin = [words.start, *tokens], 1
    return Job(tokens[:-1], targets=tokens[begin:], pieces=pieces, top=request.top_logprobs)

"""What was asked in a trial and what came back, request by request, as a page shows it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.errors import AssayError
from assay.prompting import decode
from assay.prompting.base import Prompting
from assay.prompting.reasoning import LONGEST_READ, spoken
from assay.records import Answer, Completion, Reading, RunSpec, Token
from assay.runs import read
from assay.web.addresses import Address
from assay.web.trials.passages import IN_A_REPORT, SHOWN, Passage, passage
from assay.web.trials.prompts import turns
from assay.web.trials.tokens import Shaded, shaded
from assay.web.trials.transcripts import Told

BRIEF = 300
"""Characters of a scored text that stands in a table."""
AT_ONCE = 10
"""Requests that a page shows; a long text is scored in many."""
LONGEST_READ_AGAIN = 2 * LONGEST_READ
"""Characters of a completion that is read again to find where its answer stood."""


@dataclass(frozen=True)
class Part:
    """A message of a prompt, its examples apart."""

    role: str
    head: Passage | None
    examples: Passage | None
    question: Passage


@dataclass(frozen=True)
class Output:
    """One completion of a request, or what was scored."""

    request: int
    """Which request, from 0."""
    title: str
    brief: bool
    """A short text that was scored: a line of a table."""
    text: Passage
    reasoning: tuple[Passage, ...]
    tokens: tuple[Shaded, ...]
    raw_tokens: tuple[Token, ...]
    ended: str
    logprob: float | None
    chosen: bool
    """It was scored and stands for the option that counts as the answer."""


@dataclass(frozen=True)
class Asked:
    """Requests with one prompt, one after the other, and what came back."""

    number: int
    """Of the first, from 0."""
    prompt: tuple[Part, ...]
    outputs: tuple[Output, ...]
    failures: tuple[str, ...]

    @property
    def brief(self) -> bool:
        """All outputs are lines of a table."""
        return bool(self.outputs) and all(output.brief for output in self.outputs)


@dataclass(frozen=True)
class Shower:
    """Shows the texts of a page, each from where the address says."""

    address: Address
    live: bool

    def __call__(self, name: str, text: str, match: tuple[int, int] | None = None) -> Passage:
        """A text of that name."""
        start = int(self.address.number("start", 0, 0, 1e12)) if self.address.one("part") == name else 0
        return passage(name, text, start, match, SHOWN if self.live else IN_A_REPORT)

    def some(self, name: str, text: str) -> Passage | None:
        """A text of that name; `None` for an empty one."""
        return self(name, text) if text else None


def prompting_of(spec: RunSpec) -> Prompting | None:
    """What made the prompts of a run; `None` where its prompting is not known here."""
    try:
        return decode(spec.prompting)
    except AssayError:
        return None


def read_again(trial: Told, prompting: Prompting | None) -> Answer | None:
    """The answer, read from the responses as the run says; `None` where it cannot be, or would take long."""
    texts = (completion.text for response in trial.responses for completion in response.completions)
    if prompting is None or sum(map(len, texts)) > LONGEST_READ_AGAIN:
        return None
    try:
        return read(prompting, trial.trial, trial.responses)
    except (AssayError, ValueError, LookupError, TypeError):
        return None  # a damaged or foreign row: the page shows what is stored


def asked(trial: Told, prompting: Prompting | None, first: int, show: Shower) -> Iterator[Asked]:
    """Some requests of a trial, from the one of that number on."""
    answer = read_again(trial, prompting)
    match = _match(answer.reading if answer else None)
    requests = list(zip(trial.trial.requests, trial.responses, strict=False))[first : first + AT_ONCE]
    numbered = enumerate(requests, start=first)
    for _, same in itertools.groupby(numbered, key=lambda pair: pair[1][0].prompt):
        outputs: list[Output] = []
        failures: list[str] = []
        numbers: list[int] = []
        for number, (request, response) in same:
            numbers.append(number)
            failures += [] if response.failure is None else [f"{response.failure.kind}: {response.failure.message}"]
            for place, completion in enumerate(response.completions[:AT_ONCE]):
                found = match if (number, place) == (0, 0) else None
                made = _output((number, place), completion, request.continuation, show, found)
                outputs.append(replace(made, chosen=request.continuation is not None and _is_chosen(trial, number)))
        yield Asked(numbers[0], tuple(_prompt(numbers[0], trial, prompting, show)), tuple(outputs), tuple(failures))


def _is_chosen(trial: Told, request: int) -> bool:
    """Whether a scored request is the first one of the option that was chosen."""
    per_option = max(1, len(trial.trial.requests) // max(1, len(trial.trial.instance.references)))
    return trial.row["choice"] is not None and divmod(request, per_option) == (trial.row["choice"], 0)


def _match(reading: Reading | None) -> tuple[int, int] | None:
    return None if reading is None or reading.start is None or reading.end is None else (reading.start, reading.end)


def _prompt(number: int, trial: Told, prompting: Prompting | None, show: Shower) -> list[Part]:
    parts = []
    for place, turn in enumerate(turns(trial.trial.requests[number].prompt, trial.trial, prompting)):
        name = f"prompt-{number}-{place}"
        parts.append(
            Part(
                role=turn.role,
                head=show.some(f"{name}-head", turn.head),
                examples=show.some(f"{name}-examples", turn.examples),
                question=show(name, turn.question),
            )
        )
    return parts


def _output(
    which: tuple[int, int], completion: Completion, continuation: str | None, show: Shower, match: tuple[int, int] | None
) -> Output:
    name = f"completion-{which[0]}-{which[1]}"
    scored = continuation is not None
    text = completion.text if continuation is None else continuation
    begin = 0 if scored or len(text) > LONGEST_READ else spoken(text).start
    thought = [(f"{name}-reasoning", completion.reasoning), (f"{name}-aloud", text[:begin])]
    if match is not None and begin:
        match = (match[0] - begin, match[1] - begin) if match[0] >= begin else None
    tokens = shaded(completion.tokens if show.live else completion.tokens[:60])
    return Output(
        request=which[0],
        title="Scored text" if scored else "Completion" if which[1] == 0 else f"Completion {which[1] + 1}",
        brief=scored and len(text) <= BRIEF,
        text=show(name, text[begin:], match),
        reasoning=tuple(show(part, thoughts) for part, thoughts in thought if thoughts),
        tokens=tokens,
        raw_tokens=completion.tokens if tokens else (),
        ended="" if scored else f"ended by {completion.finish_reason.replace('_', ' ')}",
        logprob=completion.logprob,
        chosen=False,
    )

"""Reading answers out of completions: the text after a reasoning block, the letter of an option, a refusal.

Each reader takes hostile text of any length and never raises; the last answer wins, because models think aloud before
they decide.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

from assay.records import Answer, Completion, Outcome, Reference, Response

LONGEST_READ = 100_000
"""Characters of a completion that are searched for an answer, from its end."""

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_UNFINISHED_THOUGHT = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_CUE = r"(?i:answer|choice|option)(?i:\s+(?:is|would be|must be|should be))?\s*[:=]?"
_REFUSAL = re.compile(
    r"^(i['’]?m (really |very |so )?sorry,? (but )?i (can['’]?t|cannot|am unable|won['’]?t)|"
    r"(sorry,? )?(but )?i (can['’]?t|cannot|won['’]?t|am unable to|am not able to) "
    r"(help|assist|comply|answer|provide|do|fulfil|continue)|"
    r"as an ai( language model)?,? i (can['’]?t|cannot|am unable|am not able))",
    re.IGNORECASE,
)


def without_reasoning(text: str) -> tuple[str, bool]:
    """The text after the model's reasoning blocks, and whether a block was opened and never closed."""
    rest = _THOUGHT.sub("", text[-LONGEST_READ:])
    opened = _UNFINISHED_THOUGHT.search(rest)
    return (rest[: opened.start()], True) if opened else (rest, False)


def is_refusal(text: str) -> bool:
    """Whether a completion opens by declining to answer."""
    return _REFUSAL.match(text.strip()[:200].lstrip("*\"'")) is not None


def outcome_of(completion: Completion, text: str) -> Outcome:
    """The outcome of a completion whose answer is its text."""
    if completion.finish_reason == "content_filter" or is_refusal(text):
        return "refused"
    if completion.finish_reason == "length":
        return "truncated"
    return "answered" if text else "empty"


def letter_for(index: int) -> str:
    """The letter of an option: A for the first."""
    return string.ascii_uppercase[index]


def read_letter(text: str, options: Sequence[str]) -> int | None:
    """The option a completion chooses, as an index, or `None` where it names none.

    Tried in this order, each from the end of the text: the completion is a letter in any dress (`B`, `(B)`, `**B**`,
    `$B$`, `B.`); a letter in a box or after "answer" (`\\boxed{B}`, `Answer: B`, `the answer is (B)`); the completion
    opens with a letter and a delimiter (`B. because …`); it is the text of an option; it names one option's text, or
    one letter, and no other.
    """
    text = without_reasoning(text)[0].strip()
    if not text or not options:
        return None
    letters = string.ascii_uppercase[: len(options)]
    dressed = re.fullmatch(rf"[\W_]*([{letters}])[\W_]*", text, re.IGNORECASE)
    if dressed:
        return letters.index(dressed[1].upper())
    cues = (
        rf"boxed\{{\s*(?:\\text\s*\{{)?\W*([{letters}])\W*\}}",
        _CUE + rf"[\s*_$\"'(\[{{\\]*([{letters}])(?![A-Za-z'’])",
        rf"\A[\s*_$\"'(\[]*([{letters}])[*_$\"')\]]*(?:[.:,)\]\n]|\s*[-–—]\s|\Z)",
    )
    for cue in cues:
        if found := re.findall(cue, text):
            return letters.index(found[-1])
    return _by_text(text, options, letters)


def _by_text(text: str, options: Sequence[str], letters: str) -> int | None:
    plain = _plain(text)
    normal = [_plain(option) for option in options]
    if normal.count(plain) == 1:
        return normal.index(plain)
    named = [index for index, option in enumerate(normal) if option and re.search(rf"(?<!\w){re.escape(option)}(?!\w)", plain)]
    outer = [i for i in named if not any(i != j and normal[i] in normal[j] for j in named)]
    if len(outer) == 1:
        return outer[0]
    alone = set(re.findall(rf"(?<![A-Za-z'’])\(?\**([{letters}])\**\)?(?![A-Za-z'’])", text))
    alone -= {"A"} if re.search(r"(?:\A|[.!?]\s+)A [a-z]", text) else set()
    return letters.index(alone.pop()) if len(alone) == 1 else None


def _plain(text: str) -> str:
    return " ".join(text.lower().strip(" \t\n.!?\"'*_`").split())


def failed(responses: Sequence[Response], references: tuple[Reference, ...]) -> Answer | None:
    """The answer of a trial one of whose requests failed, or `None` where all came back."""
    for response in responses:
        if response.failure is not None:
            return measured(Answer(outcome="failed", references=references, failure=response.failure), responses)
        if not response.completions:
            return measured(Answer(outcome="empty", references=references), responses)
    return None


def measured(answer: Answer, responses: Sequence[Response]) -> Answer:
    """An answer with the tokens and seconds its responses took: sums over the requests of the trial."""
    import msgspec

    came = [response for response in responses if response.failure is None]
    counted = [response for response in came if response.usage.source != "none"]
    timed = [response.latency_s for response in came if response.latency_s is not None]
    first = [response.first_token_s for response in came if response.first_token_s is not None]
    return msgspec.structs.replace(
        answer,
        prompt_tokens=sum(r.usage.prompt_tokens for r in counted) if counted else None,
        completion_tokens=sum(r.usage.completion_tokens for r in counted) if counted else None,
        latency_s=sum(timed) if timed else None,
        first_token_s=min(first) if first else None,
        requests=len(responses),
    )

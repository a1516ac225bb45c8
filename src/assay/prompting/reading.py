"""What the methods share when they read: refusals and other outcomes, failed requests, tokens and seconds."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence

from assay.errors import AssayError
from assay.prompting.refusals import is_refusal
from assay.records import Answer, Completion, Outcome, Reference, Response, Usage

MOST_LETTERED = len(string.ascii_uppercase)
"""Options that have a letter."""
MOST_TOKENS = 1 << 40
"""A count above is none, whoever stored it; sums stay far below what a table can hold."""


def outcome_of(completion: Completion, text: str) -> Outcome:
    """The outcome of a completion whose answer is its text."""
    if completion.finish_reason == "content_filter" or is_refusal(text):
        return "refused"
    if completion.finish_reason == "length":
        return "truncated"
    return "answered" if text else "empty"


def letter_for(index: int) -> str:
    """The letter of an option: A for the first.

    Raises:
        AssayError: there are more options than letters.
    """
    if index >= MOST_LETTERED:
        raise AssayError(f"at most {MOST_LETTERED} options can be lettered", "use method=generation")
    return string.ascii_uppercase[index]


def failed(responses: Sequence[Response], references: tuple[Reference, ...]) -> Answer | None:
    """The answer of a trial one of whose requests failed, or `None` where all came back."""
    for response in responses:
        if response.failure is not None:
            return measured(Answer(outcome="failed", references=references, failure=response.failure), responses)
        if not response.completions:
            return measured(Answer(outcome="empty", references=references), responses)
    return None


def _credible(usage: Usage) -> bool:
    return all(0 <= count <= MOST_TOKENS for count in (usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens))


def measured(answer: Answer, responses: Sequence[Response]) -> Answer:
    """An answer with the tokens and seconds its responses took: sums over the requests of the trial."""
    import msgspec

    came = [response for response in responses if response.failure is None]
    counted = [response for response in came if response.usage.source != "none" and _credible(response.usage)]
    timed = [response.latency_s for response in came if response.latency_s is not None and math.isfinite(response.latency_s)]
    first = [
        response.first_token_s
        for response in came
        if response.first_token_s is not None and math.isfinite(response.first_token_s)
    ]
    sources = {response.usage.source for response in counted}
    return msgspec.structs.replace(
        answer,
        prompt_tokens=sum(r.usage.prompt_tokens for r in counted) if counted else None,
        completion_tokens=sum(r.usage.completion_tokens for r in counted) if counted else None,
        latency_s=sum(timed) if timed else None,
        first_token_s=min(first) if first else None,
        usage_source="tokenizer" if "tokenizer" in sources else "provider" if sources else None,
        requests=len(responses),
    )

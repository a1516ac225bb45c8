"""Responses as they come from a model's code, which may be anybody's: what cannot be kept becomes a failure."""

from __future__ import annotations

import math

import msgspec

from assay.models.base import Model
from assay.models.limits import MOST_TOKENS, log_probability
from assay.models.wording import one_line
from assay.records import Completion, Failure, Response, Token, Usage

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Response).decode


def checked(response: object, model: Model) -> Response:
    """The response as the cache gives it back, or a failed one that names the model where it is no response.

    Log-probabilities and counts that cannot be what they are said to be count as not given.
    """
    name = model.identity.name
    if not isinstance(response, Response):
        kind = "None" if response is None else f"something of type {type(response).__name__}"
        return failure_of(f"{name} gave {kind} instead of a Response (repair that model's provider)")
    try:
        if response.failure is None:
            response = _sensible(response)
        return _decode(_encode(response))
    except (msgspec.MsgspecError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        return failure_of(f"{name} gave a Response that cannot be kept: {one_line(str(error))} (repair that model's provider)")


def failure_of(message: str) -> Response:
    """A failed response that no further attempt would better."""
    return Response(failure=Failure(kind="error", message=message))


def _sensible(response: Response) -> Response:
    usage = response.usage
    if not all(0 <= count <= MOST_TOKENS for count in (usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens)):
        response = msgspec.structs.replace(response, usage=Usage())
    if all(_is_sensible(token) for completion in response.completions for token in completion.tokens):
        return response
    return msgspec.structs.replace(response, completions=tuple(_completion(one) for one in response.completions))


def _is_sensible(token: Token) -> bool:
    own = token.logprob is None or -math.inf < token.logprob <= 0
    return own and all(-math.inf < value <= 0 for value in token.top.values())


def _completion(completion: Completion) -> Completion:
    return msgspec.structs.replace(completion, tokens=tuple(_token(token) for token in completion.tokens))


def _token(token: Token) -> Token:
    top = {text: kept for text, value in token.top.items() if (kept := log_probability(value)) is not None}
    return Token(text=token.text, logprob=log_probability(token.logprob), top=top)

"""Conversations as the text that a model was trained on, by the template that comes with its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from assay.errors import AssayError, MissingExtra
from assay.models.wording import one_line
from assay.records import Message


def rendered(template: str | None, messages: Sequence[Message], tokens: Mapping[str, str], name: str) -> str:
    """A conversation as text, up to where the model's answer begins.

    Args:
        template: the jinja2 template of the weights; `None` where they have none.
        messages: the conversation.
        tokens: the special tokens that the template may name, `bos_token` and `eos_token`.
        name: the model, for messages.

    Raises:
        AssayError: there is no template, or it is broken or refuses the messages.
    """
    if template is None:
        raise AssayError(f"{name} has no chat template", "ask with plain text instead of messages")
    turns = [{"role": message.role, "content": message.content} for message in messages]
    compiled = _compiled(template)
    import jinja2

    try:
        return str(compiled.render(messages=turns, add_generation_prompt=True, **tokens))
    except (jinja2.TemplateError, TypeError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
        message = f"the chat template of {name} refuses these messages: {one_line(str(error))}"
        raise AssayError(message, "change their roles") from error


@lru_cache(maxsize=4)
def _compiled(template: str) -> Any:
    """A template in jinja2's sandbox: it comes with the weights and is not trusted."""
    try:
        from jinja2 import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise MissingExtra("jinja2", "local") from None

    def refuse(message: str) -> None:
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, autoescape=False, extensions=[loopcontrols]
    )
    environment.globals["raise_exception"] = refuse
    try:
        return environment.from_string(template)
    except TemplateError as error:
        raise AssayError(f"the chat template is broken: {one_line(str(error))}", "ask with plain text instead") from None

"""doc_to_text, doc_to_target and doc_to_choice: a field's name, a Jinja template, a constant or a function of a document.

Templates come with tasks and are rendered in a sandbox; a document is only ever a value in them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, MissingExtra, no_exit

if TYPE_CHECKING:
    from jinja2 import Template

    from assay.scenarios.lm_eval.sandbox import Sandbox

Document = Mapping[str, Any]


def render(template: str, document: Document) -> str:
    """A template filled in.

    Raises:
        AssayError: it is malformed, names a field that the document lacks, or does more than a template needs to.
        MissingExtra: jinja2 is not installed.
    """
    compiled = _compiled(template)
    try:
        return _environment().filled(compiled, dict(document))
    except AssayError:
        raise
    except Exception as error:  # whatever an expression of the template can raise
        reason = " ".join(str(error).split())[:200]
        raise AssayError(
            f"the template {_shown(template)} cannot be filled in: {reason}", "its fields are " + ", ".join(document)
        ) from error


@functools.lru_cache(maxsize=256)
def _compiled(template: str) -> Template:
    from jinja2 import TemplateError

    try:
        return _environment().from_string(template)
    except TemplateError as error:
        raise AssayError(f"{_shown(template)} is no Jinja template: {error}", "correct it in the task's file") from None


@functools.lru_cache(maxsize=1)
def _environment() -> Sandbox:
    try:
        from assay.scenarios.lm_eval.sandbox import Sandbox
    except ImportError:
        raise MissingExtra("jinja2", "local") from None
    return Sandbox()


def _shown(template: str) -> str:
    return repr(template if len(template) <= 80 else template[:80] + "…")


def text_of(setting: Any, document: Document, fields: Collection[str], *, choices: bool) -> str | int:
    """The question; a number says which of several inputs is right (`choices`: the task has options).

    Raises:
        AssayError: it is neither, or as `render`.
    """
    value = _value(setting, document, fields)
    if isinstance(setting, str) and setting not in fields and isinstance(value, str) and value.isdigit() and choices:
        value = _literal(value)
    if not isinstance(value, str | int):
        raise AssayError(f"doc_to_text gives a value of type {type(value).__name__}", "it must give a text")
    return value


def target_of(setting: Any, document: Document, fields: Collection[str], *, choices: bool) -> Any:
    """The answer: a text, an option's number, or a list of either where several are right.

    Raises:
        AssayError: as `render`.
    """
    value = _value(setting, document, fields)
    if isinstance(setting, str) and setting not in fields and isinstance(value, str):
        if value.isdigit() and choices:
            return _literal(value)
        if len(value) >= 2 and value[0] == "[" and value[-1] == "]":
            return _literal(value)
    return value


def choices_of(setting: Any, document: Document, fields: Collection[str]) -> list[str]:
    """The options.

    Raises:
        AssayError: they are no list of texts, or as `render`.
    """
    if isinstance(setting, dict):
        value: Any = list(setting.values())
    else:
        value = _value(setting, document, fields)
        if isinstance(setting, str) and setting not in fields:
            value = _literal(value)
    if isinstance(value, tuple):
        value = list(value)
    if not isinstance(value, list) or not all(isinstance(option, str) for option in value):
        raise AssayError(f"doc_to_choice gives {str(value)[:80]!r}", "it must give a list of texts")
    return value


def _value(setting: Any, document: Document, fields: Collection[str]) -> Any:
    """A setting for a document: a function's value, a field's, a filled template, or the constant that it is."""
    if callable(setting):
        try:
            with no_exit("the task's code"):
                return setting(dict(document))
        except AssayError:
            raise
        except Exception as error:
            name = getattr(setting, "__name__", "a function")
            raise AssayError(f"the task's code {name} failed: {type(error).__name__}: {error}", "repair it") from error
    if isinstance(setting, str):
        if setting in fields:
            if setting not in document:
                raise AssayError(f"the document has no field {setting}", "its fields are " + ", ".join(document))
            return document[setting]
        return render(setting, document)
    return setting


def _literal(text: str) -> Any:
    """A list or number as Python writes it; the text itself where it is none."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text

"""A document as an instance, its prompt written out to the byte as the harness sends it.

    description, examples   what stands before the question and is no part of it (`system`)
    question                doc_to_text (`user`)
    gen_prefix              the beginning of the answer (`assistant`)

An example is question + target_delimiter + answer + fewshot_delimiter. Where doc_to_text gives a number, the options are
whole inputs of which that one is right, and doc_to_target is the ending that is scored after each.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.once import warn_once
from assay.records import Message, Reference, Text
from assay.scenarios.base import Draft, Row
from assay.scenarios.lm_eval.config import Task
from assay.scenarios.lm_eval.documents import Asked, TaskSource
from assay.scenarios.lm_eval.templates import choices_of, render, target_of, text_of


@dataclass(frozen=True)
class Writer:
    """Writes the documents of one source."""

    task: Task
    source: TaskSource

    def __call__(self, row: Row) -> Draft:
        """A document as a draft.

        Raises:
            AssayError: a template cannot be filled in, or gives something other than what the task's type needs.
        """
        kinds = {
            "multiple_choice": self._choice,
            "generate_until": self._generation,
            "loglikelihood": self._loglikelihood,
            "loglikelihood_rolling": self._rolling,
        }
        return kinds[self.task.output_type](row)

    def _rolling(self, row: Row) -> Draft:
        return Draft(input=_string("doc_to_target", self._target(row)))

    def _loglikelihood(self, row: Row) -> Draft:
        target = _string("doc_to_target", self._target(row))
        return Draft(input=self._input(row), references=(Reference(text=target, correct=True),))

    def _choice(self, row: Row) -> Draft:
        options = self._choices(row)
        if not options:
            raise AssayError("doc_to_choice gives no options", "every document of a multiple_choice task needs some")
        if not self._several_inputs:
            right = self._right(row, options)
            references = tuple(Reference(text=text, correct=place in right) for place, text in enumerate(options))
            return Draft(input=self._input(row), references=references)
        ending = _string("doc_to_target", self._target(row))
        if self.task.writing.gen_prefix:
            raise AssayError("gen_prefix stands with several inputs", "assay writes it only before the answer to one question")
        number = text_of(self.task.writing.text, row, self._fields, choices=True)
        references = tuple(Reference(text=text, correct=place == number) for place, text in enumerate(options))
        said = Message(role="assistant", content=ending)
        before = self._before(row)
        return Draft(input=(Message(role="system", content=before), said) if before else (said,), references=references)

    def _right(self, row: Row, options: list[str]) -> set[int]:
        """The right options' places; none where the target names no option, which the harness counts as never hit, too."""
        right = _places(self._target(row), options)
        for place in right - set(range(len(options))):
            told = f"lm_eval task {self.task.name}: doc_to_target gives {place} where there are {len(options)} options"
            warn_once(f"{told}: nothing is right there (correct the data, or doc_to_target)")
        return right

    def _generation(self, row: Row) -> Draft:
        target = self._target(row)
        if self.task.writing.choices is not None:
            options = self._choices(row)
            if not isinstance(target, int) or not -len(options) <= target < len(options):
                raise AssayError(f"doc_to_target gives {str(target)[:60]!r}", f"it must number one of {len(options)} options")
            gold = [options[target]]
        elif isinstance(target, list | tuple) and isinstance(self._first_target, list | tuple):
            gold = [str(answer) for answer in target]
        else:
            gold = [str(target)]
        references = tuple(Reference(text=answer, correct=True) for answer in gold)
        return Draft(input=self._input(row), references=references + self._lettered(row))

    def _lettered(self, row: Row) -> tuple[Reference, ...]:
        """The document's options, where a filter reads an answer by their letters."""
        steps = [step for pipeline in self.task.filter_list for step in pipeline.get("filter") or ()]
        if not any(isinstance(step, dict) and step.get("function") == "multi_choice_regex" for step in steps):
            return ()
        choices = row.get("choices")
        if not isinstance(choices, list | dict):  # of a mapping the harness, too, takes the keys
            raise AssayError("multi_choice_regex needs the options of each document", "the data have no list `choices`")
        return tuple(Reference(text=str(choice), role="choice") for choice in choices)

    def _input(self, row: Row) -> Text:
        """Everything before the answer; a single text where it is nothing but the question."""
        question = _string("doc_to_text", text_of(self.task.writing.text, row, self._fields, choices=self._has_choices))
        prefix = self._prefix(self.task.writing.gen_prefix, row)
        if prefix and _needs_space(question, prefix):
            question += self.task.writing.target_delimiter
        before = self._before(row)
        if not before and not prefix:
            return question
        asked = (Message(role="user", content=question),)
        said = (Message(role="assistant", content=prefix),) if prefix else ()
        return ((Message(role="system", content=before),) if before else ()) + asked + said

    def _before(self, row: Row) -> str:
        """The description and the examples."""
        description = _field_or_template(self.task.description, row) if self.task.description else ""
        examples = row.examples if isinstance(row, Asked) else ()
        return description + "".join(self._example(example) for example in examples)

    def _example(self, row: Row) -> str:
        writing = self.task.fewshot_writing
        asked = text_of(writing.text, row, self._fields, choices=self._has_choices)
        options = None if writing.choices is None else choices_of(writing.choices, row, self._fields)
        answer = target_of(writing.target, row, self._fields, choices=self._has_choices)
        if self._several_inputs and options is not None and isinstance(asked, int):
            asked, options = options[asked], None
        question = _string("doc_to_text", asked)
        prefix = _field_or_template(writing.gen_prefix, row) if writing.gen_prefix else ""
        if answer is None or answer == "":
            joined = question + (writing.target_delimiter if prefix and _needs_space(question, prefix) else "")
            return joined + prefix
        shown = self._shown(answer, options)
        delimiter = writing.target_delimiter if not prefix or _needs_space(question, prefix) else ""
        return question + delimiter + _joined(prefix, shown) + writing.fewshot_delimiter

    def _shown(self, answer: Any, options: list[str] | None) -> str:
        """The answer of an example as text: an option by its number, the first of several."""
        if isinstance(answer, int) and options:
            if not -len(options) <= answer < len(options):
                raise AssayError(f"an example's doc_to_target is {answer}", f"it has {len(options)} options")
            return options[answer]
        if isinstance(answer, list | tuple):
            answer = answer[0] if answer else ""
        return _string("doc_to_target of an example", answer)

    def _prefix(self, setting: str | None, row: Row) -> str:
        """The beginning of the answer in the question itself, where it may be the name of a field of the data."""
        if not setting:
            return ""
        return str(row[setting]) if setting in self._fields else render(setting, row)

    def _target(self, row: Row) -> Any:
        return target_of(self.task.writing.target, row, self._fields, choices=self._has_choices)

    def _choices(self, row: Row) -> list[str]:
        return choices_of(self.task.writing.choices, row, self._fields)

    @property
    def _has_choices(self) -> bool:
        return self.task.writing.choices is not None

    @functools.cached_property
    def _fields(self) -> Collection[str]:
        return frozenset(self.source.first)

    @functools.cached_property
    def _several_inputs(self) -> bool:
        return self._has_choices and isinstance(
            text_of(self.task.writing.text, self.source.first, self._fields, choices=True), int
        )

    @functools.cached_property
    def _first_target(self) -> Any:
        return self._target(self.source.first)


def _places(target: Any, options: list[str]) -> set[int]:
    """The right options' places; none where the target names no option."""
    if isinstance(target, list | tuple):
        return {place for place in target if isinstance(place, int)}
    if isinstance(target, str):
        return {options.index(target)} if target in options else set()
    return {int(target)} if isinstance(target, int) else set()


def _field_or_template(setting: str, row: Row) -> str:
    return str(row[setting]) if setting in row else render(setting, row)


def _needs_space(before: str, after: str) -> bool:
    return bool(before) and not before[-1].isspace() and not after[0].isspace()


def _joined(before: str, after: str) -> str:
    return before + (" " if before and after and _needs_space(before, after) else "") + after


def _string(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise AssayError(f"{what} gives {str(value)[:60]!r}, a value of type {type(value).__name__}", "it must give a text")
    return value

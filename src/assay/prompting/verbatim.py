"""Prompts that a scenario has written out whole: nothing is added, stripped or normalised but what a setting names.

The input of an instance is a text, or up to three messages whose contents are joined as they are: `system` holds what stands
before the question and is no part of it (a description, the item's own examples), `user` the question, `assistant` the
beginning of every answer. Perturbations change what the user says and leave the rest alone.

These methods ask and read as lm-evaluation-harness does, so that its tasks keep their prompts and their scores.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from assay.prompting.base import Prompting, Rendered
from assay.prompting.fewshot import Examples
from assay.prompting.filters import Step, apply, check_pattern, without
from assay.prompting.multiple_choice import softmax
from assay.prompting.reading import failed, measured, outcome_of
from assay.prompting.reasoning import spoken
from assay.prompting.refusals import is_refusal
from assay.prompting.samples import finite
from assay.prompting.target import Target
from assay.records import Answer, Completion, Instance, Message, Outcome, Reading, Reference, Request, Response, Text

Ignored = Literal["case", "punctuation", "numbers"]


class VerbatimMethod(Prompting, tag="verbatim"):
    """What both methods share: no examples but the instance's own, and no prefixes."""

    shots: int = 0
    instance_prefix: str = ""
    input_prefix: str = ""
    input_suffix: str = ""
    output_prefix: str = ""
    output_suffix: str = ""

    def __post_init__(self) -> None:
        if self.shots:
            raise ValueError("its prompts hold their examples already: leave shots out (lm_eval tasks have num_fewshot)")

    def written(self, instance: Instance, target: Target, reserve: int, ending: str = "") -> tuple[str, bool]:
        """The prompt, and whether its beginning was cut off because it exceeds the model's window.

        Args:
            instance: the instance to ask.
            target: the model.
            reserve: tokens kept free behind the prompt.
            ending: stands behind the input.
        """
        text = self.assemble([], self.question(_joined(instance)) + ending)
        if target.window is None:
            return text, False
        room = target.window - reserve - (target.template() if target.takes_messages else 0)
        kept = last_part(text, target, max(room, 1))
        return kept, len(kept) < len(text)


def _joined(instance: Instance) -> Instance:
    parts: Text = instance.input
    text = parts if isinstance(parts, str) else "".join(message.content for message in parts)
    return msgspec.structs.replace(instance, input=text)


def last_part(text: str, target: Target, room: int) -> str:
    """The longest end of a text found that has at most `room` tokens."""
    size = len(text)
    while size > 1 and (counted := target.count(text[len(text) - size :])) > room:
        size = min(size - 1, max(1, size * room // counted))
    return text[len(text) - size :]


class VerbatimGeneration(VerbatimMethod, tag="verbatim_generation"):
    """The model goes on after the prompt as it is written; a pipeline of filters reads its answer.

    Of reasoning models only what follows the reasoning is read.
    """

    max_tokens: int = 256
    filters: tuple[Step, ...] = ()
    """What is done to the completions, in order (see `assay.prompting.filters`)."""
    ignore: tuple[Ignored, ...] = ()
    """What is taken out of prediction and references before they are compared; case is lowered."""
    ignore_patterns: tuple[str, ...] = ()
    """Regular expressions whose matches are taken out of both first."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for pattern in self.ignore_patterns:
            check_pattern(pattern)

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        text, cut = self.written(instance, target, self.max_tokens, self.output_prefix)
        request = self.request(self.as_prompt(text, target), target, options=examples.options(instance))
        return Rendered(requests=(request,), truncated=cut)

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        if missing := failed(responses, instance.references):
            return missing
        completions = responses[0].completions
        texts = [spoken(completion.text).text for completion in completions]
        # What comes first counts: with several completions a filter may vote, and without one the first is the answer.
        prediction, found = apply(self.filters, texts, instance.references)
        answer = Answer(
            outcome=self._outcome(completions[0], texts[0], found),
            prediction=self._bare(prediction),
            completions=tuple(self._bare(apply(self.filters, [text], instance.references)[0]) for text in texts),
            references=tuple(self._bare_reference(reference) for reference in instance.references),
            reading=Reading(extractor="+".join(step.function for step in self.filters) or "whole text"),
        )
        return measured(answer, responses)

    def _outcome(self, completion: Completion, text: str, found: bool) -> Outcome:
        extracts = any(step.extracts for step in self.filters)
        if completion.finish_reason == "content_filter" or (is_refusal(text) and not (extracts and found)):
            return "refused"
        if not found:
            return "unparsed" if text.strip() else outcome_of(completion, text.strip())
        return "answered" if extracts else outcome_of(completion, text)

    def _bare_reference(self, reference: Reference) -> Reference:
        return msgspec.structs.replace(reference, text=self._bare(reference.text)) if self._changes else reference

    @property
    def _changes(self) -> bool:
        return bool(self.ignore or self.ignore_patterns)

    def _bare(self, text: str) -> str:
        """The text as it is compared."""
        for pattern in self.ignore_patterns:
            text = without(pattern, text)
        if "case" in self.ignore:
            text = text.lower()
        dropped = "".join(characters for name, characters in DROPPED.items() if name in self.ignore)
        return text.translate(str.maketrans("", "", dropped)) if dropped else text


DROPPED = {"punctuation": string.punctuation, "numbers": string.digits}
"""The characters that `ignore` takes out."""


class VerbatimScoring(VerbatimMethod, tag="verbatim_scoring"):
    """Each reference is scored as it stands after the prompt; the most likely one is chosen.

    `output_prefix` stands before every scored text and is scored with it. An instance that says nothing as the user asks its
    references as different prompts instead, and scores the one text that the assistant says after each. A single reference is
    read as hit where each of its tokens is the model's most likely one.
    """

    max_tokens: int = 0

    scores: ClassVar[bool] = True

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        options = examples.alternatives(instance)
        requests, truncated = [], False
        for asked, scored in self._pairs(instance):
            continuation = self.output_prefix + scored
            text, cut = self.written(asked, target, target.count(continuation) + 1)
            truncated = truncated or cut
            request = Request(
                prompt=self.as_prompt(text, target),
                continuation=continuation,
                max_tokens=0,
                top_logprobs=min(1, target.top_logprobs),
                options=options,
            )
            requests.append(request)
        return Rendered(requests=tuple(requests), truncated=truncated)

    def _pairs(self, instance: Instance) -> list[tuple[Instance, str]]:
        """(what is asked, what is scored after it) for each reference."""
        messages = instance.input if isinstance(instance.input, tuple) else (Message(role="user", content=instance.input),)
        if any(message.role == "user" for message in messages):
            return [(instance, reference.text) for reference in instance.references]
        before = "".join(message.content for message in messages if message.role == "system")
        after = "".join(message.content for message in messages if message.role == "assistant")
        return [(msgspec.structs.replace(instance, input=before + r.text), after) for r in instance.references]

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        references = instance.references
        if missing := failed(responses, references):
            return missing
        completions = [response.completions[0] for response in responses]
        if not completions:
            return measured(Answer(outcome="empty", references=references), responses)
        logprobs = tuple(finite(completion.logprob) for completion in completions)
        if len(references) == 1:
            return measured(_hit_or_missed(references, completions[0], logprobs[0]), responses)
        best = [index for index, logprob in enumerate(logprobs) if logprob == max(logprobs)]
        probabilities = softmax(logprobs)
        answer = Answer(
            outcome="answered",
            prediction=references[best[0]].text,
            completions=(references[best[0]].text,),
            references=references,
            choice=best[0],
            choice_probabilities=probabilities,
            choice_credit=sum(references[index].correct for index in best) / len(best),
            confidence=probabilities[best[0]],
            confidence_source="choice_probability",
            relevance=logprobs,
        )
        return measured(answer, responses)


def _hit_or_missed(references: tuple[Reference, ...], completion: Completion, logprob: float) -> Answer:
    """The answer where one text was scored: its prediction is that text, or the tokens the model finds more likely."""
    hit: bool | None = None
    prediction = references[0].text
    if completion.tokens and all(token.top for token in completion.tokens if token.logprob is not None):
        likeliest = [max(token.top, key=lambda text: token.top[text], default=token.text) for token in completion.tokens]
        known = [(token, finite(token.logprob)) for token in completion.tokens if token.logprob is not None]
        hit = all(own >= max(token.top.values()) for token, own in known)
        prediction = prediction if hit else "".join(likeliest)
    return Answer(
        outcome="answered",
        prediction=prediction,
        completions=(prediction,),
        references=references,
        choice=0 if hit else None,
        choice_credit=None if hit is None else float(hit),
        logprob=logprob,
        scored_tokens=len(completion.tokens),
        scored_bytes=len(references[0].text.encode("utf-8", "replace")),
        relevance=(logprob,),
    )

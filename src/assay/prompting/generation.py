"""Free text: `generation` writes the answer after a few-shot prompt, `chat` sends the instance's own messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from assay.prompting.base import Prompting, Rendered, as_text
from assay.prompting.fewshot import Examples
from assay.prompting.reading import failed, measured, outcome_of, without_reasoning
from assay.prompting.target import Target
from assay.records import Answer, Completion, Instance, Message, Option, Reference, Request, Response


def read_text(instance: Instance, responses: Sequence[Response]) -> Answer:
    """An answer that is the text of the completion, its reasoning and surrounding white space left out.

    Its confidence is the probability of the whole completion, where the model gave log-probabilities.
    """
    if missing := failed(responses, instance.references):
        return missing
    completions = responses[0].completions
    texts, unfinished = zip(*(without_reasoning(completion.text) for completion in completions), strict=True)
    predictions = tuple(text.strip() for text in texts)
    first = completions[0]
    logprob = first.logprob
    answer = Answer(
        outcome="truncated" if unfinished[0] else outcome_of(first, predictions[0]),
        prediction=predictions[0],
        completions=predictions,
        references=instance.references,
        choice=_chosen(predictions[0], instance.references),
        confidence=math.exp(min(logprob, 0.0)) if logprob is not None and predictions[0] else None,
        confidence_source="sequence_logprob" if logprob is not None and predictions[0] else None,
    )
    return measured(answer, responses)


def _chosen(prediction: str, references: tuple[Reference, ...]) -> int | None:
    """The option the text is, where the instance has options (some of them wrong)."""
    if all(reference.correct for reference in references):
        return None
    plain = prediction.lower().rstrip(".")
    matches = [index for index, reference in enumerate(references) if reference.text.lower() == plain]
    return matches[0] if len(matches) == 1 else None


class Generation(Prompting, tag="generation"):
    """The model goes on after the prompt; what it writes is the answer."""

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        blocks, fitted, rendered = self.fit(instance, examples, target)
        text = self.assemble(blocks, self.question(fitted) + self.output_prefix.rstrip())
        request = self.request(self.as_prompt(text, target), target, options=examples.options(instance))
        return msgspec.structs.replace(rendered, requests=(request,))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        return read_text(instance, responses)


class Chat(Prompting, tag="chat"):
    """The messages of the instance as they are, without examples, prefixes or instructions."""

    shots: int = 0
    chat: Literal["auto", "always", "never"] = "always"
    max_tokens: int = 512

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        messages = instance.input if isinstance(instance.input, tuple) else (Message(role="user", content=instance.input),)
        if self.system:
            messages = (Message(role="system", content=self.system), *messages)
        prompt = messages if self.asks_messages(target) else as_text(messages)
        return Rendered(requests=(self.request(prompt, target, options=examples.options(instance)),))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        return read_text(instance, responses)


class RankingBinary(Prompting, tag="ranking_binary"):
    """One yes-or-no question for each passage; the passages are ranked by how surely they answer the query.

    The references of an instance are the passages, the correct ones relevant. An example instance shows two blocks: its
    first relevant passage, answered Yes, and its first irrelevant one, answered No.
    """

    shots: int = 2
    input_prefix: str = "Query: "
    input_suffix: str = "\nDoes the passage answer the query?\n"
    output_prefix: str = "Answer: "
    reference_prefix: str = "Passage: "
    reference_suffix: str = "\n"
    yes: str = "Yes"
    no: str = "No"
    max_tokens: int = 5
    stop: tuple[str, ...] = ("\n",)

    def _block(self, instance: Instance, passage: Reference) -> str:
        return self.reference_prefix + passage.text + self.reference_suffix + self.question(instance)

    def example_blocks(self, examples: Examples) -> list[tuple[str, str]]:
        blocks = []
        for instance in examples.shown:
            relevant = [reference for reference in instance.references if reference.correct][:1]
            irrelevant = [reference for reference in instance.references if not reference.correct][:1]
            for passage in relevant + irrelevant:
                verdict = self.yes if passage.correct else self.no
                block = self._block(instance, passage) + self.output_prefix + verdict + self.output_suffix
                blocks.append((instance.id, block))
        return blocks

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        longest = max((reference.text for reference in instance.references), key=len, default="")
        around = self.reference_prefix + longest + self.reference_suffix
        blocks, fitted, rendered = self.fit(instance, examples, target, around)
        verdicts = (Option(text=self.yes, share=0.5), Option(text=self.no, share=0.5))
        requests: list[Request] = []
        for passage in fitted.references:
            text = self.assemble(blocks, self._block(fitted, passage) + self.output_prefix.rstrip())
            requests.append(self.request(self.as_prompt(text, target), target, options=verdicts))
        return msgspec.structs.replace(rendered, requests=tuple(requests))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        if missing := failed(responses, instance.references):
            return missing
        relevance = tuple(self._relevance(response.completions[0]) for response in responses)
        best = max(range(len(relevance)), key=lambda index: relevance[index], default=None)
        answer = Answer(
            outcome="answered" if any(relevance) else "unparsed",
            prediction=instance.references[best].text if best is not None else "",
            references=instance.references,
            choice=best,
            relevance=relevance,
        )
        return measured(answer, responses)

    def _relevance(self, completion: Completion) -> float:
        """Above 2 for yes, the surer the higher; between 1 and 2 for no, the surer the lower; 0 for anything else."""
        word = without_reasoning(completion.text)[0].strip().lower()
        sure = math.exp(min(completion.tokens[0].logprob or 0.0, 0.0)) if completion.tokens else 1.0
        if word.startswith(self.yes.lower()):
            return 2 + sure
        return 2 - sure if word.startswith(self.no.lower()) else 0.0

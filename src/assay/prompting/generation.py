"""Free text: `generation` writes the answer after a few-shot prompt, `chat` sends the instance's own messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from assay.prompting.base import Prompting, Rendered, as_text
from assay.prompting.confidence import ConfidenceSetting, agreement, asking_confidence
from assay.prompting.fewshot import Examples
from assay.prompting.options import read_option
from assay.prompting.reading import failed, measured
from assay.prompting.samples import AnswerSetting, answer_of, read_free, sequence_probability, verdict_probability
from assay.prompting.target import Target
from assay.records import Answer, Completion, Instance, Message, Option, Reference, Request, Response


def read_text(
    prompting: Generation | Chat, responses: Sequence[Response], references: tuple[Reference, ...], how: AnswerSetting
) -> Answer:
    """An answer in free text, its reasoning and surrounding white space left out.

    Its confidence is the probability of the whole completion, or of the words that name the option where one was read out of
    it, where the model gave log-probabilities and the prompting asks for no other source; without them it is the agreement of
    the samples, where several were drawn.
    """
    if missing := failed(responses, references):
        return missing
    completions = responses[0].completions
    stated = prompting.confidence == "stated"
    samples = [read_free(completion, references, how, stated) for completion in completions]
    answer = answer_of(samples, references, prompting.confidence)
    chosen = answer.choice is not None and samples[0].text != ""
    if how == "letter" or chosen:
        right = answer.choice is not None and references[answer.choice].correct
        answer = msgspec.structs.replace(answer, choice_credit=float(right))
    if prompting.confidence == "auto" and samples[0].key is not None:
        probability = sequence_probability(completions[0])
        verdict = verdict_probability(completions[0], samples[0].reading) if chosen else None
        if verdict is not None and probability is not None:
            answer = msgspec.structs.replace(answer, confidence=verdict, confidence_source="choice_probability")
        elif probability is not None:
            answer = msgspec.structs.replace(answer, confidence=probability, confidence_source="sequence_logprob")
        elif len(samples) > 1 and prompting.temperature > 0:
            share = agreement([sample.key for sample in samples])
            answer = msgspec.structs.replace(answer, confidence=share, confidence_source="agreement")
    return measured(answer, responses)


class Generation(Prompting, tag="generation"):
    """The model goes on after the prompt; what it writes is the answer, or that part of it that `answer` names."""

    answer: AnswerSetting = "auto"
    """What of the completion counts: all of it (`text`), its first line, the last number, the `option` it gives (`letter` where
    they had letters), what was announced last (`final`), that or else
    all of it (`short`), the last `boxed`, or a verdict (`yes_no`). `auto` is the
    option where the instance lists some, else the text."""
    confidence: ConfidenceSetting = "auto"
    """Where the confidence comes from (see `assay.prompting.confidence`)."""

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        asking, aside = asking_confidence(self)
        blocks, fitted, rendered = asking.fit(instance, examples, target, aside)
        text = asking.assemble(blocks, asking.asking_block(asking.question(fitted), fitted, aside))
        request = asking.request(asking.as_prompt(text, target), target, options=examples.options(instance))
        return msgspec.structs.replace(rendered, requests=(request,))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        return read_text(self, responses, instance.references, self.answer)


class Chat(Prompting, tag="chat"):
    """The messages of the instance as they are, without examples, prefixes or instructions."""

    shots: int = 0
    chat: Literal["auto", "always", "never"] = "always"
    max_tokens: int = 512
    answer: AnswerSetting = "auto"
    """As in `generation`."""
    confidence: ConfidenceSetting = "auto"
    """As in `generation`."""

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        asking, aside = asking_confidence(self)
        messages = instance.input if isinstance(instance.input, tuple) else (Message(role="user", content=instance.input),)
        if self.system:
            own = messages[0].content if messages[0].role == "system" else ""  # many templates take one system message only
            system = Message(role="system", content=f"{self.system}\n\n{own}" if own else self.system)
            messages = (system, *(messages[1:] if own else messages))
        if aside:
            last = messages[-1]
            messages = (*messages[:-1], msgspec.structs.replace(last, content=f"{last.content}\n\n{aside.rstrip()}"))
        prompt = messages if self.asks_messages(target) else as_text(messages)
        return Rendered(requests=(asking.request(prompt, target, options=examples.options(instance)),))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        return read_text(self, responses, instance.references, self.answer)


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
            text = self.assemble(blocks, self.asking_block(self._block(fitted, passage), fitted))
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
        verdict = read_option(completion.text, (self.yes, self.no), lettered=False).value
        sure = math.exp(min(completion.tokens[0].logprob or 0.0, 0.0)) if completion.tokens else 1.0
        if verdict is None:
            return 0.0
        return 2 + sure if verdict == 0 else 2 - sure

"""Questions with options: asked all at once and answered by letter, or each option scored by its likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from assay.errors import AssayError
from assay.prompting.base import Prompting, Rendered
from assay.prompting.fewshot import Examples
from assay.prompting.reading import failed, is_refusal, letter_for, measured, read_letter, without_reasoning
from assay.prompting.target import Target
from assay.records import Answer, Completion, Instance, Option, Outcome, Request, Response, Token

MOST_ALTERNATIVES = 20
"""Alternatives asked for at each generated position: as many as the common endpoints give."""


class MultipleChoiceJoint(Prompting, tag="multiple_choice_joint"):
    """All options are listed under the question, each after a letter; the model answers with a letter."""

    input_prefix: str = "Question: "
    output_prefix: str = "Answer: "
    reference_prefix: str = "A. "
    """Stands before the first option; the letter A in it counts on for the others."""
    reference_suffix: str = "\n"
    max_tokens: int = 5
    stop: tuple[str, ...] = ("\n",)

    chooses: ClassVar[bool] = True

    def question(self, instance: Instance) -> str:
        if len(instance.references) > 26:
            raise AssayError(f"instance {instance.id} has {len(instance.references)} options", "letters reach to 26")
        lines = [
            self.reference_prefix.replace("A", letter_for(index)) + reference.text + self.reference_suffix
            for index, reference in enumerate(instance.references)
        ]
        return super().question(instance) + "".join(lines)

    def gold(self, instance: Instance) -> str:
        right = [letter_for(index) for index, reference in enumerate(instance.references) if reference.correct]
        if not right:
            return "n/a"
        return ", ".join(right) if self.multi_label else right[0]

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        blocks, fitted, rendered = self.fit(instance, examples, target)
        text = self.assemble(blocks, self.question(fitted) + self.output_prefix.rstrip())
        shares = examples.position_shares(len(instance.references))
        options = tuple(Option(text=letter_for(index), share=share) for index, share in enumerate(shares))
        request = self.request(self.as_prompt(text, target), target, options=options, top_logprobs=MOST_ALTERNATIVES)
        return msgspec.structs.replace(rendered, requests=(request,))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        if missing := failed(responses, instance.references):
            return missing
        options = [reference.text for reference in instance.references]
        choices = [read_letter(completion.text, options) for completion in responses[0].completions]
        first, choice = responses[0].completions[0], choices[0]
        probabilities = letter_probabilities(first, len(options))
        # Alternatives stand for the answer only where they are those of the position that answered.
        sure = probabilities if choice is not None and probabilities and probabilities[choice] == max(probabilities) else None
        answer = Answer(
            outcome=_outcome(first, choice),
            prediction=options[choice] if choice is not None else without_reasoning(first.text)[0].strip(),
            completions=tuple(options[c] if c is not None else "" for c in choices),
            references=instance.references,
            choice=choice,
            choice_probabilities=sure,
            choice_credit=float(choice is not None and instance.references[choice].correct),
            confidence=sure[choice] if sure is not None and choice is not None else None,
            confidence_source="choice_probability" if sure is not None else None,
        )
        return measured(answer, responses)


class MultipleChoiceJointChainOfThought(MultipleChoiceJoint, tag="multiple_choice_joint_chain_of_thought"):
    """As `multiple_choice_joint`, but the model reasons before it answers, and so do the examples."""

    chain_of_thought_prefix: str = ""
    chain_of_thought_suffix: str = "\n"
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()

    def example(self, instance: Instance) -> str:
        worked = self.chain_of_thought_prefix + instance.worked + self.chain_of_thought_suffix
        return self.question(instance) + self.output_prefix + worked + self.gold(instance) + self.output_suffix


class SeparateMethod(Prompting, tag="multiple_choice_separate"):
    """Each option stands as the answer in a prompt of its own; the most likely one is chosen.

    `normalisation` says what is compared: log-probability per token (HELM's), per byte, or of the whole option.
    """

    shots: int = 0
    input_prefix: str = ""
    input_suffix: str = ""
    output_prefix: str = " "
    output_suffix: str = ""
    max_tokens: int = 0
    normalisation: Literal["token", "byte", "none"] = "token"

    scores: ClassVar[bool] = True
    chooses: ClassVar[bool] = True

    def contexts(self, instance: Instance) -> list[Instance]:
        """The instances to score each option after: the real one, and those it is compared with."""
        return [instance]

    def combine(self, logprobs: Sequence[float], tokens: Sequence[int], option: str) -> float:
        """The score of an option from its log-probability in each context."""
        if self.normalisation == "token":
            return logprobs[0] / max(tokens[0], 1)
        return logprobs[0] / (max(len(option.encode()), 1) if self.normalisation == "byte" else 1)

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        longest = max((reference.text for reference in instance.references), key=len, default="")
        blocks, fitted, rendered = self.fit(instance, examples, target, longest)
        shares = examples.position_shares(len(instance.references))
        options = tuple(Option(text=r.text, share=share) for r, share in zip(instance.references, shares, strict=True))
        requests: list[Request] = []
        for reference in fitted.references:
            for context in self.contexts(fitted):
                before = self.assemble(blocks, self.question(context) + self.output_prefix.rstrip())
                whole = self.assemble(blocks, self.question(context) + self.output_prefix + reference.text + self.output_suffix)
                if not whole.startswith(before):
                    raise AssayError(f"{self.method} cannot score options before a global_suffix", "leave global_suffix empty")
                request = Request(
                    prompt=self.as_prompt(before, target),
                    continuation=whole[len(before) :],
                    max_tokens=0,
                    options=options,
                )
                requests.append(request)
        return msgspec.structs.replace(rendered, requests=tuple(requests))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        if missing := failed(responses, instance.references):
            return missing
        options = [reference.text for reference in instance.references]
        contexts = len(self.contexts(instance))
        scores = []
        for index, option in enumerate(options):
            asked = [response.completions[0] for response in responses[index * contexts : (index + 1) * contexts]]
            scores.append(self.combine([c.logprob or 0.0 for c in asked], [len(c.tokens) for c in asked], option))
        if not scores:
            return measured(Answer(outcome="empty"), responses)
        best = [index for index, score in enumerate(scores) if score == max(scores)]
        probabilities = softmax(scores)
        answer = Answer(
            outcome="answered",
            prediction=options[best[0]],
            completions=(options[best[0]],),
            references=instance.references,
            choice=best[0],
            choice_probabilities=probabilities,
            choice_credit=sum(instance.references[index].correct for index in best) / len(best),
            confidence=probabilities[best[0]],
            confidence_source="choice_probability",
        )
        return measured(answer, responses)


class MultipleChoiceSeparateOriginal(SeparateMethod, tag="multiple_choice_separate_original"):
    """The option the model finds most likely after the question."""


class MultipleChoiceSeparateCalibrated(SeparateMethod, tag="multiple_choice_separate_calibrated"):
    """The option whose likelihood the question raises most, compared with its likelihood after an empty question.

    Source: Brown et al. 2020 (arXiv 2005.14165), section 2.4: log p(option | question) - log p(option | "Answer:").
    """

    neutral: str = "Answer:"
    """What stands in place of the question in the comparison."""

    def contexts(self, instance: Instance) -> list[Instance]:
        return [instance, msgspec.structs.replace(instance, input=self.neutral)]

    def combine(self, logprobs: Sequence[float], tokens: Sequence[int], option: str) -> float:
        return logprobs[0] - logprobs[1]


def letter_probabilities(completion: Completion, count: int) -> tuple[float, ...] | None:
    """Probabilities of the letters at the first position of a completion that is a letter, normalised over the letters.

    `None` where the model gave no alternatives there. A letter that is not among the alternatives has probability 0.
    """
    letters = [letter_for(index) for index in range(count)]
    for token in completion.tokens:
        if not token.text.strip():
            continue
        if token.text.strip() not in letters:
            return None
        found = _at_position(token)
        mass = [sum(math.exp(value) for text, value in found.items() if text.strip() == letter) for letter in letters]
        total = sum(mass)
        return tuple(value / total for value in mass) if total > 0 and len(found) > 1 else None
    return None


def _at_position(token: Token) -> dict[str, float]:
    own = {token.text: token.logprob} if token.logprob is not None else {}
    return {**token.top, **own}


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """exp(score), normalised to 1; scores of minus infinity get 0."""
    top = max(scores)
    if top == -math.inf:
        return tuple(1 / len(scores) for _ in scores)
    weights = [math.exp(score - top) for score in scores]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def _outcome(completion: Completion, choice: int | None) -> Outcome:
    text = without_reasoning(completion.text)[0].strip()
    if completion.finish_reason == "content_filter":
        return "refused"
    if choice is not None:
        return "answered"
    if is_refusal(text):
        return "refused"
    if not text:
        return "truncated" if completion.finish_reason == "length" and completion.text else "empty"
    return "truncated" if completion.finish_reason == "length" and len(text) > 40 else "unparsed"

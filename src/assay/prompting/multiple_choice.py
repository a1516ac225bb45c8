"""Questions with options: asked all at once and answered by letter, or each option scored by its likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from assay.errors import AssayError
from assay.prompting.base import Prompting, Rendered
from assay.prompting.confidence import ConfidenceSetting, agreement, asking_confidence
from assay.prompting.fewshot import Examples
from assay.prompting.reading import MOST_LETTERED, failed, letter_for, measured
from assay.prompting.samples import Sample, answer_of, finite, read_choice
from assay.prompting.target import Target
from assay.records import Answer, Completion, Instance, Option, Request, Response, Token

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

    confidence: ConfidenceSetting = "auto"
    """Where the confidence comes from (see `assay.prompting.confidence`)."""

    chooses: ClassVar[bool] = True

    def question(self, instance: Instance) -> str:
        if not instance.references:
            raise AssayError(f"instance {instance.id} has no options, and {self.method} chooses between them", "give it some")
        if len(instance.references) > MOST_LETTERED:
            told = f"instance {instance.id} has {len(instance.references)} options; at most {MOST_LETTERED} can be lettered"
            raise AssayError(told, "use method=generation")
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
        asking, aside = asking_confidence(self)
        blocks, fitted, rendered = asking.fit(instance, examples, target, aside)
        text = asking.assemble(blocks, asking.asking_block(asking.question(fitted), fitted, aside))
        shares = examples.position_shares(len(instance.references))
        options = tuple(Option(text=letter_for(index), share=share) for index, share in enumerate(shares))
        request = asking.request(asking.as_prompt(text, target), target, options=options, top_logprobs=MOST_ALTERNATIVES)
        return msgspec.structs.replace(rendered, requests=(request,))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        if missing := failed(responses, instance.references):
            return missing
        completions = responses[0].completions
        samples = [read_choice(completion, instance.references, self.confidence == "stated") for completion in completions]
        answer = answer_of(samples, instance.references, self.confidence)
        right = answer.choice is not None and instance.references[answer.choice].correct
        answer = msgspec.structs.replace(answer, choice_credit=float(right))
        if self.confidence == "auto" and answer.choice is not None:
            answer = self._sure(answer, samples, completions[0])
        return measured(answer, responses)

    def _sure(self, answer: Answer, samples: Sequence[Sample], first: Completion) -> Answer:
        """The answer with its confidence: from the letters' probabilities, else from the agreement of several samples."""
        choice = answer.choice
        probabilities = letter_probabilities(first, len(answer.references), samples[0].reading.start)
        # Alternatives stand for the answer only where they are those of the position that answered.
        if choice is not None and probabilities and probabilities[choice] == max(probabilities):
            return msgspec.structs.replace(
                answer,
                choice_probabilities=probabilities,
                confidence=probabilities[choice],
                confidence_source="choice_probability",
            )
        if len(samples) > 1 and self.temperature > 0 and first.logprob is None:
            share = agreement([sample.key for sample in samples])
            return msgspec.structs.replace(answer, confidence=share, confidence_source="agreement")
        return answer


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
        if not instance.references:
            raise AssayError(f"instance {instance.id} has no options, and {self.method} chooses between them", "give it some")
        longest = max((reference.text for reference in instance.references), key=len, default="")
        blocks, fitted, rendered = self.fit(instance, examples, target, longest)
        options = examples.alternatives(instance)
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
            scores.append(self.combine([finite(c.logprob) for c in asked], [len(c.tokens) for c in asked], option))
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


def letter_probabilities(completion: Completion, count: int, place: int | None = None) -> tuple[float, ...] | None:
    """Probabilities of the letters where a completion answers by letter, normalised over the letters.

    `None` where the model gave no alternatives there. A letter that is not among the alternatives has probability 0.

    Args:
        completion: with tokens.
        count: how many options there are.
        place: the character at which the letter was read; where not given, or where the tokens do not spell the text, it is
            the first token that is not blank.
    """
    letters = [letter_for(index) for index in range(count)]
    token = _token_at(completion, place)
    if token is None or token.text.strip() not in letters:
        return None
    found = _at_position(token)
    mass = [sum(math.exp(min(value, 0.0)) for text, value in found.items() if text.strip() == letter) for letter in letters]
    total = sum(mass)
    return tuple(value / total for value in mass) if total > 0 and len(found) > 1 else None


def _token_at(completion: Completion, place: int | None) -> Token | None:
    tokens = completion.tokens
    if place is not None and "".join(token.text for token in tokens).startswith(completion.text):
        end = 0
        for token in tokens:
            end += len(token.text)
            if place < end and any(map(str.isalnum, token.text)):  # not the marks around a letter
                return token
    return next((token for token in tokens if token.text.strip()), None)


def _at_position(token: Token) -> dict[str, float]:
    own = {token.text: token.logprob} if token.logprob is not None else {}
    return {**token.top, **own}


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """exp(score), normalised to 1; scores of minus infinity get 0."""
    known = [-math.inf if math.isnan(score) else score for score in scores]
    top = max(known)
    if math.isinf(top):
        known, top = [0.0 if score == top else -math.inf for score in known], 0.0
    weights = [math.exp(score - top) for score in known]
    total = sum(weights)
    return tuple(weight / total for weight in weights)

"""What a scenario makes of a model that names a certain option of each item, in the way that its prompting asks for.

It speaks of one item at a time and knows the prompting, so that no answer goes wrong on the way: an option that is right must
score, and one that is wrong must not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from string import ascii_uppercase

from assay import registry
from assay.metrics import metrics_for, score_answer
from assay.prompting import Generation, MultipleChoiceJoint, MultipleChoiceJointChainOfThought, Prompting
from assay.prompting.chat_form import for_chat
from assay.prompting.multiple_choice import SeparateMethod
from assay.records import Completion, Instance, Response, Token
from assay.scenarios import Scenario

METRICS = tuple(
    name
    for name in ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "answer_match")
    if name in registry.metrics
)
"""Whatever a scenario measures, these must not take a wrong option for a right one."""


ALONE = "{}"
MANNERS = (ALONE, "**{}**", "The answer is {}", "Let us see.\n\nSo the answer is {}.")


def said(text: str) -> Response:
    return Response(completions=(Completion(text=text),))


def responses(prompting: Prompting, instance: Instance, place: int, manner: str) -> list[Response]:
    """What a model answers that takes the option at a place, in a manner with a gap for it."""
    option = instance.references[place].text
    if isinstance(prompting, SeparateMethod):
        contexts = len(prompting.contexts(instance))
        likely = [[-1.0 if at == place else -9.0] + [-5.0] * (contexts - 1) for at in range(len(instance.references))]
        tokens = ((Token(text="t", logprob=value),) for values in likely for value in values)
        return [Response(completions=(Completion(text="t", tokens=one),)) for one in tokens]
    if isinstance(prompting, MultipleChoiceJointChainOfThought):
        return [said(f"Let us see. The answer is ({ascii_uppercase[place]}).")]
    named = ascii_uppercase[place] if isinstance(prompting, MultipleChoiceJoint) else option
    return [said(manner.format(named))]


def askings(scenario: Scenario, instance: Instance) -> Iterator[Prompting]:
    """The ways in which an item is asked: as declared and as chat."""
    for prompting in (scenario.prompting, for_chat(scenario.prompting, [instance])):
        if isinstance(prompting, (SeparateMethod, MultipleChoiceJoint, Generation)):
            yield prompting


def wrong_verdicts(scenario: Scenario, instances: Iterable[Instance], manners: Sequence[str] = MANNERS) -> list[str]:
    """Options that get another verdict than they should, in words; empty where there are none."""
    main = metrics_for([scenario.main_metric])[0]
    judged = [main] if main.of_answer and main.family == "accuracy" and main.range == (0, 1) else []
    judged += [metric for metric in metrics_for(METRICS) if metric.name in METRICS and metric is not main]
    found = []
    for instance in instances:
        texts = [reference.text for reference in instance.references]
        if not instance.gold or len(instance.gold) == len(texts):
            continue
        for prompting, manner in product(askings(scenario, instance), manners):
            for place, text in enumerate(texts):
                asks = text.endswith("?") and manner != ALONE  # a sentence that ends so asks and asserts nothing
                if isinstance(prompting, Generation) and (texts.count(text) > 1 or asks):
                    continue
                answer = prompting.read(instance, responses(prompting, instance, place, manner))
                right = float(text in instance.gold)
                scores = score_answer(answer, judged)
                wrong = {name: value for name, value in scores.items() if value != right and value is not None}
                if answer.choice is not None and texts[answer.choice] != text:
                    wrong["choice"] = float(answer.choice)
                if wrong:
                    found.append(
                        f"{instance.id}, {prompting.method}, {manner}: {text!r} of {texts} with {instance.gold}: {wrong}"
                    )
    return found


__all__ = ["ALONE", "wrong_verdicts"]

"""What assay asks and scores for the cases of lm_eval_cases.py, in the shape of the harness's results.

Run in an interpreter of its own against the loopback hub, because huggingface_hub reads its settings when it is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import lm_eval_cases as shared
import msgspec

from assay import registry
from assay.errors import AssayError
from assay.metrics import metrics_for
from assay.metrics.scoring import columns_of, count_answer, score_answer
from assay.prompting import Examples, LanguageModeling, Prompting, Target, VerbatimGeneration
from assay.records import Answer, Completion, Instance, Request, Response, ScoredTrial, Token
from assay.scenarios.lm_eval.documents import TaskSource

OURS = {
    "acc": "lm_eval_acc", "acc_norm": "lm_eval_acc_norm", "acc_bytes": "lm_eval_acc_bytes",
    "exact_match": "lm_eval_exact_match", "f1": "lm_eval_f1", "mcc": "lm_eval_mcc", "perplexity": "lm_eval_perplexity",
    "word_perplexity": "lm_eval_word_perplexity",
    "byte_perplexity": "lm_eval_byte_perplexity", "bits_per_byte": "bits_per_byte",
}  # fmt: skip
"""Our metric for each of the harness's that is compared."""


def answered(case: Mapping[str, Any]) -> dict[str, Any]:
    """One case."""
    parameters = {"task": case["task"], "path": case["path"], "filter": case["filter"], "allow_code": case["code"]}
    scenario = registry.scenarios.get("lm_eval")(**parameters, num_fewshot=case["shots"], fewshot_seed=case["seed"])
    assert isinstance(scenario.source, TaskSource)
    requests, answers = [], []
    instances = islice(scenario.instances(scenario.source.splits()[0]), shared.LIMIT)
    for number, instance in enumerate(instances):
        asked = scenario.prompting.render(instance, Examples(), Target(scores=True, top_logprobs=1)).requests
        requests.append([in_their_shape(request) for request in asked])
        answer = scenario.prompting.read(instance, [response(scenario.prompting, instance, r, number) for r in asked])
        answers.append(msgspec.structs.replace(answer, input=instance.input if isinstance(instance.input, str) else ""))
    return {"requests": requests, **scored(answers, (scenario.main_metric, *scenario.metrics))}


def in_their_shape(request: Request) -> list[Any]:
    """A request as the harness's are compared: a prompt, and what is scored after it or where it stops."""
    prompt = request.prompt
    assert isinstance(prompt, str)
    return [prompt, list(request.stop) if request.continuation is None else request.continuation]


def response(prompting: Prompting, instance: Instance, request: Request, number: int) -> Response:
    """The recorded response to a request."""
    if isinstance(prompting, VerbatimGeneration):
        texts = [shared.recorded_text(number + repeat, instance.gold[0]) for repeat in range(request.completions)]
        return Response(completions=tuple(Completion(text=text) for text in texts))
    prompt, text = in_their_shape(request)
    logprob, likeliest = shared.recorded_score("" if isinstance(prompting, LanguageModeling) else prompt, text)
    top = {text: logprob} if likeliest else {"something else": logprob / 2}
    token = Token(text=text, logprob=logprob, top=top)
    return Response(completions=(Completion(text=text, tokens=(token,), finish_reason="scored"),))


def scored(answers: Sequence[Answer], names: tuple[str, ...]) -> dict[str, Any]:
    """Every metric by answer, and as a whole."""
    metrics = [metric for metric in metrics_for(names) if metric.name in names]
    scores = [score_answer(answer, metrics) for answer in answers]
    totals: dict[str, float | None] = {}
    trials = [ScoredTrial(instance_id=str(n), answer=a, scores=s) for n, (a, s) in enumerate(zip(answers, scores, strict=True))]
    for metric in metrics:
        if metric.value is not None:
            counts: dict[str, float] = {}
            for answer in answers:
                for key, count in (count_answer(answer, metric) or {}).items():
                    counts[key] = counts.get(key, 0.0) + count
            totals[metric.name] = metric.value(counts)
        elif metric.of_answers is not None:
            columns = columns_of(trials, None)
            totals[metric.name] = metric.of_answers(columns.take(columns.known(metric.needs)))
        else:
            values = [score[metric.name] for score in scores]
            totals[metric.name] = sum(value or 0.0 for value in values) / len(values)
    return {"scores": scores, "totals": totals}


def main() -> None:
    """Answer all cases; a refusal is reported with its reason."""
    results: dict[str, Any] = {}
    for case in json.load(sys.stdin):
        try:
            results[case["name"]] = answered(case)
        except AssayError as error:
            results[case["name"]] = {"error": str(error)}
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()

"""What lm-evaluation-harness asks and scores, computed by its own code: run by the interpreter that has it.

    python lm_eval_reference.py < cases.json > results.json

Each case names its YAML file, the number of examples, the seed and the filter. The result holds, for the first documents,
the requests, the recorded responses it was given, and every metric by document and as a whole.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

import lm_eval_cases as shared


def main() -> None:
    """Answer all cases; what cannot be loaded is reported with its reason."""
    results = {}
    with contextlib.redirect_stdout(sys.stderr):
        for case in json.load(sys.stdin):
            try:
                results[case["name"]] = answered(case)
            except Exception as error:  # noqa: BLE001 - the harness raises anything; the reader sees what
                results[case["name"]] = {"error": f"{type(error).__name__}: {error}"[:500]}
    json.dump(results, sys.stdout)


def answered(case: dict[str, Any]) -> dict[str, Any]:
    """One case."""
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.tasks._yaml_loader import load_yaml

    config = load_yaml(case["file"])
    for key in ("tag", "group", "task_list"):
        config.pop(key, None)
    task = ConfigurableTask(config=config)
    if case["shots"] is not None:
        task.config.num_fewshot = case["shots"]
    task.set_fewshot_seed(case["seed"])
    task.build_all_requests(limit=shared.LIMIT)
    documents: dict[int, list[Any]] = {}
    for instance in task.instances:
        documents.setdefault(instance.doc_id, []).append(instance)
    pipelines = [pipeline for pipeline in task._filters if case["filter"] in ("", pipeline.name)]
    requests, scores = [], []
    for number, instances in sorted(documents.items()):
        requests.append([request(instance) for instance in instances])
        scores.append(score(task, pipelines[0], instances, number))
    totals = {
        name: task.aggregation().get(name, lambda values: sum(values) / len(values))([one[name] for one in scores])
        for name in scores[0]
    }
    return {"requests": requests, "scores": json.loads(json.dumps(scores, default=float)), "totals": totals}


def request(instance: Any) -> list[Any]:
    """A request in the shape that both sides are compared in."""
    if instance.request_type == "generate_until":
        prompt, settings = instance.args
        until = settings["until"]
        return [prompt, [until] if isinstance(until, str) else list(until)]
    return list(instance.args) if len(instance.args) > 1 else ["", instance.args[0]]


def score(task: Any, pipeline: Any, instances: list[Any], number: int) -> dict[str, Any]:
    """The metrics of one document, from recorded responses."""
    for instance in instances:
        instance.resps = responses(task, instance, number)
        instance.filtered_resps = {}
    pipeline.apply(instances)
    given = [instance.filtered_resps[pipeline.name] for instance in instances]
    result: dict[str, Any] = task.process_results(instances[0].doc, given)
    return result


def responses(task: Any, instance: Any, number: int) -> list[Any]:
    """What was recorded for a request, once for each repeat."""
    if instance.request_type == "generate_until":
        target = task.doc_to_target(instance.doc)
        if task.config.doc_to_choice is not None:
            target = task.doc_to_choice(instance.doc)[target]
        answer = str(target[0] if isinstance(target, list) else target)
        return [shared.recorded_text(number + repeat, answer) for repeat in range(task.config.repeats)]
    prompt, scored = request(instance)
    logprob, likeliest = shared.recorded_score(prompt, scored)
    return [logprob if instance.request_type == "loglikelihood_rolling" else (logprob, likeliest)]


if __name__ == "__main__":
    main()
